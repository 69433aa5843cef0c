"""What a check tells only by the shapes of the data: a run that learns nothing asks it again with those it has seen."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from project_files import SOLVER, write

from caffelint.cli.main import main

NET = """
layer { name: "data" type: "HDF5Data" top: "data" top: "label" hdf5_data_param { source: "train.txt" batch_size: 16 } }
layer { name: "score" type: "Convolution" bottom: "data" top: "score"
  convolution_param { num_output: 6 kernel_size: 1 weight_filler { type: "xavier" } } }
layer { name: "rows" type: "Reshape" bottom: "score" top: "rows" reshape_param { shape { %s } } }
layer { name: "loss" type: "SoftmaxWithLoss" bottom: "rows" bottom: "label" top: "loss" softmax_param { axis: 2 } }
"""
WRONG, RIGHT = "dim: 0 dim: -1 dim: 3", "dim: 0 dim: 2 dim: 3 dim: -1"


@pytest.mark.parametrize("dims", [WRONG, RIGHT])
def test_classes_made_of_places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any, dims: str) -> None:
    pytest.importorskip("torch")
    h5py, np = pytest.importorskip("h5py"), pytest.importorskip("numpy")
    monkeypatch.chdir(tmp_path)
    random = np.random.RandomState(1)
    labels = random.randint(0, 3, (160, 2, 4, 4))
    hot = np.concatenate([labels[:, box, None] == np.arange(3)[:, None, None] for box in (0, 1)], axis=1)
    with h5py.File("train.h5", "w") as file:
        file["data"] = (hot + 0.1 * random.randn(*hot.shape)).astype("f")
        file["label"] = labels.astype("f")
    Path("train.txt").write_text("train.h5\n")
    solver = write(tmp_path, NET % dims, SOLVER.replace("base_lr: 0.01", "base_lr: 1").replace("test_i", "#test_i"))
    main(["smoke", solver.name, "--engine", "torch", "--iterations", "40", "--format", "json"])
    verdict = json.loads(capsys.readouterr().out)["smoke"]["verdict"]
    assert ("with the fix of classes-made-of-places it learns" in verdict) == (dims == WRONG), verdict
    assert ('the 3 classes of SoftmaxWithLoss "loss" are places of the map' in verdict) == (dims == WRONG)
