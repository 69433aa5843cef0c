"""Nets that are nearly the same: of two, a project uses the one that works, and the other one is left over."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from caffelint.lint.project.memory import remembered
from caffelint.lint.read import ReadError, read
from caffelint.text.patterns import compiled_later

_ALIKE = 0.8
"""As a share of their lines: two of one net, with a block or some numbers changed."""
_SHORTEST = 10
"""Lines of a net that has a twin."""
_LARGEST = 1 << 20
_COMMENT = compiled_later(rb"#[^\n]*")


def twin_of(path: str, others: Iterable[str]) -> str:
    """The first file among others that has nearly the same lines as a file; empty where there is none."""
    mine = _lines(path)
    if mine.total() < _SHORTEST:
        return ""
    for other in others:
        both = mine.total() + (theirs := _lines(other)).total()
        if other != path and _ALIKE * both <= 2 * theirs.total() and _ALIKE * both <= 2 * (mine & theirs).total():
            return other
    return ""


def scaled_twin_of(path: str, others: Iterable[str]) -> str:
    """The first net among others that has nearly all lines of a net, and a Scale for most of its BatchNorms besides.

    Who keeps both compares the two.
    """
    mine = _lines(path)
    norms, scales = _count(mine, b"BatchNorm"), _count(mine, b"Scale")
    for other in others:
        theirs = _lines(other)
        more = _count(theirs, b"Scale") - scales
        if other != path and 2 * more >= norms > 0 and (mine & theirs).total() >= _ALIKE * mine.total():
            return other
    return ""


def _count(lines: Counter[bytes], type_: bytes) -> int:
    return sum(lines[b"type:%s%s%s" % (quote, type_, quote)] for quote in (b'"', b"'"))


@remembered(100)
def _lines(path: str) -> Counter[bytes]:
    """The lines of a file that say something, without their layout."""
    try:
        text = _COMMENT.sub(b"", read(path, _LARGEST))
    except ReadError:
        return Counter()
    lines = (b"".join(line.split()) for line in text.splitlines())
    return Counter(line for line in lines if line.strip(b"{}"))
