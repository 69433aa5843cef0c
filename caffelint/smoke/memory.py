"""The least memory that a run needs: blobs, what the backward pass keeps, weights and the solver's state."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import prod
from typing import TYPE_CHECKING, NamedTuple

from caffelint.caffe.shapes import UNSHAPED
from caffelint.caffe.states import histories

if TYPE_CHECKING:
    from caffelint.caffe.built_net import BuiltNet
    from caffelint.caffe.layers import BuiltLayer
    from caffelint.caffe.net_parts import Blob

TEMPORARY = {"Nesterov": 1, "AdaGrad": 1, "RMSProp": 1, "AdaDelta": 2, "Adam": 2}
"""Further copies of a parameter's size that torch has while it updates it."""

OVERWRITES = frozenset(["ReLU", "Dropout"])
"""They overwrite their bottom in torch as well; other layers that run in place leave it to the backward pass.

What torch's own classes answer (`TorchLayer.overwrites`), and a test holds it to that: torch is not imported here.
"""


class Needs(NamedTuple):
    """Bytes. blobs: data of all nets. gradients: of the TRAIN net's blobs. weights: with gradients and history."""

    blobs: int
    gradients: int
    weights: int

    @property
    def total(self) -> int:
        return sum(self)


def solver_type(path: str) -> str:
    """The type that a solver's file asks for."""
    from caffelint.caffe.upgrade import upgrade_solver
    from caffelint.lint.read import read
    from caffelint.schema import SolverParameter
    from caffelint.schema.bind import bind
    from caffelint.text.parser import parse

    return str(upgrade_solver(bind(parse(read(path), path), SolverParameter()).message).type)


def needs(nets: Sequence[BuiltNet], solver_type: str, caffe: bool) -> Needs:
    """Of a solver's nets, the TRAIN net first; what is unknown counts as nothing, so this is a lower bound.

    caffe: in Caffe each blob keeps a gradient, and what runs in place needs no memory; torch frees a gradient as soon
    as it is used, so that there are two at a time, and keeps for the backward pass what most layers in place read.
    """
    blobs = sum(_bytes(blob) for net in nets for layer in net.layers for blob in _own(layer, caffe))
    train = nets[0].layers if nets else []
    splits = [blob for layer in train if layer.type == "Split" for blob in layer.tops]
    kept = [
        _bytes(blob)
        for blob in [*splits, *(blob for layer in train for blob in _own(layer, caffe=True))]
        if blob.need_backward
    ]
    gradients = sum(kept) if caffe else 2 * max(kept, default=0)
    values = sum(prod(param.shape) for layer in train for param in layer.params or () if param.owner is None)
    copies = 2 + histories(solver_type) + (0 if caffe else TEMPORARY.get(solver_type, 0))
    return Needs(blobs, gradients, 4 * values * copies)


def _own(layer: BuiltLayer, caffe: bool) -> Iterator[Blob]:
    """The tops that do not share memory with another blob."""
    if layer.shares_memory:
        return
    for blob in layer.tops:
        if blob.previous is None or not caffe and not _in_place(layer):
            yield blob


def _in_place(layer: BuiltLayer) -> bool:
    """Does torch run it in place? A Scale after a BatchNorm is fused with it."""
    producer = layer.bottoms[0].producer if layer.bottoms else None
    fused = layer.type == "Scale" and producer is not None and producer.type == "BatchNorm"
    return fused or layer.type in OVERWRITES


def _bytes(blob: Blob) -> int:
    return 4 * prod(blob.shape) if blob.shape is not None and blob.shape is not UNSHAPED else 0
