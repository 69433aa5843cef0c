"""A file of more layers than any net has is named, and takes neither the time nor the memory of a check."""

from __future__ import annotations

from pathlib import Path

import bench_curves

import caffelint
from caffelint.lint.read import MOST_LAYERS


def test_it_is_not_checked(tmp_path: Path) -> None:
    path = tmp_path / "net.prototxt"
    path.write_text("layer {}" * (MOST_LAYERS + 1))
    (failure,) = caffelint.check([path]).failures
    assert failure.message == "the file has 50,001 layers, and was not checked; a net may have 50,000"
    assert bench_curves.calls(lambda: caffelint.check([path])) < 10_000


def test_the_word_alone_counts_for_nothing(tmp_path: Path) -> None:
    path = tmp_path / "net.prototxt"
    path.write_text("# layer" * (MOST_LAYERS + 1) + "\nlayer {}")
    assert not caffelint.check([path]).failures
