"""What Caffe refuses of a net, in all the states that it is built in: each cause once, with its place in the text."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Hashable, Iterable, Iterator
from typing import TYPE_CHECKING

from caffelint.caffe.place import Place, place
from caffelint.caffe.refusal import Kind, Refusal
from caffelint.caffe.states import PHASES
from caffelint.text.records import NamedTuple
from caffelint.text.tree import LIST, MESSAGE, Field

if TYPE_CHECKING:
    from caffelint.caffe.net import Layer, Net

_LOSING_A_BLOB = frozenset([Kind.PADDING_LAYER, Kind.UNKNOWN_BOTTOM])
"""Refusals of the upgrade after which the build misses the same blob once more."""
_MISSING_A_BLOB = frozenset([Kind.UNKNOWN_BOTTOM, Kind.BOTTOM_MADE_BELOW, Kind.BOTTOM_LEFT_OUT])
_OF_SIZES = frozenset(
    [
        Kind.SHARED_PARAM_SHAPE,
        Kind.WRONG_AXES,
        Kind.NO_SUCH_AXIS,
        Kind.SHAPES_DIFFER,
        Kind.WRONG_SHAPE,
        Kind.LABEL_COUNT,
        Kind.ELEMENT_COUNT,
        Kind.NOT_DIVISIBLE,
        Kind.WINDOW_TOO_LARGE,
        Kind.NO_ELEMENTS,
    ]
)
"""What nobody knows where Caffe reads the sizes of an input past the end of a list."""


class Refused(NamedTuple):
    """One cause for which Caffe refuses a net.

    refusal: as it is met first. layers: those that meet it, in the order of the text; none where the net itself is to
    blame, or a layer that the upgrade takes away. phases: those in which it is met, none for all that the net is built
    in. place: what is to blame, in the first of the layers.
    """

    net: Net
    refusal: Refusal
    layers: tuple[Layer, ...]
    phases: tuple[str, ...]
    place: Place


def find_refused(net: Net) -> tuple[Refused, ...]:
    """All that Caffe refuses about a net: first what its upgrade refuses, in Caffe's order, then what its build does.

    Refusals of the build are in the order of the layers in the text. There are none where the text is damaged, since
    layers may be missing then, and none about blocks that hold something which could not be read. No blob is made too
    late in a net that mixes two formats of layers, of which the order is unknown.
    """
    if net.document.is_damaged:
        return ()
    if not net.refusals and not any(one.refusals for one in net.states()):
        return ()
    unread = _Unread(net)
    return *_of_upgrade(net, unread), *_of_build(net, unread)


def where(layer: Layer, refusal: Refusal) -> Place:
    """What a refusal blames in a layer: its field, or its type if it has none."""
    return layer.at(*(refusal.field or ("type",)))


def _of_upgrade(net: Net, unread: _Unread) -> Iterator[Refused]:
    layers = {id(layer.node): layer for layer in net.layers if layer.node is not None}
    met = set()
    for refusal in net.refusals:
        node = net.bound.node(refusal.at)
        if node is None or (id(node), refusal.cause) in met or unread.is_in(_blamed(net, node, refusal)):
            continue
        met.add((id(node), refusal.cause))
        layer = layers.get(id(node))
        name = layer.name if layer is not None else ""
        at = place(net.document, node, refusal.field, name)
        # The Input layer that the upgrade makes of the net's own fields is not in the text.
        blamed = (layer,) if layer is not None and node is not net.document.root else ()
        yield Refused(net, refusal, blamed, (), at)


def _blamed(net: Net, node: Field, refusal: Refusal) -> Iterable[Field]:
    """The layer, or those fields of the net that a refusal is about."""
    if node is not net.document.root:
        return [node]
    names = ("input", "input_dim", "input_shape") if refusal.kind is Kind.INPUT_SHAPE_COUNT else refusal.field
    return [field for field in node.fields if field.name in names]


def _of_build(net: Net, unread: _Unread) -> Iterator[Refused]:
    mixed = any(problem.kind == "mixed-layer-formats" for problem in net.bound.problems)
    lost = {one.values["blob"] for one in net.refusals if one.kind in _LOSING_A_BLOB}
    guessed = _OF_SIZES if any(one.kind is Kind.INPUT_SHAPE_COUNT for one in net.refusals) else frozenset[Kind]()
    nets = net.states()
    everywhere = {phase for one in nets for phase in one.phases}
    met: dict[tuple[int, Hashable], tuple[Refusal, set[str]]] = {}
    for one in nets:
        for refusal in one.refusals:
            if mixed and refusal.kind is Kind.BOTTOM_MADE_BELOW or refusal.kind in guessed:
                continue
            if not (refusal.kind in _MISSING_A_BLOB and refusal.values["blob"] in lost):
                index = refusal.index if refusal.index is not None else -1
                met.setdefault((index, refusal.cause), (refusal, set()))[1].update(one.phases)
    groups: dict[Hashable, list[tuple[Layer | None, Refusal, set[str]]]] = {}
    for index, cause in sorted(met, key=lambda key: key[0]):
        layer = net.layers[index] if index >= 0 else None
        if layer is None or layer.node is None or not unread.is_in([layer.node]):
            groups.setdefault(cause, []).append((layer, *met[index, cause]))
    for group in groups.values():
        layer, refusal, _ = group[0]
        phases = set().union(*(phases for _, _, phases in group))
        yield Refused(
            net,
            refusal,
            tuple(layer for layer, _, _ in group if layer is not None),
            () if phases == everywhere else tuple(phase for phase in PHASES if phase in phases),
            where(layer, refusal) if layer is not None else net.at(),
        )


class _Unread:
    """What of a net's text could not be read, or only by a Caffe that is not known."""

    def __init__(self, net: Net) -> None:
        problems = net.bound.problems
        self.starts = sorted(problem.start for problem in problems)
        # Of a field that is unknown in many places the problem names only the first.
        told_once = ("unknown-field", "fork-field") if net.bound.dialect else ("unknown-field",)
        root = net.document.root
        self.fields = {
            (_block_around(root, problem.start), problem.field.rpartition(".")[2])
            for problem in problems
            if problem.kind in told_once
        }
        self._known: dict[Field, bool] = {}

    def is_in(self, nodes: Iterable[Field]) -> bool:
        """Does one of the blocks hold something unread, at any depth?"""
        return bool(self.starts) and any(map(self._is_in, nodes))

    def _is_in(self, node: Field) -> bool:
        if node not in self._known:
            first = bisect_left(self.starts, node.start)
            within = first < len(self.starts) and self.starts[first] < node.end
            self._known[node] = within or bool(self.fields and self._has_field(node))
        return self._known[node]

    def _has_field(self, node: Field) -> bool:
        return any(
            (node.name, field.name) in self.fields or (field.kind == MESSAGE and self._has_field(field))
            for field in node.fields
        )


def _block_around(node: Field, position: int) -> str:
    """The name of the innermost block around a place: `param` is unknown in python_param, and not in a layer."""
    while True:
        index = bisect_right(node.fields, position, key=lambda field: field.start) - 1
        inside = node.fields[index] if index >= 0 else None
        if inside is None or inside.kind not in (LIST, MESSAGE) or not inside.value_start < position < inside.end:
            return node.name
        node = inside
