"""The data sets of the examples of rules: a text of one line for each record."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import partial
from typing import Any

from caffelint.caffe.layers import BuiltLayer
from caffelint.caffe.solver import NET_FIELDS, NetUse
from caffelint.evidence.data.evidence import DataEvidence, shape_nets
from caffelint.evidence.data.scan import Scanned, Source
from caffelint.evidence.data.sources import feeds, rebuilt
from caffelint.evidence.data.values import Facts
from caffelint.lint.file import load

_SUFFIX = ".prototxt"


def evidence_of(files: Mapping[str, str]) -> DataEvidence:
    """Prototxt files, a solver first if there is one, and sources by the names that the nets give them.

    A line of a source is a record, as in `label 3; image 1x2x2 0 1 2 3`, or `fault missing` for one that is not read.
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
    found = feeds(file, find=_find)
    sources = {feed.source for feed in found if feed.source is not None}
    scanned = {source: _scanned(files.get(source.path)) for source in sources}
    shape_nets(found, scanned)
    return DataEvidence(file, rebuilt(found), scanned)


def _find(layer: BuiltLayer, places: object, options: dict[str, Any]) -> Source:
    return Source("hdf5" if layer.type == "HDF5Data" else "lmdb", layer.data_source, json.dumps(options))


def _scanned(text: str | None) -> Scanned:
    import numpy as np

    from caffelint.evidence.data.seen import seen_images, seen_labels

    if text is None:
        return Scanned(error="does not exist")
    facts = Facts()
    for number, line in enumerate(text.splitlines()):
        facts.records += 1
        name = partial(_name, number)
        for part in line.split(";"):
            key, shape, *values = part.split()
            if key == "fault":
                facts.fault(part.split(maxsplit=1)[1].strip(), name(0))
                continue
            if not values:
                facts.top(key).join(seen_labels(np.array([float(shape)]), name))
                continue
            sides = [int(side) for side in shape.split("x")]
            kind = np.uint8 if all(value.isdecimal() for value in values) else np.float32
            rows = np.resize(np.array(values, np.float32).astype(kind), [1, *sides])
            facts.top(key).join(seen_images(rows, name))
    facts.total = facts.records
    return Scanned(facts)


def _name(number: int, row: int) -> str:
    return f"{number + row:05}"
