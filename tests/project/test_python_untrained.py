"""Nets that scripts test while they train by a solver, and that never get the trained weights."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from cost import follows

from caffelint.project.python_untrained import untrained

SOLVER = "solver = caffe.SGDSolver('s.prototxt')\n"
NET = "net = caffe.Net('n.prototxt', 'w.caffemodel', caffe.TEST)\n"
LOOP = "for i in range(9):\n    solver.step(50)\n"
RUN = "    print(net.forward())\n"
CLASS = (
    "class V(object):\n    def __init__(self):\n        self.net = caffe.Net('n.prototxt', caffe.TEST)\n"
    "    def run(self):\n        self.net.forward()\n"
)


@pytest.mark.parametrize(
    "script",
    [
        SOLVER + NET + LOOP + RUN,
        SOLVER + "solver.net.copy_from('w')\n" + NET + LOOP + "net.forward()\n",
        "if __name__ == '__main__':\n" + "".join(f"    {one}\n" for one in (SOLVER + NET + LOOP + RUN).split("\n")),
        NET + "def test():\n" + RUN + SOLVER + LOOP + "    test()\n",
        CLASS + SOLVER + "v = V()\n" + LOOP + "    v.run()\n",
        NET + "def main():\n    " + SOLVER + "    solver.solve()\n    net.forward()\nmain()\n",
    ],
)
def test_nets_that_never_get_the_trained_weights(script: str) -> None:
    found = untrained(script)
    assert found is not None
    assert found.path == "n.prototxt"


@pytest.mark.parametrize(
    "script",
    [
        SOLVER + NET + LOOP + "    net.copy_from(path)\n" + RUN,
        SOLVER + NET + LOOP + "    net.share_with(solver.net)\n" + RUN,
        SOLVER + NET + LOOP + "    net.params['a'][0].data[...] = w\n" + RUN,
        SOLVER + NET + LOOP + "    transplant(net, solver.net)\n" + RUN,
        SOLVER + NET + LOOP + "    net.blobs['a'].data[...] = solver.net.blobs['a'].data\n" + RUN,
        SOLVER + NET + LOOP + RUN + "    solver.test_nets[0].forward()\n",
        SOLVER + LOOP + "    " + NET + RUN,
        SOLVER + LOOP + NET + "net.forward()\n",
        SOLVER + NET + LOOP + NET + "net.forward()\n",
        SOLVER + NET + LOOP + "    print(1)\n",
        SOLVER + NET + "net.forward()\n" + LOOP,
        SOLVER + NET.replace("TEST", "TRAIN") + LOOP + RUN,
        SOLVER + "def make():\n    " + NET + "    net.forward()\n" + LOOP + "    make()\n",
        CLASS + SOLVER + LOOP + "    v = V()\n    v.run()\n",
        CLASS + SOLVER + "v = V()\n" + LOOP + "    w = V()\n    v.run()\n",
        CLASS + SOLVER + "v = V()\n" + LOOP + "    print(1)\n",
        SOLVER + NET + RUN,
        SOLVER + NET + LOOP + RUN + "(",
    ],
)
def test_what_is_not_that(script: str) -> None:
    assert untrained(script) is None


def _calls(number: int) -> str:
    return CLASS + SOLVER + "v = V()\n" + LOOP + "    v.run()\n    V()\n" * number


def _functions(number: int) -> str:
    return SOLVER + NET + LOOP + "".join(f"    f{one}()\n" for one in range(number)) + _bodies(number)


def _bodies(number: int) -> str:
    return "".join(f"def f{one}():\n    net.forward()\n" for one in range(number))


@pytest.mark.parametrize("make", [_calls, _functions])
def test_long_scripts_take_time_with_their_size(make: Callable[[int], str]) -> None:
    def look(text: str) -> None:
        untrained.cache_clear()
        untrained(text)

    assert follows(look, make(50), make(800))
