"""What the scripts of a repository give its nets, and read of them."""

from __future__ import annotations

from pathlib import Path

import pytest
from scripted import SOLVER, clear

import caffelint
from caffelint.lint.project import scripts

DATA = """
layer { name: "d" type: "Data" top: "d" top: "l" data_param { source: "db" batch_size: 1 } }
layer { name: "fc" type: "InnerProduct" bottom: "d" top: "fc" inner_product_param { num_output: 2 } }
layer { name: "loss" type: "SoftmaxWithLoss" bottom: "fc" bottom: "l" }
"""
FILLS = "net = caffe.Net('models/n.prototxt', caffe.TEST)\nnet.blobs['d'].data[...] = x\nnet.forward()\n"
TRANSFORMS = """
net = caffe.Net(sys.argv[1], caffe.TEST)
t = caffe.io.Transformer({'d': (1, 3, 8, 8)})
net.blobs['d'].data[...] = t.preprocess('d', cv2.imread(path))
"""


def test_a_net_that_a_solver_trains_is_filled_in_vain(repository: Path) -> None:
    (repository / "models/n.prototxt").write_text(DATA)
    (repository / "models/solver.prototxt").write_text(SOLVER.replace("net.prototxt", "n.prototxt"))
    (repository / "a.py").write_text("import caffe\n" + FILLS)
    clear()
    names = {one.name for one in caffelint.check(".").findings}
    assert "script-fills-no-input" in names


@pytest.mark.parametrize(
    ("command", "is_told"),
    [
        ("python tools/a.py models/n.prototxt", True),
        ("python tools/a.py models/other.prototxt; caffe test --model models/n.prototxt", False),
        ("python a.py models/n.prototxt", True),
        ("python others/a.py models/n.prototxt", False),
    ],
)
def test_a_net_that_a_shell_script_gives_a_program(repository: Path, command: str, is_told: bool) -> None:
    (repository / "models/n.prototxt").write_text(DATA)
    (repository / "tools").mkdir()
    (repository / "tools/a.py").write_text("import caffe\n" + TRANSFORMS)
    (repository / "a.sh").write_text(command + "\n")
    clear()
    runs = scripts.runs_of_net(str(repository), str(repository / "models"), "n.prototxt", False)
    assert bool(runs.fed) is is_told
