"""A test on values of another size or mean than those of training: the data tell why the net tests badly."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from project_files import SOLVER, write

from caffelint.cli.main import main

NET = """
layer { name: "data" type: "HDF5Data" top: "data" top: "label" include { phase: TRAIN }
  hdf5_data_param { source: "train.txt" batch_size: 8 } }
layer { name: "data" type: "HDF5Data" top: "data" top: "label" include { phase: TEST }
  hdf5_data_param { source: "test.txt" batch_size: 8 } }
layer { name: "fc" type: "InnerProduct" bottom: "data" top: "fc"
  inner_product_param { num_output: 3 weight_filler { type: "xavier" } } }
layer { name: "loss" type: "SoftmaxWithLoss" bottom: "fc" bottom: "label" top: "loss" }
"""


@pytest.mark.parametrize(
    ("scale", "shift", "said"),
    [(255, 0, "spread by"), (1, 300, "are around 300"), (1, 0, "")],
)
def test_told_by_the_data(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any, scale: float, shift: float, said: str
) -> None:
    pytest.importorskip("torch")
    h5py, np = pytest.importorskip("h5py"), pytest.importorskip("numpy")
    monkeypatch.chdir(tmp_path)
    generator = np.random.default_rng(1)
    for name, times, more in (("train", 1, 0), ("test", scale, shift)):
        labels = np.arange(48) % 3
        values = np.eye(3)[labels] + 0.2 * generator.random((48, 3))
        with h5py.File(f"{name}.h5", "w") as file:
            file["data"], file["label"] = (values * times + more).astype("f"), labels.astype("f")
        Path(f"{name}.txt").write_text(f"{name}.h5\n")
    solver = write(tmp_path, NET, SOLVER)
    main(["smoke", solver.name, "--engine", "torch", "--iterations", "30", "--format", "json"])
    verdict = json.loads(capsys.readouterr().out)["smoke"]["verdict"]
    assert ("tested-in-other-units" in verdict) == bool(said)
    assert f'values of "test.txt" in "data" {said}' in verdict or not said
