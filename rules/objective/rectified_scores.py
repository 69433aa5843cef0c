from __future__ import annotations

from collections.abc import Iterator

from caffelint.lint import (
    LIKELY,
    TRAIN,
    WARNING,
    Finding,
    Invalid,
    Layer,
    LayerRule,
    Net,
    Related,
    source,
    sources,
    title,
)
from caffelint.lint.built import UNKNOWN, types_that

from ._graph import first_alike, only, read_before

_FC = 'layer { name: "fc" type: "InnerProduct" bottom: "data" top: "fc" }'
_RELU = ' layer { name: "relu" type: "ReLU" bottom: "fc" top: "relu" }'
_LOSS = ' layer {{ name: "loss" type: "{}" bottom: "{}" bottom: "target" top: "loss" }}'
_SOFTMAX = _LOSS.format("SoftmaxWithLoss", "relu")
_DATA = 'layer { name: "data" type: "HDF5Data" top: "data" top: "target" } '
_BIASED = _FC.replace("}", "inner_product_param { bias_filler { value: 1 } } }")
_POOL = ' layer { name: "pool" type: "Pooling" bottom: "relu" top: "pool" pooling_param { pool: AVE } }'


class RectifiedScores(LayerRule):
    """A ReLU comes right before a loss whose first bottom must be able to fall below 0, or to rise from there.

    ## Why is this bad?
    The loss needs scores of both signs. After a ReLU, a sigmoid gives each class at least 0.5, so the loss for a target
    of 0 stays above 0.69. A softmax can still tell classes apart, but a score that the ReLU made 0 gets no gradient, so
    the class that is right cannot rise. A distance asks for values. An output that starts below 0 for all items gets no
    gradient from it either, and stays at 0 whatever its target is: in eight trainings on Caffe 1.0, all with targets
    above 0, 1 to 3 of 10 outputs did, and none did without the ReLU.

    ## Example
    ```
    layer { name: "relu8" type: "ReLU" bottom: "fc8" top: "fc8" }
    layer { name: "loss" type: "SigmoidCrossEntropyLoss" bottom: "fc8" bottom: "target" top: "loss" }
    ```
    Use instead:
    ```
    layer { name: "loss" type: "SigmoidCrossEntropyLoss" bottom: "fc8" bottom: "target" top: "loss" }
    ```

    ## Known problems
    It is silent where the result is pooled, as in SqueezeNet. Before a distance it reports an InnerProduct with targets
    from data: two layers that both end in a ReLU may well be compared, and a map has many places to learn from. There
    it is silent about nets with fields of a fork, which may freeze the layers, and where they are frozen: features of
    another net are compared.

    ## Fix safety
    Unsafe: the loss function changes.

    ## References
    - relu_layer.cpp, Backward_cpu; euclidean_loss_layer.cpp, sigmoid_cross_entropy_loss_layer.cpp and
      softmax_loss_layer.cpp, Forward_cpu
    """

    code = "O020"
    name = "rectified-scores"
    severity = WARNING
    certainty = LIKELY
    layer_types = types_that(lambda kind: bool(kind.plain_form or kind.is_distance))
    VALID = [
        _FC + _RELU + _LOSS.format("SigmoidCrossEntropyLoss", "fc"),
        # The features of another net, which end in a ReLU as well.
        _FC + _RELU + _LOSS.format("EuclideanLoss", "relu"),
        # Each place of a map gives its one weight a gradient, and a bias may keep all outputs above 0.
        _DATA + _FC.replace("InnerProduct", "Convolution") + _RELU + _LOSS.format("EuclideanLoss", "relu"),
        _DATA + _BIASED + _RELU + _LOSS.format("EuclideanLoss", "relu"),
        # The features of a net that is not trained, or that a field of a fork may keep from it.
        _DATA
        + _FC.replace("}", "param { lr_mult: 0 } param { lr_mult: 0 } }")
        + _RELU
        + _LOSS.format("EuclideanLoss", "relu"),
        _DATA + _FC.replace("}", "net_id: 128 }") + _RELU + _LOSS.format("EuclideanLoss", "relu"),
        # A mean of many, as in SqueezeNet.
        _FC + _RELU + _POOL + _SOFTMAX.replace("relu", "pool"),
        # Nothing gets a gradient: it is only looked at, or tested.
        _FC + _RELU + _SOFTMAX.replace('top: "loss"', "loss_weight: 0"),
        {"test.prototxt": _FC + _RELU + _SOFTMAX},
        # A hidden layer, where the loss was to read what comes after it.
        _FC + _RELU + _FC.replace('"fc"', '"fc2"').replace('"data"', '"relu"') + _SOFTMAX,
        # It passes scores below 0.
        _FC + _RELU.replace("}", "relu_param { negative_slope: 0.1 } }") + _SOFTMAX,
    ]
    INVALID = [
        Invalid(
            _FC + _RELU + _LOSS.format("SigmoidCrossEntropyLoss", "relu"),
            span='bottom: "relu"',
            message='SigmoidCrossEntropyLoss "loss": ReLU "relu" lets no score fall below 0, so no probability is below'
            ' 0.5; set bottom: "fc"',
            fixed=_FC + _RELU + _LOSS.format("SigmoidCrossEntropyLoss", "fc"),
        ),
        Invalid(
            _FC + _RELU.replace('"relu" }', '"fc" }') + _LOSS.format("SoftmaxWithLoss", "fc"),
            span='bottom: "fc"',
            message='SoftmaxWithLoss "loss": ReLU "relu" lets no score fall below 0, so a class whose score is below 0'
            ' gets no gradient; remove ReLU "relu"',
            fixed=_FC + _LOSS.format("SoftmaxWithLoss", "fc"),
        ),
        Invalid(
            _DATA + _FC + _RELU + _LOSS.format("EuclideanLoss", "relu"),
            span='bottom: "relu"',
            message='EuclideanLoss "loss": ReLU "relu" lets no output fall below 0, so one that is below 0 for all'
            ' items gets no gradient and stays 0; set bottom: "fc"',
            fixed=_DATA + _FC + _RELU + _LOSS.format("EuclideanLoss", "fc"),
        ),
    ]

    def check(self, layer: Layer) -> Iterator[Finding]:
        if layer.net.is_only_tested or layer.message.loss_weight and not any(layer.message.loss_weight):
            return
        for (made_by, _), phases in sources(layer, 0):
            kind = made_by.kind
            if TRAIN not in phases or not (kind.rectifies and made_by.bottoms) or kind.values([UNKNOWN])[0].low < 0:
                continue
            if layer.bottoms[0] in layer.net.once(_hidden):
                continue  # the loss reads the wrong blob
            made_by = first_alike(made_by, phases[0])
            if layer.kind.is_distance and not _may_stay_at_zero(layer, made_by, phases[0]):
                continue
            better = f"remove {title(made_by)}" if made_by.in_place else f'set bottom: "{made_by.bottoms[0]}"'
            yield self.finding(
                layer.at("bottom", 0),
                f"{title(layer)}: {title(made_by)} lets no {_harm(layer)}; {better}",
                phases=only(phases, layer),
                related=(Related("the activation", made_by.at("type")),),
                fixes=read_before(layer, made_by, phases),
            )


def _harm(loss: Layer) -> str:
    if loss.kind.is_distance:
        return "output fall below 0, so one that is below 0 for all items gets no gradient and stays 0"
    if loss.kind.plain_form == "Sigmoid":
        return "score fall below 0, so no probability is below 0.5"
    return "score fall below 0, so a class whose score is below 0 gets no gradient"


def _may_stay_at_zero(loss: Layer, rectifier: Layer, phase: str) -> bool:
    """Are the outputs a vector that may start below 0, and the targets none that a layer of the net computes?"""
    outputs, targets = source(rectifier, 0, phase), source(loss, 1, phase)
    if outputs is None or targets is None or not targets.layer.kind.is_data:
        return False
    if outputs.layer.type != "InnerProduct" or outputs.layer.has_frozen_weights or not loss.net.is_plain:
        return False
    parameters = outputs.layer.kind.parameters
    return not (parameters.bias_term and parameters.bias_filler.value > 0)


def _hidden(net: Net) -> frozenset[str]:
    """The blobs that layers with weights read in training."""
    return frozenset(one.bottoms[0] for one in net.in_phase(TRAIN) if one.bottoms and one.kind.has_weights)
