"""Reads parts of sources in a process of its own, since a damaged file can end the one that maps it.

`main` answers questions, one JSON line each: what parts a source has, and what is in a part. While it reads it tells
how far it is. Memory is limited: what would need more is refused.
"""

from __future__ import annotations

import json
import sys
import time
from bisect import bisect_left
from collections.abc import Callable, Iterator
from contextlib import suppress
from itertools import islice
from typing import Any

from caffelint.lint.data_source import Unreadable

_TELL_SECONDS = 0.25
_BATCH = 1 << 21
_MOST_ROWS = 1 << 12
_MEMORY = 4 << 30


def main() -> None:
    """Answer until stdin ends."""
    _limit_memory()
    with suppress(ImportError):  # the answer to a question says which library is missing
        # All that reading needs, while the one who asks still looks for what to ask.
        import numpy as np

        from caffelint.evidence.data import databases, lists, records  # noqa: F401

        np.seterr(all="ignore")  # what overflows is told of the data; a warning would quote our own line
    for line in sys.stdin:
        question = json.loads(line)
        _tell(_answer(question))


def _answer(question: dict[str, Any]) -> dict[str, Any]:
    try:
        if "samples" in question:
            from caffelint.evidence.data.samples import write

            return write(question)
        if "number" in question:
            return {"name": name(question)}
        return plan(question) if question["part"] is None else read(question)
    except Unreadable as reason:
        return {"error": str(reason)}
    except ImportError as missing:
        return {"error": f"needs {missing.name} to be read; pip install 'caffelint[data]'", "missing": missing.name}
    except MemoryError:
        return {"error": f"needs more than {_MEMORY >> 30} GiB of memory to be read"}
    except Exception as error:
        return {"error": _damaged(error, question["path"])}


def _damaged(error: Exception, path: str) -> str:
    """What the libraries raise is of many kinds; all of it means that the file is not what it should be."""
    why = " ".join(str(error).split()).removeprefix(f"{path}: ") or type(error).__name__
    first = why[:1] if why[1:2].isupper() else why[:1].lower()
    return f"cannot be read: {first}{why[1:300]}"


def _tell(answer: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps(answer) + "\n")
    sys.stdout.flush()


def _limit_memory() -> None:
    try:
        import resource
    except ImportError:  # Windows
        return
    resource.setrlimit(resource.RLIMIT_DATA, (_MEMORY, _MEMORY))


def plan(question: dict[str, Any]) -> dict[str, Any]:
    """The parts of a source, how many records there are, 0 if that is not known, and how many bytes they take."""
    from caffelint.evidence.data import databases, lists
    from caffelint.evidence.data.records import Options

    kind, path, sample = question["kind"], question["path"], question["sample"]
    options = Options(**question["options"])
    if kind in ("lmdb", "leveldb"):
        with databases.opened(kind, path) as database:
            ends = database.ends()
            if ends is None:
                raise Unreadable("is empty")
            size = databases.size_of(path)
            ranges = databases.split(*ends, size, min(sample, 64))
            parts = [[start.hex(), stop.hex()] for start, stop in ranges]
            return {"parts": parts, "total": database.entries, "bytes": size}
    if kind == "images":
        return {"parts": lists.image_parts(path), "total": 0}
    if kind == "windows":
        return {"parts": [[]], "total": 0}
    found, total, size = lists.hdf5_parts(path, options, bool(sample))
    return {"parts": found, "total": total, "bytes": size}


def name(question: dict[str, Any]) -> str:
    """The name of a record, by its number in the source."""
    from caffelint.evidence.data import databases, lists
    from caffelint.evidence.data.records import Options, name_of

    kind, path, number = question["kind"], question["path"], question["number"]
    if kind in ("lmdb", "leveldb"):
        with databases.opened(kind, path) as database:
            return name_of(next(islice(database.pairs(), number, None))[0])
    if kind == "images":
        return lists.image_name(path, number)
    if kind == "hdf5":
        return lists.row_name(path, number, Options(**question["options"]))
    return f"image {number}"


def read(question: dict[str, Any]) -> dict[str, Any]:
    """What is in a part; the digests of its records are written to a file."""
    import numpy as np

    from caffelint.evidence.data import databases, lists
    from caffelint.evidence.data.records import Options, Records

    kind, path, part, limit = (question[name] for name in ("kind", "path", "part", "limit"))
    records = Records(Options(**question["options"]))
    tick = _ticker(records)
    try:
        if kind in ("lmdb", "leveldb"):
            start, stop = map(bytes.fromhex, part)
            with databases.opened(kind, path) as database:
                for pairs in _batches(database.pairs(start), stop, limit):
                    keys, values = zip(*pairs, strict=True)
                    records.add(keys, values)
                    tick()
        elif kind == "images":
            lists.read_images(path, part, records, limit, tick)
        elif kind == "windows":
            lists.read_windows(path, records, limit, tick)
        else:
            lists.read_hdf5(part, records, limit, tick)
    except Unreadable as reason:
        records.facts.stopped = str(reason)
    except (ImportError, MemoryError):
        raise
    except Exception as error:
        # Much may have been read by then, and a rule says what is wrong with the rest.
        records.facts.stopped = _damaged(error, path)
    records.finish()
    rows = np.concatenate(records.digests) if records.digests else np.zeros((0, 2), np.int64)
    with open(question["digests"], "wb") as file:
        rows.tofile(file)
    return {"facts": records.facts.as_json()}


def _ticker(records: Any) -> Callable[[], None]:
    after = time.monotonic() + _TELL_SECONDS

    def tick() -> None:
        nonlocal after
        if time.monotonic() > after:
            after = time.monotonic() + _TELL_SECONDS
            _tell({"records": records.facts.records, "bytes": records.facts.bytes})

    return tick


def _batches(pairs: Iterator[tuple[bytes, bytes]], stop: bytes, limit: int) -> Iterator[list[tuple[bytes, bytes]]]:
    """Pairs before the key `stop`, some MiB at a time."""
    count, left = 16, limit or sys.maxsize
    while left > 0 and (batch := list(islice(pairs, min(count, left)))):
        is_last = bool(stop) and batch[-1][0] >= stop
        if is_last:
            batch = batch[: bisect_left(batch, (stop, b""))]
        if batch:
            yield batch
        left -= len(batch)
        if is_last:
            return
        size = sum(len(pair[1]) for pair in batch[:: max(1, len(batch) // 16)])
        count = max(1, min(_MOST_ROWS, _BATCH * len(batch[:: max(1, len(batch) // 16)]) // max(size, 1)))
