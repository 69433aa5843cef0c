"""How long a run is that is not told: until momentum has added up, and until all records were read, if that is soon."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from project_files import write

from caffelint.cli.main import main

h5py = pytest.importorskip("h5py")
pytest.importorskip("torch")
BATCH = 8
NET = """layer { name: "data" type: "HDF5Data" top: "data" top: "label"
  hdf5_data_param { source: "train.txt" batch_size: %d } }
layer { name: "fc" type: "InnerProduct" bottom: "data" top: "fc"
  inner_product_param { num_output: %d weight_filler { type: "xavier" } } }
layer { name: "loss" type: "SoftmaxWithLoss" bottom: "fc" bottom: "label" top: "loss" }
"""
SOLVER = 'net: "net.prototxt"\nbase_lr: 0.001\nlr_policy: "fixed"\nmax_iter: 1000\nsolver_mode: CPU\n'


def data(folder: Path, records: int, files: int = 1) -> None:
    drawn = np.random.RandomState(1)
    for number in range(files):
        labels = np.arange(records // files) % 3
        with h5py.File(folder / f"{number}.h5", "w") as file:
            file["data"] = (drawn.randn(len(labels), 6) + labels[:, None]).astype(np.float32)
            file["label"] = labels.astype(np.float32)
    (folder / "train.txt").write_text("".join(f"{number}.h5\n" for number in range(files)))


@pytest.mark.parametrize(
    ("records", "solver", "options", "iterations"),
    [
        (200, "", [], 50),
        (800, "", [], 100),
        (800, "iter_size: 2", [], 50),
        (800, "", ["--iterations", "20"], 20),
        (8000, "", [], 50),
        (200, "momentum: 0.97", [], 50),
        (200, "momentum: 0.98", [], 75),
        (200, "momentum: 0.999", [], 150),
        (200, "momentum: 0.999", ["--iterations", "50"], 50),
        (200, 'type: "Adam" momentum: 0.99', [], 50),
        (200, "momentum: 1", ["--force"], 50),
    ],
)
def test_how_long(
    records: int,
    solver: str,
    options: list[str],
    iterations: int,
    tmp_path: Path,
    monkeypatch: Any,
    capsys: Any,
) -> None:
    data(tmp_path, records)
    write(tmp_path, NET % (BATCH, 3), f"{SOLVER}{solver}\n")
    monkeypatch.chdir(tmp_path)
    main(["smoke", "solver.prototxt", "--engine", "torch", "--diagnose", "off", *options])
    assert f"{iterations} iterations, every value finite" in " ".join(capsys.readouterr().out.split())


@pytest.mark.parametrize("more", ["momentum: 0.999", ""])
def test_no_run_goes_on_where_the_solver_ends(more: str, tmp_path: Path, monkeypatch: Any, capsys: Any) -> None:
    """Beyond max_iter, a rate by poly is nan."""
    data(tmp_path, 800)
    solver = SOLVER.replace('"fixed"', '"poly" power: 0.9').replace("1000", "60")
    write(tmp_path, NET % (BATCH, 3), f"{solver}{more}\n")
    monkeypatch.chdir(tmp_path)
    main(["smoke", "solver.prototxt", "--engine", "torch", "--diagnose", "off"])
    assert "60 iterations, every value finite" in " ".join(capsys.readouterr().out.split())


def test_all_files_of_a_list_are_counted(tmp_path: Path, monkeypatch: Any, capsys: Any) -> None:
    data(tmp_path, 900, files=3)
    write(tmp_path, NET % (BATCH, 3), SOLVER)
    monkeypatch.chdir(tmp_path)
    main(["smoke", "solver.prototxt", "--engine", "torch", "--iterations", "20"])
    assert "18% of the 900 records were seen" in " ".join(capsys.readouterr().out.split())
