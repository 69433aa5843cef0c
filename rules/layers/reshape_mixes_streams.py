from __future__ import annotations

from collections.abc import Iterator

from caffelint.lint import LIKELY, WARNING, Finding, Invalid, Net, NetRule, titles
from caffelint.lint.built import Blob, BuiltLayer, types_that

_RECURRENT = types_that(lambda kind: kind.is_recurrent)
_AXES = 2


class ReshapeMixesStreams(NetRule):
    """A Reshape makes steps x items of items x steps, which puts values of different items into one sequence.

    ## Why is this bad?
    A recurrent layer takes steps x streams x ... . A Reshape changes no value's place in memory, it only counts the
    axes anew. So with 128 images of 28 rows each, read as 28 x 128, the first step holds the rows of the first four
    images and a bit, and each sequence is made of rows of different images. Labels belong to none of them.

    ## Example
    ```
    layer {
      name: "steps" type: "Reshape" bottom: "data" top: "steps"   # data is 128 x 28 x 28
      reshape_param { shape { dim: 28 dim: 128 dim: 28 } }
    }
    layer { name: "lstm" type: "LSTM" bottom: "steps" bottom: "cont" top: "lstm" }
    ```
    Use instead a layer that transposes, such as Permute of SSD's Caffe:
    ```
    layer { name: "steps" type: "Permute" bottom: "data" top: "steps" permute_param { order: 1 order: 0 order: 2 } }
    ```
    or write the data as steps x items.

    ## Known problems
    Data may be stored so that a batch is steps x items in memory, whatever its first axis says.

    ## References
    - reshape_layer.cpp, Forward (top and bottom share their memory); recurrent_layer.hpp
    """

    code = "L017"
    name = "reshape-mixes-streams"
    severity = WARNING
    certainty = LIKELY
    layer_types = tuple(_RECURRENT)
    _NET = (
        'layer {{ name: "data" type: "Input" top: "data" top: "mark"'
        " input_param {{ shape {{ dim: 6 dim: 4 dim: 5 }} shape {{ dim: 4 dim: 6 }} }} }}"
        ' layer {{ name: "steps" type: "Reshape" bottom: "data" top: "steps" reshape_param {{ shape {{ {} }} }} }}'
        ' layer {{ name: "lstm" type: "LSTM" bottom: "steps" bottom: "mark" top: "lstm"'
        " recurrent_param {{ num_output: 3 }} }}"
    )
    VALID = [
        # Each item is a step of one stream.
        _NET.replace("dim: 4 dim: 6", "dim: 6 dim: 1").format("dim: 6 dim: 1 dim: 20"),
        # Steps of items are parted.
        _NET.replace("dim: 6 dim: 4 dim: 5", "dim: 24 dim: 5").format("dim: 4 dim: 6 dim: 5"),
        # One sequence.
        _NET.replace("dim: 6 dim: 4 dim: 5", "dim: 1 dim: 4 dim: 5")
        .replace("dim: 4 dim: 6", "dim: 4 dim: 1")
        .format("dim: 4 dim: 1 dim: 5"),
    ]
    INVALID = [
        Invalid(
            _NET.format("dim: 4 dim: 6 dim: 5"),
            span="shape",
            message='Reshape "steps": 6x4x5 becomes 4x6x5 without a transpose, so each of the 6 sequences of LSTM'
            ' "lstm" mixes items; transpose the blob, or store the data as 4x6x5',
        ),
        Invalid(
            _NET.format("dim: 4 dim: 6 dim: 5").replace("dim: 6 dim: 4 dim: 5", "dim: 6 dim: 1 dim: 4 dim: 5")
            + ' layer { name: "back" type: "Reshape" bottom: "lstm" top: "back" reshape_param { shape { dim: 6'
            " dim: -1 } } }",
            span="shape",
            message='Reshape "steps", "back": 6x1x4x5 becomes 4x6x5 without a transpose, so each of the 6 sequences of'
            ' LSTM "lstm" mixes items; transpose the blob, or store the data as 4x6x5',
        ),
    ]

    def check(self, net: Net) -> Iterator[Finding]:
        said: set[int | None] = set()
        for one in net.states():
            known: dict[Blob, BuiltLayer | None] = {}
            for layer in one.layers:
                if layer.type not in _RECURRENT or not layer.bottoms or not layer.tops:
                    continue
                mixing = [
                    maker for blob in layer.bottoms if (maker := _mixing(blob, known)) and maker.index is not None
                ]
                found = mixing + [reader for reader, _ in layer.tops[0].readers if _unmixes(reader)]
                found = [each for each in dict.fromkeys(found) if each.index not in said]
                if found and found[0].index is not None:
                    said |= {each.index for each in found}
                    first = net.layers[found[0].index]
                    before, after = found[0].bottoms[0], found[0].tops[0]
                    streams = _sizes(after if found[0] in mixing else before)[1]
                    stored = f", or store the data as {_text(after)}" if found[0] in mixing else ""
                    yield self.finding(
                        first.at(first.block, "shape"),
                        f"{titles(found)}: {_text(before)} becomes {_text(after)} without a transpose, so each of the"
                        f" {streams} sequences of {titles([layer])} mixes items; transpose the blob{stored}",
                        phases=one.phases,
                        layers=[net.layers[each.index] for each in found if each.index is not None],
                    )


def _sizes(blob: Blob) -> tuple[int | None, ...]:
    return blob.shape or blob.partial or ()


def _text(blob: Blob) -> str:
    return "x".join("?" if size is None else str(size) for size in _sizes(blob))


def _mixing(blob: Blob, known: dict[Blob, BuiltLayer | None]) -> BuiltLayer | None:
    """The layer above that makes steps x items of items x steps, with only layers between that keep both axes.

    known: what was found above each blob so far, since many may be below one long chain.
    """
    passed = []
    found = None
    while (blob := blob.original) not in known:
        passed.append(blob)
        maker = blob.producer
        if maker is None or len(maker.bottoms) != 1:
            break
        before, after = _sizes(maker.bottoms[0]), _sizes(blob)
        if _is_reshape(maker):
            found = maker if _swaps(before, after) else None
            break
        if before[:_AXES] != after[:_AXES] or len(before) < _AXES:
            break
        blob = maker.bottoms[0]
    else:
        found = known[blob]
    known.update(dict.fromkeys(passed, found))
    return found


def _unmixes(layer: BuiltLayer) -> bool:
    """Does it make items x ... of what a recurrent layer gives, steps x items?"""
    if not _is_reshape(layer):
        return False
    before, after = _sizes(layer.bottoms[0]), _sizes(layer.tops[0])
    return len(before) > 1 and _swaps(after, before)


def _is_reshape(layer: BuiltLayer) -> bool:
    return layer.type == "Reshape" and bool(layer.bottoms and layer.tops)


def _swaps(items: tuple[int | None, ...], steps: tuple[int | None, ...]) -> bool:
    """Is the first of these axes, which is not that of the others, the second one there?"""
    if not items or len(steps) < _AXES:
        return False
    here, (first, second) = items[0], steps[:_AXES]
    known = here is not None and first is not None and second is not None
    return known and here == second != first and first != 1 and second != 1
