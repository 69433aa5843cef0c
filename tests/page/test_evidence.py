"""Whatever JSON is given has a tab or none, and never a traceback; that of caffelint itself has all it says."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caffelint.cli.main import main
from caffelint.page.evidence import records, tabs

from .conftest import FIXTURES

KEYS = ["rows", "smoke", "logs", "data", "weights", "findings", "tops", "values", "layers", "blobs", "runs", "outputs"]
KEYS += ["iterations", "losses", "faults", "channels", "nets", "shape", "severity", "message", "experiments", "phases"]
JSON = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(max_size=5) | st.sampled_from(["error", "TRAIN"]),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=5),
    max_leaves=30,
)


@given(st.dictionaries(st.sampled_from(KEYS), JSON, max_size=6))
def test_any_json(value: dict[str, object]) -> None:
    assert {tab.id for tab in tabs([value])} <= {"scales", "smoke", "log", "data", "weights"}
    records([value])


def test_the_json_of_a_log(capsys: pytest.CaptureFixture[str]) -> None:
    main(["log", str(FIXTURES / "logs/nan_rate.log"), "--format", "json", "--isolated"])
    (tab,) = tabs([json.loads(capsys.readouterr().out)])
    assert tab.id == "log"
    assert "T101 loss-became-nan" in tab.content
    assert "not finite from 5" in tab.content


def test_the_json_of_scales(capsys: pytest.CaptureFixture[str]) -> None:
    net = FIXTURES / "right/lenet/solver.prototxt"
    main(["scales", str(net), "--format", "json", "--isolated", "--input-shape", "data=64x1x28x28"])
    (tab,) = tabs([json.loads(capsys.readouterr().out)])
    assert tab.id == "scales"
    assert "conv1" in tab.content


def test_epochs_follow_from_the_number_of_records(tmp_path: Path) -> None:
    given = tmp_path / "data.json"
    given.write_text(json.dumps({"data": [{"phases": ["TRAIN"], "records": 6400, "total": 6400, "layer": "data"}]}))
    page = tmp_path / "page.html"
    net = FIXTURES / "right/lenet/solver.prototxt"
    assert main(["report", str(net), "-o", str(page), "--isolated", "--with", str(given)]) == 0
    text = page.read_text("utf-8")
    assert ">iterations of an epoch<" in text
    assert ">100<" in text
