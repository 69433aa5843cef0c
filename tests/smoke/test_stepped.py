"""Does what a recurrent layer reads go on from step to step?"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from project_files import SOLVER, write

from caffelint.smoke.session import Session

np = pytest.importorskip("numpy")

from caffelint.smoke.stepped import Stepped  # noqa: E402


def sequences(items: int, steps: int, values: int = 2, seed: int = 0) -> Any:
    """Items x steps x values: waves of their own frequency and phase."""
    random = np.random.RandomState(seed)
    at = np.arange(steps)[None, :, None]
    return np.sin((0.3 + random.rand(items, 1, values)) * at / 2 + 6 * random.rand(items, 1, values))


def measured(values: Any, labels: Any = None) -> dict[str, Any]:
    found = Stepped("x", "label")
    found.add(values, labels)
    return dict(found.result())


def test_as_it_has_to_be() -> None:
    found = measured(sequences(20, 12).transpose(1, 0, 2))
    assert (found["steps"], found["items"]) == (12, 20)
    assert abs(found["along_items"]) < 0.2 < 0.6 < found["along_steps"]


def test_reshaped_in_place_of_transposed() -> None:
    found = measured(sequences(20, 12).reshape(12, 20, 2))
    assert abs(found["along_steps"]) < 0.2 < found["along_items"] < found["reshaped"]
    assert abs(found["reshaped_items"]) < 0.2


def test_items_by_steps() -> None:
    found = measured(sequences(20, 12))
    assert abs(found["along_steps"]) < 0.2 < found["along_items"]


@pytest.mark.parametrize("values", [np.zeros((8, 8)), np.zeros(8), np.zeros((2, 9, 3)), np.full((8, 8, 2), np.nan)])
def test_where_nothing_can_be_told(values: Any) -> None:
    assert measured(values) == {}


def test_a_value_that_is_always_the_same_hides_nothing() -> None:
    values = np.concatenate([sequences(20, 12), np.ones((20, 12, 1))], 2)
    assert measured(values.transpose(1, 0, 2))["along_steps"] > 0.6


@pytest.mark.parametrize("lag", [1, 3])
@pytest.mark.parametrize("reshaped", [False, True])
def test_labels_of_what_was_some_steps_before(lag: int, reshaped: bool) -> None:
    """Steps that have nothing to do with each other, so that no neighbours are alike."""
    random = np.random.RandomState(lag)
    values = random.randint(0, 3, (200, 12))
    labels = np.roll(values, lag, axis=1)
    arranged = [one.reshape(12, 200) if reshaped else one.T for one in (values, labels)]
    found = measured(np.eye(3)[arranged[0]], arranged[1])
    low, high = (found["told_items"], found["told_steps"])[:: -1 if reshaped else 1]
    assert abs(low) < 0.05 < 0.5 < high
    assert measured(arranged[0], arranged[1])["told_items" if reshaped else "told_steps"] > 0.5  # numbers of words
    assert np.isnan(measured(np.eye(3)[arranged[0]])["told_steps"])
    assert abs(measured(np.eye(3)[arranged[0]], random.randint(0, 3, arranged[0].shape))["told_items"]) < 0.05


NET = """
layer { name: "data" type: "HDF5Data" top: "x" top: "cont" top: "label"
  hdf5_data_param { source: "train.txt" batch_size: 8 } }
layer { name: "lstm" type: "LSTM" bottom: "x" bottom: "cont" top: "lstm"
  recurrent_param { num_output: 6 weight_filler { type: "xavier" } } }
layer { name: "fc" type: "InnerProduct" bottom: "lstm" top: "fc"
  inner_product_param { num_output: 2 axis: 2 weight_filler { type: "xavier" } } }
layer { name: "loss" type: "SoftmaxWithLoss" bottom: "fc" bottom: "label" top: "loss" softmax_param { axis: 2 } }
"""


@pytest.mark.parametrize("engine", ["caffe", "torch"])
@pytest.mark.parametrize("reshaped", [True, False])
def test_in_a_run(engine: str, reshaped: bool, in_engine: Callable[..., Session], tmp_path: Path) -> None:
    h5py = pytest.importorskip("h5py")
    kept = np.array([sequences(16, 8, seed=seed) for seed in range(20)])
    kept = kept.reshape(20, 8, 16, 2) if reshaped else kept.transpose(0, 2, 1, 3)
    cont = np.ones((20, 8, 16))
    cont[:, 0] = 0
    with h5py.File(tmp_path / "train.h5", "w") as file:
        file["x"] = kept.reshape(160, 16, 2).astype("f")
        file["cont"] = cont.reshape(160, 16).astype("f")
        file["label"] = np.random.RandomState(1).randint(0, 2, (160, 16)).astype("f")
    (tmp_path / "train.txt").write_text("train.h5\n")
    solver = write(tmp_path, NET, SOLVER.replace("test_iter: 3\ntest_interval: 1\n", ""))
    found = in_engine(solver, engine, iterations=40).report.findings
    assert [one.name for one in found if one.name == "steps-mixed-up"] == ["steps-mixed-up"] * reshaped
