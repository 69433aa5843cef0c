"""Scripts, notebooks, pages and Python layers of a project, and nets and a solver held against them."""

import json
import os
from pathlib import Path

import caffelint
from caffelint.lint.config import Config

SEEDS = "scripts"
DATA = 'layer { name: "data" type: "Data" top: "data" top: "label" data_param { source: "d_lmdb" batch_size: 8 } }\n'
TRAIN = (
    DATA + 'layer { name: "py" type: "Python" bottom: "data" top: "p" python_param { module: "m" layer: "A" } }\n'
    'layer { name: "ip" type: "InnerProduct" bottom: "p" top: "ip" inner_product_param { num_output: 10 } }\n'
    'layer { name: "loss" type: "SoftmaxWithLoss" bottom: "ip" bottom: "label" top: "loss" }\n'
    'layer { name: "acc" type: "Accuracy" bottom: "ip" bottom: "label" top: "acc" }\n'
)
DEPLOY = (
    'layer { name: "data" type: "Input" top: "data" input_param { shape { dim: 1 dim: 3 dim: 8 dim: 8 } } }\n'
    'layer { name: "ip" type: "InnerProduct" bottom: "data" top: "ip" inner_product_param { num_output: 11 } }\n'
)
DRAFT = DATA + 'layer { name: "loss" type: "EuclideanLoss" bottom: "x" bottom: "label" top: \n'
SOLVER = (
    'net: "train_val.prototxt"\ntest_net: "gone.prototxt"\ntest_iter: 1\nbase_lr: 0.1\nlr_policy: "step"\ngamma: 0.1\n'
    'stepsize: 10\nmax_iter: 100\nsnapshot: 10\nsnapshot_prefix: "snap/x"\n'
)
NAMES = ("run.py", "m.py", "run.sh", "run.m", "README.md", "run.ipynb", "train.log", "list.txt", "m.py")


def run(data: bytes) -> None:
    Path(".git").mkdir(exist_ok=True)
    for name, text in (("train_val", TRAIN), ("deploy", DEPLOY), ("draft", DRAFT), ("solver", SOLVER)):
        Path(f"{name}.prototxt").write_text(text)
    for name in NAMES:
        Path(name).unlink(missing_ok=True)
    wanted = NAMES[len(data) % len(NAMES)]
    if wanted.endswith(".ipynb"):
        cell = {"cell_type": "code", "source": data.decode("utf-8", "replace").splitlines(keepends=True)}
        data = json.dumps({"cells": [cell]}, indent=1).encode()
    Path(wanted).write_bytes(data)
    config = Config()
    config.cache, config.jobs = False, 1
    report = caffelint.check(os.curdir, config)
    assert not report.failures, report.failures[0].message
