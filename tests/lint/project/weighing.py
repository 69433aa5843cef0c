"""Nets and solvers of a small project, and what a check finds in it."""

from __future__ import annotations

from pathlib import Path

import caffelint
from caffelint.lint.config import Config
from caffelint.lint.report import ReportedFinding

NET = (
    'layer { name: "d" type: "Data" top: "data" top: "label" data_param { source: "a" batch_size: 4 backend: LMDB } }\n'
    'layer { name: "fc" type: "InnerProduct" bottom: "data" top: "fc" inner_product_param { num_output: 9\n'
    '  weight_filler { type: "xavier" } } }\n'
    'layer { name: "loss" type: "SoftmaxWithLoss" bottom: "fc" bottom: "label" top: "loss" }\n'
)
SOLVER = (
    'net: "%s" weight_decay: 2 base_lr: 0.01 lr_policy: "fixed"'
    ' max_iter: 9000 snapshot: 1000 snapshot_prefix: "snap/mine"\n'
)
BROKEN = NET + 'layer { name: "r" type: "ReLU" blobs_lr: 1 bottom: "fc" top: "fc" }\n'
LOG = (
    "I0101 solver.cpp:48] Initializing solver from parameters:\n"
    'train_net: "/home/me/train.prototxt"\n'
    "I0101 solver.cpp:228] Iteration 0, loss = 2.3\n"
    "I0101 solver.cpp:228] Iteration 8000, loss = {}\n"
)


def write(files: dict[str, str]) -> None:
    for name, text in files.items():
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).write_text(text)


def found(rule: str, **severity: str) -> dict[str, ReportedFinding]:
    config = Config()
    config.cache = False
    config.severity = severity or config.severity
    report = caffelint.check(".", config)
    assert not report.failures
    return {one.file: one for one in report.findings if one.name == rule}
