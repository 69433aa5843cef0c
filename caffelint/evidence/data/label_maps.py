"""Label maps of SSD: which number stands for which class (`label_map_file`)."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from caffelint.caffe.layers import BuiltLayer
from caffelint.evidence.data.sources import Feed
from caffelint.lint.data_source import Unreadable
from caffelint.lint.read import ReadError, read
from caffelint.lint.source_shapes import Places, find_source
from caffelint.text.parser import parse

_LARGEST = 1 << 24
_PATHS = (
    ("annotated_data_param", "label_map_file"),
    ("detection_output_param", "save_output_param", "label_map_file"),
)


class LabelMap(NamedTuple):
    """names: by label. twice: labels that several items have. error: why nothing is known."""

    names: Mapping[int, str] = {}
    twice: Sequence[int] = ()
    error: str = ""


class Named(NamedTuple):
    """A layer that names a label map. path: of the field."""

    layer: BuiltLayer
    path: tuple[str, ...]
    file: str


def named_in(feed: Feed) -> Iterator[Named]:
    """The layers of the net that name a label map."""
    for layer in feed.built.layers:
        for path in _PATHS if layer.index is not None else ():
            message: Any = layer.message
            for field in path[:-1]:
                message = getattr(message, field) if message is not None and message.HasField(field) else None
            if message is not None and message.label_map_file:
                yield Named(layer, path, message.label_map_file)


def label_maps_of(found: Sequence[Feed], roots: Sequence[str]) -> dict[str, LabelMap]:
    """The label maps that nets name, by that name."""
    maps: dict[str, LabelMap] = {}
    for feed in found:
        places = Places(("", os.path.dirname(feed.net.path), *roots), None)
        for named in named_in(feed):
            if named.file not in maps:
                maps[named.file] = _read(named.file, places)
    return maps


def _read(name: str, places: Places) -> LabelMap:
    try:
        return label_map_of(read(find_source(name, places), _LARGEST))
    except ReadError as reason:
        return LabelMap(error=str(reason))
    except Unreadable:
        return LabelMap(error="does not exist")


def label_map_of(text: bytes) -> LabelMap:
    """From the text of a LabelMap: `item { name: "car" label: 3 display_name: "car" }`."""
    document = parse(text)
    if document.problems:
        return LabelMap(error=f"cannot be parsed: {document.problems[0].message}")
    names: dict[int, str] = {}
    twice = []
    for item in document.root.all("item"):
        label, name = item.first("label"), item.first("name")
        try:
            number = int(label.text) if label is not None else 0
        except ValueError:
            return LabelMap(error=f"holds a label {label.text if label is not None else ''} that is no number")
        if number in names:
            twice.append(number)
        names[number] = name.text.strip("\"'") if name is not None else ""
    return LabelMap(names, twice) if names else LabelMap(error="holds no item")
