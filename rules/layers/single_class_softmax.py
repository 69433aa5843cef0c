from __future__ import annotations

from collections.abc import Iterator

from caffelint.lint import ERROR, TRAIN, Finding, Invalid, Net, NetRule, Related, title
from caffelint.lint.built import BuiltLayer, classes_given_by, score_classes, types_that


class SingleClassSoftmax(NetRule):
    """A softmax over a single class.

    ## Why is this bad?
    The softmax of a single score is always 1, whatever the score, and the gradient through it is always 0. So a loss
    with a softmax inside is 0 from the start, a loss after one teaches nothing to the layers before it, and a net for
    use answers 1 to everything. Two classes need two scores, counting the background; a single yes-or-no score belongs
    in a SigmoidCrossEntropyLoss, and in use in a Sigmoid.

    ## Example
    ```
    inner_product_param { num_output: 1 }
    ```
    Use instead:
    ```
    inner_product_param { num_output: 2 }
    ```

    ## References
    - softmax_layer.cpp and softmax_loss_layer.cpp, Forward_cpu and Backward_cpu
    """

    code = "L008"
    name = "single-class-softmax"
    severity = ERROR
    layer_types = types_that(lambda kind: "Softmax" in (kind.plain_form, *kind.types))
    _NET = (
        'layer { name: "data" type: "Data" top: "data" top: "label" }'
        ' layer { name: "fc" type: "InnerProduct" bottom: "data" top: "fc" inner_product_param { num_output: %d } }'
        ' layer { name: "loss" type: "%s" bottom: "fc" bottom: "label" top: "loss"%s }'
    )
    VALID = [
        _NET % (2, "SoftmaxWithLoss", ""),
        _NET % (1, "SigmoidCrossEntropyLoss", ""),
        _NET % (2, "InfogainLoss", ""),
        # Over another axis, whose size is not known.
        _NET % (1, "SoftmaxWithLoss", " softmax_param { axis: 0 }"),
    ]
    INVALID = [
        Invalid(
            _NET % (1, "SoftmaxWithLoss", ""),
            span="num_output: 1",
            message='SoftmaxWithLoss "loss" takes the softmax of a single score, which is always 1, so the loss is 0'
            " and nothing learns; set num_output to the number of classes, or use SigmoidCrossEntropyLoss",
        ),
        Invalid(
            'layer { name: "data" type: "Data" top: "data" top: "label" }'
            ' layer { name: "fc" type: "InnerProduct" bottom: "data" top: "fc" inner_product_param { num_output: 1 } }'
            ' layer { name: "prob" type: "Softmax" bottom: "fc" top: "prob" }'
            ' layer { name: "loss" type: "SigmoidCrossEntropyLoss" bottom: "prob" bottom: "label" top: "loss" }',
            span="num_output: 1",
            message='Softmax "prob" takes the softmax of a single score, which is always 1, so no gradient comes'
            " through; set num_output to the number of classes, or remove it",
        ),
        Invalid(
            'layer { name: "data" type: "Input" top: "data" input_param { shape { dim: 1 dim: 8 } } }'
            ' layer { name: "fc" type: "InnerProduct" bottom: "data" top: "fc" inner_product_param { num_output: 1 } }'
            ' layer { name: "prob" type: "Softmax" bottom: "fc" top: "prob" }',
            span="num_output: 1",
            message='Softmax "prob" takes the softmax of a single score, which is always 1, so the answer is 1 to every'
            " input; set num_output to the number of classes, or use Sigmoid",
        ),
        Invalid(
            'layer { name: "data" type: "HDF5Data" top: "data" top: "label" hdf5_data_param { source: "a" } }'
            ' layer { name: "key" type: "Convolution" bottom: "data" top: "key"'
            " convolution_param { num_output: 1 kernel_size: 1 } }"
            ' layer { name: "prob" type: "Softmax" bottom: "key" top: "prob" }'
            ' layer { name: "loss" type: "EuclideanLoss" bottom: "prob" bottom: "label" top: "loss" }',
            span='type: "Softmax"',
            message='Softmax "prob" takes the softmax of a single score, which is always 1, so no gradient comes'
            " through; to weigh places against each other, set axis to the one that they lie along",
        ),
    ]

    def check(self, net: Net) -> Iterator[Finding]:
        seen: set[int] = set()
        for one in net.states() if not net.document.is_damaged else ():
            for layer in one.layers:
                if layer.index is None or layer.index in seen or not layer.bottoms:
                    continue
                if layer.type not in self.layer_types:
                    continue
                found = score_classes(layer.bottoms[0], layer.class_axis)
                if found is None or found[0] != 1 or (layer.is_loss and one.phase != TRAIN):
                    continue
                seen.add(layer.index)
                maker, written = found[1], net.layers[layer.index]
                block = classes_given_by(maker)
                is_there = bool(block) and maker.index is not None and not _over_places(layer)
                yield self.finding(
                    net.layers[maker.index or 0].at(block, "num_output") if is_there else written.at("type"),
                    f"{title(written)} takes the softmax of a single score, which is always 1, so {_effect(layer)}",
                    phases=(one.phase,),
                    related=(Related("the loss" if layer.is_loss else "the softmax", written.at("type")),) * is_there,
                )


def _over_places(layer: BuiltLayer) -> str:
    """What is meant where a net learns how much each place of a map counts."""
    shape, maker = layer.bottoms[0].shape, layer.bottoms[0].maker
    if layer.is_loss or not layer.need_backward or layer.phase != TRAIN:
        return ""
    if shape is None:
        is_map = maker is not None and "kernel" in maker.shaped_by
        return "to weigh places against each other, set axis to the one that they lie along" if is_map else ""
    axes = [axis for axis in range(layer.class_axis % len(shape) + 1, len(shape)) if shape[axis] != 1]
    if len(axes) == 1:
        many = f" the {shape[axes[0]]} of" if isinstance(shape[axes[0]], int) else ""
        return f"to weigh{many} axis {axes[0]} against each other, set axis: {axes[0]}"
    return (
        "to weigh the places of a map against each other, reshape them to one axis, and set axis to it" if axes else ""
    )


def _effect(layer: BuiltLayer) -> str:
    if layer.is_loss:
        return (
            "the loss is 0 and nothing learns; set num_output to the number of classes, or use SigmoidCrossEntropyLoss"
        )
    if layer.need_backward and layer.phase == TRAIN:
        remedy = _over_places(layer) or "set num_output to the number of classes, or remove it"
        return f"no gradient comes through; {remedy}"
    return "the answer is 1 to every input; set num_output to the number of classes, or use Sigmoid"
