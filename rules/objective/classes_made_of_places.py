from __future__ import annotations

import math
from collections.abc import Iterator

from caffelint.lint import LIKELY, UNSAFE, WARNING, Finding, Fix, Invalid, NamedTuple, Net, NetRule, fix, title, write
from caffelint.lint.built import Blob, BuiltLayer, types_that

_SOFTMAX = "Softmax"
_FARTHEST = 30
"""Layers that are passed on the way up from one loss."""
_MAP_AXES = 3
_BOX = 4


class _Scores(NamedTuple):
    """Where a layer reads the scores of the classes: so many, each so many values after the one before."""

    blob: Blob
    size: int
    step: int
    name: str


class _Mixed(NamedTuple):
    """The layer that only counts axes anew, and the one whose places became classes."""

    reshape: BuiltLayer
    made: BuiltLayer


def _reads_priors(kind: type[BuiltLayer]) -> bool:
    """Is it one of SSD's layers, which read boxes and the scores of their classes as rows (multibox_loss_layer.cpp)?"""
    return bool(kind.is_loss and kind.has_setting("num_classes"))


class ClassesMadeOfPlaces(NetRule):
    """The scores of one item are places of a map, since its channels were not moved to the end before a Reshape.

    ## Why is this bad?
    A convolution gives items x channels x height x width. A Reshape or Flatten changes no value's place in memory, it
    only counts the axes anew. So with 6 channels, of 2 boxes with 3 classes each, reshaped to items x 128 x 3, the
    three "classes" are three neighbouring places of one channel. The loss stays at what chance gives.

    ## Example
    ```
    layer { name: "score" type: "Convolution" ... convolution_param { num_output: 6 ... } }   # items x 6 x 8 x 8
    layer { name: "rows" type: "Reshape" ... reshape_param { shape { dim: 0 dim: -1 dim: 3 } } }
    layer { name: "loss" type: "SoftmaxWithLoss" ... softmax_param { axis: 2 } }
    ```
    Use instead, for labels that are items x boxes x height x width:
    ```
    layer { name: "rows" type: "Reshape" ... reshape_param { shape { dim: 0 dim: 2 dim: 3 dim: -1 } } }
    layer { name: "loss" type: "SoftmaxWithLoss" ... softmax_param { axis: 2 } }
    ```
    and for those that are items x height x width x boxes, as SSD has them, a Permute before the Reshape:
    ```
    layer { name: "perm" type: "Permute" ... permute_param { order: 0 order: 2 order: 3 order: 1 } }
    ```

    ## Fix safety
    Unsafe: the loss changes.

    ## Known problems
    A softmax over all the places of a map is none of these: it is not reported.

    ## References
    - reshape_layer.cpp, Forward (top and bottom share their memory); weiliu89/caffe issues 55 and 85
    """

    code = "O025"
    name = "classes-made-of-places"
    severity = WARNING
    certainty = LIKELY
    layer_types = tuple(
        types_that(lambda kind: kind.types == (_SOFTMAX,) or kind.plain_form == _SOFTMAX or _reads_priors(kind))
    )
    _NET = (
        'layer {{ name: "data" type: "Input" top: "data" top: "label"'
        " input_param {{ shape {{ dim: 5 dim: 3 dim: 8 dim: 8 }} shape {{ {} }} }} }}"
        ' layer {{ name: "score" type: "Convolution" bottom: "data" top: "score"'
        " convolution_param {{ num_output: {} kernel_size: 1 }} }}"
        ' layer {{ name: "rows" type: "Reshape" bottom: "score" top: "rows" reshape_param {{ shape {{ {} }} }} }}'
        ' layer {{ name: "loss" type: "SoftmaxWithLoss" bottom: "rows" bottom: "label" top: "loss"'
        " softmax_param {{ axis: {} }} }}"
    )
    _LABELS = "dim: 5 dim: 2 dim: 8 dim: 8"
    VALID = [
        _NET.format(_LABELS, 6, "dim: 0 dim: 2 dim: 3 dim: -1", 2),
        # The scores of an anchor, object or not: rows and anchors in one axis.
        _NET.format("dim: 5 dim: 1 dim: 72 dim: 8", 18, "dim: 0 dim: 2 dim: -1 dim: 0", 1),
        # All the places of a map.
        _NET.format("dim: 5 dim: 64", 64, "dim: 0 dim: 0 dim: -1", 2),
        _NET.format("dim: 5 dim: 4", 4, "dim: 0 dim: 0 dim: -1", 2),
        # One place.
        _NET.format("dim: 5 dim: 2", 6, "dim: 0 dim: -1 dim: 3", 2).replace("dim: 8 dim: 8", "dim: 1 dim: 1"),
        _NET.format("dim: 640", 6, "dim: -1 dim: 3", 1).replace(
            'type: "Reshape" bottom: "score"',
            'type: "Permute" bottom: "score" top: "perm" permute_param { order: 0 order: 2 order: 3 order: 1 } }'
            ' layer { name: "reshape" type: "Reshape" bottom: "perm"',
        ),
    ]
    INVALID = [
        Invalid(
            _NET.format(_LABELS, 6, "dim: 0 dim: -1 dim: 3", 2),
            span="shape",
            message='Reshape "rows" makes 5x128x3 of the 5x6x8x8 of Convolution "score" without moving its channels, so'
            ' the 3 classes of SoftmaxWithLoss "loss" are places of the map; write shape { dim: 0 dim: 2 dim: 3 dim: -1'
            " }, with axis: 2",
            fixed=_NET.format(_LABELS, 6, "dim: 0 dim: 2 dim: 3 dim: -1", 2),
        ),
        Invalid(
            _NET.format("dim: 640", 6, "dim: -1 dim: 3", 1),
            span="shape",
            message='Reshape "rows" makes 640x3 of the 5x6x8x8 of Convolution "score" without moving its channels, so'
            ' the 3 classes of SoftmaxWithLoss "loss" are places of the map; insert a Permute with order: 0 order: 2'
            " order: 3 order: 1 before it",
        ),
        Invalid(
            _NET.format("dim: 5 dim: 64", 3, "dim: 0 dim: -1 dim: 3", 2),
            span="shape",
            message='Reshape "rows" makes 5x64x3 of the 5x3x8x8 of Convolution "score" without moving its channels, so'
            ' the 3 classes of SoftmaxWithLoss "loss" are places of the map; write shape { dim: 0 dim: 3 dim: -1 },'
            " with axis: 1",
            fixed=_NET.format("dim: 5 dim: 64", 3, "dim: 0 dim: 3 dim: -1", 1),
        ),
    ]

    def check(self, net: Net) -> Iterator[Finding]:
        found: dict[int | None, tuple[BuiltLayer, _Scores, _Mixed, set[str]]] = {}
        counts_anew = net.layers_that(lambda kind: kind.hands_on and kind.rearranges)
        for one in net.states() if counts_anew and not net.document.is_damaged else ():
            for layer in net.likely(one.state).layers:
                for scores in _read(layer) if layer.type in self.layer_types else ():
                    for mixed in _mixed(scores.blob, scores.size, scores.step):
                        first = found.setdefault(mixed.reshape.index, (layer, scores, mixed, set()))
                        first[3].update(one.phases)
        for layer, scores, mixed, phases in found.values():
            reshape, made = mixed
            if reshape.index is None or made.index is None or layer.index is None:
                continue
            here = net.layers[reshape.index]
            yield self.finding(
                here.at(here.block, "shape") if reshape.type == "Reshape" else here.at(),
                f"{title(here)} makes {_text(reshape.tops[0])} of the {_text(made.tops[0])} of"
                f" {title(net.layers[made.index])} without moving its channels, so the {scores.size} {scores.name} of"
                f" {title(layer)} are places of the map; {_remedy(layer, scores, made)}",
                fixes=_fixes(net, layer, scores, mixed),
                phases=tuple(sorted(phases, reverse=True)),
            )


