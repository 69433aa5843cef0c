"""What scripts give the nets that they build."""

from __future__ import annotations

import pytest

from caffelint.project.python_supplied import supplied

BUILD = "import caffe\nnet = caffe.Net('m/d.prototxt', W, caffe.TEST)\n"
FILL = "net.blobs['data'].data[...] = x\n"
FILLED = [("m/d.prototxt", "blobs", ("data",), "TEST")]


@pytest.mark.parametrize(
    ("script", "found"),
    [
        (BUILD + FILL + "net.forward()", FILLED),
        (BUILD + FILL + "net.forward(end='fc')", FILLED),
        (BUILD + FILL + "net.forward(start='fc')", []),
        (BUILD + FILL + "net.forward(None, 'fc')", []),
        (BUILD + FILL + "net.forward(start='fc')\nnet.forward()", []),
        (BUILD + FILL + "net.forward(**given)", []),
        (BUILD + FILL + "net._forward(1, 5)\nread()\nnet.forward()", []),
        (BUILD + FILL + "net.forward_prefilled()\nnet.forward()", []),
        (BUILD + FILL + "run(1, of=net)\nnet.forward()", []),
        (BUILD + "show(net)\n" + FILL + "net.forward()", FILLED),
        (BUILD + "net.forward()\n" + FILL, []),
        (BUILD + "if wanted:\n    " + FILL + "net.forward()", []),
        (BUILD + "net.blobs['data'].reshape(1)\nnet.forward()", []),
        (BUILD + "net.blobs['data'].diff[...] = 1\nnet.forward()", []),
        (BUILD.replace(", caffe.TEST", "") + FILL + "net.forward()", [("m/d.prototxt", "blobs", ("data",), "")]),
        (
            BUILD.replace("caffe.TEST", "phase=0") + FILL + "net.forward()",
            [("m/d.prototxt", "blobs", ("data",), "TRAIN")],
        ),
        (BUILD.replace("caffe.TEST", "stages=s") + FILL + "net.forward()", []),
        (BUILD + "net = other\n" + FILL + "net.forward()", []),
        # A function has names of its own.
        (BUILD + "def f():\n    net = other\n    def g():\n        " + FILL + "        net.forward()", []),
        (BUILD + "def use(net):\n    " + FILL + "    net.forward()", []),
        (BUILD + "def use():\n    " + FILL + "    net.forward()", FILLED),
        (
            "def use():\n    net = caffe.Net('m/d.prototxt', 1)\n    return net\nnet = use()\n"
            + FILL
            + "net.forward()",
            [],
        ),
        ("def f():\n    global net\n    net = caffe.Net('m/d.prototxt', 1)\nnet = f()\n" + FILL + "net.forward()", []),
        (
            "class A:\n def __init__(self):\n  self.net = caffe.Net('m/d.prototxt', 1)\n"
            " def f(self):\n  self.net.blobs['a'].data[0] = 1\n  self.net.forward()",
            [("m/d.prototxt", "blobs", ("a",), "TEST")],
        ),
        ("P = 'm/d.prototxt'\ndef f():\n caffe.Classifier(P, W)", [("m/d.prototxt", "Classifier", (), "TEST")]),
        ("caffe.Detector(model_file='m/d.prototxt')", [("m/d.prototxt", "Detector", (), "TEST")]),
        ("def f(P):\n caffe.Classifier(P, W)", []),
        ("from caffe import Classifier\nClassifier('m/d.prototxt')", [("m/d.prototxt", "Classifier", (), "TEST")]),
        ("from caffe.detector import *\nDetector('m/d.prototxt')", [("m/d.prototxt", "Detector", (), "TEST")]),
        ("import caffe as c\nc.Classifier('m/d.prototxt')", [("m/d.prototxt", "Classifier", (), "TEST")]),
        # A class of that name may be any.
        ("class Classifier:\n pass\nClassifier('m/d.prototxt')", []),
        ("from caffe import *\nclass Classifier:\n pass\nClassifier('m/d.prototxt')", []),
        ("from tools import Classifier\nClassifier('m/d.prototxt')", []),
        ("from .caffe import Classifier\nClassifier('m/d.prototxt')", []),
        ("import tools\ntools.Classifier('m/d.prototxt')", []),
        ("net = tools.Net('m/d.prototxt')\nnet.forward(data=x)", []),
        (BUILD + "net.forward_all(blobs=['fc'], data=x)", [("m/d.prototxt", "forward_all", ("data",), "TEST")]),
        (BUILD + "net.forward(data=x, label=y)", [("m/d.prototxt", "forward", ("data", "label"), "TEST")]),
        (BUILD + "net.forward(data=x, **more)", []),
        (BUILD + "net.forward(", []),
    ],
)
def test_what_a_script_gives(script: str, found: list[tuple[str, str, tuple[str, ...], str]]) -> None:
    assert [(one.path, one.by, one.names, one.phase) for one in supplied(script)] == found
