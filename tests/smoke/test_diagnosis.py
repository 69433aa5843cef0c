"""A run that goes wrong is repeated with one thing changed; the verdict names what cured it, and what did not."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from shutil import copytree

import pytest
from smoke_projects import PROJECTS

from caffelint.lint.report import Report
from caffelint.smoke.diagnosis.tried import CURED, survivor
from caffelint.smoke.run import Run
from caffelint.smoke.session import Session
from caffelint.smoke.verdict import verdict

_PLANTED = {
    "rate_softmax": ("rate", "base_lr: 0.002"),
    "rate_loss_weight": ("loss-weight", "loss_weight: 1"),
    "rate_one_layer": ("lr-mult", "param { lr_mult: 1 }"),
    "schedule_sigmoid_rises": ("schedule", 'lr_policy: "fixed" base_lr: 0.0002'),
    "solver_adam_momentum_one": ("momentum", "momentum: 0.9"),
    "batchnorm_global_four": ("statistics", "batch_norm_param { use_global_stats: false }"),
    "loss_multinomial_without_softmax": ("loss", 'type: "SoftmaxWithLoss"'),
}


def told(session: Session) -> tuple[Run, Report, str]:
    assert session.run is not None
    return session.run, session.report, verdict(session.run, session.report.findings)


@pytest.mark.parametrize("name", _PLANTED)
def test_what_was_planted_is_what_cures(name: str, in_caffe: Callable[..., Session], tmp_path: Path) -> None:
    project = Path(copytree(PROJECTS / "broken" / name, tmp_path / "project"))
    there = {path: path.read_bytes() for path in project.iterdir()}
    run, _, words = told(in_caffe(project / "solver.prototxt", diagnose="full"))
    best = survivor(run.tried)
    assert best is not None
    kind, text = _PLANTED[name]
    assert (best.hypothesis.kind, best.change.text, best.outcome) == (kind, text, CURED)
    assert f"with {text}" in words
    assert (
        kind == "rate"
        or "not the rate" in words
        or any(one.hypothesis.kind == "rate" and one.outcome == CURED for one in run.tried)
    )
    assert {path: path.read_bytes() for path in project.iterdir()} == there


@pytest.mark.parametrize("how", ["quick", "full"])
def test_a_sound_run_is_not_repeated(how: str, in_caffe: Callable[..., Session], tmp_path: Path) -> None:
    project = Path(copytree(PROJECTS / "sound/lenet_adagrad", tmp_path / "project"))
    run, report, _ = told(in_caffe(project / "solver.prototxt", diagnose=how))
    assert not run.tried
    assert not [finding for finding in report.findings if finding.code.startswith("X")]


def test_none_is_repeated_with_off(in_caffe: Callable[..., Session], tmp_path: Path) -> None:
    project = Path(copytree(PROJECTS / "broken/rate_softmax", tmp_path / "project"))
    run, _, words = told(in_caffe(project / "solver.prototxt", diagnose="off"))
    assert not run.tried
    assert "is most likely too high; try" in words
