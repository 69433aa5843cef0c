"""Two layers of one name: an error where Caffe's copy of their parameters ends, a warning where it may go on."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from caffelint import check_text

NET = """
layer { name: "data" type: "DummyData" top: "data" dummy_data_param { shape { dim: 2 dim: 5 } } }
layer { name: "fc" type: "InnerProduct" bottom: "data" top: "a" inner_product_param { num_output: 5 } }
layer { name: "fc" %s bottom: "a" top: "b" }
layer { name: "loss" type: "EuclideanLoss" bottom: "b" bottom: "b" top: "loss" }
"""
COPIES = (
    "import caffe, sys; path = sys.argv[1]; net = caffe.Net(path, caffe.TRAIN);"
    " caffe.Net(path, caffe.TEST).share_with(net)"
)


@pytest.mark.parametrize(
    ("second", "severity", "says"),
    [
        ('type: "InnerProduct" inner_product_param { num_output: 5 }', "warning", ""),
        ('type: "InnerProduct" inner_product_param { num_output: 6 }', "error", "shape mismatch"),
        ('type: "InnerProduct" inner_product_param { num_output: 5 bias_term: false }', "error", "Incompatible number"),
        ('type: "ReLU"', "error", "Incompatible number"),
    ],
)
def test_an_error_where_caffe_ends(caffe_python: Path, tmp_path: Path, second: str, severity: str, says: str) -> None:
    text = NET % second
    (finding,) = [finding for finding in check_text(text, kind="net").findings if finding.code == "G004"]
    assert finding.severity == severity
    assert says in finding.message
    path = tmp_path / "net.prototxt"
    path.write_text(text)
    done = subprocess.run([caffe_python, "-c", COPIES, path], capture_output=True, check=False, timeout=60)
    assert (done.returncode == 0) == (severity == "warning"), done.stderr
    assert says in done.stderr.decode()
