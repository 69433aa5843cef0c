from __future__ import annotations

from collections.abc import Iterable, Iterator
from math import inf

from caffelint.lint import (
    CERTAIN,
    ERROR,
    LIKELY,
    SAFE,
    TRAIN,
    UNSAFE,
    WARNING,
    Finding,
    Invalid,
    Layer,
    Net,
    NetRule,
    fix,
    remove,
    title,
    titles,
    write,
)
from caffelint.lint.built import types_that

_NO_LOSS = types_that(
    lambda kind: kind.has_weights or kind.rectifies or kind.normalises or kind.has_setting("kernel_size")
)
"""Layers that compute features: nobody means to minimise their sum."""

_LONG = 1e8
_APART = 100.0


class SuspiciousLossWeight(NetRule):
    """A `loss_weight` is negative, 0 on every loss, far below that of a similar loss, or on a layer that is not a loss.

    ## Why is this bad?
    A negative weight makes Caffe maximise the loss, which grows without bound. With a weight of 0 on every loss there
    is no gradient at all. Of two losses of the same type, one with a hundredth of the other's weight trains its branch
    a hundred times more slowly. On a layer that is not a loss, a weight makes Caffe minimise the sum of all values; on
    Accuracy it stops Caffe at the first backward pass.

    ## Example
    ```
    layer { name: "loss" type: "SoftmaxWithLoss" bottom: "fc8" bottom: "label" top: "loss" loss_weight: -1 }
    ```
    Use instead:
    ```
    layer { name: "loss" type: "SoftmaxWithLoss" bottom: "fc8" bottom: "label" top: "loss" loss_weight: 1 }
    ```

    ## Known problems
    Losses of different types are not compared, since their scales differ by nature; neither are those of one type where
    several have small and several have large weights, such as positions and angles. A weight of 0 on some of the losses
    is taken as a metric to print.

    ## Fix safety
    Safe on an Accuracy, where Caffe stops at the first backward pass. Unsafe elsewhere: what is minimised changes.

    ## References
    - layer.hpp, SetLossWeights; net.cpp, AppendTop and ForwardFromTo; accuracy_layer.hpp, Backward_cpu
    """

    code = "O005"
    name = "suspicious-loss-weight"
    severity = WARNING
    certainty = LIKELY
    risks_nan = True
    VALID = [
        # A hinge, made of a ReLU.
        'layer { name: "gap" type: "Power" bottom: "x" top: "gap" power_param { shift: 1 } }'
        ' layer { name: "hinge" type: "ReLU" bottom: "gap" top: "hinge" loss_weight: 1 }',
        # What GoogLeNet does.
        'layer { name: "a" type: "SoftmaxWithLoss" bottom: "x" bottom: "label" loss_weight: 0.3 }'
        ' layer { name: "b" type: "SoftmaxWithLoss" bottom: "y" bottom: "label" loss_weight: 1 }',
        # Steps from the coarsest scale to the finest.
        "".join(
            f'layer {{ name: "{scale}" type: "EuclideanLoss" bottom: "x" bottom: "t" loss_weight: {weight} }}'
            for scale, weight in ((4, 0.005), (2, 0.1), (1, 1))
        ),
        # A loss that is only printed.
        'layer { name: "a" type: "EuclideanLoss" bottom: "x" bottom: "t" loss_weight: 0 }'
        ' layer { name: "b" type: "SigmoidCrossEntropyLoss" bottom: "x" bottom: "t" }',
        # A score to maximise.
        'layer { name: "score" type: "Reduction" bottom: "x" top: "score" loss_weight: -1 }',
        # Of another type, with a scale of its own.
        'layer { name: "a" type: "EuclideanLoss" bottom: "x" bottom: "t" loss_weight: 0.0005 }'
        ' layer { name: "b" type: "SoftmaxWithLoss" bottom: "y" bottom: "label" loss_weight: 1 }',
        # Positions and angles, each at the end and halfway.
        "".join(
            f'layer {{ name: "{name}" type: "EuclideanLoss" bottom: "{name}" bottom: "t" loss_weight: {weight} }}'
            for name, weight in (("xyz1", 0.3), ("angle1", 150), ("xyz2", 1), ("angle2", 500))
        ),
        # A solver of a fork may sum up a Python layer's top.
        'layer { name: "a" type: "SoftmaxWithLoss" bottom: "x" bottom: "label" loss_weight: 0 }'
        ' layer { name: "b" type: "Python" bottom: "x" top: "loss" loss_weight: 1 }',
    ]
    INVALID = [
        Invalid(
            'layer { name: "loss" type: "SoftmaxWithLoss" bottom: "x" bottom: "label" loss_weight: -1 }',
            span="loss_weight: -1",
            message='SoftmaxWithLoss "loss": loss_weight -1 makes Caffe maximise the loss, which has no upper bound;'
            " set loss_weight: 1",
            fixed='layer { name: "loss" type: "SoftmaxWithLoss" bottom: "x" bottom: "label" loss_weight: 1 }',
        ),
        Invalid(
            'layer { name: "loss" type: "SoftmaxWithLoss" bottom: "x" bottom: "label" loss_weight: 0 }',
            span="loss_weight: 0",
            message='SoftmaxWithLoss "loss": loss_weight is 0 on the only loss, so there is no gradient and nothing'
            " learns; set loss_weight: 1",
        ),
        Invalid(
            'layer { name: "a" type: "SoftmaxWithLoss" bottom: "x" bottom: "label" loss_weight: 0 }'
            ' layer { name: "b" type: "EuclideanLoss" bottom: "y" bottom: "t" loss_weight: 0 }',
            span="loss_weight: 0",
            message='layers "a", "b": loss_weight is 0 on all 2 losses, so there is no gradient and nothing learns; set'
            " loss_weight: 1",
        ),
        Invalid(
            'layer { name: "a" type: "SoftmaxWithLoss" bottom: "x" bottom: "label" loss_weight: 0.001 }'
            ' layer { name: "b" type: "SoftmaxWithLoss" bottom: "y" bottom: "label" }',
            span="loss_weight: 0.001",
            message='SoftmaxWithLoss "a": loss_weight 0.001 is 1/1000 of the loss_weight 1 of SoftmaxWithLoss "b", so'
            " it hardly trains; raise it unless that is meant",
        ),
        Invalid(
            'layer { name: "a" type: "SoftmaxWithLoss" bottom: "x" bottom: "label" }'
            ' layer { name: "accuracy" type: "Accuracy" bottom: "x" bottom: "label" top: "acc" loss_weight: 1 }',
            span="loss_weight: 1",
            message='Accuracy "accuracy": loss_weight is set but Accuracy has no gradient, so Caffe stops at the first'
            " backward pass; remove it",
            fixed=(
                'layer { name: "a" type: "SoftmaxWithLoss" bottom: "x" bottom: "label" } layer { name: '
                '"accuracy" type: "Accuracy" bottom: "x" bottom: "label" top: "acc" }'
            ),
        ),
        Invalid(
            'layer { name: "fc" type: "InnerProduct" bottom: "x" top: "fc" loss_weight: 1 }'
            ' layer { name: "a" type: "SoftmaxWithLoss" bottom: "fc" bottom: "label" }',
            span="loss_weight: 1",
            message='InnerProduct "fc": loss_weight is set, so the sum of all values of "fc" is minimised; move it to'
            " the loss layer",
            fixed=(
                'layer { name: "fc" type: "InnerProduct" bottom: "x" top: "fc" } layer { name: "a" type: '
                '"SoftmaxWithLoss" bottom: "fc" bottom: "label" }'
            ),
        ),
    ]

    def check(self, net: Net) -> Iterator[Finding]:
        weighted = [layer for layer in net.layers if layer.loss_weights and TRAIN in layer.phases]
        if not weighted or net.role != "train":
            return
        read = {bottom for layer in net.layers if TRAIN in layer.phases for bottom in layer.bottoms}
        has_loss = any(layer.kind.looks_like_a_loss for layer in net.layers)
        for layer in weighted:
            # A loss may be made of other layers, as a hinge of a ReLU.
            if read.intersection(layer.tops) or has_loss and not layer.kind.rectifies or layer.type not in _NO_LOSS:
                yield from self._alone(layer)
        if not any(weight for layer in net.layers for weight in layer.loss_weights):
            yield from self._all_zero(net)
        yield from self._apart(net)

    def _alone(self, layer: Layer) -> Iterator[Finding]:
        is_no_loss = layer.type == "Accuracy" or layer.type in _NO_LOSS
        taken_out = remove(layer, "loss_weight") if is_no_loss else None
        for index, weight in enumerate(layer.message.loss_weight):
            place = layer.at("loss_weight", index)
            if weight < 0 and layer.kind.is_loss:
                mended = f"loss_weight: {-weight:g}"
                yield self.finding(
                    place,
                    f"{title(layer)}: loss_weight {weight:g} makes Caffe maximise the loss, which has no upper bound;"
                    f" set {mended}",
                    fixes=fix(f"set {mended}", UNSAFE, write(layer, "loss_weight", index, value=f"{-weight:g}")),
                )
            elif weight and layer.type == "Accuracy":
                yield self.finding(
                    place,
                    f"{title(layer)}: loss_weight is set but Accuracy has no gradient,"
                    " so Caffe stops at the first backward pass; remove it",
                    severity=ERROR,
                    certainty=CERTAIN,
                    evidence="Caffe stops with: Not Implemented Yet",
                    fixes=fix("remove loss_weight", SAFE, taken_out),
                )
            elif weight and layer.type in _NO_LOSS:
                top = f' of "{layer.tops[index]}"' if index < len(layer.tops) else ""
                yield self.finding(
                    place,
                    f"{title(layer)}: loss_weight is set, so the sum of all values{top} is minimised; move it to the"
                    " loss layer",
                    fixes=fix("remove loss_weight", UNSAFE, taken_out),
                )

    def _all_zero(self, net: Net) -> Iterator[Finding]:
        losses = [layer for layer in net.layers if layer.kind.looks_like_a_loss and TRAIN in layer.phases]
        if losses and all(layer.loss_weights for layer in losses):
            which = "the only loss" if len(losses) == 1 else f"all {len(losses)} losses"
            yield self.finding(
                losses[0].at("loss_weight"),
                f"{titles(losses)}: loss_weight is 0 on {which}, so there is no gradient and nothing learns; set"
                " loss_weight: 1",
                severity=ERROR,
                certainty=CERTAIN,
                evidence="Caffe does not run backward where no loss has a weight",
            )

    def _apart(self, net: Net) -> Iterator[Finding]:
        by_type: dict[str, list[tuple[float, Layer]]] = {}
        for layer in net.layers_that(lambda kind: kind.is_loss):
            if TRAIN in layer.phases:
                weights = layer.message.loss_weight
                by_type.setdefault(layer.type, []).append((weights[0] if weights else 1.0, layer))
        for losses in by_type.values():
            most, heaviest = max(losses, key=lambda loss: loss[0])
            limit = _lower_end(weight for weight, _ in losses) / _APART
            light = [(weight, layer) for weight, layer in losses if 0 < weight < limit < inf]
            if len(light) > 1 and len(losses) > len(light) + 1:
                continue  # two kinds of losses, each in its own units
            for weight, layer in light:
                yield self.finding(
                    layer.at("loss_weight"),
                    f"{title(layer)}: loss_weight {weight:g} is 1/{_digits(most / weight)} of the loss_weight"
                    f" {most:g} of {title(heaviest)}, so it hardly trains; raise it unless that is meant",
                )


def _lower_end(weights: Iterable[float]) -> float:
    """The least of the weights that a row of steps leads to from the largest: 0.01 is meant beside 0.1 and 1."""
    largest, *others = sorted(weights, reverse=True)
    for weight in others:
        if not 0 < largest / _APART <= weight:
            break
        largest = weight
    return largest


def _digits(value: float) -> str:
    return f"{value:.0f}" if value < _LONG else f"{value:.3g}"
