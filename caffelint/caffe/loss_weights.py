"""The loss weights of a layer: layer.hpp, SetLossWeights."""

from __future__ import annotations

from caffelint.caffe.layers import BuiltLayer
from caffelint.caffe.refusal import Kind, Refusal
from caffelint.caffe.shapes import count, plural


def set_loss_weights(layer: BuiltLayer) -> None:
    """Give a layer the weights of its tops as losses. Raises `Refusal`."""
    weights = layer.given_loss_weights or ((1.0,) if layer.is_loss else ())
    if not weights:
        return
    layer.loss_weights = weights
    if len(weights) != len(layer.tops):
        raise Refusal(
            Kind.LOSS_WEIGHT_COUNT,
            f"loss_weight is set {plural(len(layer.given_loss_weights), 'time')}"
            f" for {plural(len(layer.tops), 'top')}; set it for each top, or not at all",
            "loss_weight must be unspecified or specified once per top blob.",
            "layer.hpp SetLossWeights",
            ("loss_weight", len(layer.tops)) if len(layer.given_loss_weights) > len(layer.tops) else None,
            given=len(layer.given_loss_weights),
            wanted=len(layer.tops),
        )
    for index, (blob, weight) in enumerate(zip(layer.tops, weights, strict=False)):
        if weight and blob.shape is not None and count(blob.shape) == 0:
            raise Refusal(
                Kind.NO_ELEMENTS,
                f'top "{blob.name}" has no elements, so it cannot be a loss',
                "Check failed: diff_",
                "layer.hpp SetLossWeights",
                ("top", index),
            )
