"""What makes a run diverge, or keeps it from learning, is named where it stands, and the value that cures with it."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from caffelint.smoke.diagnosis.hypotheses import hypotheses
from caffelint.smoke.diagnosis.hypothesis import STRONG
from caffelint.smoke.diagnosis.tried import CURED, survivor
from caffelint.smoke.outcome import outcome
from caffelint.smoke.session import Session
from caffelint.smoke.verdict import verdict

_DATA = """
layer { name: "data" type: "DummyData" top: "data" top: "other" top: "label"
  dummy_data_param { shape { dim: 8 dim: 6 } shape { dim: 8 dim: 6 } shape { dim: 8 LABELS }
    data_filler { type: "gaussian" std: 1 } data_filler { type: "gaussian" std: 1 }
    data_filler { type: "constant" value: VALUE } } }
layer { name: "silence" type: "Silence" bottom: "other" bottom: "data" bottom: "label" }
"""
_SCORE = """
layer { name: "score" type: "InnerProduct" bottom: "data" top: "score" param { name: "w" } param { name: "b" }
  inner_product_param { num_output: 40 weight_filler { type: "xavier" } } }
"""
_SOLVER = 'net: "net.prototxt" base_lr: 0.1 momentum: 0.9 lr_policy: "fixed" max_iter: 100 snapshot_prefix: "s"'


def project(folder: Path, net: str, solver: str = _SOLVER, labels: str = "", value: float = 0) -> Path:
    (folder / "net.prototxt").write_text(net.replace("LABELS", labels).replace("VALUE", f"{value}"))
    (folder / "solver.prototxt").write_text(solver)
    return folder / "solver.prototxt"


def told(session: Session) -> tuple[str, str]:
    """What cured, and the verdict."""
    assert session.run is not None
    best = survivor(session.run.tried)
    assert best is not None
    assert best.outcome == CURED
    return best.change.text, verdict(session.run, session.report.findings)


@pytest.mark.parametrize(("margin", "better"), [(5000, 8), (300, 8), (9, None)])
def test_a_margin_far_above_all_distances(
    margin: float, better: float | None, in_caffe: Callable[..., Session], tmp_path: Path
) -> None:
    loss = 'layer { name: "loss" type: "ContrastiveLoss" bottom: "score" bottom: "twin" bottom: "label" top: "loss"'
    twin = _SCORE.replace('"score"', '"twin"').replace('bottom: "data"', 'bottom: "other"')
    net = f"{_DATA}{_SCORE}{twin}{loss} contrastive_loss_param {{ margin: {margin} }} }}"
    run = in_caffe(project(tmp_path, net), iterations=5).run
    assert run is not None
    found = [one for one in hypotheses(run) if one.field == "margin"]
    values = [float(one.changes[0].text.split()[-2]) for one in found]
    assert values == ([pytest.approx(better, abs=2)] if better else [])
    assert all(one.score >= STRONG for one in found)


def test_a_sum_over_the_values_of_an_item(in_caffe: Callable[..., Session], tmp_path: Path) -> None:
    more = _SCORE.replace("40", "100").replace('"score" param', '"many" param').replace('"data"', '"score"')
    more = more.replace('name: "score"', 'name: "many"').replace('"w"', '"w2"').replace('"b"', '"b2"')
    loss = 'layer { name: "loss" type: "EuclideanLoss" bottom: "many" bottom: "label" top: "loss" }'
    change, words = told(in_caffe(project(tmp_path, f"{_DATA}{_SCORE}{more}{loss}", labels="dim: 100", value=1)))
    assert change == "loss_weight: 0.01"
    assert 'EuclideanLoss "loss" adds up the 100 values of each item' in words


def test_a_loss_that_is_switched_off(in_caffe: Callable[..., Session], tmp_path: Path) -> None:
    softmax = 'layer { name: "loss" type: "SoftmaxWithLoss" bottom: "score" bottom: "label" top: "loss" }'
    noise = 'layer { name: "any" type: "DummyData" top: "any" dummy_data_param { shape { dim: 8 dim: 40 }'
    noise += ' data_filler { type: "gaussian" std: 0.1 } } }'
    own = _SCORE.replace('"score"', '"own"').replace('"w"', '"w2"').replace('"b"', '"b2"').replace("xavier", "constant")
    kept = 'layer { name: "kept" type: "EuclideanLoss" bottom: "own" bottom: "any" top: "kept" }'
    off = softmax[:-1] + "loss_weight: 0 }"
    solver = _SOLVER.replace("0.1 momentum", "0.01 momentum")
    change, words = told(in_caffe(project(tmp_path, f"{_DATA}{noise}{_SCORE}{own}{kept}{off}", solver)))
    assert change == "loss_weight: 1"
    assert 'loss_weight 0 of SoftmaxWithLoss "loss" keeps InnerProduct "score" from learning' in words


@pytest.mark.parametrize(
    ("schedule", "says", "cure"),
    [
        ('lr_policy: "sigmoid" gamma: 0.5 stepsize: 90 max_iter: 100', "keeps the rate at", 'lr_policy: "fixed"'),
        # It gets there, but only after a quarter of the training.
        ('lr_policy: "sigmoid" gamma: 0.2 stepsize: 120 max_iter: 300', "keeps the rate at", 'lr_policy: "fixed"'),
        ('lr_policy: "step" gamma: 0.1 stepsize: 1 max_iter: 100', "takes the rate from 0.05 to", "stepsize: 34"),
        (
            'lr_policy: "exp" gamma: 0.3 max_iter: 100',
            "gamma 0.3 multiplies the rate in each iteration, from 0.05 to",
            "gamma: 0.955",
        ),
    ],
)
def test_a_schedule_that_leaves_no_rate(
    schedule: str, says: str, cure: str, in_caffe: Callable[..., Session], tmp_path: Path
) -> None:
    loss = 'layer { name: "loss" type: "SoftmaxWithLoss" bottom: "score" bottom: "label" top: "loss" }'
    solver = _SOLVER.replace('lr_policy: "fixed" max_iter: 100', schedule).replace("0.1 momentum", "0.05 momentum")
    change, words = told(in_caffe(project(tmp_path, f"{_DATA}{_SCORE}{loss}", solver)))
    assert change == cure
    assert says in words
    assert "base_lr 0.05 is" not in words


def test_drops_in_epochs(in_caffe: Callable[..., Session], tmp_path: Path) -> None:
    """16 iterations an epoch: the rate is gone before anything is learned."""
    np, h5py = pytest.importorskip("numpy"), pytest.importorskip("h5py")
    labels = np.arange(64) % 4
    with h5py.File(tmp_path / "train.h5", "w") as file:
        file["data"] = (np.eye(4)[labels] + np.random.RandomState(0).normal(0, 0.2, (64, 4))).astype("f")
        file["label"] = labels.astype("f")
    (tmp_path / "train.txt").write_text(str(tmp_path / "train.h5"))
    source = f'hdf5_data_param {{ source: "{tmp_path}/train.txt" batch_size: 4 }}'
    data = f'layer {{ name: "data" type: "HDF5Data" top: "data" top: "label" {source} }}\n'
    fc = _SCORE.replace("num_output: 40", "num_output: 4")
    loss = 'layer { name: "loss" type: "SoftmaxWithLoss" bottom: "score" bottom: "label" top: "loss" }'
    drops = 'lr_policy: "multistep" gamma: 0.03 stepvalue: 3 stepvalue: 5 max_iter: 100'
    solver = _SOLVER.replace('lr_policy: "fixed" max_iter: 100', drops).replace("0.1 momentum", "0.05 momentum")
    session = in_caffe(project(tmp_path, data + fc + loss, solver))
    change, words = told(session)
    assert change == "stepvalue: 48 stepvalue: 80"
    assert "takes the rate from 0.05 to 4.5e-05" in words
    assert "schedule-in-epochs" in [one.name for one in session.report.findings]


@pytest.mark.parametrize("engine", ["caffe", "torch"])
def test_the_best_constant_is_known_of_what_is_only_reshaped(
    engine: str, in_engine: Callable[..., Any], tmp_path: Path
) -> None:
    flat = 'layer { name: "flat" type: "Flatten" bottom: "label" top: "flat" }'
    loss = 'layer { name: "loss" type: "SigmoidCrossEntropyLoss" bottom: "score" bottom: "flat" top: "loss" }'
    solver = _SOLVER.replace("0.1", "0.01")
    session = in_engine(project(tmp_path, f"{_DATA}{flat}{_SCORE}{loss}", solver, "dim: 40", 0.5), engine)
    assert session.run is not None
    assert outcome(session.run).constant == pytest.approx(40 * math.log(2))
    beats = project(tmp_path, f"{_DATA}{flat}{_SCORE}{loss}", solver, "dim: 40", 0.1)
    session = in_engine(beats, engine)
    assert outcome(session.run).constant == pytest.approx(-40 * (0.1 * math.log(0.1) + 0.9 * math.log(0.9)))


def test_targets_on_both_sides_of_0(in_caffe: Callable[..., Session], tmp_path: Path) -> None:
    loss = 'layer { name: "loss" type: "SigmoidCrossEntropyLoss" bottom: "score" bottom: "label" top: "loss" }'
    both = _DATA.replace('type: "constant" value: VALUE', 'type: "uniform" min: -1 max: 1')
    run = in_caffe(project(tmp_path, f"{both}{_SCORE}{loss}", labels="dim: 40"), iterations=5, diagnose="off").run
    assert run is not None
    change = next(one for one in hypotheses(run) if one.kind == "labels").changes[0].text
    scale, shift = (float(change.partition(f"{field}: ")[2].split()[0]) for field in ("scale", "shift"))
    assert (scale, shift) == (pytest.approx(0.5, abs=0.02), pytest.approx(0.5, abs=0.02))
