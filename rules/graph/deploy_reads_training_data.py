from __future__ import annotations

from collections.abc import Iterator

from caffelint.lint import LIKELY, TEST, TRAIN, WARNING, Finding, Invalid, Net, NetRule, Related, title

from ._left_over import hands_back_gradients, is_of_nets_for_tests, is_to_deploy

_DATA = 'layer { name: "data" type: "ImageData" top: "data" top: "label" image_data_param { source: "train.txt" }%s } '
_FC = 'layer { name: "fc" type: "InnerProduct" bottom: "data" top: "fc" inner_product_param { num_output: 9 } } '
_LOSS = 'layer { name: "loss" type: "SoftmaxWithLoss" bottom: "fc" bottom: "label" top: "loss" }'


class DeployReadsTrainingData(NetRule):
    """A deploy net has the data layers and the loss of training.

    ## Why is this bad?
    It is a copy of the training net: it opens lists or databases that are not there where the net is used, gives the
    loss for what they hold instead of answers, and overwrites whatever a program writes into its first blob.

    ## Example
    `deploy.prototxt`:
    ```
    layer { name: "data" type: "ImageData" top: "data" top: "label" image_data_param { source: "train.txt" } }
    layer { name: "loss" type: "SoftmaxWithLoss" bottom: "fc" bottom: "label" top: "loss" }
    ```
    Use instead:
    ```
    layer { name: "data" type: "Input" top: "data" input_param { shape { dim: 1 dim: 3 dim: 227 dim: 227 } } }
    layer { name: "prob" type: "Softmax" bottom: "fc" top: "prob" }
    ```

    ## Known problems
    Programs that follow gradients down to the image, as for saliency maps, take a loss: nothing is said where one that
    names the net calls `backward`, or the net has `force_backward`.

    ## References
    - pannous/caffe-ocr issue 1
    """

    code = "G037"
    name = "deploy-reads-training-data"
    severity = WARNING
    certainty = LIKELY
    VALID = [
        {"train.prototxt": _DATA % "" + _FC + _LOSS},
        # A solver trains it.
        {"deploy.prototxt": _DATA % "" + _FC + _LOSS, "solver.prototxt": 'net: "deploy.prototxt" base_lr: 0.1'},
        # They measure their answers on a list.
        {"deploy.prototxt": _DATA % "" + _FC + _LOSS.replace('type: "Soft', 'include { phase: TEST } type: "Soft')},
        {"deploy.prototxt": _DATA % " include { phase: TEST }" + _FC + _LOSS},
        {"deploy.prototxt": _DATA % "" + _FC},
        # They follow gradients down to the image.
        {"deploy.prototxt": "force_backward: true " + _DATA % "" + _FC + _LOSS},
        # Such are the nets that solvers test here.
        {
            "deploy_a.prototxt": _DATA % "" + _FC + _LOSS,
            "a.prototxt": _DATA % "" + _FC + _LOSS,
            "solver.prototxt": 'train_net: "a.prototxt" test_net: "deploy_b.prototxt" base_lr: 0.1',
        },
    ]
    INVALID = [
        Invalid(
            {"lenet_deploy.prototxt": _DATA % " include { phase: TRAIN }" + _FC + _LOSS},
            span='source: "train.txt"',
            message='ImageData "data": this deploy net reads "train.txt", and SoftmaxWithLoss "loss" compares with its'
            " labels, as in training; put an Input in place of the data layers and a Softmax in place of the loss, as"
            " `caffelint deploy` does",
        )
    ]

    def check(self, net: Net) -> Iterator[Finding]:
        readers = net.layers_that(lambda kind: kind.is_data)
        if net.layers_of(["Accuracy"]) or any(layer.phases == (TEST,) for layer in readers):
            return  # it judges by records that were held out, or is a net for training of that name
        if not is_to_deploy(net) or hands_back_gradients(net) or is_of_nets_for_tests(net):
            return
        loss = next((one for one in net.layers_that(lambda kind: kind.is_loss) if TRAIN in one.phases), None)
        for layer in readers:
            if loss is None or TRAIN not in layer.phases or not layer.kind.data_source or layer.depends_on_stage:
                continue
            ending = f" and a {loss.kind.plain_form} in place of the loss" if loss.kind.plain_form else ""
            yield self.finding(
                layer.at(layer.kind.data_block, "source"),
                f'{title(layer)}: this deploy net reads "{layer.kind.data_source}", and {title(loss)} compares with its'
                f" labels, as in training; put an Input in place of the data layers{ending}, as `caffelint deploy`"
                " does",
                related=(Related("the loss", loss.at("type")),),
            )
            return
