"""What is done grows no faster than the text: counted in calls, which no other process slows down."""

from __future__ import annotations

import sys
from collections.abc import Callable

import bench_curves
import pytest

SIZE, MOST = 96, 4.6
"""The smaller of two sizes, and by how much the work of one four times as large may be more."""


def calls(work: Callable[[str], None], text: str) -> int:
    """How many functions are called, those in C too."""
    count = 0

    def called(_frame: object, event: str, _argument: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    sys.setprofile(called)
    try:
        work(text)
    finally:
        sys.setprofile(None)
    return count


@pytest.mark.parametrize(
    ("work", "name"),
    [
        (bench_curves.check, "layers"),
        (bench_curves.check, "layers that read one blob"),
        (bench_curves.check, "tops of one name, in place"),
        (bench_curves.check, "losses"),
        (bench_curves.check, "loss weights of a layer"),
        (bench_curves.check, "params of a layer"),
        (bench_curves.check, "bottoms of a layer that nobody makes"),
        (bench_curves.check, "suppressions in vain"),
        (bench_curves.check, "unknown fields of one name"),
        (bench_curves.check, "base_lr of a solver"),
        (bench_curves.check, "test nets in a solver"),
        (bench_curves.summary, "losses"),
        (bench_curves.patch, "tops of a layer"),
        (bench_curves.mend, "equal tops of a layer"),
        (bench_curves.upgrade, "inputs of a net"),
        (bench_curves.mend, "unknown layers"),
    ],
)
def test_work_grows_no_faster_than_the_text(work: Callable[[str], None], name: str) -> None:
    make = bench_curves.TEXTS[name]
    small, large = make(SIZE), make(4 * SIZE)
    for text in (large, large):  # imports, and what is remembered from its second time on
        work(text)
    before, after = calls(work, small), calls(work, large)
    assert after < MOST * before


def test_counts_what_grows_faster() -> None:
    def pairs(text: str) -> None:
        for _ in text:
            for _ in text:
                text.isascii()

    assert calls(pairs, "x" * 40) > 15 * calls(pairs, "x" * 10)
