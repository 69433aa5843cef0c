"""Projects that break in known ways, and sound ones, run with the real Caffe: outcome and layer are told right."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from shutil import copytree

import pytest
from smoke_projects import projects

from caffelint.smoke.session import Session


@pytest.mark.parametrize("project", projects())
def test_outcome(project: Path, in_caffe: Callable[..., Session], tmp_path: Path) -> None:
    project = Path(copytree(project, tmp_path / "project"))
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
