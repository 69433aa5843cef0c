"""How hard each of several losses pulls at the layers that they share: against the gradient that all of them give."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from shutil import copytree

import pytest
from smoke_projects import PROJECTS

from caffelint.lint.config import Config
from caffelint.smoke.diagnosis.trouble import norm
from caffelint.smoke.events import LossGradient
from caffelint.smoke.learning import weights
from caffelint.smoke.prepare import Wishes
from caffelint.smoke.run import Run
from caffelint.smoke.session import Choice, Request, Session, Watcher
from caffelint.smoke.train import smoke
from caffelint.smoke.trunk import trunk


def adds_up(run: Run) -> None:
    alone = {event.loss: event.sizes for event in run.all(LossGradient)}
    assert sorted(alone) == ["box_loss", "loss"]
    both = {one.layer.name: norm(one.layer, one.gradient) for one in weights(run)}
    for name, whole in both.items():
        parts = sorted(sizes[name] for sizes in alone.values())
        assert parts[1] - parts[0] <= whole * 1.001
        assert whole <= (parts[0] + parts[1]) * 1.001
    assert alone["loss"]["box"] == alone["box_loss"]["score"] == 0
    assert alone["loss"]["score"] == pytest.approx(both["score"], rel=1e-3)
    assert alone["box_loss"]["box"] == pytest.approx(both["box"], rel=1e-3)
    found = trunk(run)
    assert found is not None
    assert [layer.name for layer in found.layers] == ["fc1"]
    assert [(layer.name, pull) for pull, layer in found.pulls] == [
        ("box_loss", alone["box_loss"]["fc1"]),
        ("loss", alone["loss"]["fc1"]),
    ]


def test_in_caffe(in_caffe: Callable[..., Session], tmp_path: Path) -> None:
    project = Path(copytree(PROJECTS / "broken/loss_two_of_other_scale", tmp_path / "project"))
    run = in_caffe(project / "solver.prototxt", diagnose="off", iterations=3).run
    assert run is not None
    adds_up(run)


def test_with_torch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("torch")
    monkeypatch.chdir(copytree(PROJECTS / "broken/loss_two_of_other_scale", tmp_path / "project"))
    config = Config()
    config.cache = False
    request = Request("solver.prototxt", config, Wishes(iterations=3), Choice("torch"), diagnose="off")
    run = smoke(request, Watcher()).run
    assert run is not None
    adds_up(run)


def test_one_loss_has_nothing_to_share(in_caffe: Callable[..., Session], tmp_path: Path) -> None:
    project = Path(copytree(PROJECTS / "sound/lenet_adagrad", tmp_path / "project"))
    run = in_caffe(project / "solver.prototxt", iterations=2).run
    assert run is not None
    assert run.first(LossGradient) is None
    assert trunk(run) is None
