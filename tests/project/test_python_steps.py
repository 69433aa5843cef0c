"""How often scripts step the solvers that they build."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from cost import follows

from caffelint.project.python_steps import stepped

BUILD = "solver = caffe.SGDSolver('s.prototxt')\n"


@pytest.mark.parametrize(
    ("script", "number"),
    [
        ("solver.step(7)\n", 7),
        ("for i in range(3):\n    solver.step(5)\n", 15),
        ("N = 10\nfor i in range(0, N, 3):\n    for j in range(1, N // 2):\n        solver.step(N - 8)\n", 4 * 4 * 2),
        ("solver.step(1)\nsolver.step(2)\n", 3),
        ("for i in xrange(4):\n    print i\n    solver.step(5)\n", 20),
        ("try:\n    solver.step(9)\nexcept KeyboardInterrupt:\n    pass\n", 9),
    ],
)
def test_steps_that_are_known(script: str, number: int) -> None:
    assert [(one.solver, one.iterations) for one in stepped(BUILD + script)] == [("s.prototxt", number)]


@pytest.mark.parametrize(
    "script",
    [
        "solver.step(N)\n",
        "N = 1\nN = 2\nsolver.step(N)\n",
        "solver.step(7)\nsolver.step(N)\n",
        "solver.step(7)\nif more:\n    solver.step(7)\n",
        "for i in things:\n    solver.step(5)\n",
        "for i in range(3):\n    solver.step(5)\n    if bad:\n        break\n",
        "for i in range(3):\n    if odd(i):\n        continue\n    solver.step(5)\n",
        "for i in range(3):\n    solver.step(5)\n    if bad:\n        sys.exit(1)\n",
        "while True:\n    solver.step(5)\n",
        "for i in range(0, 5, 0):\n    solver.step(5)\n",
        "def more():\n    solver.step(5)\n",
        "solver.step(5, 6)\n",
        "other.step(5)\n",
        "solver = caffe.SGDSolver('t.prototxt')\nsolver.step(5)\n",
        "solver.step(",
    ],
)
def test_steps_that_are_not_known(script: str) -> None:
    assert not stepped(BUILD + script)


def test_a_loop_that_builds_a_solver_each_time() -> None:
    script = "for i in range(9):\n    s = caffe.get_solver('a/s.prototxt')\n    for j in range(2):\n        s.step(5)\n"
    assert [(one.solver, one.line, one.iterations) for one in stepped(script)] == [("a/s.prototxt", 4, 10)]


def test_a_function_that_nothing_calls() -> None:
    script = "def main():\n    s = caffe.SGDSolver('s')\n    s.step(5)\n"
    assert not stepped(script)
    assert stepped(script + "main()\n")


def _steps(number: int) -> str:
    return BUILD + "solver.step(1)\n" * number


def _names(number: int) -> str:
    return (
        BUILD + "a0 = 1\n" + "".join(f"a{one + 1} = a{one} + a{one}\n" for one in range(number)) + "solver.step(a9)\n"
    )


def _loops(number: int) -> str:
    return BUILD + "for i in range(2):\n  for j in range(2):\n    solver.step(1)\n" * number


@pytest.mark.parametrize("make", [_steps, _names, _loops])
def test_long_scripts_take_time_with_their_size(make: Callable[[int], str]) -> None:
    def look(text: str) -> None:
        stepped.cache_clear()
        stepped(text)

    assert follows(look, make(50), make(800))
