"""Databases as Caffe reads them: LMDB and LevelDB, opened so that nothing beside the data is written.

A LMDB is opened read-only and without its lock. LevelDB tidies up its files when it is opened, so what is opened is a
stand-in: links to its tables, and copies of the rest, which is small.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import chain, islice
from typing import Any

from caffelint.lint.data_source import Unreadable, check_files, check_leveldb, stand_in
from caffelint.text.writing import temporary_folder

Pair = tuple[bytes, bytes]
_PART = 1 << 26
"""Bytes of a part: what is read again at most where a run was stopped."""
_MOST_PARTS = 256
_LEAST_OF_LMDB = 10
"""Bytes that a record takes at least: its place in the page and the head of its node (mdb.c)."""
_MOST_OF_LEVELDB = 16
"""Records that a byte may hold: each takes three bytes at least, which snappy packs at most to a twentieth."""


class Database:
    """Keys and values in their order, from `start` on."""

    entries = 0
    """0 where it is not known without reading all of them."""

    def pairs(self, start: bytes = b"") -> Iterator[Pair]:
        raise NotImplementedError

    def ends(self) -> tuple[bytes, bytes] | None:
        """The first and the last key; None for an empty database."""
        raise NotImplementedError


class Lmdb(Database):
    def __init__(self, transaction: Any, entries: int, size: int):
        self._transaction = transaction
        self.entries = entries
        self._most = size // _LEAST_OF_LMDB

    def pairs(self, start: bytes = b"") -> Iterator[Pair]:
        cursor = self._transaction.cursor()
        if start and not cursor.set_range(start):
            return iter(())
        return _at_most(self._most, cursor.iternext())

    def ends(self) -> tuple[bytes, bytes] | None:
        cursor = self._transaction.cursor()
        if not cursor.first():
            return None
        first = bytes(cursor.key())
        cursor.last()
        return first, bytes(cursor.key())


class LevelDb(Database):
    def __init__(self, database: Any, size: int):
        self._database = database
        self._most = size * _MOST_OF_LEVELDB

    def pairs(self, start: bytes = b"") -> Iterator[Pair]:
        return _at_most(self._most, self._database.iterator(start=start or None, verify_checksums=True))

    def ends(self) -> tuple[bytes, bytes] | None:
        with self._database.iterator(include_value=False) as found:
            first = next(found, None)
        with self._database.iterator(include_value=False, reverse=True) as found:
            last = next(found, None)
        return None if first is None or last is None else (first, last)


def _at_most(number: int, pairs: Iterator[Pair]) -> Iterator[Pair]:
    """All pairs, of which a sound database has no more. It is no generator, which would take as long as a cursor."""
    return chain(islice(pairs, number), _damaged(pairs))


def _damaged(rest: Iterator[Pair]) -> Iterator[Pair]:
    if next(rest, None) is not None:
        raise Unreadable("is damaged: it leads to the same records again and again")
    yield from ()


@contextmanager
def opened(kind: str, path: str) -> Iterator[Database]:
    """The database in a folder. Raises Unreadable, and what the libraries raise."""
    if kind == "lmdb":
        import lmdb

        if not os.path.isfile(os.path.join(path, "data.mdb")):
            is_level = os.path.isfile(os.path.join(path, "CURRENT"))
            raise Unreadable(
                "is a LevelDB, but the layer reads a LMDB; set backend: LEVELDB"
                if is_level
                else "is not an LMDB: it has no data.mdb"
            )
        check_files(path)
        if not os.path.getsize(os.path.join(path, "data.mdb")):
            raise Unreadable("is damaged: its file data.mdb is empty")
        with (
            lmdb.open(path, readonly=True, lock=False, create=False, readahead=True) as environment,
            environment.begin() as transaction,
        ):
            yield Lmdb(transaction, environment.stat()["entries"], size_of(path))
        return
    import plyvel

    check_leveldb(path)
    with temporary_folder() as folder:
        stand_in(path, folder)
        database = plyvel.DB(folder, create_if_missing=False)
        try:
            yield LevelDb(database, size_of(path))
        finally:
            database.close()


def size_of(path: str) -> int:
    try:
        return sum(entry.stat().st_size for entry in os.scandir(path) if entry.is_file() and entry.name != "lock.mdb")
    except OSError:
        return 0


def split(first: bytes, last: bytes, size: int, wanted: int = 0) -> list[tuple[bytes, bytes]]:
    """Ranges of keys that cover a database, of about equal numbers of records if its keys are spread evenly.

    They depend on the database alone, so that what was read of one can be used again.
    """
    count = wanted or max(1, min(_MOST_PARTS, size // _PART))
    bounds = sorted(set(_between(first, last, count))) if count > 1 else []
    bounds = [bound for bound in bounds if first < bound <= last]
    return list(zip([b"", *bounds], [*bounds, b""], strict=True))


def _between(first: bytes, last: bytes, count: int) -> Iterator[bytes]:
    common = next((at for at, (one, other) in enumerate(zip(first, last, strict=False)) if one != other), 0)
    head = first[:common]
    digits = min(_digits(first[common:]), _digits(last[common:]))
    if digits:
        low, high = int(first[common : common + digits]), int(last[common : common + digits])
        for part in range(1, count):
            yield head + b"%0*d" % (digits, low + (high - low) * part // count)
        return
    low, high = (int.from_bytes(key[common : common + 8].ljust(8, b"\0"), "big") for key in (first, last))
    for part in range(1, count):
        yield head + (low + (high - low) * part // count).to_bytes(8, "big")


def _digits(text: bytes) -> int:
    """How many digits a text begins with."""
    return len(text) - len(text.lstrip(b"0123456789"))
