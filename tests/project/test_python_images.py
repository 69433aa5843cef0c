"""What is known of the images that Python code opens, against what numpy and PIL make of them."""

from __future__ import annotations

import ast
from pathlib import Path

import bench_curves
import numpy as np
import pytest
from cost import soon
from PIL import Image

from caffelint.project.mentions import IN_PLACE, MIXED, WRAPS, ZERO
from caffelint.project.python2 import parse
from caffelint.project.python_feeds import fed
from caffelint.project.python_images import Put, put_by_script, spoilt_by_layer
from caffelint.project.python_nodes import walk
from caffelint.project.python_pixels import Pixels
from caffelint.project.python_put import spoilt, target_of

HEIGHT, WIDTH = 4, 6
OPEN = "im = np.array(Image.open(path).convert('RGB'))\n"
PUT = "net.blobs['data'].data[...] = im\n"


def puts(text: str) -> list[Put]:
    tree, is_python2 = parse(text)
    assert tree is not None
    return put_by_script(tree, walk(tree), is_python2, target_of)[0]


def image(text: str) -> Pixels:
    (found,) = [one.value for one in puts(text)]
    assert isinstance(found, Pixels)
    return found


@pytest.fixture
def opened(tmp_path: Path) -> np.ndarray:
    """An image of which each value tells row, column and colour."""
    rows, columns, colours = np.mgrid[:HEIGHT, :WIDTH, :3]
    values = (40 * rows + 5 * columns + colours).astype(np.uint8)
    Image.fromarray(values).save(tmp_path / "a.png")
    return values


@pytest.mark.parametrize(
    "text",
    [
        "",
        "im = im.astype(np.float32)[:, :, ::-1]\nim -= np.array([104.0, 117.0, 123.0])\nim = im.transpose((2, 0, 1))\n",
        "im = im[..., [2, 1, 0]] / 255.0\nim = np.expand_dims(np.transpose(im, (2, 0, 1)), axis=0)\n",
        "im = (np.float32(im) - 127.5) * 0.0078125\nim = np.swapaxes(im, 0, 2)\n",
        "scale = 1 / 255.0\nim = im * scale\nim = np.rollaxis(im, 2)[np.newaxis]\n",
        "im = np.moveaxis(im, -1, 0)[::-1, :, :] * 2.0\n",
        "x = np.zeros((1, 3, 4, 6))\nx[0, ...] = im.transpose(2, 0, 1)\nim = x\n",
        "x = []\nx.append(im[:, ::-1, :].transpose(2, 0, 1))\nim = np.array(x, dtype=np.float32)\n",
        "im = np.stack([im, im]).transpose(0, 3, 1, 2)[:, ::-1]\n",
        "def made(im, by=0.5):\n    if by == 2:\n        return im * by\n    return im * 2.0\nim = made(im, 2.0)\n",
        "im = im.T\nim = im.T\n",
        "im, size = im - 120.0, im.shape\n",
        "im = np.reshape(im.transpose(2, 0, 1), (1, 3, 4, 6))\n",
        "im = im if size else im[1:3, 2:5]\n",
        "m = np.array([104.0, 117.0, 123.0])[:, np.newaxis, np.newaxis]\nim = im.transpose(2, 0, 1) - m\n",
    ],
)
def test_numpy_makes_the_same_of_it(tmp_path: Path, opened: np.ndarray, text: str) -> None:
    found = image(OPEN + text + PUT)
    names = {"np": np, "Image": Image, "path": tmp_path / "a.png", "size": 1}
    exec(OPEN + text, names)
    real = names["im"]
    assert isinstance(real, np.ndarray)
    assert len(found.axes) == real.ndim
    steps = {axis: _step(real, number) for number, axis in enumerate(found.axes) if axis != "N"}
    factor = found.factor * found.opened
    assert (abs(steps["H"]), abs(steps["W"])) == pytest.approx((40 * factor, 5 * factor))
    if not found.mean:  # with another mean for each colour, the step between colours is not that of the image
        assert steps["C"] == pytest.approx(factor if found.order == "RGB" else -factor)
    assert found.mean == (real.min() < 0)
    assert found.is_whole == (real.dtype == np.uint8) or found.is_whole is None


