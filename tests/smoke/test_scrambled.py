"""Images that were reshaped where they had to be transposed: the data tell why the net tests badly."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from project_files import SOLVER, write

from caffelint.cli.main import main

NET = """
layer { name: "data" type: "HDF5Data" top: "data" top: "label" include { phase: TRAIN }
  hdf5_data_param { source: "train.txt" batch_size: 16 } }
layer { name: "data" type: "HDF5Data" top: "data" top: "label" include { phase: TEST }
  hdf5_data_param { source: "test.txt" batch_size: 16 } }
layer { name: "fc" type: "InnerProduct" bottom: "data" top: "fc"
  inner_product_param { num_output: 2 weight_filler { type: "xavier" } } }
layer { name: "loss" type: "SoftmaxWithLoss" bottom: "fc" bottom: "label" top: "loss" }
"""


@pytest.mark.parametrize("phase", ["train", "test", ""])
def test_the_reason(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any, phase: str) -> None:
    pytest.importorskip("torch")
    h5py, np = pytest.importorskip("h5py"), pytest.importorskip("numpy")
    monkeypatch.chdir(tmp_path)
    random = np.random.RandomState(1)
    y, x, colour = np.mgrid[:12, :12, :3]
    for name in ("train", "test"):
        labels = np.arange(48) % 2
        waves = np.sin(np.where(labels[:, None, None, None], y, x) / 3 + 6 * random.rand(48, 1, 1, 1)) + colour
        images = waves + 0.1 * random.randn(*waves.shape)
        with h5py.File(f"{name}.h5", "w") as file:
            file["data"] = (images.reshape(48, 3, 12, 12) if name == phase else images.transpose(0, 3, 1, 2)).astype(
                "f"
            )
            file["label"] = labels.astype("f")
        Path(f"{name}.txt").write_text(f"{name}.h5\n")
    solver = write(tmp_path, NET, SOLVER)
    main(["smoke", solver.name, "--engine", "torch", "--iterations", "30", "--format", "json"])
    verdict = json.loads(capsys.readouterr().out)["smoke"]["verdict"]
    assert verdict.startswith("its images are scrambled: ") == bool(phase)
    assert (f'images of "{phase}.txt" are 3x12x12 by their shape' in verdict) == bool(phase)
