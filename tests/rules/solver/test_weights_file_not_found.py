"""S214 says where Caffe looks for the files of `weights`: a real Caffe is asked."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import CaffeExec

import caffelint
from caffelint.lint import disk
from caffelint.lint.config import Config

NET = """
layer { name: "d" type: "DummyData" top: "d" dummy_data_param { shape { dim: 2 dim: 3 } } }
layer { name: "ip" type: "InnerProduct" bottom: "d" top: "ip" inner_product_param { num_output: 2 } }
layer {
  name: "h" type: "HDF5Data" top: "h" include { stage: "never" } hdf5_data_param { source: "list" batch_size: 1 }
}
"""
SOLVER = (
    'net: "n.prototxt" base_lr: 0.1 lr_policy: "fixed" max_iter: 0 snapshot_prefix: "s" snapshot_after_train: false'
    " solver_mode: CPU weights: %s"
)


@pytest.mark.parametrize(
    ("weights", "missing"),
    [('"w_iter_0.caffemodel"', 0), ('" w_iter_0.caffemodel , gone.caffemodel"', 1), ('"~/w_iter_0.caffemodel"', 1)],
)
def test_what_is_missing_for_the_real_caffe(
    weights: str, missing: int, caffe_exec: CaffeExec, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "n.prototxt").write_text(NET)
    (tmp_path / "list").write_text("")  # data of this machine: no git keeps it
    maker = SOLVER.replace("weights: %s", "").replace("false", "true").replace('"s"', '"w"')
    (tmp_path / "s.prototxt").write_text(maker)
    assert caffe_exec("caffe", "train", "--solver=s.prototxt").returncode == 0
    (tmp_path / "s.prototxt").write_text(SOLVER % weights)
    done = caffe_exec("caffe", "train", "--solver=s.prototxt")
    assert (done.returncode != 0) == bool(missing), done.stderr
    config = Config()
    config.cache, config.select = False, ["weights-file-not-found"]
    assert len(caffelint.check(["s.prototxt"], config).findings) == missing


def test_data_are_looked_for_once_however_many_files_are_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    data = [f'layer {{ name: "d{i}" type: "Data" top: "d{i}" data_param {{ source: "d{i}" }} }}' for i in range(20)]
    (tmp_path / "n.prototxt").write_text("\n".join(data))
    asked: list[str] = []
    exists = disk.exists
    monkeypatch.setattr(disk, "exists", lambda path: asked.append(path) or exists(path))
    config = Config()
    config.cache, config.select = False, ["weights-file-not-found"]
    counts = []
    for weights in (1, 100):
        named = "".join(f' weights: "w{i}.caffemodel"' for i in range(weights))
        (tmp_path / "s.prototxt").write_text(f'net: "n.prototxt" base_lr: 0.1{named}')
        asked.clear()
        caffelint.check(["s.prototxt"], config)
        counts.append(len(asked))
    assert counts[0] == counts[1] > 0
