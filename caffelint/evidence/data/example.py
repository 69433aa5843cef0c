"""The data sets of the examples of rules: a text of one line for each record."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from caffelint.caffe.layers import BuiltLayer
from caffelint.caffe.solver import NetUse
from caffelint.evidence.data.class_names import Names, class_lines
from caffelint.evidence.data.evidence import DataEvidence, shape_nets
from caffelint.evidence.data.gains import Matrix
from caffelint.evidence.data.label_maps import LabelMap, label_map_of, named_in
from caffelint.evidence.data.means import Mean
from caffelint.evidence.data.overlaps import overlaps_of
from caffelint.evidence.data.parts import LeftOut
from caffelint.evidence.data.scan import Scanned, Source
from caffelint.evidence.data.sources import Feed, feeds, rebuilt
from caffelint.evidence.data.values import Facts
from caffelint.lint.data_source import Unreadable
from caffelint.lint.file import load
from caffelint.lint.project.python_layers import tell_modules
from caffelint.schema.detect import NET_FIELDS

_SUFFIX, _MEAN, _MATRIX = ".prototxt", "mean.binaryproto", "H.binaryproto"
_GONE = "does not exist"
_BESIDE = "beside "


def evidence_of(files: Mapping[str, str]) -> DataEvidence:
    """Prototxt files, a solver first if there is one, and sources by the names that the nets give them.

    A line of a source is a record, as in `label 3; image 1x2x2 0 1 2 3`, or `fault missing` for one that is not read;
    `wide when 1500000000.1 1500000000.2` are all values of a dataset of float64, `numbers load 0.5 -9999` all of one
    that has one value for each record. `beside 1 b.h5` is no record: the
    source is a list of one file, and leaves out the other.
    """
    texts = {name: text for name, text in files.items() if name.endswith(_SUFFIX)}
    loaded = {name: load(text.encode(), name) for name, text in texts.items()}
    file = next(iter(loaded.values()))
    if file.solver is not None:
        message: Any = file.solver.message
        for field in NET_FIELDS:
            value = getattr(message, field)
            for number, name in enumerate([value] if isinstance(value, str) else value):
                if name in loaded and (net := loaded[name].net) is not None:
                    file.solver.join([NetUse(field, net, number)])
    modules = {
        name.removesuffix(".py"): [(name, text.encode())] for name, text in files.items() if name.endswith(".py")
    }
    tell_modules((net for one in loaded.values() for net in one.nets), modules)
    found = feeds(file, find=_find)
    sources = {feed.source for feed in found if feed.source is not None}
    scanned = {source: _scanned(files.get(source.path)) for source in sources}
    shape_nets(found, scanned)
    means = {name: _mean(text) for name, text in files.items() if name.endswith(_MEAN)}
    with TemporaryDirectory() as folder:
        for number, source in enumerate(sources):
            _write_digests(files.get(source.path, ""), Path(folder, str(number)), scanned[source])
        overlaps = overlaps_of(found, scanned, lambda _, number: f"{number:05}")
    found = rebuilt(found)
    names = {named.file for _, named in named_in(found)}
    maps = {name: label_map_of(files[name].encode()) if name in files else LabelMap(error=_GONE) for name in names}
    named = {source.path for source in sources}
    left = {source: one for source in sources if (one := _left_out(files.get(source.path, "")))}
    others = [class_lines(text) for name, text in files.items() if name.endswith(".txt") and name not in named]
    lines = {len(one): one for one in others}
    gains = {name: _matrix(name, text) for name, text in files.items() if name.endswith(_MATRIX)}
    return DataEvidence(file, found, scanned, overlaps, means, maps, left, _lines(found, lines), gains)


def _lines(found: list[Feed], lines: Names) -> dict[tuple[str, str], Names]:
    return {(feed.net.path, feed.source.path): lines for feed in found if feed.source is not None}


def _left_out(text: str) -> LeftOut | None:
    told = next((line.split()[1:] for line in text.splitlines() if line.startswith(_BESIDE)), None)
    return LeftOut(int(told[0]), tuple(told[1:])) if told else None


def _mean(text: str) -> Mean:
    """From a shape and one value for each channel."""
    shape, *values = text.split()
    channels, height, width = map(int, shape.split("x"))
    return Mean((channels, height, width), tuple(map(float, values)))


def _matrix(name: str, text: str) -> Matrix:
    """From its rows with semicolons between, or from its diagonal, in order of the classes."""
    if ";" in text:
        return Matrix(name, [[float(value) for value in row.split()] for row in text.split(";")])
    values = [float(value) for value in text.split()]
    return Matrix(name, [[value * (at == row) for at, value in enumerate(values)] for row in range(len(values))])


def _find(layer: BuiltLayer, places: object, options: dict[str, Any]) -> Source:
    if not layer.data_source:
        raise Unreadable("the layer names no source")
    return Source("hdf5" if layer.type == "HDF5Data" else "lmdb", layer.data_source, json.dumps(options))


def _scanned(text: str | None) -> Scanned:
    import numpy as np

    from caffelint.evidence.data.columns import columns_of
    from caffelint.evidence.data.rounding import rounded
    from caffelint.evidence.data.seen import seen_images, seen_labels

    if text is None:
        return Scanned(error=_GONE)
    facts = Facts()
    for number, line in enumerate(text.splitlines()):
        if line.startswith(_BESIDE):
            continue
        facts.records += 1
        name = partial(_name, number)
        file = ""
        for part in line.split(";"):
            key, shape, *values = part.split()
            if key == "encoded":
                facts.encoded += 1
                continue
            if key == "file":
                file = shape
                continue
            if key == "key":
                facts.first.append(shape)
                continue
            if key == "wide":
                facts.top(shape).join_rounded(rounded(np.array(values, np.float64), "train.h5"))
                continue
            if key == "numbers":
                facts.top(shape).join(seen_labels(np.array(values, np.float64), lambda row: f"row {row} of train.h5"))
                continue
            if key == "fault":
                facts.fault(part.split(maxsplit=1)[1].strip(), name(0))
                continue
            if not values:
                facts.top(key).join(seen_labels(np.array([float(shape)]), name))
                continue
            sides = [int(side) for side in shape.split("x")]
            kind = np.uint8 if all(value.isdecimal() for value in values) else np.float32
            rows = np.resize(np.array(values, np.float32).astype(kind), [1, *sides])
            seen = seen_images(rows, name)
            seen.files = {file: columns_of(rows)} if file else {}
            facts.top(key).join(seen)
    facts.total = facts.records
    return Scanned(facts)


def _write_digests(text: str, path: Path, scanned: Scanned) -> None:
    import numpy as np

    rows = []
    for line in text.splitlines():
        if line.startswith(_BESIDE):
            continue
        parts = dict(part.strip().split(maxsplit=1) for part in line.split(";"))
        rows.append((hash(parts.get("image")), float(parts.get("label", 0))))
    np.array(rows, np.int64).reshape(-1, 2).tofile(path)
    scanned.parts.append(path)


def _name(number: int, row: int) -> str:
    return f"{number + row:05}"
