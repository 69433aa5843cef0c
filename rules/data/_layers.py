"""What several rules need to know of data layers."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from caffelint.lint import DATA_TYPES, TEST, TRAIN, Layer, Net

OWN_BLOCK = {
    "Data": "data_param",
    "ImageData": "image_data_param",
    "WindowData": "window_data_param",
    "HDF5Data": "hdf5_data_param",
}
"""The block that each of BVLC's layers which read files takes its settings from."""

_WITH_SOURCE = (*OWN_BLOCK.values(), "video_data_param")

_HELD_OUT = re.compile(r"(?<![a-z])(val|valid|validation|test|testing|dev)(?![a-z])")


def source_of(layer: Layer) -> tuple[str, str]:
    """The block that names a data layer's source, and the source; two empty texts where none does."""
    own = OWN_BLOCK.get(layer.type)
    for block in (own,) if own else _WITH_SOURCE:
        if layer.message.HasField(block):
            source: str = getattr(layer.message, block).source
            if source:
                return block, source
    return "", ""


def same_path(path: str) -> str:
    """A path without what makes no difference: `./a//b/` and `a/b` are one."""
    return re.sub(r"/+", "/", path.replace("\\", "/")).removeprefix("./").rstrip("/")


def is_for_training(path: str) -> bool:
    """Whether a path says that it is the training set: `train.txt`, not `trainval.txt`."""
    name = same_path(path).rpartition("/")[2].lower()
    return "train" in name and "trainval" not in name and not _HELD_OUT.search(name)


def is_held_out(path: str) -> bool:
    """Whether a path says that it is a validation or test set."""
    name = same_path(path).rpartition("/")[2].lower()
    return bool(_HELD_OUT.search(name)) and "train" not in name


class Pair(NamedTuple):
    """The data layers that make one blob: those that testing reads, and those that training reads."""

    blob: str
    testing: list[Layer]
    training: list[Layer]


def pairs(net: Net) -> Iterator[Pair]:
    """For each blob that data layers make for testing with this net: they, and those that make it for training.

    A layer that serves both phases stands on both sides. Where a solver names one net for training and this one for
    testing, training is what the other one does.
    """
    trained = _train_net(net)
    training: dict[str, list[Layer]] = {}
    for layer in trained.layers:
        if layer.type in DATA_TYPES and layer.tops and TRAIN in layer.phases:
            training.setdefault(layer.tops[0], []).append(layer)
    testing: dict[str, list[Layer]] = {}
    for layer in net.layers:
        if layer.type in DATA_TYPES and layer.tops and TEST in layer.phases:
            testing.setdefault(layer.tops[0], []).append(layer)
    for blob, layers in testing.items():
        if blob in training:
            yield Pair(blob, layers, training[blob])


def _train_net(net: Net) -> Net:
    for solver in net.solvers:
        uses = [use for use in solver.nets if use.net is net]
        other = solver.train_net
        if other is not None and uses and not any(use.trains for use in uses):
            return other
    return net


def is_tested(net: Net) -> bool:
    """Whether a solver tests with this net."""
    return any(
        use.net is net and use.tests and solver.message.test_iter for solver in net.solvers for use in solver.nets
    )


def transforms_unlike_bvlc(layer: Layer) -> bool:
    """Whether transform_param or the layer's own block holds a field that only forks know."""
    blocks = ["transform_param"]
    if layer.type in OWN_BLOCK:
        blocks.append(OWN_BLOCK[layer.type])
    return any(
        field.number >= 10000
        for block in blocks
        if layer.message.HasField(block)
        for field, _ in getattr(layer.message, block).ListFields()
    )
