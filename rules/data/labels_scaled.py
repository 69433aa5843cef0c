from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from caffelint.lint import ERROR, LIKELY, UNSAFE, Finding, Invalid, Net, NetRule, fix, remove, title
from caffelint.lint.built import score_classes

from ._layers import IMAGE_READERS, transform_place

if TYPE_CHECKING:
    from caffelint.lint.built import BuiltLayer, BuiltNet

_FROM_ONE = 2
"""A mean by which classes that are counted from 1 or 2 are counted from 0."""
_MOST = 255
"""The largest value of a pixel, which labels of images are."""
_MASK = 2
"""The classes of a mask, which may be an image of black and white."""
_NETS = (
    'layer {{ name: "data" type: "Data" top: "data" data_param {{ source: "images" }} }}'
    ' layer {{ name: "label" type: "Data" top: "label" data_param {{ source: "labels" }} transform_param {{ {} }} }}'
    ' layer {{ name: "conv" type: "Convolution" bottom: "data" top: "conv" convolution_param {{ num_output: 5'
    ' kernel_size: 1 }} }} layer {{ name: "loss" type: "{}" bottom: "conv" bottom: "label" top: "loss" }}'
)


class LabelsScaled(NetRule):
    """A `transform_param` changes labels that are classes: scaled below 1 all are class 0, less a mean none is one.

    ## Why is this bad?
    Labels of pixels are read as images, by a second data layer. `scale` and the means, which its `transform_param` has
    from that of the images, then change the labels as well. A loss for classes cuts what follows the point, so 255 *
    0.0039 = 0.996 is class 0, like all others, and a mean makes classes of below 0. The loss falls to 0 and nothing is
    learned.

    ## Example
    ```
    layer { type: "Data" top: "label" transform_param { scale: 0.00390625 } }
    ```
    Use instead:
    ```
    layer { type: "Data" top: "label" }
    ```

    ## Known problems
    A scale by which values of 0 to 255 give whole classes, such as 1/255 for masks of 0 and 255, is left alone.

    ## Fix safety
    Unsafe: it changes what the net learns.

    ## References
    - data_transformer.cpp, Transform; softmax_loss_layer.cpp, Forward_cpu: `static_cast<int>(label[...])`
    """

    code = "D029"
    name = "labels-scaled"
    severity = ERROR
    certainty = LIKELY
    layer_types = IMAGE_READERS
    VALID = [
        _NETS.format("", "SoftmaxWithLoss"),
        _NETS.format("scale: 0.00392156862745098", "SoftmaxWithLoss"),
        _NETS.format("scale: 0.00390625", "EuclideanLoss"),
        _NETS.format("mean_value: 1", "SoftmaxWithLoss"),
    ]
    INVALID = [
        Invalid(
            _NETS.format("scale: 0.00390625", "SoftmaxWithLoss"),
            span="scale: 0.00390625",
            message='Data "label": scale makes of 255 a label of 0.996094, and SoftmaxWithLoss "loss" cuts what follows'
            " the point, so every label is class 0; remove the scale of the labels, and write them as 0 to 4",
            fixed=_NETS.format("", "SoftmaxWithLoss").replace(" transform_param {  }", ""),
        ),
        # Of two classes, a mask may hold 0 and 255.
        Invalid(
            _NETS.format("scale: 0.00390625", "SoftmaxWithLoss").replace("num_output: 5", "num_output: 2"),
            span="scale: 0.00390625",
            message='Data "label": scale makes of 255 a label of 0.996094, and SoftmaxWithLoss "loss" cuts what follows'
            " the point, so every label is class 0; remove the scale if labels are 0 and 1, or set it to 0.00392157"
            " if they are 0 and 255",
        ),
        Invalid(
            _NETS.format("mean_value: 104", "SoftmaxWithLoss"),
            span="mean_value: 104",
            message='Data "label": the mean is subtracted from labels, which SoftmaxWithLoss "loss" takes for classes;'
            " remove mean_value of the labels",
            fixed=_NETS.format("", "SoftmaxWithLoss").replace(" transform_param {  }", ""),
        ),
    ]

    def check(self, net: Net) -> Iterator[Finding]:
        changed = {layer.index for layer in net.layers_of(IMAGE_READERS) if _changes(layer.message.transform_param)}
        if not changed:
            return
        for state in net.states():
            for reader in state.layers:
                maker = reader.bottoms[1].maker if len(reader.bottoms) > 1 and reader.reads_classes(1) else None
                if maker is not None and maker.index in changed and reader.bottoms[1].original.top == 0:
                    yield from self._told(net, state, maker, reader)

    def _told(self, net: Net, state: BuiltNet, data: BuiltLayer, reader: BuiltLayer) -> Iterator[Finding]:
        layer = net.layers[data.index or 0]
        transform = layer.message.transform_param
        is_either = False
        field = "scale" if _cuts(transform.scale) else "mean_file" if transform.mean_file else "mean_value"
        if field == "scale":
            text = f"scale makes of {_MOST} a label of {_MOST * transform.scale:g}, and {title(reader)} cuts what"
            remedy, is_either = _remedy(reader)
            text += f" follows the point, so every label is class 0; {remedy}"
        else:
            text = f"the mean is subtracted from labels, which {title(reader)} takes for classes; remove {field} of the"
            text += " labels"
        place = transform_place(layer, field)
        yield self.finding(
            place,
            f"{title(layer)}: {text}",
            phases=state.phases,
            # Where only the labels tell which of two remedies is right, there is no edit.
            fixes=() if is_either else fix(f"remove {field}", UNSAFE, remove(layer, *place.field.split("."))),
        )


def _remedy(reader: BuiltLayer) -> tuple[str, bool]:
    """What to do, and whether it is one of two things, of which only the labels tell the right one."""
    found = score_classes(reader.bottoms[0])
    if found is None:
        return "remove the scale of the labels", False
    if found[0] == _MASK:
        return f"remove the scale if labels are 0 and 1, or set it to {1 / _MOST:.6g} if they are 0 and {_MOST}", True
    return f"remove the scale of the labels, and write them as 0 to {found[0] - 1}", False


def _changes(transform: Any) -> bool:
    shifts = (mean % 1 or mean > _FROM_ONE for mean in transform.mean_value)
    return _cuts(transform.scale) or bool(transform.mean_file or any(shifts))


def _cuts(scale: float) -> bool:
    """Does it leave nothing of the largest label but what follows the point?"""
    return 0 < _MOST * scale < 1
