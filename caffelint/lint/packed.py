"""Findings of very many files in little memory: some 60 bytes each, where a tuple of them holds 1,400."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import chain, count, islice, pairwise, starmap
from operator import lt
from typing import TYPE_CHECKING, overload

if TYPE_CHECKING:
    from caffelint.lint.report import ReportedFinding

MOST = 16_384
"""Findings that are kept as they are, in some 20 MB: reports go over them a dozen times, and unpack them each time."""
_BLOCK = 256
_RECENT = 4
_LONG = 4096
"""Characters of lines that are kept beside the blocks: all findings of a text may be on one line."""


class Packed(Sequence["ReportedFinding"]):
    """Findings in blocks, each pickled and compressed by this process; it never changes."""

    def __init__(self, findings: Iterable[ReportedFinding]):
        import pickle
        import zlib

        self._blocks: list[bytes] = []
        self._number = 0
        self._long: dict[int, tuple[str, ...]] = {}
        rest = map(self._without_long_lines, count(), findings)
        while block := list(islice(rest, _BLOCK)):
            self._number += len(block)
            self._blocks.append(zlib.compress(pickle.dumps(block, pickle.HIGHEST_PROTOCOL), 1))
        self._read = lru_cache(_RECENT)(self._block)

    def _without_long_lines(self, number: int, finding: ReportedFinding) -> ReportedFinding:
        if sum(map(len, finding.source)) < _LONG:
            return finding
        self._long[number] = finding.source
        return finding._replace(source=())

    def __len__(self) -> int:
        return self._number

    def __iter__(self) -> Iterator[ReportedFinding]:
        return chain.from_iterable(map(self._block, range(len(self._blocks))))

    @overload
    def __getitem__(self, place: int) -> ReportedFinding: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[ReportedFinding]: ...
    def __getitem__(self, place: int | slice) -> ReportedFinding | Sequence[ReportedFinding]:
        if isinstance(place, slice):
            return Chosen(self, array("I", range(self._number)[place]))
        block, number = divmod(range(self._number)[place], _BLOCK)
        return self._read(block)[number]

    def _block(self, number: int) -> list[ReportedFinding]:
        import pickle
        import zlib

        found: list[ReportedFinding] = pickle.loads(zlib.decompress(self._blocks[number]))
        for place in self._long.keys() & range(number * _BLOCK, number * _BLOCK + len(found)) if self._long else ():
            found[place % _BLOCK] = found[place % _BLOCK]._replace(source=self._long[place])
        return found


class Chosen(Sequence["ReportedFinding"]):
    """Some of packed findings, by their places."""

    def __init__(self, packed: Sequence[ReportedFinding], places: array[int]):
        self._packed = packed
        self._places = places

    def __len__(self) -> int:
        return len(self._places)

    def __iter__(self) -> Iterator[ReportedFinding]:
        return map(self._packed.__getitem__, self._places)

    @overload
    def __getitem__(self, place: int) -> ReportedFinding: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[ReportedFinding]: ...
    def __getitem__(self, place: int | slice) -> ReportedFinding | Sequence[ReportedFinding]:
        if isinstance(place, slice):
            return Chosen(self._packed, self._places[place])
        return self._packed[self._places[place]]


def gathered(findings: Iterable[ReportedFinding]) -> Sequence[ReportedFinding]:
    """All of them: a tuple of few, else packed as they come."""
    rest = iter(findings)
    first = tuple(islice(rest, MOST))
    return Packed(chain(first, rest)) if len(first) == MOST else first


def those(findings: Sequence[ReportedFinding], wanted: Callable[[ReportedFinding], bool]) -> Sequence[ReportedFinding]:
    """Those that are `wanted`, which is asked in their order."""
    if len(findings) < MOST:
        return tuple(filter(wanted, findings))
    return Chosen(findings, array("I", (number for number, one in enumerate(findings) if wanted(one))))


def by_file(findings: Sequence[ReportedFinding]) -> Sequence[ReportedFinding]:
    """Findings in the order of files, where those of a file are already together."""
    first: dict[str, int] = {}
    for number, one in enumerate(findings):
        first.setdefault(one.file, number)
    ends = dict(zip(first, [*islice(first.values(), 1, None), len(findings)], strict=True))
    if all(starmap(lt, pairwise(first))):
        return findings
    return Chosen(findings, array("I", chain.from_iterable(range(first[file], ends[file]) for file in sorted(first))))