def _read(layer: BuiltLayer) -> Iterator[_Scores]:
    if _reads_priors(type(layer)):
        if len(layer.bottoms) > 1:
            yield _Scores(layer.bottoms[0], _BOX, 1, "values of a box")
            yield _Scores(layer.bottoms[1], layer.parameters.num_classes, 1, "classes")
        return
    shape = layer.bottoms[0].shape if layer.bottoms else None
    if shape and -len(shape) <= layer.class_axis < len(shape):
        axis = layer.class_axis % len(shape)
        yield _Scores(layer.bottoms[0], shape[axis], math.prod(shape[axis + 1 :]), "classes")


def _mixed(blob: Blob, count: int, step: int) -> Iterator[_Mixed]:
    """Maps whose places are taken for classes, with the layer that only counted their axes anew."""
    todo: list[tuple[Blob, BuiltLayer | None]] = [(blob, None)]
    for _ in range(_FARTHEST):
        if not todo or count < 2:
            return
        blob, reshape = todo.pop()
        maker, shape = blob.maker, blob.original.shape
        if maker is None or not maker.bottoms or shape is None or maker.type == _SOFTMAX:
            continue  # what another Softmax reads is told there
        above = maker.bottoms[0]
        if _makes_map(maker):
            if reshape is not None and len(shape) >= _MAP_AXES and _of_places(shape, count, step):
                yield _Mixed(reshape, maker)
        elif maker.type == "Concat" and all(len(one.shape or ()) == 2 for one in maker.bottoms):
            # Rows beside each other: each holds whole ones.
            todo += [(one, None) for one in maker.bottoms if one.shape and one.shape[1] % (count * step) == 0]
        elif maker.hands_on and maker.rearranges and len(maker.bottoms) == 1:
            todo.append((above, maker if above.shape != shape else reshape))
        elif maker.keeps_channels and maker.keeps_pixels and len(maker.bottoms) == 1 and above.shape == shape:
            todo.append((above, reshape))


