"""Compares the backward of layers with their forward, each layer alone, on its input in the first pass of a net."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from caffelint.caffe.built_net import BuiltNet
from caffelint.caffe.layers import BuiltLayer
from caffelint.smoke.engines import Engine, NoEngine
from caffelint.smoke.flow import loss_weight, readers
from caffelint.smoke.job import CHECKS, Check
from caffelint.smoke.run import Run
from caffelint.smoke.session import Request, Session, Stage, Watcher, session
from caffelint.text.near import near

ALL = "all"
_COUNTED = ("BatchNorm",)
"""Types whose parameters are all statistics, which a forward pass computes."""


def of_python_layers(built: BuiltNet) -> tuple[Check, ...]:
    """The checks of the user's own layers: those of Caffe are right."""
    if not built.message.force_backward and not any(any(layer.loss_weights) for layer in built.layers):
        return ()  # no backward runs
    layers = [layer for layer in built.layers if layer.type == "Python" and layer.need_backward]
    return tuple(check for layer in layers if (check := _check(layer)).bottoms or check.params != ())


def gradcheck(request: Request, watcher: Watcher, target: str) -> Session:
    """Check one layer of the TRAIN net, or all; raises as `session`, and NoEngine if there is no such layer."""
    return session(request, watcher, partial(_check_gradients, target=target))


def _check_gradients(stage: Stage, target: str) -> tuple[Run, Engine]:
    engine = stage.pick()
    prepared = stage.prepare(engine, still=True, mode=CHECKS, statistics_every=0)
    built = prepared.built[0]
    prepared = prepared.changed(checks=tuple(_checks(built, target)))
    stage.start(engine, prepared)
    return stage.run(prepared, stage.execute(engine, prepared)), engine


def _checks(built: BuiltNet, target: str) -> Iterator[Check]:
    layers = [layer for layer in built.layers if layer.message is not None]
    if target != ALL and target not in [layer.name for layer in layers]:
        alike = near(target, [layer.name for layer in layers], cutoff=0.6)
        hint = f'; did you mean "{alike[0]}"?' if alike else ""
        raise NoEngine(f'--gradcheck "{target}": the TRAIN net has no such layer{hint}')
    for layer in layers:
        if target in (ALL, layer.name):
            check = _check(layer)
            if check.bottoms or check.params != ():
                yield check
            elif target != ALL:
                raise NoEngine(f'--gradcheck "{target}": no gradient flows through this {layer.type} layer')


def _check(layer: BuiltLayer) -> Check:
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
