"""Files of weights and solver states: held against a net and a solver, with all that is said of their values."""

from pathlib import Path

from targets import command

SEEDS = "weights"
NET = """
layer { name: "data" type: "Input" top: "data" input_param { shape { dim: 1 dim: 2 dim: 5 dim: 5 } } }
layer { name: "conv" type: "Convolution" bottom: "data" top: "conv" convolution_param { num_output: 3 kernel_size: 3 } }
layer { name: "fc" type: "InnerProduct" bottom: "conv" top: "fc" inner_product_param { num_output: 4 } }
"""


def run(data: bytes) -> None:
    Path("model").write_bytes(data)
    Path("net.prototxt").write_text(NET)
    Path("solver.prototxt").write_text('net: "net.prototxt" base_lr: 0.1 lr_policy: "fixed" max_iter: 9')
    command("weights", "net.prototxt", "model", "--stats", "--format", "json")
    command("weights", "solver.prototxt", "--snapshot", "model")
