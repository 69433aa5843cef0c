"""What a script beside a net no longer makes is not in the net that it writes next."""

from __future__ import annotations

from pathlib import Path

import pytest
from weighing import found, write

FC = "inner_product_param { num_output: %d\n"
FILLED = 'weight_filler { type: "xavier" } } }\n'
RECTIFIED = (
    'name: "net"\n'
    'layer {\n name: "d"\n type: "Data" top: "data" top: "label" }\n'
    f'layer {{\n name: "ip"\n type: "InnerProduct" bottom: "data" top: "ip" {FC % 3}{FILLED}'
    'layer {\n name: "%(name)s"\n type: "ReLU" bottom: "ip" top: "ip" }\n'
    'layer {\n name: "loss"\n type: "SoftmaxWithLoss" bottom: "ip" bottom: "label" top: "loss" }\n'
)
WRITES = "\nopen('net.prototxt', 'w').write(n)\n"
LEFT = "n.d = Data()\nn.loss = Loss(n.ip)"


@pytest.mark.parametrize(
    ("script", "severity"),
    [
        (LEFT + WRITES, "info"),
        (f"import os, caffe\nfrom caffe import layers as L\n{LEFT}{WRITES}", "info"),
        ("n.d = Data()\nn.ip = IP()\nn.relu = ReLU()\nn.loss = Loss()" + WRITES, "warning"),
        (LEFT + "\nopen('other.prototxt', 'w').write(n)\n", "warning"),
        (f"{LEFT}\nn['relu%s' % '']\nn.ip = IP(){WRITES}", "warning"),
        (f"{LEFT}\nn.ip = IP()\nn[first + 'lu'] = A(){WRITES}", "warning"),
        (f"{LEFT}\nfrom blocks import more\nmore(n){WRITES}", "warning"),  # it may make the layer
        (f"{LEFT}\nfrom .blocks import more\nmore(n){WRITES}", "warning"),
        (f"from pylab import *\n{LEFT}\nplot('r'){WRITES}", "info"),
        (f"{LEFT}\nfrom caffe.model_libs import *\nVGG(n){WRITES}", "warning"),
        ("n.ip = IP()" + WRITES, "warning"),  # it lacks the names of most layers
    ],
)
def test_a_script_writes_another_net_by_now(project: Path, script: str, severity: str) -> None:
    write({"net.prototxt": RECTIFIED % {"name": "relu"}, "make.py": script})
    assert found("rectified-scores")["net.prototxt"].severity == severity


@pytest.mark.parametrize(
    ("name", "severity"), [("relu", "info"), ("relu2", "info"), ("a/b", "warning"), ("7", "warning")]
)
def test_a_name_that_may_be_put_together(project: Path, name: str, severity: str) -> None:
    write({"net.prototxt": RECTIFIED % {"name": name}, "make.py": LEFT + WRITES})
    assert found("rectified-scores")["net.prototxt"].severity == severity


@pytest.mark.parametrize("made", ["n['c' + str(i)]", "n['c%d' % i]", "n[f'c{i}']"])
def test_a_letter_and_a_number(project: Path, made: str) -> None:
    write({"net.prototxt": RECTIFIED % {"name": "c3"}, "make.py": f"{LEFT}\n{made} = L.ReLU(n.ip){WRITES}"})
    assert found("rectified-scores")["net.prototxt"].severity == "warning"


def test_names_that_caffe_gives(project: Path) -> None:
    """net_spec.py, Function._get_name: `ReLU1` of a layer that a script does not name."""
    write({"net.prototxt": RECTIFIED % {"name": "ReLU1"}, "make.py": f"{LEFT}\nx = L.ReLU(n.ip){WRITES}"})
    assert found("rectified-scores")["net.prototxt"].severity == "warning"


TWO_COUNTS = (
    'layer {\n name: "d"\n type: "Data" top: "data" top: "label" }\n'
    'layer {\n name: "gone"\n type: "Power" bottom: "data" top: "gone" }\n'
    f'layer {{\n name: "fc"\n type: "InnerProduct" bottom: "data" top: "fc" {FC % 5}{FILLED}'
    f'layer {{\n name: "head"\n type: "InnerProduct" bottom: "gone" top: "head" {FC % 7}{FILLED}'
    'layer {\n name: "loss"\n type: "SoftmaxWithLoss" bottom: "fc" bottom: "label" top: "loss" }\n'
    'layer {\n name: "loss2"\n type: "SoftmaxWithLoss" bottom: "head" bottom: "label" top: "loss2" }\n'
)


@pytest.mark.parametrize(("left", "severity"), [("head", "warning"), ("gone", "info")])
def test_the_name_of_the_layer_before_tells_nothing(project: Path, left: str, severity: str) -> None:
    script = f"n.d = D()\nn.fc = I()\nn.loss = S()\nn.loss2 = S()\nn.{left} = X(){WRITES}"
    write({"net.prototxt": TWO_COUNTS, "make.py": script})
    assert found("class-count-mismatch")["net.prototxt"].severity == severity


def test_the_names_of_params_are_of_no_layer(project: Path) -> None:
    net = (RECTIFIED % {"name": "relu"}).replace(' type: "ReLU"', ' param {\n name: "shared"\n }\n type: "ReLU"')
    write({"net.prototxt": net, "make.py": f"n.ip = I()\nn.relu = R()\n{LEFT}{WRITES}"})
    assert found("rectified-scores")["net.prototxt"].severity == "warning"
