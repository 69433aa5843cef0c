"""Projects that break in known ways, and sound ones, run with the real Caffe: outcome and layer are told right.

One of each kind is run here; `CAFFELINT_ALL_PROJECTS=1` runs all.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from smoke_projects import chosen

from caffelint.smoke.session import Session


@pytest.mark.parametrize("project", chosen(), ids=lambda path: path.name)
def test_outcome(project: Path, in_caffe: Callable[..., Session]) -> None:
    expected = json.loads((project / "expected.json").read_text())
    there = {path: path.read_bytes() for path in project.iterdir()}
    report = in_caffe(project / "solver.prototxt").report
    found = [finding for finding in report.findings if finding.code.startswith("X")]
    said = [(finding.name, finding.layer, finding.message) for finding in found]
    if expected["outcome"]:
        assert any(
            finding.name in expected["outcome"] and (not expected["layers"] or finding.layer in expected["layers"])
            for finding in found
        ), said
    else:
        assert not said
    assert {path: path.read_bytes() for path in project.iterdir()} == there
