"""Whose weights a script sets."""

from __future__ import annotations

import pytest

from caffelint.project.script_customs import customs_of
from caffelint.project.script_surgery import hands_over
from caffelint.project.scripts import Script

_SOLVER = "import caffe\ns = caffe.get_solver('a.prototxt')\n"


@pytest.mark.parametrize(
    "line",
    [
        "s.net.params['fc'][0].data[...] = other.params['fc'][0].data",
        "for a, b in zip(s.net.params[n], d.net.params[n]): a.data[...] = b.data",
        "for name, blobs in s.net.params.items():\n    blobs[0].data[...] = 0",
        "w = s.net.params['fc'][0]\nw.data.flat = kernel",
        "w = s.net.params['fc'][0]\nw.data[:, 0] = kernel",
        "np.copyto(s.net.params['fc'][0].data, kernel)",
        "s.net.share_with(d.net)",
        "d = caffe.AdamSolver('b.prototxt')\nfor i in range(9):\n    d.step(1)\n    s.step(1)",
    ],
)
def test_weights_that_its_own_training_did_not_make(line: str) -> None:
    at = hands_over(_SOLVER + line)
    assert at is not None
    assert at >= len(_SOLVER)


@pytest.mark.parametrize(
    "line",
    [
        "s.step(100)",
        "d = caffe.AdamSolver('b.prototxt')\ns.step(100)",
        "s.net.blobs['data'].data[...] = x",
        "print(s.net.params['fc'][0].data)\nblob = s.net.blobs['data']\nblob.data[...] = x",
        "for p in s.net.params['fc']:\n    print(p.data == 0)",
        "s.test_nets[0].share_with(s.net)",
        "kept = [p.data.copy() for p in s.net.params['fc']]",
    ],
)
def test_what_sets_none(line: str) -> None:
    assert hands_over(_SOLVER + line) is None


def test_without_a_solver_nothing_is_trained() -> None:
    assert hands_over("net = caffe.Net('a.prototxt', 1)\nnet.params['fc'][0].data[...] = 0\n") is None


def test_where_it_is_told() -> None:
    script = Script("a.py", "/top", _SOLVER + "# s.net.share_with(x)\ns.net.share_with(d.net)\n")
    assert str(customs_of([script]).hands_over) == "a.py:4"
