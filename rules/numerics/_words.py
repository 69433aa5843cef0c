"""What the messages of these rules share."""

from __future__ import annotations

from typing import TYPE_CHECKING

from caffelint.lint import UNSAFE, Edits, Fix, Layer, Place, Solver, fix, remove, write
from caffelint.lint.numerics import (
    CLIP,
    CLIPS_LESS,
    FILLER,
    INPUT,
    LOSS_WEIGHT,
    MOMENTUM,
    RATE,
    WEIGHT_DECAY,
    Cure,
    is_usable,
    suggested,
)

if TYPE_CHECKING:
    from caffelint.lint.built import BuiltLayer


def place(solver: Solver, cure: Cure | None, otherwise: BuiltLayer) -> Place:
    """Where the value is that is to be changed; the layer where nothing is known that would help."""
    if cure is not None and cure.kind == MOMENTUM:
        return solver.at("momentum")
    if cure is not None and cure.kind in (CLIP, CLIPS_LESS):
        return solver.at("clip_gradients")
    if cure is not None and cure.kind == WEIGHT_DECAY:
        return solver.at("weight_decay")
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


def mend(solver: Solver, cure: Cure | None) -> tuple[Fix, ...]:
    """The change that the finding advises, where it is one of the text."""
    trained = solver.train_net
    if cure is None or trained is None or not is_usable(cure):
        return ()
    if cure.kind in (RATE, MOMENTUM, WEIGHT_DECAY, CLIPS_LESS):
        value = suggested(cure)
        return fix(f"set {value.text}", UNSAFE, write(solver, value.field, value=f"{value.value:g}"))
    if cure.kind == CLIP:
        return fix("remove clip_gradients", UNSAFE, remove(solver, "clip_gradients"))
    written = [trained.layers[one.index] for one in _layers(cure) if one.index is not None]
    if cure.kind == LOSS_WEIGHT:
        return fix("set loss_weight: 1", UNSAFE, *[write(one, "loss_weight", value="1") for one in written])
    if cure.kind == FILLER:
        return fix('draw the weights by "msra"', UNSAFE, *[_filled(one) for one in written])
    return ()


def _layers(cure: Cure) -> list[BuiltLayer]:
    return [cure.layer, *cure.others] if cure.layer is not None else []


def _filled(layer: Layer) -> Edits:
    return write(layer, layer.kind.block, "weight_filler", value=[("type", '"msra"')])


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
