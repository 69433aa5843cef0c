"""How many channels scripts give nets, read from their text, and what pycaffe says of another number."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from caffelint.project.mentions import Channels
from caffelint.project.python_channels import channels

NET = 'layer { name: "data" type: "Input" top: "data" input_param { shape { dim: 10 dim: %d dim: 8 dim: 8 } } }'
CLASSIFIER = "import caffe\nnet = caffe.Classifier('d.prototxt', None%s)\n"
TRANSFORMER = (
    "import caffe\nnet = caffe.Net('d.prototxt', caffe.TEST)\n"
    "t = caffe.io.Transformer({'data': net.blobs['data'].data.shape})\nt.set_channel_swap('data', %s)\n"
)
OPEN = "net.predict([caffe.io.load_image('a.png'%s)])\n"
TOLD = {
    CLASSIFIER % ", channel_swap=(2, 1, 0)": Channels("d.prototxt", 2, "channel_swap", 3, ""),
    CLASSIFIER % ", channel_swap=[0]": Channels("d.prototxt", 2, "channel_swap", 1, ""),
    TRANSFORMER % "(2, 1, 0)": Channels("d.prototxt", 4, "channel_swap", 3, "data"),
    CLASSIFIER % "" + OPEN % "": Channels("d.prototxt", 3, "load_image", 3, ""),
    CLASSIFIER % "" + "image = caffe.io.load_image('a.png')\nnet.predict([image])\n": Channels(
        "d.prototxt", 4, "load_image", 3, ""
    ),
}
NOT_TOLD = (
    CLASSIFIER % ", channel_swap=order",
    CLASSIFIER % "" + OPEN % ", colour",
    CLASSIFIER % "" + OPEN % ", False",
    CLASSIFIER % "" + "net.predict([load_image('a.png')])\n",
    "if grey:\n    " + (CLASSIFIER % ", channel_swap=[0]").replace("\n", "\n    "),
    TRANSFORMER.replace("t = ", "net.blobs['data'].reshape(1, 3, 8, 8)\nt = ") % "(2, 1, 0)",
    TRANSFORMER.replace("net.blobs['data'].data.shape", "(1, 3, 8, 8)") % "(2, 1, 0)",
)


@pytest.mark.parametrize("text", TOLD)
def test_is_told(text: str) -> None:
    assert channels(text) == (TOLD[text],)


@pytest.mark.parametrize("text", NOT_TOLD)
def test_is_not_told(text: str) -> None:
    assert channels(text) == ()


@pytest.mark.parametrize("text", TOLD)
@pytest.mark.parametrize("number", [1, 3])
def test_as_pycaffe(text: str, number: int, caffe_python: Path, tmp_path: Path) -> None:
    (tmp_path / "d.prototxt").write_text(NET % number)
    # What load_image takes of skimage, for a picture that is not on disk.
    skimage = "img_as_float=np.asarray, io=SimpleNamespace(imread=lambda *_, **__: np.zeros((8, 8, 3)))"
    head = (
        f"import numpy as np, caffe\nfrom types import SimpleNamespace\ncaffe.io.skimage = SimpleNamespace({skimage})\n"
    )
    (tmp_path / "a.py").write_text(head + text)
    done = subprocess.run([caffe_python, "a.py"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode == 0) == (TOLD[text].number == number), done.stderr
