"""What the examples of these rules share."""

from __future__ import annotations

from collections.abc import Sequence

SOLVER = """I1122 13:11:02.17 17644 solver.cpp:45] Initializing solver from parameters:
base_lr: 0.1
display: 10
max_iter: 400
lr_policy: "fixed"
momentum: 0.9
solver_mode: CPU
"""
NET = """I1122 13:11:02.18 17644 net.cpp:53] Initializing net from parameters:
name: "small"
state {
  phase: TRAIN
}
layer {
  name: "data"
  type: "Input"
  top: "data"
  top: "label"
  input_param {
    shape { dim: 8 dim: 4 }
    shape { dim: 8 }
  }
}
layer {
  name: "fc"
  type: "InnerProduct"
  bottom: "data"
  top: "fc"
  inner_product_param {
    num_output: 10
    weight_filler { type: "xavier" }
  }
}
layer {
  name: "loss"
  type: "SoftmaxWithLoss"
  bottom: "fc"
  bottom: "label"
  top: "loss"
}
I1122 13:11:02.19 17644 net.cpp:255] Network initialization done.
"""


def losses(values: Sequence[float | str], every: int = 10, rate: float | None = 0.1) -> str:
    """The lines of a run that displays these losses."""
    lines = []
    for index, value in enumerate(values):
        at = f"I1122 13:{11 + index // 60:02d}:{index % 60:02d}.00 17644"
        lines.append(f"{at} solver.cpp:239] Iteration {index * every}, loss = {value}")
        lines.append(f"{at} solver.cpp:258]     Train net output #0: loss = {value} (* 1 = {value} loss)")
        if rate is not None:
            lines.append(f"{at} sgd_solver.cpp:112] Iteration {index * every}, lr = {rate:g}")
    return "\n".join(lines) + "\n"


FALLING = [2.3, 2.1, 1.9, 1.7, 1.5, 1.3, 1.2, 1.1, 1.0, 0.9, 0.8, 0.7, 0.6, 0.5, 0.45, 0.4, 0.35, 0.3, 0.25, 0.2]
SOUND = SOLVER + NET + losses(FALLING) + "I1122 13:12:00.00 17644 solver.cpp:322] Optimization Done.\n"

AT = "I0428 10:34:10.71  2335 net.cpp:663]     "
FINE = AT + "[Forward] Layer data, top blob data data: 0.34\n" + AT + "[Forward] Layer log, top blob log data: 1.2\n"


def with_tests(values: list[float], name: str = "loss", weighted: bool = True) -> str:
    """A test after every other display."""
    text = ""
    shown = losses(FALLING).splitlines()
    for index, value in enumerate(values):
        at = f"I1122 13:11:{index:02d}.00 17644"
        text += "\n".join(shown[6 * index : 6 * index + 6]) + "\n"
        text += f"{at} solver.cpp:347] Iteration {20 * index + 10}, Testing net (#0)\n"
        weight = f" (* 1 = {value} loss)" if weighted else ""
        text += f"{at} solver.cpp:414]     Test net output #0: {name} = {value}{weight}\n"
    return text
