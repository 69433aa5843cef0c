"""What the examples of these rules share: a project of a few lines, and the events of a run of it."""

from __future__ import annotations

from caffelint.smoke.rule import (
    DATA,
    Event,
    Iteration,
    Statistics,
    to_line,
)

SOLVER = 'net: "n.prototxt"\nbase_lr: 10 lr_policy: "fixed" momentum: 0.9\n'
NET = (
    'layer { name: "data" type: "DummyData" top: "data" top: "label"\n'
    "  dummy_data_param { shape { dim: 8 dim: 4 } shape { dim: 8 } } }\n"
    'layer { name: "fc" type: "InnerProduct" bottom: "data" top: "fc"\n'
    '  inner_product_param { num_output: 10 weight_filler { type: "xavier" } } }\n'
    'layer { name: "relu" type: "ReLU" bottom: "fc" top: "fc" }\n'
    'layer { name: "log" type: "Log" bottom: "fc" top: "log" }\n'
    'layer { name: "loss" type: "SoftmaxWithLoss" bottom: "log" bottom: "label" top: "loss" }\n'
)
WITH_DROPOUT = NET.replace('type: "Log"', 'type: "Dropout"')
CALM = (2.31, 2.3, 2.24, 2.1, 2.02, 1.98)


def project(*events: Event, net: str = NET, solver: str = SOLVER) -> dict[str, str]:
    return {"s.prototxt": solver, "n.prototxt": net, "events": "\n".join(to_line(event) for event in events)}


def losses(*values: float, rate: float = 0.1) -> list[Event]:
    return [Iteration(number, rate, value, {"loss": value}) for number, value in enumerate(values)]


def spread(
    iteration: int, layer: str, kind: str, name: str, size: float, zeros: float = 0.0, part: str = DATA
) -> Statistics:
    """Statistics of values about 0 whose root mean square is `size`."""
    return Statistics(iteration, layer, kind, name, part, -2 * size, 2 * size, 0.0, size, zeros)
