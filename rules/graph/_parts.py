"""Files that hold a part of a net, to be pasted into another one, or a net for one phase."""

from __future__ import annotations

import os

from caffelint.lint import TEST, Net, Refused, quoted
from caffelint.lint.disk import exists

from ._left_over import is_to_deploy

_RUNS = ("test", "deploy")


def is_whole(net: Net) -> bool:
    """Does the file hold a start of a net: a layer that brings data, or an input, be it without a name?"""
    starts = any(not layer.bottoms and layer.tops and layer.type != "Parameter" for layer in net.layers)
    return starts or len(net.written.input) > 0 or has_nameless_input(net)


def has_nameless_input(net: Net) -> bool:
    """Does it give the shape of an input without its name?

    Caffe takes no notice: upgrade_proto.cpp, NetNeedsInputUpgrade.
    """
    return not net.written.input and bool(net.written.input_shape or net.written.input_dim)


def input_advice(refused: Refused) -> str:
    """What an input lacks to make the bottom that is missing; empty where none was to make it."""
    net, blob = refused.net, refused.refusal.values["blob"]
    if blob in net.written.input:
        return "the input of that name has no shape; add input_shape"
    is_first = bool(refused.layers) and refused.layers[0].index == 0
    if not is_first or not has_nameless_input(net):
        return ""
    field = "input_shape" if net.written.input_shape else "input_dim"
    return f"{field} has no input; add input: {quoted(blob)}"


def has_net_for_tests(net: Net) -> bool:
    """Is another net beside this one that tests it, or runs it: `deploy` beside `train`, `net-test` beside `net`?"""
    folder, name = os.path.split(net.path)
    stem, dot, suffix = name.partition(".")
    others = {name.replace("train", role) for role in _RUNS}
    others |= {f"{stem}{by}{role}{dot}{suffix}" for by in "-_" for role in _RUNS}
    return any(exists(os.path.join(folder, other)) for other in others - {name})


def is_only_trained(net: Net) -> bool:
    """Does nobody build TEST of this net, since another one is there for it, or no labels are in it?"""
    return has_net_for_tests(net) or net.role == "train" and not is_to_deploy(net) and net.once(_is_fed_without_labels)


def _is_fed_without_labels(net: Net) -> bool:
    """Is TEST only fed from outside, and lacks the labels of a loss: is the net there to be trained, and no more?

    The training nets of py-faster-rcnn are such, with a DummyData that is left over from another net.
    """
    tested = net.in_phase(TEST)
    starts = [layer.kind for layer in tested if layer.tops and not layer.bottoms]
    if not starts or any(kind.is_data is None or kind.has_setting("source") for kind in starts):
        return False
    losses = [layer for layer in tested if layer.kind.looks_like_a_loss]
    return any(layer.maker(index, TEST) is None for layer in losses for index in range(1, len(layer.bottoms)))
