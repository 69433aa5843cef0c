"""What logs show of a solver whose net was not trained far."""

from __future__ import annotations

from pathlib import Path

import pytest

import caffelint
from caffelint.lint.config import Config

LOG = """I0711 solver.cpp:63] Initializing solver from parameters:
base_lr: 0.1
type: "sgd"
I0711 solver.cpp:106] Creating training net from net file: D:/project/train.prototxt
I0711 solver.cpp:75] Solver scaffolding done.
"""


@pytest.mark.parametrize(
    ("log", "severity"),
    [
        (LOG, "info"),
        (LOG.replace('"sgd"', '"SGD"'), "warning"),
        (LOG.replace("train.prototxt", "other.prototxt"), "warning"),
        (LOG.replace("scaffolding done", "is made"), "warning"),
    ],
)
def test_a_log_shows_that_a_caffe_takes_the_type(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, log: str, severity: str
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".git").mkdir()
    (tmp_path / "solver.prototxt").write_text('net: "train.prototxt"\nbase_lr: 0.1\ntype: "sgd"\n')
    (tmp_path / "train.prototxt").write_text('layer { name: "d" type: "Data" top: "data" }\n')
    (tmp_path / "train.log").write_text(log)
    config = Config()
    config.cache, config.select = False, ["unknown-solver-type"]
    [one] = caffelint.check(["."], config).findings
    assert (one.severity, "train.log shows that a Caffe took it" in one.evidence) == (severity, severity == "info")


@pytest.mark.parametrize("name", ["train.log", "nohup.out", "loss_history.txt"])
@pytest.mark.parametrize(("printed", "severity"), [("0.1", "info"), ("1e-01", "info"), ("0.01", "error")])
def test_a_log_with_other_numbers_is_of_another_solver(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, printed: str, severity: str, name: str
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".git").mkdir()
    (tmp_path / "solver.prototxt").write_text('net: "train.prototxt"\nbase_lr: 0.1\nmax_iters: 900\n')
    (tmp_path / "train.prototxt").write_text('layer { name: "d" type: "Data" top: "data" }\n')
    losses = "".join(f"I0711 solver.cpp:228] Iteration {at}, loss = {9 - at / 100}\n" for at in (0, 200, 400))
    (tmp_path / name).write_text(LOG.replace("base_lr: 0.1", f"base_lr: {printed}") + losses)
    config = Config()
    config.cache, config.select = False, ["unknown-field"]
    [one] = caffelint.check(["."], config).findings
    assert one.severity == severity
