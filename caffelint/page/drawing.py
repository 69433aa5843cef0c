"""The boxes of a net with their words and places, modules within modules: what the page and a picture draw."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from math import prod
from typing import TYPE_CHECKING, NamedTuple

from caffelint.caffe.shapes import text
from caffelint.page.layout import Layout, layout
from caffelint.page.modules import Module, Part, modules
from caffelint.page.settings import settings
from caffelint.page.units import Edge, Unit, Units, units
from caffelint.report.summary_table import number
from caffelint.text.visible import visible

if TYPE_CHECKING:
    from caffelint.caffe.built_net import BuiltNet
    from caffelint.caffe.layers import BuiltLayer

_FOLDED_FROM = 40
"""A net of no more boxes is drawn whole."""
LINE = 17
PADDING = 12
HEAD = 48
"""Height of the head of an open module, above its own drawing; MARGIN is around that."""
MARGIN = 16
EDGE = 20
"""Around a whole drawing."""
STUB = 14
"""Length of the line that enters a module, above its first boxes."""
_LEAST_WIDTH = 120
_LONGEST = 34
_BOLD = 1.1
"""Times as wide as plain text."""
_NARROW, _WIDE = frozenset("iljtfrI.,:;'|!()[]/ -"), frozenset("mwMWGOQ@%_&")

DATA, LOSS, WEIGHTS, NORMALISES, ACTIVATION, WINDOW, JOIN, OTHER, UNKNOWN, MODULE = (
    "data", "loss", "weights", "normalises", "activation", "window", "join", "other", "unknown", "module",
)  # fmt: skip


class Words(NamedTuple):
    """What a box says: its head (type and settings), its name, those that follow in it, and its output."""

    head: str
    name: str
    more: str
    foot: str

    @property
    def lines(self) -> list[tuple[str, str]]:
        """Each line that is there, after its role."""
        return [(role, line) for role, line in zip(self._fields, self, strict=True) if line]


class Box(NamedTuple):
    """A unit or a module. layers: of the net, by their indices in the text. inner: what an open module shows.

    enters: is it in a module, the first in it to read what comes from outside?
    """

    id: str
    kind: str
    words: Words
    layers: tuple[int, ...]
    width: float
    height: float
    inner: Drawing | None = None
    enters: bool = False


class Line(NamedTuple):
    """A blob on its way from a box to another, both by their numbers in the drawing. layers: those that read it."""

    source: int
    target: int
    blobs: tuple[str, ...]
    layers: tuple[str, ...]


class Drawing(NamedTuple):
    """Boxes and the lines between them. is_open: has every module the size that it has when it is open?"""

    boxes: list[Box]
    lines: list[Line]
    layout: Layout
    is_open: bool


def draw(built: BuiltNet, *, is_open: bool = False, fold: bool = True) -> Drawing:
    """A built net. is_open: with all modules open. fold: whether what repeats is folded into modules at all."""
    found = units(built)
    parts: Sequence[Part] = range(len(found.units))
    if fold and len(found.units) > _FOLDED_FROM:
        parts = modules(found)
    return _drawing(found, parts, is_open, "")


def _drawing(found: Units, parts: Sequence[Part], is_open: bool, prefix: str) -> Drawing:
    part_of = {unit: at for at, part in enumerate(parts) for unit in _units_of(part)}
    into: dict[int, list[Edge]] = {}
    for edge in found.edges:
        if edge.target in part_of:
            into.setdefault(part_of[edge.target], []).append(edge)
    boxes = [
        _box(found._replace(edges=into.get(at, [])), part, is_open, f"{prefix}{at}") for at, part in enumerate(parts)
    ]
    lines = _lines(found.edges, part_of)
    if prefix:
        reached = {line.target for line in lines}
        reading = {edge.target for edge in found.edges}
        boxes = [
            box._replace(enters=at not in reached and not reading.isdisjoint(_units_of(part)))
            for at, (box, part) in enumerate(zip(boxes, parts, strict=True))
        ]
    sizes = [(box.width, box.height) for box in boxes]
    if is_open:
        sizes = [open_size(box) for box in boxes]
    return Drawing(boxes, lines, layout(sizes, [(line.source, line.target) for line in lines]), is_open)


def open_size(box: Box) -> tuple[float, float]:
    """Width and height of a box with all that it holds open."""
    if box.inner is None:
        return box.width, box.height
    inside = box.inner.layout
    return max(inside.width + 2 * MARGIN, box.width), inside.height + HEAD + MARGIN


def size_of(drawing: Drawing, box: Box) -> tuple[float, float]:
    """Width and height of a box in a drawing."""
    return open_size(box) if drawing.is_open else (box.width, box.height)


def _lines(edges: Iterable[Edge], part_of: Mapping[int, int]) -> list[Line]:
    """The edges between different parts; those between the same two are one line."""
    found: dict[tuple[int, int], tuple[dict[str, None], dict[str, None]]] = {}
    for edge in edges:
        source, target = part_of.get(edge.source), part_of.get(edge.target)
        if source is not None and target is not None and source != target:
            blobs, layers = found.setdefault((source, target), ({}, {}))
            blobs[edge.blob] = layers[edge.layer] = None
    return [Line(*ends, tuple(blobs), tuple(layers)) for ends, (blobs, layers) in found.items()]


def _units_of(part: Part) -> list[int]:
    return [part] if isinstance(part, int) else part.units


def _box(found: Units, part: Part, is_open: bool, name: str) -> Box:
    inner = None
    if isinstance(part, Module):
        inner = _drawing(found, part.parts, is_open, f"{name}.")
        of_part = [found.units[unit] for unit in part.units]
        kind, words = MODULE, _of_module(part, of_part, found)
    else:
        of_part = [found.units[part]]
        kind, words = _kind(of_part[0].first), _of_unit(of_part[0])
    words = Words(*(_short(visible(line)) for line in words))
    width = (
        max(_LEAST_WIDTH, *(text_width(line) * (_BOLD if role == "name" else 1) for role, line in words.lines))
        + 2 * PADDING
    )
    height = LINE * len(words.lines) + PADDING
    layers = tuple(layer.index for unit in of_part for layer in unit.layers if layer.index is not None)
    return Box(name, kind, words, layers, round(width), height, inner)


def _of_unit(unit: Unit) -> Words:
    first = unit.first
    head = " ".join(filter(None, [first.type, settings(first)]))
    return Words(head, first.name, " · ".join(layer.type for layer in unit.layers[1:]), _foot([unit]))


def _of_module(module: Module, of_part: Sequence[Unit], found: Units) -> Words:
    types = Counter(unit.first.type for unit in of_part)
    more = ", ".join(f"{times} {type_}" for type_, times in types.most_common(3))
    if module.repeats == 1:
        return Words(f"Block, {_layers(of_part)}", common_name(of_part), more, _foot(of_part))
    ends = [_part_name(part, found) for part in (module.parts[0], module.parts[-1])]
    return Words(f"{module.repeats} times, {_layers(of_part)}", " … ".join(ends), more, _foot(of_part))


def _part_name(part: Part, found: Units) -> str:
    return common_name([found.units[unit] for unit in _units_of(part)])


def _layers(of_part: Sequence[Unit]) -> str:
    return f"{sum(len(unit.layers) for unit in of_part)} layers"


def common_name(of_part: Sequence[Unit]) -> str:
    """What the names of layers begin with, `res4b1` of `res4b1_branch2a` and `res4b1`; else the first and the last."""
    names = [unit.first.name for unit in of_part]
    first, last = min(names), max(names)
    shared = first[: next((at for at, (a, b) in enumerate(zip(first, last, strict=False)) if a != b), len(first))]
    if not all(name[len(shared) :][:1] in ("", "/", "_", ".", "-") for name in names):
        shared = shared[: max(shared.rfind(mark) for mark in "/_.-") + 1]
    shared = shared.rstrip("/_.-")
    return shared if len(shared) > 1 else f"{names[0]} … {names[-1]}"


def _foot(of_part: Sequence[Unit]) -> str:
    tops = of_part[-1].last.tops
    shape = shape_text(tops[0].shape) if tops else ""
    counts = [parameters(layer) for unit in of_part for layer in unit.layers]
    total = None if None in counts else sum(count or 0 for count in counts)
    learned = "" if total == 0 else "? parameters" if total is None else f"{number(total)} parameters"
    return " · ".join(filter(None, [shape, learned]))


def shape_text(shape: Sequence[int] | None) -> str:
    """`1x64x56x56`, `scalar`, or `?`."""
    return "?" if shape is None else text(shape)


def parameters(layer: BuiltLayer) -> int | None:
    """How many numbers it learns or keeps; None where that is unknown."""
    return None if layer.params is None else sum(prod(param.shape) for param in layer.params)


def _kind(layer: BuiltLayer) -> str:
    answers = {
        UNKNOWN: not layer.known,
        LOSS: layer.is_loss or any(layer.loss_weights),
        DATA: not layer.bottoms,
        WEIGHTS: layer.has_weights,
        NORMALISES: layer.normalises,
        ACTIVATION: layer.is_activation,
        WINDOW: layer.written_windows() is not None,
        JOIN: len(layer.bottoms) > 1,
    }
    return next((kind for kind, answer in answers.items() if answer), OTHER)


def _short(text: str) -> str:
    if len(text) <= _LONGEST:
        return text
    return f"{text[: _LONGEST - 13]}…{text[-12:]}"


def text_width(text: str) -> float:
    """About as wide as a sans serif font of 12 pixels sets it."""
    return sum(map(_width, text))


def _width(c: str) -> float:
    if c in _NARROW:
        return 4.3
    return 10.6 if c in _WIDE or not c.isascii() else 8.4 if c.isupper() else 7.5
