"""Which dialects are named for files of a fork, held against what these dialects silence."""

from __future__ import annotations

from pathlib import Path

import pytest

from caffelint import check, check_text
from caffelint.lint.config import Config
from caffelint.lint.dialect import suggested

SEGNET = 'layer { name: "up" type: "Upsample" bottom: "a" bottom: "b" top: "up" upsample_param { scale: 2 } }'
SSD = (
    'layer { name: "p" type: "PriorBox" bottom: "a" bottom: "b" top: "p" prior_box_param { min_size: 30 } }'
    ' layer { name: "n" type: "Normalize" bottom: "a" top: "n" norm_param { across_spatial: false } }'
)
OWN = 'layer { name: "o" type: "NobodysOwn" bottom: "a" top: "o" nobodys_param { x: 1 } }'


@pytest.mark.parametrize("text", [SEGNET, SSD])
def test_a_dialect_silences_what_it_is_named_for(text: str) -> None:
    found = [one for one in check_text(text).findings if one.dialects]
    assert {one.name for one in found} == {"fork-field", "unknown-layer-type"}
    dialects = set.intersection(*(set(one.dialects) for one in found))
    assert ("segnet" if text == SEGNET else "ssd") in dialects
    for dialect in sorted(dialects):
        left = {(one.name, one.line) for one in check_text(text, dialect=dialect).findings}
        assert left.isdisjoint((one.name, one.line) for one in found), dialect


def test_none_is_named_where_none_fits() -> None:
    for text in (SEGNET + SSD + OWN, OWN, 'layer { type: "ReLU" }'):
        assert not any(one.dialects for one in check_text(text).findings)
    assert not any(one.dialects for one in check_text(SSD, dialect="bvlc").findings)


def test_one_dialect_for_all_files_that_it_suits(tmp_path: Path) -> None:
    for number in range(3):
        (tmp_path / f"ssd{number}.prototxt").write_text(SSD)
    (tmp_path / "segnet.prototxt").write_text(SEGNET)
    config = Config()
    config.cache = False
    findings = [one for one in check([tmp_path], config).findings if one.dialects]
    (both,) = suggested(findings)
    assert both.files == 4
    assert both.findings == len(findings)
    (ssd,) = suggested(one for one in findings if "segnet" not in one.file)
    assert (ssd.dialect, ssd.files) == ("ssd", 3)
    apart = [one._replace(dialects=("segnet",)) if "segnet" in one.file else one for one in findings]
    assert [(one.dialect, one.files) for one in suggested(apart)] == [("ssd", 3), ("segnet", 1)]


def test_no_dialect_where_a_file_beside_is_for_a_caffe_that_nobody_knows(tmp_path: Path) -> None:
    (tmp_path / "ssd.prototxt").write_text(SSD)
    (tmp_path / "own.prototxt").write_text(SSD + OWN)
    config = Config()
    config.cache = False
    assert suggested(check([tmp_path], config).findings) == ()
