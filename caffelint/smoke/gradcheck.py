"""Compares the backward of layers with their forward, each layer alone, on its input in the first pass of a net."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from caffelint.caffe.built_net import BuiltNet
from caffelint.smoke.checks import check_of
from caffelint.smoke.engines import Engine, NoEngine
from caffelint.smoke.job import CHECKS, Check
from caffelint.smoke.run import Run
from caffelint.smoke.session import Request, Session, Stage, Watcher, session
from caffelint.text.near import near

ALL = "all"


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
            check = check_of(layer)
            if check.bottoms or check.params != ():
                yield check
            elif target != ALL:
                raise NoEngine(f'--gradcheck "{target}": no gradient flows through this {layer.type} layer')
