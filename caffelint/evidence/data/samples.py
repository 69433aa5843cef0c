"""A few records of a source as the net sees them, after transform_param. Needs numpy."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from caffelint.evidence.data import databases, lists
from caffelint.evidence.data.images import Array, planes
from caffelint.evidence.data.records import Options, Records
from caffelint.evidence.data.transformer import Transform
from caffelint.evidence.data.values import LABEL
from caffelint.lint.data_source import Unreadable

if TYPE_CHECKING:
    from PIL.Image import Image

SEED = 1


class Sample(NamedTuple):
    """name: of the record. label: None if it has none. values: channels x height x width, or any other shape."""

    name: str
    label: float | None
    values: Array


class _Kept(Records):
    """Also keeps the images that it sees."""

    def __init__(self, options: Options):
        super().__init__(options)
        self.images: list[tuple[str, Array]] = []

    def image(self, image: Array, data: bytes, name: str) -> int:
        self.images.append((name, image))
        return super().image(image, data, name)

    def picture(self, image: Image, data: bytes, name: str) -> int:
        self.images.append((name, planes(image)))
        return super().picture(image, data, name)


def samples(question: Mapping[str, Any]) -> list[Sample]:
    """Records that are evenly spread, then those that are named and can be read."""
    kind, path, count = question["kind"], question["path"], question["samples"]
    options = Options(**question["options"])
    transform = _transform(question)
    found = []
    for name, label, image in _read(kind, path, options, count, question["named"]):
        try:
            found.append(Sample(name, label, transform(image) if image.ndim == 3 and transform else image))
        except Unreadable:
            found.append(Sample(name, label, image.astype(np.float32)))
    return found


def _transform(question: Mapping[str, Any]) -> Transform | None:
    from google.protobuf import text_format

    from caffelint.schema import LayerParameter

    if not question["transform"]:
        return None
    layer: Any = LayerParameter()
    text_format.Parse(question["transform"], layer.transform_param)
    try:
        return Transform(layer.transform_param, question["phase"], np.random.RandomState(SEED))
    except Unreadable:
        return None


def _read(
    kind: str, path: str, options: Options, count: int, named: Sequence[str]
) -> Iterator[tuple[str, float | None, Array]]:
    if kind == "hdf5":
        yield from _rows(path, options, count)
    elif kind in ("lmdb", "leveldb"):
        with databases.opened(kind, path) as database:
            ends = database.ends()
            ranges = databases.split(*ends, databases.size_of(path), count) if ends else []
            pairs = [next(database.pairs(start), None) for start, _ in ranges]
            pairs += [pair for name in named for pair in [next(database.pairs(name.encode()), None)]]
            for pair in dict.fromkeys(pair for pair in pairs if pair is not None):
                records = _Kept(options)
                records.add([pair[0]], [pair[1]])
                yield from _images(records)
    elif kind == "images":
        parts = lists.image_parts(path)
        for number in range(count):
            records = _Kept(options)
            start, end = parts[number * len(parts) // count]
            step = (end - start) * ((number * len(parts)) % count) // count
            lists.read_images(path, [start + step, end], records, 1, lambda: None)
            yield from _images(records)
        for name in named:
            records = _Kept(options)
            lists.add_image(name, records)
            yield from _images(records)
    else:
        records = _Kept(options)
        lists.read_windows(path, records, count, lambda: None)
        yield from _images(records)


def _images(records: _Kept) -> Iterator[tuple[str, float | None, Array]]:
    records.finish()
    top = records.facts.tops.get(LABEL)
    for name, image in records.images:
        yield name, top.last if top is not None else None, image


def _rows(path: str, options: Options, count: int) -> Iterator[tuple[str, float | None, Array]]:
    import h5py

    parts, total, _ = lists.hdf5_parts(path, options, sampled=True)
    for number in range(min(count, total)):
        name, row = lists.row_of(number * total // min(count, total), parts)
        with h5py.File(lists.beside(options, name), "r") as file:
            values = [file[top][row].astype(np.float32) for top in options.tops]
        label = float(values[1]) if len(values) > 1 and values[1].size == 1 else None
        yield f"row {row} of {name}", label, values[0]


def write(question: Mapping[str, Any]) -> dict[str, Any]:
    """The answer to a question for samples: names and labels; the arrays are written to a file."""
    found = samples(question)
    with open(question["out"], "wb") as file:
        np.savez(file, *[sample.values for sample in found])
    return {"samples": [[sample.name, sample.label] for sample in found]}


def loaded(path: str, answer: Mapping[str, Any]) -> list[Sample]:
    """What `write` wrote."""
    with np.load(path) as file:
        return [Sample(name, label, file[f"arr_{n}"]) for n, (name, label) in enumerate(answer["samples"])]


def question_of(options: str, transform: str, phase: str, count: int, named: Sequence[str], out: str) -> dict[str, Any]:
    return {
        "options": json.loads(options),
        "transform": transform,
        "phase": phase,
        "samples": count,
        "named": list(named),
        "out": out,
    }
