"""What the rules say of random solvers, and how training with them ends under a real Caffe."""

from __future__ import annotations

import json
import os
import random
import subprocess
from pathlib import Path

import pytest
from seeds import SEED, draws

import caffelint
from caffelint.lint.config import Config

HERE = Path(__file__).parent

FIELDS = {
    "test_interval": ["0", "2", "-1"],
    "base_lr": ["0", "0.01", "0.01", "0.01", "0.001"],
    "gamma": ["0.1", "0.1", "0.5", "-0.1", "0", "2"],
    "power": ["0", "0.5", "1", "-1"],
    "stepsize": ["0", "1", "2", "3", "100", "-5"],
    "momentum": ["0", "0", "0.9", "1"],
    "momentum2": ["0.999", "1", "0.5"],
    "rms_decay": ["0", "0.98", "1", "-0.1"],
    "delta": ["1e-8", "0"],
    "weight_decay": ["0", "0.0005", "0.1"],
    "regularization_type": ['"L2"', '"L1"', '"l2"'],
    "iter_size": ["1", "2", "0", "-1"],
    "clip_gradients": ["-1", "1", "0"],
    "average_loss": ["1", "3", "0"],
    "type": ['"SGD"', '"SGD"', '"Nesterov"', '"AdaGrad"', '"RMSProp"', '"AdaDelta"', '"Adam"', '"ADAM"', '"sgd"'],
    "solver_type": ["ADAM", "SGD"],
    "lr_policy": ['"fixed"', '"step"', '"exp"', '"inv"', '"multistep"', '"poly"', '"sigmoid"', '"steps"'],
    "test_compute_loss": ["true"],
    "random_seed": ["7"],
}
KEPT = {"lr_policy": 0.97, "base_lr": 0.95, "gamma": 0.7, "stepsize": 0.7, "power": 0.7, "type": 0.7}


def solvers(count: int) -> list[str]:
    """Solvers with a few things wrong each, or none."""
    choose = random.Random(SEED + 20260102)
    found = []
    for _ in range(count):
        nets = choose.choices(
            ['net: "net.prototxt"', 'train_net: "net.prototxt"', 'net: "net.prototxt" train_net: "net.prototxt"', ""],
            [20, 6, 1, 1],
        )
        nets += ['test_net: "test.prototxt"'] * choose.choice([0] * 8 + [1, 2])
        nets += ["test_iter: 1"] * choose.choice([0] * 5 + [1, 1, 2])
        nets += ["test_state { level: 1 }"] * choose.choice([0] * 8 + [1])
        values = [
            f"{name}: {choose.choice(texts)}"
            for name, texts in FIELDS.items()
            if choose.random() < KEPT.get(name, 0.08)
        ]
        values += [f"stepvalue: {value}" for value in choose.choice([[], [2], [2, 4], [4, 2]])]
        found.append(" ".join([*nets, *values, 'max_iter: 6 snapshot_prefix: "x"']))
    return found


def test_what_caffe_refuses_is_said(caffe_python: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Said to stop Caffe is what does, and nothing else; weights that become nan, or never move, are no surprise."""
    texts = solvers(draws(300, 5000))
    done = subprocess.run(
        [caffe_python, HERE / "run_solvers.py"],
        input="".join(json.dumps({"solver": text}) + "\n" for text in texts),
        capture_output=True,
        text=True,
        check=True,
        timeout=600,
        env={**os.environ, "GLOG_minloglevel": "2"},
    )
    ends = [json.loads(line)["end"] for line in done.stdout.splitlines()]
    monkeypatch.chdir(tmp_path)
    for name in ("net.prototxt", "test.prototxt"):
        Path(name).write_text('layer { name: "x" type: "ReLU" bottom: "x" top: "x" }')
    config = Config()
    config.cache, config.select, config.dialect = False, ["S"], "bvlc"
    wrong = []
    for text, end in zip(texts, ends, strict=True):
        Path("solver.prototxt").write_text(text)
        findings = caffelint.check(["solver.prototxt"], config).findings
        stops = [f for f in findings if f.severity == "error" and f.evidence.startswith("Caffe ")]
        if bool(stops) != (end == "refused"):
            wrong.append(f"{end}: {text}: {[f.message for f in stops]}")
        elif end in ("not finite", "unmoved") and not any(f.severity != "info" for f in findings):
            wrong.append(f"{end}: {text}")
    assert not wrong
    assert ends.count("refused") > 75
    assert ends.count("moved") > 45
