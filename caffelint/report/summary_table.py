"""The table of `caffelint summary`: a line for each layer, totals, and the largest blobs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from math import prod
from typing import TextIO

from caffelint.lint.asked_shape import asked_shape
from caffelint.lint.source_shapes import reads
from caffelint.lint.summary import LayerRow, Summary
from caffelint.report.fit import Column, hanging, table
from caffelint.report.words import Paint, painter
from caffelint.text.visible import visible

_COLUMNS = (
    Column("layer"),
    Column("type"),
    Column("bottoms", goes=3),
    Column("tops", goes=4),
    Column("output"),
    Column("parameters", True),
    Column("multiply-adds", True, goes=1),
    Column("memory", True, goes=2),
)
_INDENT = "  "
_UNKNOWN = "?"
_LARGEST = 3
_LONGEST_NAMES = 40


def write(summary: Summary, out: TextIO, color: bool = False, width: int | None = None) -> None:
    """One net in one phase, in lines of at most `width` columns; None is no limit."""
    paint = painter(color)
    rows = [_cells(layer) for layer in summary.layers if not layer.inserted]
    _say(_begin(summary, paint), out, width)
    if rows:
        _table(rows, out, paint, width)
        _say([*_totals(summary, paint), *_hint(summary, paint)], out, width)


def _say(lines: Iterable[str], out: TextIO, width: int | None) -> None:
    out.writelines(f"{part}\n" for line in lines for part in hanging(line, width))


def _begin(summary: Summary, paint: Paint) -> Iterator[str]:
    yield f"{paint(visible(summary.file), 'bold')}, {summary.phase}: {_verdict(summary, paint)}"
    if summary.error:
        where = f"layer {visible(summary.error.layer)}: " if summary.error.layer else ""
        yield f"  {where}{visible(summary.error.message)}"
        if summary.error.caffe:
            yield f"  {paint('Caffe: ' + visible(summary.error.caffe), 'dim')}"
    for note in summary.notes:
        yield f"  note: {visible(note)}"


def _verdict(summary: Summary, paint: Paint) -> str:
    if summary.loads is None:
        return paint("may load; some of it is unknown", "warning")
    return paint("loads", "good") if summary.loads else paint("does not load", "error")


def _cells(layer: LayerRow) -> tuple[str, ...]:
    shapes = ", ".join(_shape(shape) for shape in layer.shapes)
    parameters = _UNKNOWN if layer.parameters is None else number(layer.parameters) if layer.parameters else ""
    work = _UNKNOWN if layer.multiply_adds is None else number(layer.multiply_adds) if layer.multiply_adds else ""
    memory = _UNKNOWN if layer.memory is None else size(layer.memory)
    names = (layer.name, layer.type, _names(layer.bottoms), _names(layer.tops))
    return (*(visible(name) for name in names), shapes, parameters, work, memory)


def _names(names: Sequence[str]) -> str:
    joined = ", ".join(names)
    if len(joined) <= _LONGEST_NAMES:
        return joined
    return joined[: _LONGEST_NAMES - 3] + "..."


def _shape(shape: tuple[int, ...] | None) -> str:
    if shape is None:
        return _UNKNOWN
    return "x".join(str(dim) for dim in shape) or "scalar"


def _table(rows: Sequence[tuple[str, ...]], out: TextIO, paint: Paint, width: int | None) -> None:
    head, *lines = table(_COLUMNS, rows, width and width - len(_INDENT))
    out.write(_INDENT + paint(head, "dim") + "\n")
    out.writelines(f"{_INDENT}{line}\n" for line in lines)


def _totals(summary: Summary, paint: Paint) -> Iterator[str]:
    parts = []
    if summary.parameters is not None:
        parts.append(f"{number(summary.parameters)} parameters ({size(4 * summary.parameters)})")
    if summary.multiply_adds is not None:
        parts.append(f"{number(summary.multiply_adds)} multiply-adds")
    if summary.data_memory is not None:
        parts.append(f"{size(summary.data_memory)} of data, as Caffe logs it")
    if parts:
        yield "  " + paint("total: ", "bold") + ", ".join(parts)
    known = {name: shape for name, shape in summary.blobs.items() if shape and "_split_" not in name}
    largest = sorted(known, key=lambda name: prod(known[name] or ()), reverse=True)[:_LARGEST]
    if largest:
        shown = ", ".join(f"{visible(name)} {size(4 * prod(known[name] or ()))}" for name in largest)
        yield "  " + paint("largest blobs: ", "bold") + shown


def _hint(summary: Summary, paint: Paint) -> Iterator[str]:
    """How to give the shape of data that the text does not."""
    for layer in summary.layers:
        for index, (top, shape) in enumerate(zip(layer.tops, layer.shapes, strict=True)):
            if shape is None and not layer.bottoms and not summary.error:
                asked, remark = asked_shape(layer.image if index == 0 else None)
                give = f"give --phase {summary.phase.lower()} --input-shape {visible(top)}={asked}{remark}"
                if reads(layer.type) and not summary.notes:
                    give += ", or --read-data to read it from the data"
                say = f'the shape of "{visible(top)}" is not in the text; {give}'
                yield f"  {paint('hint: ', 'bold')}{say}"
                return


def number(value: int) -> str:
    """`1 234`, `61.1 M`, `1.82 G`: three digits are enough to compare."""
    for unit, factor in (("G", 10**9), ("M", 10**6)):
        if value >= factor:
            return f"{value / factor:.3g} {unit}" if value < 1000 * factor else f"{value // factor:,} {unit}"
    return f"{value:,}"


def size(value: int) -> str:
    """Bytes as a person reads them."""
    for unit, factor in (("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10)):
        if value >= factor:
            return f"{value / factor:.3g} {unit}" if value < 1000 * factor else f"{value // factor:,} {unit}"
    return f"{value} B"
