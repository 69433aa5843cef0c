"""What scripts do to the images that they give a net, as io.py and classifier.py of pycaffe do it."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest
from cost import soon
from PIL import Image

from caffelint.project.python_feeds import fed

OPEN, OPEN_CV = "im = caffe.io.load_image(path)\n", "im = cv2.imread(path)\n"
TRANSFORMER = "t = caffe.io.Transformer({'data': (1, 3, 8, 8)})\n%sx = t.preprocess('data', im)\n"
CLASSIFIER = "net = caffe.Classifier('deploy.prototxt', 'a.caffemodel', %s)\nnet.predict([im])\n"


ONE = "net = caffe.Net(file)\n"
PUT = "net.blobs['data'].data[...] = %s\n"


@pytest.mark.parametrize(
    ("text", "factor"),
    [
        (OPEN_CV + PUT % "im", 1),
        (OPEN + PUT % "im.transpose((2, 0, 1))", 1 / 255),
        (OPEN_CV + "im = cv2.resize(im, (8, 8))\nx = np.array(im)[np.newaxis]\nprint(im)\n" + PUT % "x", 1),
        (PUT % "cv2.imread(path)", 1),
        (OPEN_CV + "net.blobs['data'].reshape(*im.shape)\n" + PUT % "im", 1),
        (f"def use(path, net):\n    {OPEN_CV}    {PUT % 'im'}net = caffe.Net(file)\n", 1),
        (f"{ONE}def use(path, net):\n    {OPEN_CV}    {PUT % 'im'}def use_array(im, net):\n    {PUT % 'im'}", None),
        (OPEN_CV + "t = caffe.io.Transformer({})\n" + PUT % "im", 1),
        # What is done to the values is followed.
        (OPEN_CV + PUT % "im / 255.0", 1 / 255),
        (OPEN_CV + "im = im - 120\n" + PUT % "im", 1),
        (OPEN_CV + "im: object = im / 255.0\n" + PUT % "im", 1 / 255),
        (OPEN_CV + PUT % "skimage.transform.resize(im, (8, 8))", 1 / 255),
        ("from skimage.transform import resize\n" + OPEN_CV + PUT % "resize(im, (8, 8))", 1 / 255),
        ("def load(p):\n    return cv2.imread(p) - 128\n" + PUT % "load(p)", 1),
        ("def load_image(p):\n    return cv2.imread(p) - 128\n" + PUT % "load_image(p)", 1),
        # Something is done to them that is not, or may be.
        (f"def use(path, net):\n    {OPEN_CV}    {PUT % 'im'}{ONE}{ONE}", None),
        (f"{ONE}def use(path, net):\n    {OPEN_CV}    {PUT % 'im'}def other(im, net):\n    {PUT % 'im - 9'}", None),
        (f"def use(im):\n    def inner():\n        {PUT % 'im'}{OPEN_CV}{ONE}", None),
        (OPEN_CV + "t = caffe.io.Transformer({})\nprepare(t.preprocess)\n" + PUT % "im", None),
        (OPEN_CV + "cv2.normalize(im, im)\n" + PUT % "im", None),
        (OPEN_CV + PUT % "prepared(im)", None),
        (OPEN_CV + "def use(im):\n    " + PUT % "im", None),
        (OPEN_CV + "for im in images:\n    " + PUT % "im", None),
        (OPEN_CV + "im, x = prepared(im)\n" + PUT % "im", None),
        (OPEN_CV + PUT % "im" + PUT % "x", None),
        (OPEN + "if a:\n    " + OPEN_CV + PUT % "im", None),
        (PUT % "im", None),
        (OPEN_CV + PUT % "im" + "net.blobs['data'].data[...] *= 0.01\n", None),
        (OPEN_CV + PUT % "im" + "d = net.blobs['data'].data\nd *= 0.01\n", None),
        (OPEN_CV + PUT % "im" + "out = net.blobs['prob'].data[0]\n", 1),
        (OPEN_CV + PUT % "im" + "out = net.blobs['prob']\nout = f(net.blobs['prob'].data)\n", 1),
        (OPEN_CV + PUT % "im" + "n = g(len(x), im.shape) + len(im)\nsize = net.blobs['data'].data.shape\n", 1),
        (OPEN_CV + PUT % "im" + "net.params['a'][0].data[...] *= 2\n", 1),
        (OPEN_CV + PUT % "im" + "b = net.blobs['data']\n", None),
        (OPEN_CV + PUT % "im" + "a, b = net.blobs['prob'], net.blobs['data']\n", None),
        (OPEN_CV + PUT % "im" + "b = net.blobs\n", None),
        (OPEN_CV + PUT % "im" + "for b in net.blobs.values():\n    b.data[...] *= 0.01\n", None),
        (OPEN_CV + PUT % "im" + "scale(net.blobs['data'].data)\n", None),
        (OPEN_CV + PUT % "im" + "scale(net.blobs)\n", None),
        (OPEN_CV + "x = cv2.multiply(im, 0.01, im)\n" + PUT % "im", None),
        (OPEN_CV + "x = cv2.multiply(im, 0.01, dst=im)\n" + PUT % "im", None),
        (OPEN_CV + "x = scale(np.asarray(im))\n" + PUT % "im", None),
        (OPEN_CV + "x = map(scale, [im])\n" + PUT % "im", None),
        (OPEN_CV + "np.multiply(im, 0.01, out=im)\n" + PUT % "im", None),
    ],
)
def test_what_is_put_into_a_blob_by_hand(text: str, factor: float | None) -> None:
    found = fed(text)
    assert (found and found.factor) == (factor and pytest.approx(factor))


@pytest.mark.parametrize(
    ("text", "factor", "has_mean"),
    [
        (OPEN + TRANSFORMER % "", 1 / 255, False),
        (OPEN_CV + TRANSFORMER % "", 1, False),
        (OPEN + TRANSFORMER % "t.set_raw_scale('data', 255)\nt.set_input_scale('data', 1 / 256.0)\n", 1 / 256, False),
        (OPEN + TRANSFORMER % "t.set_mean('data', mu)\n", 1 / 255, None),
        ("mu = load()\n" + OPEN + TRANSFORMER % "t.set_mean('data', mu)\n", 1 / 255, True),
        ("mu = None\nif a:\n    mu = load()\n" + OPEN + CLASSIFIER % "mean=mu", 1 / 255, None),
        (OPEN + TRANSFORMER % "" + "x -= mu\n", 1 / 255, None),
        (OPEN + TRANSFORMER % "" + "y = t.preprocess('data', im) - mu\n", 1 / 255, None),
        (OPEN + CLASSIFIER % "raw_scale=255", 1, False),
        (OPEN + CLASSIFIER % "(256, 256), numpy.load(mu), 0.5, 255", 0.5, True),
        (OPEN + CLASSIFIER % "mean=None", 1 / 255, False),
        # A mean that is made and not used, and one of something else.
        ("mean = load()\nmean.shape = 3\n" + OPEN_CV + "#t.set_mean(mean)\n" + TRANSFORMER % "", 1, False),
        ("print(numpy.mean(right))\n" + OPEN_CV + TRANSFORMER % "", 1, False),
        # What may be a mean.
        (OPEN_CV + "im = im - mean\n" + TRANSFORMER % "", 1, None),
        (OPEN_CV + "im -= (104.0, 117.0, 123.0)\n" + TRANSFORMER % "", 1, None),
        (OPEN_CV + "im -= im.mean()\n" + TRANSFORMER % "", 1, None),
        # Per cent, and half of a side.
        (OPEN_CV + "print(right * 100)\nx = w / 2\n" + TRANSFORMER % "", 1, False),
        ("if __name__ == '__main__':\n    " + (OPEN_CV + TRANSFORMER % "").replace("\n", "\n    "), 1, False),
    ],
)
def test_what_shows(text: str, factor: float, has_mean: bool | None) -> None:
    found = fed(text)
    assert found is not None
    assert (found.factor, found.has_mean) == (pytest.approx(factor), has_mean)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "def f(:\n" + OPEN + TRANSFORMER % "",
        TRANSFORMER % "",  # images come from elsewhere
        OPEN + OPEN_CV + TRANSFORMER % "",
        OPEN + "t = caffe.io.Transformer({})\n",  # not used
        OPEN + TRANSFORMER % "" + TRANSFORMER % "",
        OPEN + TRANSFORMER % "t.set_raw_scale('data', scale)\n",
        OPEN + TRANSFORMER % "t.set_raw_scale('data', 1)\nt.set_raw_scale('data', 255)\n",
        OPEN + TRANSFORMER % "if args.raw:\n    t.set_raw_scale('data', 255)\n",
        OPEN + CLASSIFIER % "**settings",
        OPEN + CLASSIFIER % f"raw_scale={10**400}",
        OPEN + CLASSIFIER % "raw_scale=0",
        OPEN + CLASSIFIER % "raw_scale=-1",
        OPEN + CLASSIFIER % "raw_scale=float('nan')",
        OPEN + "im = im * 255\n" + TRANSFORMER % "",
        OPEN_CV + "im = im / 255.\n" + TRANSFORMER % "",
        OPEN_CV + "im /= 127.5\n" + TRANSFORMER % "",
        OPEN_CV + "cv2.normalize(im, im)\n" + TRANSFORMER % "",
        OPEN_CV + "im = skimage.transform.resize(im, (8, 8))\n" + TRANSFORMER % "",
        "net = caffe.Net('a')\nother = caffe.Net('b')\n"
        + OPEN
        + TRANSFORMER % ""
        + "other.blobs['data'].data[...] = x\n",
    ],
)
def test_what_does_not(text: str) -> None:
    assert fed(text) is None


@pytest.mark.parametrize(
    ("text", "is_rgb"),
    [
        (OPEN + TRANSFORMER % "", True),
        ("im = Image.open(path)\n" + TRANSFORMER % "", True),
        (OPEN + CLASSIFIER % "raw_scale=255", True),
        (OPEN + "shown = cv2.cvtColor(other, 4)\n" + TRANSFORMER % "", True),
        (OPEN + TRANSFORMER % "" + "im = cv2.cvtColor(im, 4)\n", True),  # to show it
        (OPEN_CV + TRANSFORMER % "", False),
        (OPEN + TRANSFORMER % "t.set_channel_swap('data', (2, 1, 0))\n", False),
        (OPEN + CLASSIFIER % "channel_swap=(2, 1, 0)", False),
        (OPEN + "im = im[:, :, ::-1]\n" + TRANSFORMER % "", False),
        (OPEN + "im = im[:, :, [2, 1, 0]]\n" + TRANSFORMER % "", False),
        (OPEN + "im = cv2.cvtColor(im, 4)\n" + TRANSFORMER % "", False),
        ("im = Image.open(path).convert('L')\n" + TRANSFORMER % "", False),
        ("im = caffe.io.load_image(path, color=False)\n" + TRANSFORMER % "", False),
    ],
)
def test_the_order_of_channels(text: str, is_rgb: bool) -> None:
    found = fed(text)
    assert found is not None
    assert found.is_rgb == is_rgb


@pytest.mark.parametrize(
    "more",
    [
        "x = " + "/".join(["2"] * 1500),
        "\n".join("a" + "-a" * 900 for _ in range(40)),
        "if a:\n    pass\n" + "elif a:\n    pass\n" * 700 + "else:\n    " + "a, " * 20_000 + "a\n",
        "\n".join("x = im" + ".transpose()" * 300 for _ in range(60)),
        "\n".join("preprocess(" * 80 + "im" + ")" * 80 for _ in range(100)),
        "\n".join("mean" + "*a" * 400 for _ in range(60)),
    ],
    ids=["quotient", "differences", "elif", "calls", "arguments", "means"],
)
def test_a_script_takes_time_with_its_size(more: str) -> None:
    text = OPEN + TRANSFORMER % "" + more
    fed.cache_clear()
    with soon(2):
        fed(text)


SETTINGS = [
    "",
    "t.set_raw_scale('data', 255)\n",
    "t.set_raw_scale('data', 255)\nt.set_input_scale('data', 1 / 256.0)\n",
]
_ASK = """
import json
import sys
import numpy
import caffe

