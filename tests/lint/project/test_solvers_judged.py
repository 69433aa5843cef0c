"""Which solver it is whose training net a script judges by."""

from __future__ import annotations

from pathlib import Path

import pytest
from scripted import uncached

import caffelint

NET = (
    'layer { name: "in" type: "Input" top: "data" top: "label"'
    " input_param { shape { dim: 4 dim: 8 } shape { dim: 4 } } }"
    ' layer { name: "drop" type: "Dropout" bottom: "data" top: "drop" }'
    ' layer { name: "fc" type: "InnerProduct" bottom: "drop" top: "fc" inner_product_param { num_output: 8 } }'
    ' layer { name: "loss" type: "SoftmaxWithLoss" bottom: "fc" bottom: "label" top: "loss" }'
    ' layer { name: "score" type: "Accuracy" bottom: "fc" bottom: "label" top: "score" }'
)
SCRIPT = (
    "import sys, caffe\nsolver = caffe.SGDSolver({})\ndef f():\n"
    "    solver.net.blobs['data'].data[...] = x\n    solver.net.forward()\n"
    "    return solver.net.blobs['score'].data\n"
)


@pytest.mark.parametrize(
    ("script", "solvers", "told"),
    [
        ("'a_solver.prototxt'", ["a_solver", "b_solver"], ["a_net"]),
        ("'xa/a_solver.prototxt'", ["a/a_solver"], []),
        ("'a/solver.prototxt'", ["xa/solver", "b/solver", "a/solver"], ["a/net"]),
        ("'solver.prototxt'", ["solver", "b/solver"], ["net"]),
        ("'solver.prototxt'", ["a/solver", "b/solver"], []),
        ("'solver.prototxt'", ["a/solver"], ["a/net"]),
        ("sys.argv[1]", ["a_solver"], ["a_net"]),
        ("sys.argv[1]", ["a_solver", "b_solver"], []),
    ],
)
def test_only_nets_of_the_solver_are_told(repository: Path, script: str, solvers: list[str], told: list[str]) -> None:
    (repository / "models/solver.prototxt").unlink()
    (repository / "run.py").write_text(SCRIPT.format(script))
    for one in solvers:
        solver = repository / f"{one}.prototxt"
        net = solver.with_name(solver.name.replace("solver", "net"))
        solver.parent.mkdir(exist_ok=True)
        solver.write_text(f'net: "{net.name}" base_lr: 0.1 lr_policy: "fixed" max_iter: 9')
        net.write_text(NET)
    report = caffelint.check([str(repository)], uncached())
    found = [Path(one.file) for one in report.findings if one.code == "G053"]
    assert [str(one.resolve().relative_to(repository.resolve())) for one in found] == [
        f"{one}.prototxt" for one in told
    ]
