"""Real data goes the same way through both engines: an LMDB, HDF5 files and a list of images, all in one net."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from project_files import SOLVER, write

from caffelint.cli.main import main
from caffelint.lint.config import Config
from caffelint.schema import Datum
from caffelint.smoke.events import Loaded
from caffelint.smoke.prepare import Wishes
from caffelint.smoke.session import Choice, Request, Session, Watcher
from caffelint.smoke.train import smoke

NET = """
layer { name: "records" type: "Data" top: "records" top: "label"
  transform_param { scale: 0.01 mean_value: 100 mean_value: 110 mean_value: 120 }
  data_param { source: "db" backend: LMDB batch_size: 4 } }
layer { name: "images" type: "ImageData" top: "images" top: "other"
  transform_param { scale: 0.01 }
  image_data_param { source: "list.txt" root_folder: "pictures/" batch_size: 4 new_height: 12 new_width: 12 } }
layer { name: "numbers" type: "HDF5Data" top: "numbers" hdf5_data_param { source: "files.txt" batch_size: 4 } }
layer { name: "all" type: "Concat" bottom: "records" bottom: "images" bottom: "numbers" top: "all" }
layer { name: "fc" type: "InnerProduct" bottom: "all" top: "fc"
  inner_product_param { num_output: 3 weight_filler { type: "constant" } } }
layer { name: "silence" type: "Silence" bottom: "other" }
layer { name: "loss" type: "SoftmaxWithLoss" bottom: "fc" bottom: "label" top: "loss" }
"""


def make_data(folder: Path) -> None:
    lmdb, h5py, image = (pytest.importorskip(name) for name in ("lmdb", "h5py", "PIL.Image"))
    random = np.random.RandomState(1)
    with lmdb.open(str(folder / "db"), map_size=1 << 22) as database, database.begin(write=True) as at:
        for number in range(6):
            values = random.randint(0, 256, (3, 12, 12)).astype(np.uint8)
            datum = Datum(channels=3, height=12, width=12, label=number % 3, data=values.tobytes())
            at.put(b"%08d" % number, datum.SerializeToString())
    (folder / "pictures").mkdir()
    for number in range(5):
        pixels = random.randint(0, 256, (12, 12, 3)).astype(np.uint8)
        image.fromarray(pixels).save(folder / "pictures" / f"{number}.png")
    (folder / "list.txt").write_text("".join(f"{number}.png {number % 3}\n" for number in range(5)))
    with h5py.File(folder / "numbers.h5", "w") as file:
        file["numbers"] = random.randn(7, 2, 12, 12).astype(np.float32)
    (folder / "files.txt").write_text("numbers.h5\n")


def test_both_engines_read_the_same(
    tmp_path: Path, in_caffe: Callable[..., Session], monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("torch")
    make_data(tmp_path)
    solver = write(tmp_path, NET, SOLVER.replace("test_iter: 3\ntest_interval: 1\n", ""))
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    monkeypatch.chdir(tmp_path)
    config = Config()
    config.cache = False
    config.jobs = 1
    wishes: Any = {"iterations": 4, "data": "real", "statistics_every": 1, "timeout": 60.0}
    runs = [
        in_caffe(solver, **wishes).run,
        smoke(Request(solver.name, config, Wishes(**wishes), Choice("torch"), True), Watcher()).run,
    ]
    for run in runs:
        assert run is not None
        assert run.first(Loaded) is not None
        assert len(run.iterations) == 4
        assert not run.synthetic
    caffe, torch = runs
    assert caffe is not None
    assert torch is not None
    for layer, name in (("records", "records"), ("images", "images"), ("numbers", "numbers"), ("records", "label")):
        for at in range(-1, 4):
            found = [run.statistics(at, layer, "blob", name, "data") for run in (caffe, torch)]
            for field in ("min", "max", "mean", "std"):
                values = [getattr(statistics, field) for statistics in found]
                assert values[0] == pytest.approx(values[1], rel=1e-4, abs=1e-5), (name, at, field)
    assert {path: path.read_bytes() for path in before} == before


@pytest.mark.parametrize("engine", ["caffe", "torch", "torch --gradcheck fc", "torch --compare torch,torch:cpu"])
def test_labels_from_1_are_reported_alike(
    tmp_path: Path, caffe_python: Path, capsys: Any, monkeypatch: pytest.MonkeyPatch, engine: str
) -> None:
    pytest.importorskip("torch")
    h5py = pytest.importorskip("h5py")
    monkeypatch.chdir(tmp_path)
    with h5py.File("data.h5", "w") as file:
        file["data"], file["label"] = np.ones((9, 3, 8, 8), "f"), np.arange(9, dtype="f") % 3 + 1
    Path("files.txt").write_text("data.h5\n")
    net = """
layer { name: "data" type: "HDF5Data" top: "data" top: "label" hdf5_data_param { source: "files.txt" batch_size: 9 } }
layer { name: "fc" type: "InnerProduct" bottom: "data" top: "fc"
  inner_product_param { num_output: 3 weight_filler { type: "xavier" } } }
layer { name: "accuracy" type: "Accuracy" bottom: "fc" bottom: "label" top: "accuracy" }
layer { name: "loss" type: "SoftmaxWithLoss" bottom: "fc" bottom: "label" top: "loss" }
"""
    solver = write(tmp_path, net, SOLVER.replace("test_iter: 3\ntest_interval: 1\n", ""))
    name, *more = engine.split()
    arguments = ["--engine", name, "--iterations", "2", "--format", "concise", *more]
    if name == "caffe":
        arguments += ["--caffe-python", str(caffe_python)]
    assert main(["smoke", solver.name, *arguments]) == 1
    lines = [line for line in capsys.readouterr().out.splitlines() if ": error: " in line]
    assert len(lines) == 1
    assert lines[0].startswith("net.prototxt:6:")
    assert 'SoftmaxWithLoss "loss": labels are 1 to 3, but its 3 classes are 0 to 2' in lines[0]


def test_how_much_of_the_data_was_seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    """A batch of 4 of the 6 records that the first source holds."""
    make_data(tmp_path)
    monkeypatch.chdir(tmp_path)
    solver = write(tmp_path, NET, SOLVER.replace("test_iter: 3\n", ""))
    main(["smoke", str(solver), "--engine", "torch", "--iterations", "1", "--diagnose", "off", "--format", "json"])
    told = json.loads(capsys.readouterr().out)["smoke"]
    assert (told["seen"], told["made_up"]) == (4 / 6, [])
