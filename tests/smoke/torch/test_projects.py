"""The projects that break in known ways, and the sound ones, run with the torch engine, in this process.

One of each kind is run here, and those in which torch's own arithmetic is not Caffe's; `CAFFELINT_ALL_PROJECTS=1` runs
all.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from smoke_projects import PROJECTS, chosen

from caffelint.lint.config import Config
from caffelint.smoke import session
from caffelint.smoke.child import Finished, Log
from caffelint.smoke.engines import Engine
from caffelint.smoke.events import Event
from caffelint.smoke.prepare import Prepared, Wishes
from caffelint.smoke.torch import engine

OTHER_ARITHMETIC = ("batchnorm_eps_zero", "power_cube_of_relu", "power_root_of_relu", "test_log_of_zero")


def run_here(_: Engine, prepared: Prepared, on_event: Callable[[Event], None]) -> Finished:
    events: list[Event] = []
    engine.run(prepared.job, events.append)
    return Finished(events, Log())


def projects() -> list[Path]:
    return sorted({*chosen(), *(PROJECTS / "broken" / name for name in OTHER_ARITHMETIC)})


@pytest.mark.parametrize("project", projects(), ids=lambda path: path.name)
def test_outcome(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(session, "run_job", run_here)
    monkeypatch.chdir(project)
    expected = json.loads((project / "expected.json").read_text())
    config = Config()
    config.cache = False
    config.jobs = 1
    choice = session.Choice("torch", "cpu")
    report = session.smoke(session.Request("solver.prototxt", config, Wishes(), choice, True), session.Watcher()).report
    found = [finding for finding in report.findings if finding.code.startswith("X")]
    said = [(finding.name, finding.layer, finding.message) for finding in found]
    if expected["outcome"]:
        assert any(
            finding.name in expected["outcome"] and (not expected["layers"] or finding.layer in expected["layers"])
            for finding in found
        ), said
    else:
        assert not said