def _makes_map(layer: BuiltLayer) -> bool:
    return "num_output" in layer.shaped_by and layer.written_windows() is not None


def _of_places(shape: tuple[int, ...], count: int, step: int) -> bool:
    """Do values at such steps stand at several places of a map whose channels would hold whole ones?"""
    places = math.prod(shape[2:])
    all_places = step == 1 and count == places
    return places > 1 and step % places > 0 and shape[1] % count == 0 and not all_places


def _text(blob: Blob) -> str:
    return "x".join(str(size) for size in blob.shape or ())


def _parted(layer: BuiltLayer, scores: _Scores, made: BuiltLayer) -> tuple[list[int], int] | None:
    """The dims of a Reshape that leaves the places where they are, and the axis of the classes then.

    None where the labels are in the order that SSD has them: places x boxes.
    """
    boxes = (made.tops[0].shape or ())[1] // scores.size
    labels = layer.bottoms[1].shape if len(layer.bottoms) > 1 else None
    if _reads_priors(type(layer)) or not (boxes == 1 or (labels and len(labels) > 2 and labels[1] == boxes)):
        return None
    return ([0, scores.size, -1], 1) if boxes == 1 else ([0, boxes, scores.size, -1], 2)


def _remedy(layer: BuiltLayer, scores: _Scores, made: BuiltLayer) -> str:
    parted = _parted(layer, scores, made)
    if parted is not None:
        return f"write shape {{ {' '.join(f'dim: {dim}' for dim in parted[0])} }}, with axis: {parted[1]}"
    order = " ".join(f"order: {axis}" for axis in (0, *range(2, len(made.tops[0].shape or ())), 1))
    return f"insert a Permute with {order} before it"


def _fixes(net: Net, layer: BuiltLayer, scores: _Scores, mixed: _Mixed) -> tuple[Fix, ...]:
    """Only where all that reads what the Reshape makes can be told the axis of the classes."""
    reshape, parted = mixed.reshape, _parted(layer, scores, mixed.made)
    if parted is None or reshape.type != "Reshape" or reshape.index is None:
        return ()
    dims, axis = parted
    block = [("dim", str(dim)) for dim in dims]
    edits = [write(net.layers[reshape.index], reshape.block, "shape", value=block)]
    for reader in net.layers:
        if net.layers[reshape.index].tops[0] not in reader.bottoms:
            continue
        if reader.bottoms.index(net.layers[reshape.index].tops[0]) or not reader.kind.has_setting("axis"):
            return ()
        if reader.type not in ClassesMadeOfPlaces.layer_types and not reader.kind.looks_like_a_measure:
            return ()
        if reader.param(reader.kind.block).axis != axis:
            edits.append(write(reader, reader.kind.block, "axis", value=str(axis)))
    return fix("leave the places where they are", UNSAFE, *edits)
