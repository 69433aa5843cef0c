"""Of which nets a script says that it fills them."""

from __future__ import annotations

from pathlib import Path

import pytest

import caffelint

NET = (
    "layer { name: 'data' type: 'HDF5Data' top: 'data' hdf5_data_param { source: 'train.txt' batch_size: 1 } }"
    " layer { name: 'fc' type: 'InnerProduct' bottom: 'data' top: 'fc' inner_product_param { num_output: 8 } }"
    " layer { name: 'loss' type: 'EuclideanLoss' bottom: 'fc' bottom: 'data' }"
)
SCRIPT = "import caffe\nnet = caffe.Net('%s', 'a', caffe.TEST)\nnet.blobs['data'].data[...] = image\nnet.forward()\n"


@pytest.mark.parametrize(
    ("name", "path", "told"),
    [
        ("resnet34", "nets/resnet34.prototxt", True),
        ("resnet34", "/home/b/data/resnet34.prototxt", True),  # of another machine
        ("resnet34", "other/resnet34.prototxt", False),
        ("deploy", "/home/b/bvlc_reference/deploy.prototxt", False),  # many models have one
        ("resnet34", "/home/b/data/resnet50.prototxt", False),
    ],
)
def test_a_net_that_is_trained_and_written_with_single_quotes(tmp_path: Path, name: str, path: str, told: bool) -> None:
    (tmp_path / "nets").mkdir()
    (tmp_path / "README.md").touch()
    (tmp_path / ".gitignore").touch()
    (tmp_path / "nets" / f"{name}.prototxt").write_text(NET)
    solver = f'net: "{name}.prototxt" base_lr: 0.01 lr_policy: "fixed" max_iter: 5'
    (tmp_path / "nets" / "solver.prototxt").write_text(solver)
    (tmp_path / "a.py").write_text(SCRIPT % path)
    found = [one for one in caffelint.check([str(tmp_path)]).findings if one.name == "script-fills-no-input"]
    assert bool(found) == told
