"""The records of a data layer's files, read anew: least and greatest value of each, and what is not finite in it.

`python -m caffelint.smoke.records QUESTION.json` answers in a process of its own, since a damaged file may end the one
that reads it. Needs the extra `caffelint[data]`.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain, islice, repeat
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from caffelint.smoke import neighbours
from caffelint.smoke.alike import Neighbours
from caffelint.smoke.engines import module
from caffelint.smoke.kept import output
from caffelint.smoke.neighbours import MOST

if TYPE_CHECKING:
    from caffelint.caffe.layers import BuiltLayer

_SHIFTS = (0, 1, -1, 2, -2, 3, -3)
_SLACK = 20.0
"""Seconds for Python and its libraries to load."""


class Facts(NamedTuple):
    """Of one record: its name; of each top the least and greatest finite value, how many are nan, infinite, -inf."""

    name: str
    tops: Mapping[str, tuple[float, float, int, int, int]]


class Reading(NamedTuple):
    """total: of all records in the source. facts: of those that were read; after the last the first comes again."""

    total: int
    facts: Sequence[Facts]


def read_records(layer: BuiltLayer, folder: Path, first: int, wanted: int, seconds: float) -> Reading | None:
    """So many records of a layer's source, as many of them as can be read in the time; None where it cannot be read.

    folder: to write the question to. wanted: 0 for the number of records alone.
    """
    answer = _ask(layer, folder, first, wanted, seconds)
    if "total" not in answer:
        return None
    facts = [Facts(name, {top: (*ends,) for top, ends in tops.items()}) for name, tops in answer["facts"]]
    return Reading(answer["total"], facts)


def read_neighbours(
    layer: BuiltLayer, folder: Path, data: str, target: str, labels: bool, seconds: float
) -> list[Neighbours]:
    """Whether targets go with the data in the order of the source, and with that of the records around."""
    pair = {"data": data, "target": target, "labels": labels}
    answer = _ask(layer, folder, 0, MOST, seconds, pair=pair)
    return [Neighbours(target, **one) for one in answer.get("neighbours", ()) if one]


def _ask(
    layer: BuiltLayer, folder: Path, first: int, wanted: int, seconds: float, pair: Mapping[str, Any] | None = None
) -> Mapping[str, Any]:
    """The answer of `main`; nothing where there is none."""
    from google.protobuf import text_format

    message: Any = type(layer.message)()
    message.CopyFrom(layer.message)
    for rules in (message.include, message.exclude):
        del rules[:]
    question = folder / "records.json"
    asks = {
        "layer": text_format.MessageToString(message),
        "phase": layer.phase,
        "first": first,
        "wanted": wanted,
        "seconds": seconds,
        "pair": pair,
    }
    question.write_text(json.dumps(asks), "utf-8")
    try:
        status, told = output([*module("caffelint.smoke.records"), str(question)], seconds + _SLACK)
        answer: Mapping[str, Any] = json.loads(told) if not status else {}
    except (OSError, ValueError, subprocess.TimeoutExpired):
        return {}
    return answer


def main(path: str) -> int:
    """Answer the question in a file."""
    from google.protobuf import text_format

    from caffelint.caffe.build import build
    from caffelint.schema import NetParameter
    from caffelint.smoke.torch.sources import Unreadable, open_source

    asks = json.loads(Path(path).read_text("utf-8"))
    net: Any = NetParameter()
    text_format.Parse(asks["layer"], net.layer.add())
    until = time.monotonic() + asks["seconds"]
    answer: dict[str, Any] = {}
    try:
        source = open_source(build(net, asks["phase"], assume_inputs=True).layers[0], 1)
        facts: list[Any] = []
        total = source.count()
        answer = {"total": total, "facts": facts}
        first = asks["first"] % max(total, 1)
        endless = chain.from_iterable(source.records() for _ in repeat(None))
        records = islice(endless, first, first + min(asks["wanted"], total))
        if asks["pair"]:
            answer["neighbours"] = _neighbours(records, asks["pair"], until)
            records = islice(endless, 0)
        for record in records:
            facts.append((record.name, {top: _ends(values) for top, values in record.read().items()}))
            if time.monotonic() > until:
                break
    except Unreadable as reason:
        answer["why"] = str(reason)
    json.dump(answer, sys.stdout)
    return 0


def _neighbours(records: Iterable[Any], pair: Mapping[str, Any], until: float) -> list[Any]:
    found: Any = neighbours.Neighbours(pair["labels"])  # type: ignore[no-untyped-call]
    for record in records:
        values = record.read()
        found.add(values[pair["data"]][None], values[pair["target"]][None])
        if time.monotonic() > until:
            break
    return [found.result(shift) for shift in _SHIFTS]


def _ends(values: Any) -> tuple[float, float, int, int, int]:
    import numpy as np

    finite = values[np.isfinite(values)]
    ends = (float(finite.min()), float(finite.max())) if finite.size else (float("nan"), float("nan"))
    nan = int(np.isnan(values).sum())
    return (*ends, nan, int(values.size - finite.size - nan), int(np.isneginf(values).sum()))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
