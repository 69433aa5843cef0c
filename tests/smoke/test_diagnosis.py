"""A run that goes wrong is repeated with one thing changed; the verdict names what cured it, and what did not."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from shutil import copytree
from typing import Any

import pytest
from project_files import NET, SOLVER, write
from smoke_projects import PROJECTS

from caffelint.cli.main import main
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
    "solver_clip_tiny": ("clip-gradients", "clip_gradients: -1"),
    "filler_uniform_huge": ("fillers", 'inner_product_param { weight_filler { type: "msra" } }'),
    "loss_multinomial_without_softmax": ("loss", 'type: "SoftmaxWithLoss"'),
    "solver_decay_mult": ("weight-decay", "param { decay_mult: 1 }"),
    "solver_clip_next_to_zero": ("clip-gradients", "clip_gradients: -1"),
    "batchnorm_huge_eps": ("statistics", "batch_norm_param { eps: 1e-05 }"),
    "filler_convolutions_deep": ("depth", 'layer { name: "conv1_bn" type: "BatchNorm" bottom: "conv1" top: "conv1" }'),
    "schedule_gone_at_once": ("schedule", "stepsize: 340"),
    "loss_two_of_other_scale": ("loss-weight", "loss_weight: 0.04"),
    "loss_sigmoid_labels_255": (
        "labels",
        'layer { name: "mask_scaled" type: "Power" bottom: "mask" top: "mask_scaled" power_param'
        ' { scale: 0.003921569 } } and bottom: "mask_scaled" in "loss"',
    ),
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
    rates = [one.outcome for one in run.tried if one.hypothesis.kind == "rate"]
    assert ("not the rate" in words) == (bool(rates) and CURED not in rates and kind != "schedule"), words
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


@pytest.mark.parametrize("option", ["--fix", "--diff"])
def test_the_change_that_cured_is_written_or_shown(
    option: str, caffe_python: Path, tmp_path: Path, monkeypatch: Any, capfd: Any
) -> None:
    project = Path(copytree(PROJECTS / "broken/rate_loss_weight", tmp_path / "project"))
    monkeypatch.chdir(project)
    old = (project / "train_val.prototxt").read_text()
    run = ["smoke", "solver.prototxt", "--engine", "caffe", "--caffe-python", str(caffe_python)]
    assert main([*run, "--diagnose", "full", option]) == 1
    new = (project / "train_val.prototxt").read_text()
    assert new == (old.replace("loss_weight: 1e8", "loss_weight: 1") if option == "--fix" else old)
    told = capfd.readouterr()
    assert "-  loss_weight: 1e8\n+  loss_weight: 1\n" in told.out
    would = "wrote" if option == "--fix" else "would write"
    assert f'{would} loss_weight: 1 in layer "loss" to train_val.prototxt' in told.err
    if option == "--fix":
        assert main([*run, "--fix"]) == 0
        assert "nothing to fix" in capfd.readouterr().err


@pytest.mark.parametrize("more", [["--diagnose", "off"], ["--find-lr"], ["--diff"]])
def test_what_leaves_nothing_to_fix_is_refused(more: list[str], tmp_path: Path, monkeypatch: Any, capsys: Any) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["smoke", "solver.prototxt", "--fix", *more]) == 2
    assert more[0] in capsys.readouterr().err


def test_with_torch(tmp_path: Path, monkeypatch: Any, capfd: Any) -> None:
    pytest.importorskip("torch")
    monkeypatch.chdir(copytree(PROJECTS / "broken/rate_loss_weight", tmp_path / "project"))
    assert main(["smoke", "solver.prototxt", "--engine", "torch", "--diagnose", "full", "--format", "json"]) == 1
    told = json.loads(capfd.readouterr().out)["smoke"]
    assert 'with loss_weight: 1 at "loss" it learns' in told["verdict"]
    best = next(one for one in told["experiments"] if one["outcome"] == "cured")
    assert (best["kind"], best["layer"], best["change"], best["iteration"]) == (
        "loss-weight",
        "loss",
        "loss_weight: 1",
        None,
    )
    rate = next(one for one in told["experiments"] if one["kind"] == "rate")
    assert (rate["file"], rate["outcome"]) == ("solver.prototxt", "later")


def test_only_test_breaks(tmp_path: Path, in_caffe: Callable[..., Session]) -> None:
    train, scale, test = NET.rpartition("scale: 0.0125")
    net = f"{train}scale: 1e38{test}"
    assert scale
    run, _, words = told(in_caffe(write(tmp_path, net), force=True))
    assert (run.tried[0].hypothesis.kind, run.tried[0].outcome) == ("phases", CURED)
    assert 'the scale of Data "data" is 1e+38 in TEST, but 0.0125 in TRAIN' in words
    assert '; with transform_param { scale: 0.0125 } at "data" it' in words


def test_a_rate_that_made_up_data_cannot_prove(tmp_path: Path, in_engine: Callable[..., Session]) -> None:
    """Of images that are not there nobody knows which rate they take."""
    session = in_engine(write(tmp_path, solver=SOLVER.replace("base_lr: 0.01", "base_lr: 1000")), "torch")
    assert session.run is not None
    causes = [one.cause for one in session.report.findings if one.cause and one.cause.kind == "rate"]
    assert causes
    assert {one.certainty for one in causes} == {"likely"}
    words = verdict(session.run, session.report.findings)
    assert "is too high for this synthetic data" in words
    assert 'because "no/such/lmdb" does not exist; the rate for real data may be another one' in words
