"""What several rules need to know about data layers."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator

from caffelint.lint import TEST, TRAIN, Layer, NamedTuple, Net, Place, Solver, compiled_later
from caffelint.lint.built import MESSAGE, bvlc_fields, has_fork_fields, types_that

READERS = types_that(lambda kind: kind.is_data and not kind.fork and kind.has_setting("source"))
"""BVLC's layers that read files."""

IMAGE_READERS = types_that(lambda kind: kind.prefetches and kind.has_setting("source"))
"""Layers, those of forks as well, that read images from what their source names."""

_DATA_BLOCKS = ("data_param", "image_data_param", "window_data_param", "hdf5_data_param", "transform_param", "include")

_HELD_OUT = compiled_later(r"(?<![a-z])(val|valid|validate|validation|eval|test|testing|dev)(?![a-z])")
_TRAINING = compiled_later(r"train|(?<![a-z])trn?(?![a-z])")


def own_block(layer: Layer) -> str:
    """The block of such a layer; "" of all others."""
    return layer.kind.block if layer.type in READERS else ""


def source_of(layer: Layer) -> tuple[str, str]:
    """The block that names a data layer's source, and the source; two empty strings if there is none."""
    kind = layer.kind
    if kind.data_source:
        return kind.data_block, kind.data_source
    if kind.known or layer.bottoms or layer.node is None:
        return "", ""
    for block in layer.node.fields:  # of a project's own Caffe, whose fields the schema may not know
        source = block.first("source")
        if source is not None and source.text[:1] in ("'", '"') and block.first("batch_size") is not None:
            return block.name, source.text[1:-1]
    return "", ""


def chooses_records(layer: Layer, other: Layer) -> bool:
    """Whether two data layers give a field of a fork's own different values, such as which part of a file is read.

    What BVLC's data layers have, as a batch size or a crop, chooses no records, but for the folder of a list's images.
    """
    if same_path(root_folder(layer)) != same_path(root_folder(other)):
        return True
    mine, theirs = _own_values(layer), _own_values(other)
    return any(field in theirs and theirs[field] != value for field, value in mine.items())


def root_folder(layer: Layer) -> str:
    """What begins the paths in its list."""
    return str(getattr(getattr(layer.message, source_of(layer)[0], None), "root_folder", ""))


def _own_values(layer: Layer) -> dict[tuple[str, str], str]:
    """The values in the layer's blocks of fields that no data layer of BVLC has."""
    blocks = [block for block in layer.node.fields if block.kind == MESSAGE] if layer.node else []
    fields = [(block.name, field) for block in blocks for field in block.fields if field.kind != MESSAGE]
    known = bvlc_fields(layer.message, *_DATA_BLOCKS)
    return {(block, field.name): field.text for block, field in fields if field.name not in known}


def same_path(path: str) -> str:
    """A path in a form to compare: `./a//b/` and `a/b` are the same."""
    return re.sub(r"/+", "/", path.replace("\\", "/")).removeprefix("./").rstrip("/")


def is_for_training(path: str) -> bool:
    """Whether a path says that it is the training set: `train.txt`, not `trainval.txt`."""
    name = same_path(path).rpartition("/")[2].lower()
    return "train" in name and "trainval" not in name and not _HELD_OUT.search(name)


def is_held_out(path: str) -> bool:
    """Whether a path says that it is a validation or test set."""
    name = same_path(path).rpartition("/")[2].lower()
    return bool(_HELD_OUT.search(name)) and not _TRAINING.search(name)


def beside_its_role(path: str) -> str:
    """The name of a data set without the word for what it is used for: `train_lmdb` and `val_lmdb` are the same."""
    name = same_path(path).rpartition("/")[2].lower()
    return _HELD_OUT.sub("", name).replace("training", "").replace("train", "")


def without_held_out(name: str) -> str:
    """The letters and digits of a name without the words that say that it is of a validation or test set."""
    return "".join(filter(str.isalnum, _HELD_OUT.sub("", name.lower())))


def differing_part(path: str, other: str) -> str:
    """The last part of a path in which it differs from another one: `test` of `data/test/list.txt`."""
    parts, others = same_path(path).split("/"), same_path(other).split("/")
    for mine, theirs in zip(reversed(parts), reversed(others), strict=False):
        if mine != theirs:
            return mine
    return parts[-1]


