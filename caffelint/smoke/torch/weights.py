"""Copies the weights of a .caffemodel into nets, as Caffe does."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import torch

from caffelint.caffe.shapes import text
from caffelint.caffe.weights.copying import Misfit, Misfits, copied
from caffelint.caffe.weights.file import read_weights
from caffelint.caffe.weights.stored import Unreadable, Weights

if TYPE_CHECKING:
    from caffelint.smoke.torch.net import TorchNet


class WrongWeights(Exception):
    """Weights that a net does not take: the layer, "" where it is the file, and why."""

    def __init__(self, layer: str, message: str) -> None:
        super().__init__(message)
        self.layer = layer
        self.message = message


def load_weights(path: str, nets: Sequence[TorchNet]) -> tuple[list[str], list[str]]:
    """Copy a file's weights into the TRAIN net and, where layers are not shared with it, the TEST nets.

    Returns the names of the layers that got weights, and of those with weights that the net lacks. Raises WrongWeights.
    """
    try:
        weights = read_weights(path)
    except Unreadable as error:
        raise WrongWeights("", f"{path} {error}") from None
    if weights.refusals:
        raise WrongWeights("", f"{path}: {weights.refusals[0]}")
    found = copy_weights(weights, nets[0])
    for net in nets[1:]:
        copy_weights(weights, net)
    return found


def copy_weights(weights: Weights, net: TorchNet) -> tuple[list[str], list[str]]:
    """The same for one net and a file that was read."""
    found = copied(weights, net.built)
    if found.misfits:
        first = found.misfits[0]
        raise WrongWeights(first.source.name, _why(first))
    fed: dict[str, None] = {}
    for blob, param in found.copies:
        name = param.layer.name
        target = net.layer_params[name][param.index]
        with torch.no_grad():
            target.copy_(torch.from_numpy(np.array(blob.values(), np.float32)).reshape(tuple(target.shape)))
        fed[name] = None
    return list(fed), [layer.name for layer in found.ignored if layer.blobs]


def _why(misfit: Misfit) -> str:
    if misfit.number is None:
        there, here = len(misfit.source.blobs), len(misfit.target.params or ())
        return f"the weights have {there} blobs for it, but it has {here}"
    blob = misfit.source.blobs[misfit.number]
    if misfit.kind is Misfits.SHAPE:
        return (
            f"the weights hold {text(blob.shape)} for its parameter {misfit.number}, but it is"
            f" {text(misfit.wanted or ())}; rename the layer to train it from scratch"
        )
    return f"the weights hold {blob.count} values for a blob of {text(blob.shape)}"
