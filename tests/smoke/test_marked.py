"""Do sequences lie across the items of what a recurrent layer reads?"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from project_files import SOLVER, write

from caffelint.smoke.diagnosis.tried import survivor
from caffelint.smoke.session import Session
from caffelint.smoke.verdict import verdict

np = pytest.importorskip("numpy")

from caffelint.smoke.marked import Marked  # noqa: E402


def measured(*batches: Any) -> dict[str, Any]:
    found = Marked("cont")
    for one in batches:
        found.add(one)
    return dict(found.result())


def marks(items: int, steps: int, length: int) -> Any:
    """Items x steps, 0 where each of these sequences begins."""
    return np.tile((np.arange(steps) % length != 0).astype("f"), (items, 1))


@pytest.mark.parametrize("length", [20, 10, 5])
def test_items_by_steps(length: int) -> None:
    found = measured(*[marks(16, 20, length).reshape(20, 16)] * 3)
    assert found == {"name": "cont", "steps": 20, "items": 16, "gap": length, "begins": 3 * 320 // length}


def test_of_a_sequence_for_two_streams() -> None:
    assert measured(marks(8, 40, 40).reshape(20, 16))["gap"] == 40


@pytest.mark.parametrize("length", [20, 10, 5])
def test_steps_by_items(length: int) -> None:
    assert measured(marks(16, 20, length).T) == {}


@pytest.mark.parametrize("items", [19, 21, 7])
def test_streams_that_begin_in_turn(items: int) -> None:
    """With as many items as steps, but for one, they lie as sequences do that are written one by one."""
    in_turn = np.array([[(step - item) % 20 != 0 for item in range(items)] for step in range(20)])
    assert measured(in_turn) == {}
    assert measured(in_turn[:, ::-1]) == {}


def test_where_nothing_can_be_told() -> None:
    assert measured() == {}
    assert measured(np.ones((20, 16))) == {}
    assert measured(np.zeros((20, 16))) == {}
    assert measured(marks(16, 20, 20).reshape(20, 16), np.ones((20, 16))) == {}
    assert measured(marks(1, 20, 5).T) == {}
    assert measured((np.random.RandomState(1).rand(20, 16) > 0.05).astype("f")) == {}
    assert measured(marks(16, 20, 16).reshape(20, 16)) == {}, "each row is the same: cont-same-at-each-step"


NET = """
layer { name: "data" type: "HDF5Data" top: "x" top: "cont" top: "label"
  hdf5_data_param { source: "train.txt" batch_size: %d } }
%slayer { name: "lstm" type: "LSTM" bottom: "%s" bottom: "%s" top: "lstm"
  recurrent_param { num_output: 12 weight_filler { type: "uniform" min: -0.15 max: 0.15 } } }
layer { name: "fc" type: "InnerProduct" bottom: "lstm" top: "fc"
  inner_product_param { num_output: 2 axis: 2 weight_filler { type: "xavier" } } }
layer { name: "loss" type: "SoftmaxWithLoss" bottom: "fc" bottom: "%s" top: "loss" softmax_param { axis: 2 } }
"""
_RESHAPES = """
layer { name: "xs" type: "Reshape" bottom: "x" top: "xs" reshape_param { shape { dim: 10 dim: 16 dim: 1 } } }
layer { name: "cs" type: "Reshape" bottom: "cont" top: "cs" reshape_param { shape { dim: 10 dim: 16 } } }
layer { name: "ls" type: "Reshape" bottom: "label" top: "ls" reshape_param { shape { dim: 10 dim: 16 } } }
"""
FLAT, WHOLE = NET % (160, _RESHAPES, "xs", "cs", "ls"), NET % (10, "", "x", "cont", "label")
_SOLVER = (
    SOLVER.replace("test_iter: 3\ntest_interval: 1\n", "").replace("base_lr: 0.01", "base_lr: 0.02") + 'type: "Adam"\n'
)


@pytest.mark.parametrize("engine", ["caffe", "torch"])
@pytest.mark.parametrize("net", [FLAT, WHOLE])
@pytest.mark.parametrize("across", [True, False])
def test_in_a_run(engine: str, net: str, across: bool, in_engine: Callable[..., Session], tmp_path: Path) -> None:
    """Of a walk, which side it is on: that takes all steps so far."""
    h5py = pytest.importorskip("h5py")
    steps = np.random.RandomState(1).choice([-1, 1], (40, 16, 10))  # batches x items x steps
    sides = (steps.cumsum(2) > 0).astype("f")
    every = {"x": steps.astype("f"), "cont": np.array([marks(16, 10, 10)] * 40), "label": sides}
    with h5py.File(tmp_path / "train.h5", "w") as file:
        for name, values in every.items():
            arranged = values if across else values.transpose(0, 2, 1)
            shape = (-1, *([1] if name == "x" else [])) if net == FLAT else (-1, 16, *([1] if name == "x" else []))
            file[name] = arranged.reshape(shape)
    (tmp_path / "train.txt").write_text("train.h5\n")
    session = in_engine(write(tmp_path, net, _SOLVER), engine, iterations=80)
    assert session.run is not None
    text = verdict(session.run, session.report.findings)
    assert ('the zeros of "c' in text) == across
    if across:
        best = survivor(session.run.tried)
        assert best is not None
        assert best.hypothesis.field == "across"
        assert best.change.text == '"x", "cont" and "label" of each batch written as steps x items'
