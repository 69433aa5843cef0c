"""What the finite checks cost: the time of a training iteration with them against without, in one run.

    python tools/measure_checks.py [ROUNDS]     default: 15

Trains three copies of a net as GoogLeNet begins, without checks, with suspects and with all, a step of each in turn, on
a real Caffe (make caffe), and prints the ratio of the medians. It takes one thread and its processor time, so that a
busy machine disturbs less.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from caffelint.fix.finite import insert_checks

ROOT = Path(__file__).resolve().parent.parent
_RELU = 'layer {{ name: "{0}_relu" type: "ReLU" bottom: "{0}" top: "{0}" }}\n'

TRAIN = """
import json, sys, time
sys.path.insert(0, sys.argv[1])
import caffe, numpy
solvers = [caffe.get_solver(path) for path in sys.argv[3:]]
times = [[] for _ in solvers]
for turn in range(int(sys.argv[2]) + 1):
    for solver, taken in zip(solvers, times):
        start = time.process_time()
        solver.step(1)
        taken.append(time.process_time() - start)
print(json.dumps([float(numpy.median(taken[1:])) for taken in times]))
"""


def _conv(name: str, bottom: str, outputs: int, kernel: int, stride: int = 1) -> str:
    return (
        f'layer {{ name: "{name}" type: "Convolution" bottom: "{bottom}" top: "{name}" convolution_param {{'
        f" num_output: {outputs} kernel_size: {kernel} pad: {kernel // 2} stride: {stride}"
        ' weight_filler { type: "xavier" } } }\n' + _RELU.format(name)
    )


def _pool(name: str, bottom: str, stride: int) -> str:
    return (
        f'layer {{ name: "{name}" type: "Pooling" bottom: "{bottom}" top: "{name}" pooling_param {{'
        f" pool: MAX kernel_size: 3 stride: {stride} pad: 1 }} }}\n"
    )


def _inception(name: str, bottom: str, sizes: tuple[int, ...]) -> str:
    one, three_in, three, five_in, five, pooled = sizes
    return (
        _conv(f"{name}_1", bottom, one, 1)
        + _conv(f"{name}_3r", bottom, three_in, 1)
        + _conv(f"{name}_3", f"{name}_3r", three, 3)
        + _conv(f"{name}_5r", bottom, five_in, 1)
        + _conv(f"{name}_5", f"{name}_5r", five, 5)
        + _pool(f"{name}_pool", bottom, 1)
        + _conv(f"{name}_proj", f"{name}_pool", pooled, 1)
        + f'layer {{ name: "{name}" type: "Concat" bottom: "{name}_1" bottom: "{name}_3" bottom: "{name}_5"'
        f' bottom: "{name}_proj" top: "{name}" }}\n'
    )


def _loss(name: str, bottom: str, weight: float) -> str:
    return (
        f'layer {{ name: "{name}_ave" type: "Pooling" bottom: "{bottom}" top: "{name}_ave"'
        " pooling_param { pool: AVE global_pooling: true } }\n"
        f'layer {{ name: "{name}_fc" type: "InnerProduct" bottom: "{name}_ave" top: "{name}_fc"'
        ' inner_product_param { num_output: 1000 weight_filler { type: "xavier" } } }\n'
        f'layer {{ name: "{name}" type: "SoftmaxWithLoss" bottom: "{name}_fc" bottom: "label" top: "{name}"'
        f" loss_weight: {weight} }}\n"
    )


def _lrn(name: str, bottom: str) -> str:
    return (
        f'layer {{ name: "{name}" type: "LRN" bottom: "{bottom}" top: "{name}"'
        " lrn_param { local_size: 5 alpha: 0.0001 beta: 0.75 } }\n"
    )


NET = (
    'layer { name: "data" type: "DummyData" top: "data" top: "label" dummy_data_param {'
    " shape { dim: 8 dim: 3 dim: 112 dim: 112 } shape { dim: 8 }"
    ' data_filler { type: "gaussian" std: 1 } data_filler { type: "constant" value: 3 } } }\n'
    + _conv("conv1", "data", 64, 7, 2)
    + _pool("pool1", "conv1", 2)
    + _lrn("norm1", "pool1")
    + _conv("conv2r", "norm1", 64, 1)
    + _conv("conv2", "conv2r", 192, 3)
    + _lrn("norm2", "conv2")
    + _pool("pool2", "norm2", 2)
    + _inception("3a", "pool2", (64, 96, 128, 16, 32, 32))
    + _inception("3b", "3a", (128, 128, 192, 32, 96, 64))
    + _loss("loss1", "3b", 0.3)
    + _pool("pool3", "3b", 2)
    + _inception("4a", "pool3", (192, 96, 208, 16, 48, 64))
    + _loss("loss2", "4a", 1)
)


def main(rounds: str = "15") -> None:
    python = os.environ.get("CAFFELINT_TEST_CAFFE_PYTHON") or ROOT / ".caffe/caffe-python"
    counts, solvers = [0], []
    with tempfile.TemporaryDirectory() as folder:
        texts = [NET.encode()]
        for where in ("suspects", "all"):
            patched = insert_checks(NET.encode(), where)
            texts.append(patched.data)
            counts.append(len(patched.checks))
        for number, text in enumerate(texts):
            net, solver = Path(folder, f"net{number}.prototxt"), Path(folder, f"solver{number}.prototxt")
            net.write_bytes(text)
            solver.write_text(f'net: "{net}" base_lr: 0.001 lr_policy: "fixed" snapshot_after_train: false', "utf-8")
            solvers.append(solver)
        environment = {**os.environ, "GLOG_minloglevel": "2", "OPENBLAS_NUM_THREADS": "1"}
        command = [python, "-c", TRAIN, ROOT / "caffelint/fix/finite", rounds, *solvers]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    plain, *others = json.loads(done.stdout.splitlines()[-1])
    print(f"without checks: {1000 * plain:.0f} ms an iteration")
    for where, count, seconds in zip(("suspects", "all"), counts[1:], others, strict=True):
        print(f"{where}: {count} checks, {seconds / plain:.3f} times as long")


if __name__ == "__main__":
    main(*sys.argv[1:])
