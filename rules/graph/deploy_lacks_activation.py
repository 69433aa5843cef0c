from __future__ import annotations

from collections.abc import Iterator

from caffelint.lint import (
    LIKELY,
    WARNING,
    Finding,
    Invalid,
    Net,
    NetRule,
    Related,
    file_name,
    quoted,
    title,
    titles,
)

from ._bent import bent_otherwise


def _layer(type_: str, bottom: str, top: str) -> str:
    block = " inner_product_param { num_output: 8 }" if type_ == "InnerProduct" else ""
    return f' layer {{ name: "{top}" type: "{type_}" bottom: "{bottom}" top: "{top}"{block} }}'


class DeployLacksActivation(NetRule):
    """Between two layers with weights, a deploy net lacks the ReLU or the like of its training net, or has one more.

    ## Why is this bad?
    Caffe loads such a net without a word, as an activation has no weights. The layer after it then gets values, all the
    negative ones, that it never met in training.

    ## Example
    ```
    layer { name: "conv1" type: "Convolution" bottom: "data" top: "conv1" }
    layer { name: "conv2" type: "Convolution" bottom: "conv1" top: "conv2" }
    ```
    Use instead:
    ```
    layer { name: "conv1" type: "Convolution" bottom: "data" top: "conv1" }
    layer { name: "relu1" type: "ReLU" bottom: "conv1" top: "conv1" }
    layer { name: "conv2" type: "Convolution" bottom: "conv1" top: "conv2" }
    ```

    ## Known problems
    The training net is recognised as for deploy-mismatch. One kind of activation in place of another is not reported.

    ## References
    - net.cpp, CopyTrainedLayersFrom; rao1219/MDNet f7f49ce2, which mends it
    """

    code = "G059"
    name = "deploy-lacks-activation"
    severity = WARNING
    certainty = LIKELY
    _DATA = 'layer { name: "data" type: "Data" top: "data" top: "label" }'
    _INPUT = 'layer { name: "data" type: "Input" top: "data" input_param { shape { dim: 1 dim: 8 } } }'
    _BENT = _layer("InnerProduct", "data", "a") + _layer("ReLU", "a", "r") + _layer("InnerProduct", "r", "b")
    _END = _layer("ReLU", "b", "s") + _layer("InnerProduct", "s", "c")
    _LOSS = ' layer { name: "loss" type: "SoftmaxWithLoss" bottom: "c" bottom: "label" top: "loss" }'
    VALID = [
        {"train.prototxt": _DATA + _BENT + _END + _LOSS, "deploy.prototxt": _INPUT + _BENT + _END},
        {
            "train.prototxt": _DATA + _BENT + _END + _LOSS,
            "deploy.prototxt": (_INPUT + _BENT + _END).replace("ReLU", "ELU"),
        },
    ]
    INVALID = [
        Invalid(
            {
                "train.prototxt": _DATA + _BENT + _END + _LOSS,
                "deploy.prototxt": _INPUT + _BENT + _layer("InnerProduct", "b", "c"),
            },
            span='bottom: "b"',
            message='InnerProduct "c" lacks ReLU "s" before it, which "train.prototxt" has, so it gets values that it'
            " was not trained on; make the two nets equal",
        ),
    ]

    def check(self, net: Net) -> Iterator[Finding]:
        for here, twin in net.once(bent_otherwise):
            has, lacks = ("has", "lacks") if here.bends else ("lacks", "has")
            yield self.finding(
                here.layer.at("bottom", 0),
                f"{title(here.layer)} {has} {titles(here.bends or twin.bends)} before it, which"
                f" {quoted(file_name(twin.layer.net.path))} {lacks}, so it gets values that it was not trained on; make"
                " the two nets equal",
                related=(Related("the layer in the training net", twin.layer.at("bottom", 0)),),
            )
