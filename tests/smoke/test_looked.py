"""What lies in the data is looked at while a run goes on."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from project_files import SOLVER, write

from caffelint.cli.main import main

NET = """
layer { name: "data" type: "HDF5Data" top: "data" top: "label" hdf5_data_param { source: "files.txt" batch_size: 4 } }
layer { name: "fc" type: "InnerProduct" bottom: "data" top: "fc"
  inner_product_param { num_output: 3 weight_filler { type: "xavier" } } }
layer { name: "loss" type: "SoftmaxWithLoss" bottom: "fc" bottom: "label" top: "loss" }
"""


@pytest.fixture
def verdict(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> Any:
    pytest.importorskip("torch")
    h5py, np = pytest.importorskip("h5py"), pytest.importorskip("numpy")
    monkeypatch.chdir(tmp_path)

    def run(labels: Any, net: str = NET, *arguments: str) -> str:
        values = np.random.default_rng(1).random((len(labels), 3, 8, 8))
        with h5py.File("data.h5", "w") as file:
            file["data"], file["label"] = values.astype("f"), np.array(labels, "f")
        Path("files.txt").write_text("data.h5\n")
        solver = write(tmp_path, net, SOLVER.replace("test_iter: 3\ntest_interval: 1\n", ""))
        main(["smoke", solver.name, "--engine", "torch", "--iterations", "8", "--format", "json", *arguments])
        return str(json.loads(capsys.readouterr().out)["smoke"]["verdict"])

    return run


def test_records_that_were_not_read_yet(verdict: Any) -> None:
    """Ten of its batches are read, and the label is in a later one."""
    said = verdict([0, 1, 2, 1] * 20 + [7, 0, 1, 2])
    assert said.startswith("it learns from wrong labels: ")
    assert '7 (once, in "row 80 of data.h5")' in said


def test_one_class_at_a_time(verdict: Any) -> None:
    said = verdict([0] * 32 + [1] * 32 + [2] * 32)
    assert "sorted" in said, said
    assert "sorted" not in verdict([0, 1, 2] * 32)


def test_a_part_of_the_labels_is_no_label(verdict: Any) -> None:
    """The second column is a target of its own, and no class."""
    net = NET.replace('bottom: "label"', 'bottom: "class"')
    net += 'layer { name: "cut" type: "Slice" bottom: "label" top: "class" top: "rest" slice_param { axis: 1 } }\n'
    layers = net.strip().split("\nlayer ")
    net = "\nlayer ".join([*layers[:1], layers[-1], *layers[1:-1]])
    assert "wrong labels" not in verdict([[0, 9.5], [1, 8.5], [2, 7.5], [1, 6.5]] * 8, net)


def test_nothing_is_read_for_synthetic_data(verdict: Any) -> None:
    assert "wrong labels" not in verdict([7] * 16, NET, "--data", "synthetic")


def test_a_class_that_does_not_occur(verdict: Any) -> None:
    """Many have a score to spare after the last, and none within."""
    told = "class 1 does not occur in"
    assert told in verdict([0, 2] * 16)
    assert "does not occur" not in verdict([0, 1] * 16)
    assert told not in verdict([0, 1, 2, 1] * 8)


def test_labels_that_are_fewer_than_images(verdict: Any, tmp_path: Path) -> None:
    """The second layer begins anew before the first one does."""
    import h5py
    import numpy as np

    with h5py.File("other.h5", "w") as file:
        file["class"] = np.array([0, 1, 2, 1] * 7, "f")
    Path("other.txt").write_text("other.h5\n")
    net = NET.replace('"loss" type: "SoftmaxWithLoss" bottom: "fc" bottom: "label"', '"loss" type: "SoftmaxWithLoss"')
    net = net.replace('top: "loss" }', 'bottom: "fc" bottom: "class" top: "loss" }')
    net = (
        'layer { name: "more" type: "HDF5Data" top: "class" hdf5_data_param { source: "other.txt" batch_size: 4 } }'
        + net
    )
    said = verdict([0, 1, 2, 1] * 8, net)
    assert re.match("it learns from wrong data: .* has 28 records", said), said
