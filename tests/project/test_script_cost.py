"""What a script asks of its nets takes time and memory with its size, however deep or often it says things."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import bench_curves
import pytest

import caffelint
from caffelint.lint.config import Config
from caffelint.project import python_blobs
from caffelint.project.python_blobs import asked
from caffelint.project.python_feeds import fed

HEAD = "import caffe, cv2, os\nnet = caffe.Net('deploy.prototxt', 1)\n"
SOUND = 'layer { name: "data" type: "Input" top: "data" input_param { shape { dim: 1 dim: 8 } } }\n'
BROKEN = 'layer { name: "loss" type: "EuclideanLoss" bottom: "a" top: \n'


def _joins(number: int) -> str:
    """A path of the cube of the number of characters."""
    b, a = (", ".join([name] * number) for name in "ba")
    text = f"b = os.path.join('{'x' * number}')\na = os.path.join({b})\n"
    return f"{text}net = caffe.Net(os.path.join({a}, 'deploy.prototxt'), 1)\nnet.blobs['x']\n"


def _named_often(number: int) -> str:
    nets = "".join(f"n{one} = caffe.Net(p, 1)\n" for one in range(number))
    return f"p = os.path.join({'7, ' * number}'deploy.prototxt')\n{nets}n0.blobs['x']\n".replace("7", "'a'")


def _beside_the_script(number: int) -> str:
    folder = f"f = g({'a, ' * number}__file__)\n"
    nets = "".join(f"n{one} = caffe.Net(os.path.join(f, 'deploy.prototxt'), 1)\n" for one in range(number))
    return f"{HEAD}{folder}{nets}net.blobs['x']\n"


def _outputs(number: int) -> str:
    words = ", ".join(f"a{one}=1" for one in range(number))
    return f"{HEAD}out = net.forward(start='x', {words})\n" + "out['x']\n" * number


@pytest.mark.parametrize("make", [_joins, _named_often, _beside_the_script, _outputs])
def test_what_is_asked_takes_time_with_the_script(make: Callable[[int], str]) -> None:
    def look(number: int) -> None:
        asked.cache_clear()
        asked(make(number))

    look(2)
    small, large = (bench_curves.calls(lambda: look(number)) for number in (100, 400))  # noqa: B023
    assert large < 4.6 * small


def test_no_path_is_longer_than_a_system_opens() -> None:
    (one,) = asked(_joins(300))
    assert one.path.endswith("xxx/deploy.prototxt")
    assert len(one.path) <= python_blobs._LONGEST


def test_names_of_names_are_followed_as_far_as_before() -> None:
    text = "a = 'x'\nb = os.path.join(a, a)\nn = caffe.Net(b + '/y/' + 'z.prototxt', 1)\nn.blobs['x']\n"
    assert [one.path for one in asked(text)] == ["x/x/y/z.prototxt"]
    assert not asked("a = os.path.join(a, 'y')\\nn = caffe.Net(a, 1)\\nn.blobs['x']\\n")


@pytest.mark.parametrize("blob", ["'data', 1, 2", "1" + " + 1" * 1500, "not " * 900 + "1", "a" + ".b" * 900])
def test_a_blob_is_written_out_for_no_other_part_of_the_script(blob: str) -> None:
    def look(number: int) -> None:
        fed.cache_clear()
        assert fed(f"{HEAD}im = cv2.imread('x')\nnet.blobs[{blob}].data[...] = im\n{'1;' * number}") is not None

    look(2)
    small, large = (bench_curves.calls(lambda: look(number)) for number in (1000, 4000))  # noqa: B023
    assert large < 4.6 * small


def test_blobs_are_compared_as_they_are_written() -> None:
    text = f"{HEAD}im = cv2.imread('x')\nnet.blobs['a'].data[...] = im\n"
    assert fed(text) is not None
    assert fed(f"{text}net.blobs['b'].data[...] *= 2\n") is not None
    assert fed(f"{text}net.blobs['a'].data[...] *= 2\n") is None
    assert fed(f"{text}x = net.blobs['a'].data\n") is None
    assert fed(f"{text.replace('[' + repr('a') + ']', '[1]')}net.blobs[True].data[...] *= 2\n") is not None


def test_setters_one_after_the_other_are_not_gone_through_from_each() -> None:
    text = "t = caffe.io.Transformer({})\nim = caffe.io.load_image('x')\nt.preprocess('data', im)\nt"

    def look(number: int) -> None:
        fed.cache_clear()
        assert fed(f"{text}{'.set_mean(a)' * number}\n") is None

    look(2)
    small, large = (bench_curves.calls(lambda: look(number)) for number in (100, 400))  # noqa: B023
    assert large < 4.6 * small


@pytest.mark.parametrize(
    "line",
    [
        f"net.blobs['data']\na{'.b' * 1500} = 1",
        f"net.blobs[1{' + 1' * 1500}].data[...] = cv2.imread('x')",
        f"net = caffe.Net(os.path.join(a{'.b' * 1500}, 'deploy.prototxt'), 1)\nnet.blobs['x']",
        f"net.blobs[{'-' * 900}1].data[...] = cv2.imread('x')",
    ],
)
def test_deep_expressions_fail_nothing(line: str, tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    (tmp_path / "eval.py").write_text(f"{HEAD}{line}\n")
    (tmp_path / "deploy.prototxt").write_text(SOUND)
    (tmp_path / "train.prototxt").write_text(BROKEN)
    config = Config()
    config.cache, config.jobs = False, 1
    report = caffelint.check([tmp_path], config)
    assert not report.failures
    assert "syntax-error" in [one.name for one in report.findings]
