"""Reads a .caffemodel into nets, by layer name (net.cpp CopyTrainedLayersFrom)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from torch import Tensor

from caffelint.evidence.data.images import Array
from caffelint.schema import NetParameter

if TYPE_CHECKING:
    from caffelint.smoke.torch.net import TorchNet

HDF5_SIGNATURE = b"\x89HDF\r\n\x1a\n"
Trained = dict[str, list[Array]]


class WrongWeights(Exception):
    """Weights that a net does not take: the layer, "" where it is the file, and why."""

    def __init__(self, layer: str, message: str) -> None:
        super().__init__(message)
        self.layer = layer
        self.message = message


def read_weights(path: str) -> Trained:
    """Parameters by layer name, in the shapes of the file; a name that comes twice counts the last time.

    Layers of the old formats (`layers`, and V0 inside them) count too. Raises WrongWeights.
    """
    try:
        with open(path, "rb") as file:
            data = file.read()
    except OSError as error:
        raise WrongWeights("", f"{path} cannot be read: {(error.strerror or str(error)).lower()}") from None
    if data.startswith(HDF5_SIGNATURE):
        return _read_hdf5(path)
    try:
        message: Any = NetParameter.FromString(data)
    except Exception:
        raise WrongWeights("", f"{path} is not a caffemodel") from None
    return {name: [_values(blob, name) for blob in blobs] for name, blobs in _layers(message)}


def _layers(message: Any) -> Iterator[tuple[str, Any]]:
    for layer in message.layer:
        yield layer.name, layer.blobs
    for layer in message.layers:
        old = layer.layer if layer.HasField("layer") else layer
        yield old.name, old.blobs


def _values(blob: Any, layer: str) -> Array:
    values = np.array(blob.double_data or blob.data, np.float32)
    old = blob.num, blob.channels, blob.height, blob.width
    shape = list(old) if any(map(blob.HasField, ("num", "channels", "height", "width"))) else list(blob.shape.dim)
    if values.size != np.prod(shape, dtype=np.int64):
        raise WrongWeights(layer, f"the weights hold {values.size} values for a blob of {_text(shape)}")
    return values.reshape(shape)


def _text(shape: Sequence[int]) -> str:
    return "x".join(map(str, shape)) or "one number"


def _read_hdf5(path: str) -> Trained:
    import h5py

    try:
        with h5py.File(path, "r") as file:
            return {
                name: [np.asarray(group[str(index)], np.float32) for index in range(len(group))]
                for name, group in file["data"].items()
            }
    except (OSError, KeyError) as error:
        raise WrongWeights("", f"{path} is not a caffemodel: {' '.join(str(error).split())[:200]}") from None


def copy_weights(trained: Trained, net: TorchNet) -> tuple[list[str], list[str]]:
    """Names of the layers that got weights, and of those with weights that the net lacks; raises WrongWeights."""
    copied, ignored = [], []
    names = {layer.name for layer in net.layers}
    for name, sources in trained.items():
        targets = net.layer_params.get(name, [])
        if name not in names:
            ignored += [name] if sources else []
            continue
        if len(sources) != len(targets):
            raise WrongWeights(name, f"the weights have {len(sources)} blobs for it, but it has {len(targets)}")
        for index, (source, target) in enumerate(zip(sources, targets, strict=True)):
            if not _fits(source, target):
                there, here = _text(source.shape), _text(tuple(target.shape))
                raise WrongWeights(
                    name,
                    f"the weights hold {there} for its parameter {index}, but it is {here}; rename the layer to "
                    "train it from scratch",
                )
            with torch.no_grad():
                target.copy_(torch.from_numpy(source.reshape(tuple(target.shape))))
        if targets:
            copied.append(name)
    return copied, ignored


def _fits(source: Array, target: Tensor) -> bool:
    """Blob::ShapeEquals: four axes of the old format fit any shape that they end in, after ones."""
    ours = tuple(target.shape)
    if source.shape == ours:
        return True
    return source.ndim == 4 and len(ours) <= 4 and source.shape == (1,) * (4 - len(ours)) + ours


def load_weights(path: str, nets: Sequence[TorchNet]) -> tuple[list[str], list[str]]:
    """Copy a file's weights into the TRAIN net and, where layers are not shared with it, the TEST nets."""
    trained = read_weights(path)
    found = copy_weights(trained, nets[0])
    for net in nets[1:]:
        copy_weights(trained, net)
    return found
