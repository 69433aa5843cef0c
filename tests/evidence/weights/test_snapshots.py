"""Solver states that a real Caffe wrote, held against other solvers, which it restores too or does not."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from caffelint.cli.main import main

NET = """
layer { name: "data" type: "DummyData" top: "data" dummy_data_param { shape { dim: 2 dim: 3 } } }
layer { name: "fc" type: "InnerProduct" bottom: "data" top: "fc"
  inner_product_param { num_output: %d weight_filler { type: "xavier" } } }
layer { name: "shared" type: "InnerProduct" bottom: "data" top: "more" param { name: "w" } param { name: "b" }
  inner_product_param { num_output: 2 } }
layer { name: "again" type: "InnerProduct" bottom: "data" top: "last" param { name: "w" } param { name: "b" }
  inner_product_param { num_output: 2 } }
layer { name: "bn" type: "BatchNorm" bottom: "fc" top: "bn" }
layer { name: "loss" type: "Reduction" bottom: "bn" top: "loss" loss_weight: 1 }
"""
EXTRA = """
layer { name: "extra" type: "InnerProduct" bottom: "data" top: "extra" inner_product_param { num_output: 2 } }
"""
SOLVER = 'net: "%s.prototxt" base_lr: 0.1 lr_policy: "fixed" max_iter: 100 type: "%s" snapshot_prefix: "%s" %s'
SCRIPT = """
import os, sys, caffe
caffe.set_mode_cpu()
solver = caffe.get_solver(sys.argv[1])
if len(sys.argv) > 2:
    solver.restore(sys.argv[2])
    solver.step(1)
    os._exit(0)
solver.step(2)
solver.snapshot()
"""
SOLVERS = {"SGD": "net", "Adam": "net", "Nesterov": "net", "other": "other"}


@pytest.mark.parametrize("ending", ["", ".h5"])
def test_restores_what_caffe_restores(
    caffe_python: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], ending: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("net.prototxt").write_text(NET % 4)
    Path("other.prototxt").write_text(NET % 4 + EXTRA)
    Path("run.py").write_text(SCRIPT)
    form = "snapshot_format: HDF5" if ending else ""
    for name, net in SOLVERS.items():
        type_ = name if name != "other" else "SGD"
        Path(f"solver_{name}.prototxt").write_text(SOLVER % (net, type_, name, form))
        if name in ("SGD", "Adam"):
            subprocess.run(
                [caffe_python, "run.py", f"solver_{name}.prototxt"], check=True, capture_output=True, timeout=60
            )
    verdicts = set()
    for state in ("SGD", "Adam"):
        file = f"{state}_iter_2.solverstate{ending}"
        for solver in SOLVERS:
            command = [caffe_python, "run.py", f"solver_{solver}.prototxt", file]
            real = subprocess.run(command, capture_output=True, timeout=60, check=False)
            main(["weights", f"solver_{solver}.prototxt", "--snapshot", file, "--format", "json", "-q"])
            found = [
                one["name"] for one in json.loads(capsys.readouterr().out)["findings"] if one["severity"] == "error"
            ]
            assert bool(found) == (real.returncode != 0), (state, solver, found, real.stderr[-900:])
            verdicts.add(bool(found))
    assert verdicts == {True, False}


def test_the_model_of_a_state(
    caffe_python: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """It is looked for where Caffe does, and has to fit as well."""
    monkeypatch.chdir(tmp_path)
    Path("net.prototxt").write_text(NET % 4)
    Path("run.py").write_text(SCRIPT)
    Path("solver.prototxt").write_text(SOLVER % ("net", "SGD", "a", ""))
    subprocess.run([caffe_python, "run.py", "solver.prototxt"], check=True, capture_output=True, timeout=60)
    command = ["weights", "solver.prototxt", "--snapshot", "a_iter_2.solverstate", "--format", "concise"]
    assert main(command) == 0
    Path("net.prototxt").write_text(NET % 9)
    assert main(command) == 1
    out = capsys.readouterr().out
    assert "weights-do-not-fit" in out
    assert "snapshot-does-not-fit" in out
    Path("net.prototxt").write_text(NET % 4)
    assert main(["weights", "solver.prototxt", "--snapshot", "a_iter_2.caffemodel"]) == 2
    assert "is a .caffemodel, not a solver state" in capsys.readouterr().err
    Path("a_iter_2.caffemodel").unlink()
    assert main(command) == 1
    assert "snapshot-model-missing" in capsys.readouterr().out
