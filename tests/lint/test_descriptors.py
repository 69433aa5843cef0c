"""Reading a folder as a file leaves nothing open."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from caffelint.caffe.weights.file import read_weights
from caffelint.caffe.weights.stored import Unreadable
from caffelint.lint.read import ReadError, read, read_found

OPEN = "/proc/self/fd"


@pytest.mark.skipif(not os.path.isdir(OPEN), reason="only Linux tells what is open")
def test_no_descriptor_is_lost(tmp_path: Path) -> None:
    before = len(os.listdir(OPEN))
    for _ in range(20):
        with pytest.raises(ReadError):
            read(str(tmp_path))
        with pytest.raises(ReadError):
            read_found(str(tmp_path), 9)
        with pytest.raises(Unreadable):
            read_weights(str(tmp_path))
    assert len(os.listdir(OPEN)) == before
