"""What a change does to a file, as patch reads it."""

from __future__ import annotations

import os
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from itertools import pairwise

from caffelint.text.source import UTF16_MARKS
from caffelint.text.visible import visible

_MOST = 2 * 10**7
"""What `SequenceMatcher` may have to do in all pieces, which grows with the cube of how many lines are equal: half a
second. Beyond it, lines are compared with those at the same place of a piece."""


def diff(path: str, old: bytes, new: bytes) -> bytes:
    """The unified diff from `old` to `new`, empty where they are the same; for `patch -p0`, in the files' own bytes."""
    if old == new:
        return b""
    path = path.replace(os.sep, "/")
    # patch finds no file by a name of several lines, and each of them could be what it is not.
    name = os.fsencode(visible(path) if any(c < " " for c in path) else path)
    if old.startswith(UTF16_MARKS) or b"\0" in old:
        return b"Binary files %s and %s differ\n" % (name, name)
    return b"--- %s\n+++ %s\n" % (name, name) + b"".join(_hunks(_lines(old), _lines(new)))


def _lines(data: bytes) -> list[bytes]:
    """Cut after each LF alone, as patch does, not at the CR or form feed of `bytes.splitlines`."""
    lines = data.split(b"\n")
    return [line + b"\n" for line in lines[:-1]] + ([lines[-1]] if lines[-1] else [])


class _Matcher(SequenceMatcher[bytes]):
    """Compares in the time of reading both where most lines are the same, which difflib alone does not.

    Of 24,000 lines, 2,000 of them changed, difflib takes 22 s, and this half a second. difflib also takes lines that
    are frequent, such as `}`, for junk, and shows as changed what is beside a change.
    """

    def __init__(self, old: Sequence[bytes], new: Sequence[bytes]):
        super().__init__(None, (), ())
        self._codes = list(_opcodes(old, new))

    def get_opcodes(self) -> list[tuple[str, int, int, int, int]]:  # type: ignore[override]
        return self._codes


def _hunks(old: list[bytes], new: list[bytes]) -> Iterator[bytes]:
    for group in _Matcher(old, new).get_grouped_opcodes():
        (_, i, _, j, _), (_, _, i_end, _, j_end) = group[0], group[-1]
        yield b"@@ -%s +%s @@\n" % (_range(i, i_end), _range(j, j_end))
        for tag, i1, i2, j1, j2 in group:
            if tag == "equal":
                yield from (_ended(b" " + line) for line in old[i1:i2])
            else:
                yield from (_ended(b"-" + line) for line in old[i1:i2])
                yield from (_ended(b"+" + line) for line in new[j1:j2])


def _range(start: int, end: int) -> bytes:
    length = end - start
    if length == 1:
        return b"%d" % (start + 1)
    return b"%d,%d" % (start + bool(length), length)


def _ended(line: bytes) -> bytes:
    return line if line.endswith(b"\n") else line + b"\n\\ No newline at end of file\n"


def _opcodes(old: Sequence[bytes], new: Sequence[bytes]) -> Iterator[tuple[str, int, int, int, int]]:
    i = j = 0
    for i_same, j_same, length in [*_same(old, new), (len(old), len(new), 0)]:
        if i < i_same or j < j_same:
            tag = "insert" if i == i_same else "delete" if j == j_same else "replace"
            yield tag, i, i_same, j, j_same
        i, j = i_same + length, j_same + length
        if length:
            yield "equal", i_same, i, j_same, j


def _same(old: Sequence[bytes], new: Sequence[bytes]) -> list[tuple[int, int, int]]:
    """What is the same, in order: where it starts in both, and its length."""
    found: list[tuple[int, int, int]] = []
    left = _MOST
    pieces = [(0, len(old), 0, len(new))]
    while pieces:
        i, i_end, j, j_end = pieces.pop()
        head = _common(zip(old[i:i_end], new[j:j_end], strict=False))
        tail = _common(zip(reversed(old[i + head : i_end]), reversed(new[j + head : j_end]), strict=False))
        found += ((i, j, head), (i_end - tail, j_end - tail, tail))
        i, j, i_end, j_end = i + head, j + head, i_end - tail, j_end - tail
        if i == i_end or j == j_end:
            continue
        anchors = _anchors(old[i:i_end], new[j:j_end])
        if anchors:
            cuts = [(i, j), *((i + one, j + other) for one, other in anchors), (i_end, j_end)]
            pieces += [(a, c, b, d) for (a, b), (c, d) in pairwise(cuts)]
            continue
        counts = Counter(new[j:j_end])
        work = sum(counts[line] for line in old[i:i_end]) * min(i_end - i, j_end - j)
        if work > left:
            at = enumerate(zip(old[i:i_end], new[j:j_end], strict=False))
            found += ((i + number, j + number, 1) for number, (one, other) in at if one == other)
        else:
            left -= work
            inner = SequenceMatcher(None, old[i:i_end], new[j:j_end], autojunk=False)
            found += ((i + one, j + other, length) for one, other, length in inner.get_matching_blocks())
    joined: list[tuple[int, int, int]] = []
    for i, j, length in sorted(block for block in found if block[2]):
        if joined and (i, j) == (joined[-1][0] + joined[-1][2], joined[-1][1] + joined[-1][2]):
            joined[-1] = (*joined[-1][:2], joined[-1][2] + length)
        else:
            joined.append((i, j, length))
    return joined


def _common(pairs: Iterator[tuple[bytes, bytes]]) -> int:
    length = 0
    for one, other in pairs:
        if one != other:
            break
        length += 1
    return length


def _anchors(old: Sequence[bytes], new: Sequence[bytes]) -> list[tuple[int, int]]:
    """The lines that occur once in each of both, as many as keep their order."""
    counts, others = Counter(old), Counter(new)
    places = {line: number for number, line in enumerate(new) if others[line] == 1}
    pairs = [(i, places[line]) for i, line in enumerate(old) if counts[line] == 1 and line in places]
    ends: list[int] = []
    best: list[int] = []
    before: list[int] = []
    for number, (_, j) in enumerate(pairs):
        at = bisect_left(ends, j)
        ends[at : at + 1] = [j]
        best[at : at + 1] = [number]
        before.append(best[at - 1] if at else -1)
    chain = []
    number = best[-1] if best else -1
    while number >= 0:
        chain.append(pairs[number])
        number = before[number]
    return chain[::-1]


def colored(text: bytes) -> bytes:
    """A diff for a terminal that shows colours."""
    styles = {b"+": b"32", b"-": b"31", b"@": b"36"}
    lines = []
    for line in text.split(b"\n"):
        style = b"1" if line.startswith((b"+++ ", b"--- ")) else styles.get(line[:1])
        lines.append(b"\x1b[%sm%s\x1b[0m" % (style, line) if style else line)
    return b"\n".join(lines)
