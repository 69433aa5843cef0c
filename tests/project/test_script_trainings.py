"""Which solver a script trains with which weights, and where that is left open."""

from __future__ import annotations

import pytest

from caffelint.project.script_trainings import trainings

TOOL = "caffe train --solver=a/solver.prototxt"


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        (TOOL, [("a/solver.prototxt", "", False)]),
        (f"{TOOL} --weights=m/vgg.caffemodel 2>&1 | tee log", [("a/solver.prototxt", "m/vgg.caffemodel", False)]),
        (
            "tools/caffe.bin train \\\n  -weights 'm/vgg.caffemodel' \\\n  -solver \"a/solver.prototxt\" -gpu 0\n",
            [("a/solver.prototxt", "m/vgg.caffemodel", False)],
        ),
        (f"{TOOL} -snapshot s.solverstate", [("a/solver.prototxt", "", True)]),
        (f"W=m/vgg.caffemodel\n{TOOL} --weights $W", [("a/solver.prototxt", "m/vgg.caffemodel", False)]),
        (
            f'export W="m/v.caffemodel"  # big\n{TOOL} --weights "${{W}}"',
            [("a/solver.prototxt", "m/v.caffemodel", False)],
        ),
        (f"W=m/a.caffemodel\nW=m/b.caffemodel\n{TOOL} --weights $W", [("a/solver.prototxt", "", False)]),
        ("caffe train --solver=$1 --weights=m.caffemodel", []),
        (f"caffe test --model=a.prototxt\n{TOOL}; {TOOL}", [("a/solver.prototxt", "", False)] * 2),
        (
            "s = caffe.get_solver('a/solver.prototxt')\ns.net.copy_from('m/vgg.caffemodel')\n",
            [("a/solver.prototxt", "m/vgg.caffemodel", False)],
        ),
        (
            "W = 'm/vgg.caffemodel'\ns = caffe.SGDSolver('a/solver.prototxt')\ns.net.copy_from(W)\n",
            [("a/solver.prototxt", "m/vgg.caffemodel", False)],
        ),
        ("s = caffe.SGDSolver('a/solver.prototxt')\ns.step(9)\n", [("a/solver.prototxt", "", False)]),
        (
            "s = caffe.SGDSolver('a/solver.prototxt')\ns.net.copy_from(sys.argv[1])\n",
            [],
        ),
        (
            "s = caffe.SGDSolver('a/solver.prototxt')\ns.net.copy_from('a.caffemodel')\ns.net.copy_from('b.h5')\n",
            [],
        ),
        ("s = caffe.SGDSolver('a/solver.prototxt')\ns.restore('a.solverstate')\n", [("a/solver.prototxt", "", True)]),
    ],
)
def test_trainings(text: str, wanted: list[tuple[str, str, bool]]) -> None:
    assert [(one.solver, one.weights, one.resumes) for one in trainings(text)] == wanted
