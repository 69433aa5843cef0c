"""Labels that can be told within TRAIN, and within TEST, but not from one to the other."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from project_files import write

from caffelint.smoke.coded import coded
from caffelint.smoke.crossed import Seen
from caffelint.smoke.session import Session
from caffelint.smoke.verdict import verdict

_SOLVER = """net: "net.prototxt" base_lr: 0.05 lr_policy: "fixed" max_iter: 1000 type: "Adam"
test_iter: 8 test_interval: 100
"""
_DATA = """layer { name: "data" type: "HDF5Data" top: "data" top: "label" include { phase: %s }
  hdf5_data_param { source: "%s.txt" batch_size: 40 } }
"""
_NET = (
    _DATA % ("TRAIN", "train")
    + _DATA % ("TEST", "test")
    + """layer { name: "embed" type: "Embed" bottom: "data" top: "embed"
  embed_param { input_dim: 121 num_output: 8 bias_term: false weight_filler { type: "uniform" min: -0.1 max: 0.1 } } }
layer { name: "out" type: "InnerProduct" bottom: "embed" top: "out"
  inner_product_param { num_output: 4 weight_filler { type: "xavier" } } }
layer { name: "loss" type: "SoftmaxWithLoss" bottom: "out" bottom: "label" top: "loss" }
"""
)


def words(count: int, seed: int, vocabulary: int = 0) -> tuple[Any, Any]:
    """Numbers of words, half of which only one topic has."""
    drawn = np.random.RandomState(seed)
    labels = drawn.randint(0, 4, count)
    own = labels[:, None] * 20 + drawn.randint(0, 20, (count, 12))
    numbers = np.where(drawn.rand(count, 12) < 0.5, own, drawn.randint(80, 120, (count, 12)))
    return np.random.RandomState(vocabulary).permutation(120)[numbers] + 1, labels


def table(count: int, seed: int, columns: int = 0) -> tuple[Any, Any]:
    drawn = np.random.RandomState(seed)
    labels = drawn.randint(0, 4, count)
    rows = 3 * np.random.RandomState(9).randn(4, 10)[labels] + drawn.randn(count, 10)
    return rows[:, np.random.RandomState(columns).permutation(10) if columns else slice(None)], labels


def seen(data: Any, labels: Any) -> Any:
    one: Any = Seen()  # type: ignore[no-untyped-call]
    one.add(data, labels)
    return one


def told(train: tuple[Any, Any], test: tuple[Any, Any]) -> dict[str, Any]:
    found: dict[str, Any] = coded(seen(*train), seen(*test))  # type: ignore[no-untyped-call]
    return found


def test_words_of_two_vocabularies() -> None:
    found = told(words(500, 1), words(300, 2, vocabulary=5))
    assert found["how"] == "ids"
    assert min(found["own"], found["with_it"]) > 0.9 > 0.5 > found["agree"]


def test_columns_in_another_order() -> None:
    found = told(table(500, 1), table(300, 2, columns=8))
    assert found["how"] == "coded"


def test_labels_that_are_numbered_otherwise() -> None:
    data, labels = words(300, 2)
    found = told(words(500, 1), (data, (labels + 1) % 4))
    assert found["how"] == "numbered"
    assert found["labels"] == [[0, 3], [1, 0], [2, 1], [3, 2]]


def test_nothing_is_told_of_others() -> None:
    data, labels = words(300, 2)
    assert told(words(500, 1), (data, labels)) == {}
    assert told(table(500, 1), table(300, 2)) == {}
    # Nothing can be told within TEST.
    assert told(words(500, 1), (data, np.random.RandomState(4).permutation(labels))) == {}
    assert told(words(500, 1), words(80, 2, vocabulary=5)) == {}


@pytest.mark.parametrize(("engine", "vocabulary"), [("caffe", 5), ("torch", 5), ("caffe", 0)])
def test_the_run_says_that_it_is_coded_differently(
    engine: str, vocabulary: int, in_engine: Callable[..., Session], tmp_path: Path
) -> None:
    h5py = pytest.importorskip("h5py")
    for name, (data, labels) in {"train": words(800, 1), "test": words(320, 2, vocabulary)}.items():
        with h5py.File(tmp_path / f"{name}.h5", "w") as file:
            file["data"], file["label"] = data.astype(np.float32), labels.astype(np.float32)
        (tmp_path / f"{name}.txt").write_text(f"{name}.h5\n")
    session = in_engine(write(tmp_path, _NET, _SOLVER), engine)
    assert session.run is not None
    said = verdict(session.run, session.report.findings)
    assert ("these are numbered otherwise in the two" in said) is bool(vocabulary)
    assert said.startswith("it trains, but tests badly: " if vocabulary else "it trains: ")
