"""Label maps of SSD: which number stands for which class (`label_map_file`)."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from caffelint.caffe.layers import BuiltLayer
from caffelint.evidence.data.sources import Feed
from caffelint.lint.data_source import Unreadable
from caffelint.lint.read import ReadError, read
from caffelint.lint.source_shapes import Places, find_source, is_there, places_of
from caffelint.schema.values import fits
from caffelint.text.parser import parse
from caffelint.text.scalars import integer_value, string_value
from caffelint.text.tree import LIST, MESSAGE, STRING, Field

_LARGEST = 1 << 24
_SHOWN = 40
_PATHS = (
    ("annotated_data_param", "label_map_file"),
    ("detection_output_param", "save_output_param", "label_map_file"),
)


class LabelMap(NamedTuple):
    """names: by label; none if nothing is known. twice: labels that several items have.

    error: why Caffe does not read it. unread: why it was not read here.
    """

    names: Mapping[int, str] = {}
    twice: Sequence[int] = ()
    error: str = ""
    unread: str = ""


class Named(NamedTuple):
    """A layer that names a label map. path: of the field."""

    layer: BuiltLayer
    path: tuple[str, ...]
    file: str


def named_in(found: Sequence[Feed]) -> Iterator[tuple[Feed, Named]]:
    """The layers of all nets that name a label map, each with its own feed, or with one of its net if it has none."""
    builds: dict[int, Feed] = {}
    for feed in found:
        builds.setdefault(id(feed.built), feed)
    own = {id(feed.made): feed for feed in found}
    for feed in builds.values():
        for layer in feed.built.layers:
            for path in _PATHS if layer.index is not None else ():
                message: Any = layer.message
                for field in path[:-1]:
                    message = getattr(message, field) if message is not None and message.HasField(field) else None
                if message is not None and message.label_map_file:
                    yield own.get(id(layer), feed), Named(layer, path, message.label_map_file)


def label_maps_of(found: Sequence[Feed], roots: Sequence[str], *, confined: bool = False) -> dict[str, LabelMap]:
    """The label maps that nets name, by that name."""
    maps: dict[str, LabelMap] = {}
    for feed, named in named_in(found):
        if named.file not in maps:
            maps[named.file] = _read(named.file, places_of(feed.net.path, roots, confined=confined))
    return maps


def _read(name: str, places: Places) -> LabelMap:
    try:
        path = find_source(name, places, os.path.exists)
    except Unreadable:
        return LabelMap() if is_there(name, places) else LabelMap(error="does not exist")
    try:
        text = read(path, _LARGEST, places.reach)
    except ReadError as reason:
        return LabelMap(unread=str(reason).partition(";")[0])
    return label_map_of(text)


def label_map_of(text: bytes) -> LabelMap:
    """From the text of a LabelMap: `item { name: "car" label: 3 display_name: "car" }`."""
    document = parse(text)
    if document.problems:  # what it says of them may quote the file
        line = document.source.line_number(document.problems[0].start)
        return LabelMap(error=f"cannot be parsed (line {line})")
    names: dict[int, str] = {}
    twice = []
    for item in document.root.all("item"):
        label, name = item.first("label"), item.first("name")
        if label is not None and not fits("int32", label):
            return LabelMap(error=f"holds {_shown(label)} as a label, which is no int32")
        number = integer_value(label.text) if label is not None else 0
        if number in names:
            twice.append(number)
        names[number] = string_value(name.text) if name is not None and name.kind == STRING else ""
    return LabelMap(names, twice) if names else LabelMap(error="holds no item")


def _shown(label: Field) -> str:
    if label.kind in (MESSAGE, LIST):
        return "a block" if label.kind == MESSAGE else "a list"
    return label.text if len(label.text) <= _SHOWN else f"{label.text[:_SHOWN]}..."
