"""S213 says that `caffe.SGDSolver` does not read `type`: a real Caffe is asked."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

HERE = Path(__file__).parent
OTHERS = ["Nesterov", "AdaGrad", "RMSProp", "AdaDelta", "Adam"]


def test_sgd_solver_makes_the_steps_of_sgd_whatever_the_type(caffe_python: Path) -> None:
    done = subprocess.run(
        [caffe_python, HERE / "run_by_class.py"],
        input="\n".join(["SGD", *OTHERS]),
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
        env={**os.environ, "GLOG_minloglevel": "2"},
    )
    weights = json.loads(done.stdout)
    by_class, by_type = weights.pop("SGD")
    assert by_class == by_type
    assert {type: one[0] == by_class for type, one in weights.items()} == dict.fromkeys(OTHERS, True)
    # Without momentum, Nesterov's steps are those of SGD.
    assert {type for type, one in weights.items() if one[1] != by_class} == set(OTHERS) - {"Nesterov"}
