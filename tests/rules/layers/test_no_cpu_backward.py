"""Whether a net is trained on the CPU, as its solver says and scripts do not change."""

from __future__ import annotations

from pathlib import Path

import pytest

import caffelint
from caffelint.lint.config import Config
from caffelint.rules.layers.no_cpu_backward import NoCpuBackward

TRAINS = "import caffe\n%ssolver = caffe.SGDSolver(path)\nsolver.solve()\n"


@pytest.mark.parametrize(
    ("name", "script", "told"),
    [
        ("train.py", TRAINS % "", 1),
        ("train.py", TRAINS % "caffe.set_mode_gpu()\n", 0),
        ("train.sh", "caffe train --solver=solver.prototxt\n", 1),
        ("train.sh", "caffe train --solver=solver.prototxt -gpu 0\n", 0),
        ("train.m", "caffe.set_mode(caffe.GPU);\nsolver = caffe.Solver('solver.prototxt');\n", 0),
        ("deploy.py", "import caffe\ncaffe.set_mode_gpu()\nnet = caffe.Net('deploy.prototxt', caffe.TEST)\n", 1),
    ],
)
def test_scripts_that_choose_the_gpu(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, script: str, told: int
) -> None:
    monkeypatch.chdir(tmp_path)
    for path, text in NoCpuBackward.INVALID[0].text.items():  # type: ignore[union-attr]
        (tmp_path / path).write_text(text)
    (tmp_path / "README.md").touch()
    (tmp_path / name).write_text(script)
    config = Config()
    config.cache = False
    found = [one.name for one in caffelint.check(tmp_path, config).findings]
    assert found.count("no-cpu-backward") == told
