"""How far the weights have to grow until distances are met, against training on a real Caffe."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

from caffelint.caffe.states import State
from caffelint.lint.file import load
from caffelint.numerics.judgement import OVERSHOOT, judge
from caffelint.numerics.signal import independent
from caffelint.numerics.start import Change

_NODES = 40


def _layer(name: str, type_: str, bottoms: list[str], more: str = "", top: str = "") -> str:
    read = " ".join(f'bottom: "{bottom}"' for bottom in bottoms)
    return f'layer {{ name: "{name}" type: "{type_}" {read} top: "{top or name}" {more} }}\n'


def _conv(name: str, bottom: str, outputs: int, height: int, width: int) -> str:
    more = f'num_output: {outputs} kernel_h: {height} kernel_w: {width} weight_filler {{ type: "xavier" }}'
    return _layer(name, "Convolution", [bottom], f"convolution_param {{ {more} }}")


def _fc(name: str, bottom: str, outputs: int) -> str:
    more = f'inner_product_param {{ num_output: {outputs} weight_filler {{ type: "xavier" }} }}'
    return _layer(name, "InnerProduct", [bottom], more)


def _relu(name: str) -> str:
    return _layer(f"{name}_relu", "ReLU", [name], "relu_param { negative_slope: 0.33 }", name)


CROSSED = (
    'layer { name: "data" type: "HDF5Data" top: "x" top: "y" hdf5_data_param { source: "list" batch_size: 14 } }\n'
    + _conv("rows", "x", 8, 1, _NODES)
    + _conv("columns", "x", 8, _NODES, 1)
    + _layer("across", "Concat", ["rows"] * _NODES, "concat_param { axis: 3 }")
    + _layer("down", "Concat", ["columns"] * _NODES, "concat_param { axis: 2 }")
    + _layer("edges", "Eltwise", ["across", "down"])
    + _relu("edges")
    + _conv("nodes", "edges", 16, 1, _NODES)
    + _relu("nodes")
    + _conv("graph", "nodes", 32, _NODES, 1)
    + _relu("graph")
    + _fc("fc", "graph", 30)
    + _relu("fc")
    + _fc("out", "fc", 2)
    + _layer("loss", "EuclideanLoss", ["out", "y"])
)
"""A matrix whose rows and columns are summed up crosswise, small against its targets."""

_MEAN, _SPREAD = 0.065, 0.058
_TRAIN = """
import json, sys
import h5py
import numpy as np
import caffe
caffe.set_mode_cpu()
nodes, mean, spread = int(sys.argv[1]), float(sys.argv[2]), float(sys.argv[3])
draw = np.random.RandomState(1)
targets = draw.randn(140, 2)
halves = np.repeat(targets, nodes // 2, axis=1)[:, None, :, None]
with h5py.File("data.h5", "w") as file:
    file["x"] = (mean + spread * (halves + draw.randn(140, 1, nodes, nodes)) / 2 ** 0.5).astype("f4")
    file["y"] = targets.astype("f4")
with open("list", "w") as file:
    file.write("data.h5")
losses = []
for path in sys.argv[4:]:
    solver = caffe.get_solver(path)
    losses.append([])
    for _ in range(60):
        solver.step(1)
        losses[-1].append(float(solver.net.blobs["loss"].data))
print(json.dumps([np.mean(one[-10:]) if max(one) < 1e10 else None for one in losses]))
"""


def test_weights_need_not_grow_as_much_as_all_of_them_would(caffe_python: Path, tmp_path: Path) -> None:
    """What the real Caffe trains at one rate, and no longer at thirty times that, does not overshoot at the first."""
    (tmp_path / "n.prototxt").write_text(CROSSED)
    net = load(CROSSED.encode(), "n.prototxt").net
    assert net is not None
    net.input_shapes = {"x": (14, 1, _NODES, _NODES), "y": (14, 2)}
    known = Change(signals={"x": independent(_MEAN, _SPREAD**2), "y": independent(0, 1)})
    kinds, solvers = [], []
    for rate in (0.01, 0.3):
        text = f'net: "n.prototxt" base_lr: {rate} lr_policy: "fixed" momentum: 0.9'
        solvers.append(f"{rate}.prototxt")
        (tmp_path / solvers[-1]).write_text(f"{text} random_seed: 1 snapshot_after_train: false solver_mode: CPU")
        solver = load(text.encode(), "s.prototxt", "solver").solver
        assert solver is not None
        found = judge(net.likely(State("TRAIN")), solver.message, rate, 1000, known)
        kinds.append(found.kind if found else "")
    command = [caffe_python, "-c", _TRAIN, str(_NODES), str(_MEAN), str(_SPREAD), *solvers]
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1"}
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, check=True)
    calm, wild = json.loads(done.stdout.splitlines()[-1])
    assert calm < 0.8
    assert wild is None
    assert kinds == ["", OVERSHOOT]