def _step(real: np.ndarray, axis: int) -> float:
    first, second = (real.astype(float).take(number, axis) for number in (0, 1))
    return float((second - first).flat[0])


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("im -= 128\n", WRAPS),
        ("im = im - 128\n", WRAPS),
        ("im[:, :, 0] += random.randint(100, 100)\n", WRAPS),
        ("im -= 127.5\n", IN_PLACE),
        ("im /= 255.0\n", IN_PLACE),
        ("im += random.uniform(0, 1)\n", IN_PLACE),
        ("im = im.reshape(3, 4, 6)\n", MIXED),
        ("im = np.reshape(im[np.newaxis], (-1, 3, 4, 6))\n", MIXED),
        ("im = im - 1\n", ""),  # classes that are counted anew, of which 255 is to come of 0
        ("im = im - 128.0\n", ""),
        ("im = im.astype(float)\nim -= 128\n", ""),
        ("im = im.transpose(2, 0, 1).reshape(1, 3, 4, 6)\n", ""),
        ("im = im + random.uniform(0, 1)\n", ""),
    ],
)
def test_numpy_spoils_it(tmp_path: Path, opened: np.ndarray, text: str, kind: str) -> None:
    found = [one.kind for one in image(OPEN + text + PUT).spoilt]
    assert found == [kind] * bool(kind)
    import random

    names = {"np": np, "Image": Image, "random": random, "path": tmp_path / "a.png"}
    if kind == IN_PLACE:
        with pytest.raises(TypeError, match="uint8"):
            exec(OPEN + text, names)
        return
    exec(OPEN + text, names)
    real = names["im"]
    assert isinstance(real, np.ndarray)
    if kind == WRAPS:
        assert abs(real.astype(float).mean() - opened.mean()) not in (100, 128)
        assert real.dtype == np.uint8
    elif kind == MIXED:
        assert not np.array_equal(real.reshape(3, 4, 6), opened.transpose(2, 0, 1))


def test_whole_numbers_are_divided_by_python_2() -> None:
    text = OPEN + "im = im / 255\n" + PUT
    assert [one.kind for one in spoilt(text + "print im\n")] == [ZERO]
    assert not spoilt(text)  # Python 3 reads it, too
    assert not spoilt("from __future__ import division\n" + text + "print im\n")
    assert not spoilt(text.replace("'RGB'", "'L'") + "print im\n")  # a mask, of 0 and 255
    assert not spoilt(text.replace("255", "255.") + "print im\n")


def test_what_does_not_get_to_a_net_is_not_told() -> None:
    assert not spoilt(OPEN + "shown = im - 128\n" + PUT)


@pytest.mark.parametrize(
    "text",
    [
        "im = made(im)\n",
        "if a:\n    im = im / 255.0\n",
        "im = [im] * 3\n",
        "for im in images:\n    pass\n",
        "im = im / im.max()\n",
        "im[0] = im[1] * 2\n",
        "np.multiply(im, 2, out=im)\n",
        "change(np.asarray(im))\n",
        "im = " + "(" * 60 + "im" + " * 1)" * 60 + "\n",
    ],
)
def test_what_is_not_clear_is_not_told(text: str) -> None:
    assert [one.value for one in puts(OPEN + text + PUT)] == [None]


def test_branches_that_agree_are_one() -> None:
    text = "if a:\n    im = im[:, ::-1]\nelif b:\n    raise ValueError\nelse:\n    im = cv2.imread(path)\n"
    found = image(OPEN + text + PUT)
    assert (found.factor, found.order, found.axes) == (1, "", "HWC")


LAYER = """
class Data(caffe.Layer):
    def setup(self, bottom, top):
        self.loader = Loader()
        self.by = random.randint(0, 9)
    def forward(self, bottom, top):
        top[0].data[...] = self.loader.get(self.path)
class Loader:
    def get(self, path):
        im = cv2.imread(path)
        im += 3
        im[:, :, 1] += random.randint(0, 9)
        return im, 0
    def unused(self, path):
        return cv2.imread(path) - 128
"""


def test_a_layer_is_followed_into_what_it_calls() -> None:
    tree = ast.parse(LAYER)
    methods = [node for node in walk(tree.body[0]) if isinstance(node, ast.FunctionDef)]
    assert [(one.line, one.kind) for one in spoilt_by_layer(methods, tree.body, walk(tree), False)] == [(12, WRAPS)]


@pytest.mark.parametrize(
    "more",
    [
        "im = im" + " * 1" * 30_000,
        "im = " + "f(" * 90 + "im" + ")" * 90,
        "if a:\n    im = im * 1\n" * 3000,
        "x0 = im\n" + "".join(f"if a:\n    x{one} = im\n" for one in range(3000)),
        "".join(f"def f{one}(x):\n    return f{one + 1}(f{one + 1}(x))\n" for one in range(300)) + "im = f0(im)",
        "im = " + "[" * 90 + "im" + "]" * 90,
        "im = im[" + "0, " * 30_000 + "]",
        "im = im.transpose(" + "0, " * 30_000 + ")",
    ],
    ids=["product", "calls", "branches", "names", "functions", "lists", "index", "axes"],
)
def test_a_script_takes_time_with_its_size(more: str) -> None:
    text = f"{OPEN}{more}\n{PUT}"
    fed.cache_clear()
    with soon(3):
        fed(text)
        spoilt(text)


def test_branches_take_time_with_their_number() -> None:
    def look(number: int) -> int:
        text = OPEN + "if a:\n    im = im * 1\n" * number + PUT
        return bench_curves.calls(lambda: puts(text))

    look(2)
    assert look(400) < 4.6 * look(100)
