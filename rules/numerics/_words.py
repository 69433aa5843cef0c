"""What the messages of these rules share."""

from __future__ import annotations

from typing import TYPE_CHECKING

from caffelint.lint import Place, Solver
from caffelint.lint.numerics import FILLER, INPUT, LOSS_WEIGHT, MOMENTUM, Cure

if TYPE_CHECKING:
    from caffelint.lint.built import BuiltLayer


def number(value: float) -> str:
    return f"{float(f'{value:.2g}'):g}"


def place(solver: Solver, cure: Cure | None, otherwise: BuiltLayer) -> Place:
    """Where the value is that is to be changed; the layer where nothing is known that would help."""
    if cure is not None and cure.kind == MOMENTUM:
        return solver.at("momentum")
    layer = otherwise if cure is None else cure.layer
    trained = solver.train_net
    if layer is None or layer.index is None or trained is None:
        return solver.at("base_lr")
    written = trained.layers[layer.index]
    if cure is None:
        return written.at()
    if cure.kind == LOSS_WEIGHT:
        return written.at("loss_weight")
    return written.at("transform_param") if cure.kind == INPUT else written.at(layer.block, "weight_filler")


def remedy(cure: Cure) -> str:
    """The change as an advice."""
    name = f'"{cure.layer.name}"' if cure.layer is not None else ""
    if cure.kind == MOMENTUM:
        return "set momentum: 0.9"
    if cure.kind == LOSS_WEIGHT:
        return f"its loss_weight is {number(cure.was)}; set loss_weight: 1 in {name}"
    if cure.kind == INPUT:
        to = f"a scale of {number(1 / cure.was)}"
        return f"the values of {name} are about {number(cure.was)}; bring them to about 1 with {to}"
    if cure.kind == FILLER:
        return (
            f"the weights of {name} begin at about {number(cure.was)}, {times(cure.was, cure.is_now)} the"
            f' {number(cure.is_now)} that keeps the size of a signal; set weight_filler {{ type: "msra" }}'
        )
    return f"try base_lr: {float(f'{cure.is_now:.1g}'):g}"


def times(was: float, usual: float) -> str:
    return f"{number(was / usual)} times" if was >= usual else f"1/{number(usual / was)} of"


def net(transform: str = "", filler: str = 'type: "xavier"', between: str = "") -> str:
    """The net of the examples: 28x28 pixels, one layer of weights, ten classes."""
    return (
        'layer { name: "data" type: "ImageData" top: "data" top: "label" image_data_param { batch_size: 32'
        f' new_height: 28 new_width: 28 source: "list" }} {transform} }}\n{between}'
        'layer { name: "fc" type: "InnerProduct" bottom: "data" top: "fc"'
        f" inner_product_param {{ num_output: 10 weight_filler {{ {filler} }} }} }}\n"
        'layer { name: "loss" type: "SoftmaxWithLoss" bottom: "fc" bottom: "label" top: "loss" }'
    )


def solver(rate: float, more: str = "momentum: 0.9") -> str:
    """The solver of the examples."""
    return f'net: "n.prototxt"\nbase_lr: {rate:g}\nlr_policy: "fixed" {more}'
