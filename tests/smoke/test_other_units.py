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


POWER = """layer { name: "scale" type: "Power" bottom: "data" top: "unit" power_param { scale: %s }
  include { phase: %s } }
"""
IN_TESTING = NET.replace('bottom: "data"', 'bottom: "unit"')
IN_TESTING = IN_TESTING.replace(
    'layer { name: "fc"', f'{POWER % (1, "TRAIN")}{POWER % (255, "TEST")}layer {{ name: "fc"'
)


@pytest.mark.parametrize(
    ("net", "scale", "shift", "said"),
    [
        (NET, 255, 0, 'values of "test.txt" in "data" spread by'),
        (NET, 1, 300, 'values of "test.txt" in "data" are around 300'),
        (IN_TESTING, 1, 0, "scale is 255 in testing but 1 in training"),
        (NET, 1, 0, ""),
    ],
)
def test_the_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any, net: str, scale: float, shift: float, said: str
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
    solver = write(tmp_path, net, SOLVER)
    main(["smoke", solver.name, "--engine", "torch", "--iterations", "30", "--format", "json"])
    verdict = json.loads(capsys.readouterr().out)["smoke"]["verdict"]
    assert said in verdict
    assert ("tests badly" in verdict) == bool(said)
