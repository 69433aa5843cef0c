"""The caffe.proto of a project, and nets held against it."""

import os
from pathlib import Path

import caffelint
from caffelint.lint.config import Config

SEEDS = "proto"
NET = """name: "a" force_backward: true state { phase: TRAIN }
layer { name: "d" type: "Data" top: "x" top: "l" data_param { source: "s" batch_size: 2 backend: LMDB }
  transform_param { scale: 0.1 mirror: true } include { phase: TRAIN } }
layer { name: "c" type: "Convolution" bottom: "x" top: "c" param { lr_mult: 1 } blobs { num: 1 }
  convolution_param { num_output: 2 kernel_size: 3 weight_filler { type: "xavier" } engine: CAFFE } nmae: "b"
layer { name: "p" type: "Pooling" bottom: "c" top: "p" pooling_param { pool: MAX kernel_size: 2 strid: 2 } }
}
layer { name: "s" type: "SoftmaxWithLoss" bottom: "p" bottom: "l" loss_weight: 1 loss_param { ignore_label: 1 } }
"""
OLD = 'layers { name: "r" type: RELU bottom: "x" top: "x" blobs_lr: 1 relu_param { slope: 1 } } input: "x" input_dim: 1'
SOLVER = """net: "net.prototxt" base_lr: 0.01 lr_policy: "step" stepsize: 10 gamma: 0.1 type: "SGD" solver_mode: GPU
test_iter: 1 test_interval: 10 max_iter: 100 momentum: 0.9 net_param { layer { name: "c" type: "ReLU" } } foo: 1
"""


def run(data: bytes) -> None:
    Path("src/caffe/proto").mkdir(parents=True, exist_ok=True)
    Path(".git").mkdir(exist_ok=True)
    Path("src/caffe/proto/caffe.proto").write_bytes(data)
    for name, text in (("net", NET), ("old", OLD), ("solver", SOLVER)):
        Path(f"{name}.prototxt").write_text(text)
    config = Config()
    config.cache, config.jobs = False, 1
    report = caffelint.check(os.curdir, config)
    assert not report.failures, report.failures[0].message
