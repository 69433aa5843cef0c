"""The least memory that a run needs: blobs, what the backward pass keeps, weights and the solver's state."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from math import prod
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from caffelint.caffe.layers.convolution import Convolution, Deconvolution
from caffelint.caffe.shapes import UNSHAPED
from caffelint.caffe.states import histories

if TYPE_CHECKING:
    from caffelint.caffe.built_net import BuiltNet
    from caffelint.caffe.layers import BuiltLayer
    from caffelint.caffe.net_parts import Blob

_LIMITS = ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes")
TEMPORARY = {"Nesterov": 1, "AdaGrad": 1, "RMSProp": 1, "AdaDelta": 2, "Adam": 2}
"""Further copies of a parameter's size that torch has while it updates it."""

OVERWRITES = frozenset(["ReLU", "Dropout"])
"""They overwrite their bottom in torch as well; other layers that run in place leave it to the backward pass.

What torch's own classes answer (`TorchLayer.overwrites`), and a test holds it to that: torch is not imported here.
"""


class Needs(NamedTuple):
    """Bytes. blobs: data of all nets. gradients: of the TRAIN net's blobs. weights: with gradients and history.

    buffers: of convolutions, which lay out there what each output reads.
    """

    blobs: int
    gradients: int
    weights: int
    buffers: int = 0

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
    buffers = sum(map(_buffer, train)) if caffe else 0
    return Needs(blobs, gradients, 4 * values * copies, buffers)


def _buffer(layer: BuiltLayer) -> int:
    """Of base_conv_layer.cpp, col_buffer_: for one item; none for a kernel of one pixel."""
    if type(layer) not in (Convolution, Deconvolution) or not layer.params or not layer.bottoms or not layer.tops:
        return 0
    weights, read, made = layer.params[0].shape, layer.bottoms[0].shape, layer.tops[0].shape
    if read is None or made is None or len(read) < 2 or len(made) < 2 or not weights or prod(weights[2:]) == 1:
        return 0
    wide, small = (read, made) if isinstance(layer, Convolution) else (made, read)
    return 4 * wide[1] * prod(weights[2:]) * prod(small[2:])


def there() -> int:
    """Bytes that processes here may use: what the machine has, or a container is given; 0 if that is not known."""
    if "SC_PHYS_PAGES" not in os.sysconf_names:
        return 0
    found = [os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")]
    for path in _LIMITS:
        try:
            found.append(int(Path(path).read_text()))
        except (OSError, ValueError):
            continue
    return min(found)


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
