"""Small projects for the tests here, as text."""

from __future__ import annotations

from pathlib import Path

SOLVER = 'net: "net.prototxt"\nbase_lr: 0.01\nlr_policy: "fixed"\nmomentum: 0.9\nmax_iter: 1000\nsnapshot: 1\n'
SOLVER += 'snapshot_prefix: "snapshot"\ntest_iter: 3\ntest_interval: 1\ndisplay: 20\nsolver_mode: CPU\n'
DATA = """name: "small"
layer {
  name: "data"
  type: "Data"
  top: "data"
  top: "label"
  include { phase: TRAIN }
  transform_param { crop_size: 8 mean_value: 104 mean_value: 117 mean_value: 123 scale: 0.0125 }
  data_param { source: "no/such/lmdb" backend: LMDB batch_size: 4 }
}
layer {
  name: "data"
  type: "Data"
  top: "data"
  top: "label"
  include { phase: TEST }
  transform_param { crop_size: 8 mean_value: 104 mean_value: 117 mean_value: 123 scale: 0.0125 }
  data_param { source: "no/such/other_lmdb" backend: LMDB batch_size: 2 }
}
"""
CONV = """layer {
  name: "conv"
  type: "Convolution"
  bottom: "data"
  top: "conv"
  convolution_param { num_output: 4 kernel_size: 3 weight_filler { type: "xavier" } bias_filler { type: "constant" } }
}
"""
LOSS = """layer {
  name: "fc"
  type: "InnerProduct"
  bottom: "conv"
  top: "fc"
  inner_product_param { num_output: 5 weight_filler { type: "xavier" } bias_filler { type: "constant" } }
}
layer { name: "loss" type: "SoftmaxWithLoss" bottom: "fc" bottom: "label" top: "loss" }
"""
NET = DATA + CONV + LOSS


def write(folder: Path, net: str = NET, solver: str = SOLVER) -> Path:
    """The solver's path, with its net beside it."""
    (folder / "net.prototxt").write_text(net)
    path = folder / "solver.prototxt"
    path.write_text(solver)
    return path


def python_layer(folder: Path, body: str) -> str:
    """A net with a Python layer of the class Mine, whose forward is `body`, in a module of its own."""
    lines = "\n".join(f"        {line}" for line in body.splitlines())
    (folder / "mine.py").write_text(
        "import os\nimport sys\nimport time\n\nimport caffe\n\n\nclass Mine(caffe.Layer):\n"
        "    def setup(self, bottom, top):\n        self.calls = 0\n\n"
        "    def reshape(self, bottom, top):\n        top[0].reshape(*bottom[0].data.shape)\n\n"
        f"    def forward(self, bottom, top):\n        self.calls += 1\n{lines}\n"
        "        top[0].data[...] = bottom[0].data\n\n"
        "    def backward(self, top, propagate_down, bottom):\n        bottom[0].diff[...] = top[0].diff\n"
    )
    layer = 'layer {\n  name: "mine"\n  type: "Python"\n  bottom: "conv"\n  top: "mine"\n'
    layer += '  python_param { module: "mine" layer: "Mine" }\n}\n'
    return DATA + CONV + layer + LOSS.replace('bottom: "conv"', 'bottom: "mine"')
