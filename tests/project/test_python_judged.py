"""What scripts read of the training net of a solver that they run forward alone."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from cost import follows

from caffelint.project.python_judged import judged

BUILD = "solver = caffe.SGDSolver(path)\n"
RUN, READ = "solver.net.forward()\n", "x = solver.net.blobs['accuracy'].data\n"


@pytest.mark.parametrize(
    ("script", "found"),
    [
        (BUILD + RUN + READ, [(2, ("accuracy",))]),
        (BUILD + "def f():\n    " + RUN + "    " + READ, [(3, ("accuracy",))]),
        (
            "class A:\n def __init__(self):\n  self.s = caffe.get_solver(p)\n def f(self):\n"
            "  self.s.net.forward()\n  return self.s.net.blobs['a'].data.copy(), self.s.net.blobs['b'].data",
            [(5, ("a", "b"))],
        ),
        (BUILD + READ + RUN, [(2 + 1, ())]),
        (BUILD + RUN + "def f():\n    " + READ, [(2, ())]),
        (BUILD + RUN + "solver.net.blobs['data'].data[...] = 1\n", [(2, ("data",))]),
        (BUILD + "solver.net.forward(end='fc')\n" + READ, []),
        (BUILD + RUN + READ + "solver.test_nets[0].forward()\n", []),
        (BUILD + RUN + "solver.net.backward()\n" + READ, []),
        (RUN + READ, []),
        (BUILD + RUN + "solver.net.blobs[", []),
    ],
)
def test_what_is_read_after_a_forward_pass(script: str, found: list[tuple[int, tuple[str, ...]]]) -> None:
    assert [(one.line, one.names) for one in judged(script)] == found


@pytest.mark.parametrize(
    ("script", "solver"),
    [
        ("solver = caffe.SGDSolver('a/s.prototxt')\n", "a/s.prototxt"),
        ("p = 's.prototxt'\nsolver = caffe.get_solver(p)\n", "s.prototxt"),
        ("def f(p):\n    global solver\n    solver = caffe.get_solver(p)\n", ""),
        ("solver = caffe.SGDSolver('a')\nsolver = caffe.SGDSolver('b')\n", ""),
        ("solver = caffe.SGDSolver()\n", ""),
    ],
)
def test_of_which_solver_it_is(script: str, solver: str) -> None:
    assert [one.solver for one in judged(script + RUN + READ)] == [solver]


def _solvers(number: int) -> str:
    return "".join(f"a{one} = SGDSolver(p)\n" for one in range(number)) + "a1.net.forward()\n"


def _functions(number: int) -> str:
    runs = "".join(f"def f{one}():\n  a{one}.net.forward()\n  a{one}.net.blobs['a'].data\n" for one in range(number))
    return _solvers(number) + runs


@pytest.mark.parametrize("make", [_solvers, _functions])
def test_many_solvers_take_time_with_the_script(make: Callable[[int], str]) -> None:
    def look(text: str) -> None:
        judged.cache_clear()
        judged(text)

    assert follows(look, make(50), make(800))
