"""The layers whose gradient, or what it leads to, an engine is to look at."""

from __future__ import annotations

from caffelint.caffe.built_net import BuiltNet
from caffelint.caffe.layers import BuiltLayer
from caffelint.smoke.flow import gets_gradient, loss_weight, readers
from caffelint.smoke.job import Check

_COUNTED = ("BatchNorm",)
"""Types whose parameters are all statistics, which a forward pass computes."""


def of_python_layers(built: BuiltNet) -> tuple[Check, ...]:
    """The checks of the user's own layers: those of Caffe are right."""
    if not built.message.force_backward and not any(any(layer.loss_weights) for layer in built.layers):
        return ()  # no backward runs
    layers = [layer for layer in built.layers if layer.type == "Python" and layer.need_backward and _is_trained(layer)]
    return tuple(check for layer in layers if (check := check_of(layer)).bottoms or check.params != ())


def of_python_losses(built: BuiltNet) -> tuple[Check, ...]:
    """Those of losses, of which is only asked what they do to their scores, and of what gives a loss its labels."""
    found = tuple(one._replace(gradient=False) for one in of_python_layers(built) if any(one.tops))
    return (*found, *of_python_labels(built))


def of_python_labels(built: BuiltNet) -> tuple[Check, ...]:
    """Those of layers that give a loss its labels or weights, by what the net answers."""
    layers = [layer for layer in built.layers if layer.type == "Python" and not _is_trained(layer)]
    given = {id(blob.maker) for layer in built.layers if layer.is_loss for blob in layer.bottoms[1:]}
    return tuple(check_of(layer)._replace(gradient=False) for layer in layers if id(layer) in given and layer.bottoms)


def _is_trained(layer: BuiltLayer) -> bool:
    """Does a gradient come back to it?"""
    return any(gets_gradient(layer, number) for number in range(len(layer.tops)))


def check_of(layer: BuiltLayer) -> Check:
    """What is to be looked at of one layer."""
    tops: list[float | None] = []
    for number, top in enumerate(layer.tops):
        tops.append(loss_weight(layer, number) or (None if readers(top) else 0.0))
    bottoms = tuple(number for number, flows in enumerate(layer.propagate_down) if flows and layer.need_backward)
    params: tuple[int, ...] | None = ()
    if layer.need_backward and layer.type not in _COUNTED:
        known = layer.params
        params = None if known is None else tuple(i for i, param in enumerate(known) if param.lr_mult)
    names = tuple(blob.original.name for blob in layer.bottoms)
    code = f"{p.module}.{p.layer}" if layer.type == "Python" and (p := layer.message.python_param) else ""
    return Check(layer.name, layer.type, tuple(tops), bottoms, params, names, code)