def load_image(path):
    image = sys.modules["skimage.io"].imread(path)
    from skimage import img_as_float
    return img_as_float(image)

caffe.io.load_image = load_image

class cv2:
    imread = staticmethod(lambda path: numpy.full((8, 8, 3), 200.0))

found = []
for text in json.loads(input()):
    names = {"caffe": caffe, "cv2": cv2, "path": "image.png"}
    exec(text, names)
    found.append(float(names["x"].mean()))
print(json.dumps(found))
"""


def test_a_real_transformer_multiplies_by_as_much(caffe_python: Path, tmp_path: Path) -> None:
    """Of images of one value, as img_as_float gives them, which load_image calls (its as_grey is one that scikit-image
    has no more), and as cv2 does, which is not there.
    """
    Image.new("RGB", (8, 8), (200, 200, 200)).save(tmp_path / "image.png")
    shape = "t.set_transpose('data', (2, 0, 1))\n"
    texts = [start + TRANSFORMER % (shape + more) for start in (OPEN, OPEN_CV) for more in SETTINGS]
    asked = json.dumps(texts) + "\n"
    run = [str(caffe_python), "-c", _ASK]
    done = subprocess.run(run, cwd=tmp_path, input=asked, capture_output=True, text=True, check=True)
    told = [one.factor * 200 for text in texts if (one := fed(text)) is not None]
    assert told == pytest.approx(json.loads(done.stdout.splitlines()[-1]))
