"""The projects that break in known ways, and the sound ones, run with the torch engine, in this process."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from shutil import copytree
from typing import Any

import pytest
from smoke_projects import projects

from caffelint.lint.config import Config
from caffelint.smoke import session
from caffelint.smoke.events import Event
from caffelint.smoke.job import Job
from caffelint.smoke.prepare import Wishes
from caffelint.smoke.torch import engine
from caffelint.smoke.train import smoke

OTHER_ARITHMETIC = ("batchnorm_eps_zero", "power_cube_of_relu", "power_root_of_relu", "test_log_of_zero")


def run_here(_: Sequence[str], job: Job, path: str, *more: Any) -> list[Event]:
    events: list[Event] = []
    engine.run(job, events.append)
    return events


@pytest.mark.parametrize("project", projects(OTHER_ARITHMETIC))
def test_outcome(project: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    project = Path(copytree(project, tmp_path / "project"))
    monkeypatch.setattr("caffelint.smoke.execute.run_child", run_here)
    monkeypatch.chdir(project)
    expected = json.loads((project / "expected.json").read_text())
    config = Config()
    config.cache = False
    config.jobs = 1
    choice = session.Choice("torch", "cpu")
    request = session.Request("solver.prototxt", config, Wishes(), choice, True, diagnose=session.OFF)
    report = smoke(request, session.Watcher()).report
    found = [finding for finding in report.findings if finding.code.startswith("X")]
    said = [(finding.name, finding.layer, finding.message) for finding in found]
    if expected["outcome"]:
        assert any(
            finding.name in expected["outcome"] and (not expected["layers"] or finding.layer in expected["layers"])
            for finding in found
        ), said
    else:
        assert not said
