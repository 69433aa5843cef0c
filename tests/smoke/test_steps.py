"""Fields that make steps far smaller than the rate says are tried before the rate, and named where they cure."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from caffelint.cli.main import main
from caffelint.evidence.data.gains import Matrix

_NET = """
layer { name: "data" type: "HDF5Data" top: "data" top: "label" include { phase: TRAIN }
  hdf5_data_param { source: "train.txt" batch_size: 16 } }
layer { name: "data" type: "HDF5Data" top: "data" top: "label" include { phase: TEST }
  hdf5_data_param { source: "test.txt" batch_size: 16 } }
layer { name: "fc" type: "InnerProduct" bottom: "data" top: "fc" param { lr_mult: 1 } param { lr_mult: 1 }
  inner_product_param { num_output: 16 weight_filler { type: "xavier" } } }
layer { name: "relu" type: "ReLU" bottom: "fc" top: "fc" }
layer { name: "score" type: "InnerProduct" bottom: "fc" top: "score"
  inner_product_param { num_output: 4 weight_filler { type: "xavier" } } }
layer { name: "loss" type: "SoftmaxWithLoss" bottom: "score" bottom: "label" top: "loss" loss_weight: 1 }
"""
_SOLVER = """net: "net.prototxt" base_lr: 0.1 momentum: 0.9 lr_policy: "fixed" max_iter: 60
test_iter: 4 test_interval: 60
snapshot_prefix: "s"
"""


@pytest.fixture
def verdict(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> Any:
    pytest.importorskip("torch")
    h5py, np = pytest.importorskip("h5py"), pytest.importorskip("numpy")
    monkeypatch.chdir(tmp_path)

    def run(net: str = _NET, solver: str = _SOLVER, leaks: bool = False) -> str:
        draws = np.random.default_rng(1)
        means = draws.normal(size=(4, 8)) * (0 if leaks else 3)
        for name, count in (("train", 960), ("test", 64)):
            labels = draws.integers(0, 4, count)
            values = means[labels] + draws.normal(size=(count, 8))
            if leaks:
                values[:, 0] = labels * 6 - 9 if name == "train" else draws.normal(size=count)
            with h5py.File(f"{name}.h5", "w") as file:
                file["data"], file["label"] = values.astype("f"), labels.astype("f")
            Path(f"{name}.txt").write_text(f"{name}.h5\n")
        Path("net.prototxt").write_text(net)
        Path("solver.prototxt").write_text(solver)
        main(["smoke", "solver.prototxt", "--engine", "torch", "--iterations", "50", "--format", "json"])
        return str(json.loads(capsys.readouterr().out)["smoke"]["verdict"])

    return run


def test_a_sound_net(verdict: Any) -> None:
    assert verdict().startswith("it trains: ")


def test_a_delta_that_outweighs_the_gradient(verdict: Any) -> None:
    solver = _SOLVER.replace("base_lr: 0.1", 'base_lr: 0.01 type: "Adam" delta: 1000')
    said = verdict(_NET, solver)
    assert re.search("delta 1000 is .* with delta: 1e-08 it learns", said), said


def test_a_loss_weight_next_to_0(verdict: Any) -> None:
    said = verdict(_NET.replace("loss_weight: 1", "loss_weight: 0.0001"))
    assert re.search("loss_weight 0.0001 shrinks every gradient.* with loss_weight: 1", said), said


def test_a_column_that_holds_the_label_in_training_alone(verdict: Any) -> None:
    said = verdict(leaks=True)
    assert re.match("it trains, but tests badly: .* on records that were as new to the net", said), said


def test_labels_that_are_no_class(verdict: Any, capsys: Any) -> None:
    said = verdict(_NET.replace("num_output: 4", "num_output: 3"), _SOLVER.replace("base_lr: 0.1", "base_lr: 30"))
    assert said.startswith("it learns from wrong labels"), said
    assert "base_lr 30" not in said


@pytest.mark.parametrize(
    ("rows", "answer"),
    [([[1, 0], [0, 1]], None), ([[1, 0], [0, 0]], 0), ([[0, 2], [0, 3]], 1), ([[0, 0], [0, 0]], None)],
)
def test_an_answer_that_costs_nothing(rows: list[list[float]], answer: int | None) -> None:
    assert Matrix("H", rows).answer == answer