class Pair(NamedTuple):
    """The data layers that make one blob: those that testing reads, and those that training reads."""

    blob: str
    testing: list[Layer]
    training: list[Layer]


def pairs(net: Net, own: bool = False) -> Iterator[Pair]:
    """For each blob that data layers make for testing with this net: these layers, and those that make it for training.

    own: also those of types that no known Caffe has.

    A layer that serves both phases is on both sides. Where a solver names one net for training and this one for
    testing, the layers for training are those of the other net.
    """
    trained = _train_net(net)
    if trained is None:
        return
    training = makers(trained, TRAIN, own)
    for blob, layers in makers(net, TEST, own).items():
        # Two layers that make one blob in both phases are told apart by a field that caffelint does not know.
        if blob in training and (len(layers) == 1 or not any(layer in training[blob] for layer in layers)):
            yield Pair(blob, layers, training[blob])


def makers(net: Net, phase: str, own: bool = False) -> dict[str, list[Layer]]:
    """The data layers of a phase by their first top. own: also those of types that no known Caffe has."""
    found: dict[str, list[Layer]] = {}
    for layer in net.layers_that(lambda kind: kind.is_data or own and not kind.known):
        if layer.tops and phase in layer.phases and (layer.kind.is_data or source_of(layer)[1]):
            found.setdefault(layer.tops[0], []).append(layer)
    return found


def is_test_net(net: Net) -> bool:
    """Whether solvers test with this net and train with another."""
    uses = net.uses
    return bool(uses) and not any(use.trains for use in uses)


def _train_net(net: Net) -> Net | None:
    """The net that is trained where this one tests, mostly itself; None if it could not be read."""
    if not net.solvers:
        return trained_beside(net) or net
    if not is_test_net(net):
        return net
    return next((solver.train_net for solver in net.solvers if solver.train_net), None)


def trained_beside(net: Net) -> Net | None:
    """The net of the same name for training: `lenet_train.prototxt` beside `lenet_val.prototxt`."""
    name = os.path.basename(net.path).lower()
    if not is_held_out(name):
        return None
    beside = ((other, os.path.basename(other.path).lower()) for other in net.siblings)
    model = _letters(beside_its_role(name))
    named = (other for other, its in beside if is_for_training(its) and _letters(beside_its_role(its)) == model)
    return next(named, None)


def _letters(name: str) -> str:
    return "".join(filter(str.isalnum, name))


def tested_sources(solver: Solver) -> dict[str, set[str]]:
    """What the nets read that a solver tests with, by the blob that is made of it."""
    found: dict[str, set[str]] = {}
    for net in solver.distinct_nets:
        if any(use.tests for use in solver.uses_of(net)):
            for blob, layers in makers(net, TEST, own=True).items():
                sources = (source_of(layer)[1] for layer in layers)
                found.setdefault(blob, set()).update(same_path(source) for source in sources if source)
    return found


def is_tested(net: Net) -> bool:
    """Whether a solver tests with this net."""
    return any(use.tests and solver.tests for solver in net.solvers for use in solver.uses_of(net))


def is_never_tested(net: Net) -> bool:
    """Whether solvers name this net and none tests with it, so what it reads for testing is not read."""
    return bool(net.solvers) and not is_tested(net)


def transform_place(layer: Layer, field: str) -> Place:
    """The place of a setting of transform_param: in that block, or where older formats have it."""
    node = layer.node
    if node is not None and node.first("transform_param") is None:
        own = own_block(layer)
        block = node.first(own)
        if block is not None and block.first(field) is not None:
            return layer.at(own, field)
        if node.first(field) is not None:
            return layer.at(field)
    return layer.at("transform_param", field)


def transforms_unlike_bvlc(layer: Layer) -> bool:
    """Whether transform_param or the layer's own block holds a field that only forks know."""
    blocks = ["transform_param"]
    if own := own_block(layer):
        blocks.append(own)
    return any(layer.message.HasField(block) and has_fork_fields(getattr(layer.message, block)) for block in blocks)


def score(net: Net) -> str:
    """What testing gives."""
    kinds = [layer.kind for layer in net.in_phase(TEST)]
    measured = any(kind.looks_like_a_measure or kind.type == "Accuracy" for kind in kinds)
    return "the test loss" if not measured and any(kind.looks_like_a_loss for kind in kinds) else "accuracy"
