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


@pytest.mark.parametrize(
    ("layers", "title"),
    [
        (
            'layer { name: "up" type: "Deconvolution" bottom: "x" top: "up" }'
            'layer { name: "up" type: "Dropout" bottom: "up" top: "up" }',
            'set name: "drop_up"',
        ),
        (
            'layer { name: "up1" type: "Deconvolution" bottom: "x" top: "up1" }'
            'layer { name: "up1-dropout" type: "Dropout" bottom: "up1" top: "up1" }'
            'layer { name: "up2" type: "Deconvolution" bottom: "up1" top: "up2" }'
            'layer { name: "up2" type: "Dropout" bottom: "up2" top: "up2" }',
            'set name: "up2-dropout"',
        ),
        (
            'layer { name: "conv1" type: "Convolution" bottom: "x" top: "conv1" }'
            'layer { name: "relu1" type: "ReLU" bottom: "conv1" top: "conv1" }'
            'layer { name: "conv2" type: "Convolution" bottom: "conv1" top: "conv2" }'
            'layer { name: "conv2" type: "ReLU" bottom: "conv2" top: "conv2" }',
            'set name: "relu2"',
        ),
        (
            'layer { name: "conv3" type: "Convolution" bottom: "x" top: "conv3" }'
            'layer { name: "conv3_bn" type: "BatchNorm" bottom: "conv3" top: "conv3_bn" }'
            'layer { name: "conv4" type: "Convolution" bottom: "conv3_bn" top: "conv4" }'
            'layer { name: "conv4" type: "BatchNorm" bottom: "conv4" top: "conv4_bn" }',
            'set name: "conv4_bn"',
        ),
        (
            'layer { name: "Convolution3_1" type: "Convolution" bottom: "x" top: "flow" }'
            'layer { name: "Convolution3_1" type: "Convolution" bottom: "x" top: "concat4_1" }',
            'set name: "Convolution3_2"',
        ),
        (
            'layer { name: "up" type: "Dropout" bottom: "x" top: "y" }'
            'layer { name: "up" type: "Deconvolution" bottom: "y" top: "up" }',
            'set name: "drop_up"',
        ),
    ],
)
def test_the_new_name_is_like_those_of_other_layers(layers: str, title: str) -> None:
    text = 'layer { name: "x" type: "Input" top: "x" }' + layers
    (finding,) = [finding for finding in check_text(text, kind="net").findings if finding.code == "G004"]
    assert [fix.title for fix in finding.fixes] == [title]


@pytest.mark.parametrize(
    ("first", "second", "severity"),
    [
        # Only the net for testing has the measure, and weights go to the first of a name there.
        ("InnerProduct", "Accuracy", "info"),
        ("Accuracy", "InnerProduct", "error"),
    ],
)
def test_a_measure_of_the_name_of_what_it_judges(first: str, second: str, severity: str) -> None:
    """As in multi/lenet_multi_label.prototxt of hedilong/Caffe_Multi_Label, which Caffe trains, tests and loads."""
    layers = {
        "InnerProduct": 'layer { name: "two" type: "InnerProduct" bottom: "data" top: "two"'
        " inner_product_param { num_output: 3 } }\n",
        "Accuracy": 'layer { name: "two" type: "Accuracy" bottom: "data" bottom: "label" top: "a"'
        " include { phase: TEST } }\n",
    }
    text = 'layer { name: "data" type: "Data" top: "data" top: "label" }\n' + layers[first] + layers[second]
    text += 'layer { name: "loss" type: "SoftmaxWithLoss" bottom: "two" bottom: "label" top: "loss" }\n'
    (finding,) = [finding for finding in check_text(text, kind="net").findings if finding.code == "G004"]
    assert finding.severity == severity
