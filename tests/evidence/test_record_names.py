"""Records have the names that a person finds them by, where it is known which they are."""

from __future__ import annotations

from pathlib import Path

import pytest
from data_sets import images, write_list

from caffelint.evidence.data.scan import Scan, Source


@pytest.mark.parametrize(
    ("sample", "name"),
    [(0, "set_3.png"), (100, "set_3.png"), (10, "record 3 of the sample")],
    ids=["all", "fewer than the sample", "a sample"],
)
def test_by_its_place_where_none_was_left_out(sample: int, name: str, tmp_path: Path) -> None:
    path = write_list(tmp_path / "set.txt", images(20), list(range(20)))
    source = Source("images", str(path), '{"color": true, "size": [0, 0]}')
    with Scan(jobs=1, sample=sample, keep=False) as scan:
        scan.read([source])
        assert name in scan.name(source, 3)
