"""What `check` says of every fixture is what stands beside it; `make accept` writes it anew."""

from __future__ import annotations

from pathlib import Path

import accept
import pytest

import caffelint
from caffelint.lint.config import Config


@pytest.mark.parametrize("project", accept.projects(), ids=lambda path: str(path.relative_to(accept.FIXTURES)))
def test_expected_output(project: Path) -> None:
    assert accept.output(project) == (project / "expected.txt").read_text("utf-8")


@pytest.mark.parametrize("folder", ["right", "wrong"])
def test_right_ones_have_no_error_and_wrong_ones_have(folder: str) -> None:
    for project in accept.projects():
        if project.parent.name == folder:
            config = Config()
            config.cache = False
            report = caffelint.check([project], config)
            assert not report.failures
            assert bool(report.count("error")) == (folder == "wrong" and project.name != "infogain"), project
