"""Holds the backward of layers against their forward, each alone, at what it reads in the first pass of a net."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from caffelint.caffe.build import BuiltNet
from caffelint.caffe.layers import BuiltLayer
from caffelint.lint.config import Config
from caffelint.smoke.engines import CAFFE, NoEngine
from caffelint.smoke.flow import loss_weight, readers, unsplit
from caffelint.smoke.job import CHECKS, Check
from caffelint.smoke.prepare import Wishes, prepare
from caffelint.smoke.project import load_project
from caffelint.smoke.session import (
    Choice,
    Session,
    Watcher,
    check_first,
    finished_run,
    judged,
    pick,
    refuse_python_layers,
    run_job,
    work_folder,
)

ALL = "all"
_COUNTED = ("BatchNorm",)
"""Types of which the parameters are counted, not learned."""


def gradcheck(
    path: str,
    config: Config,
    wishes: Wishes,
    choice: Choice,
    watcher: Watcher,
    target: str,
    force: bool = False,
    input_shapes: dict[str, tuple[int, ...]] | None = None,
) -> Session:
    """Check one layer of the TRAIN net, or all; raises as `smoke`, and NoEngine where there is no such layer."""
    project = load_project(path, config, input_shapes)
    report, stops = check_first(path, config, project)
    if stops and not force:
        watcher.stopped(report)
        return Session(report, None, None)
    with work_folder(choice) as folder:
        engine = pick(choice, folder)
        wanted = replace(
            wishes,
            device=engine.device,
            unread=engine.unread,
            roots=tuple(config.roots),
            still=True,
            mode=CHECKS,
            statistics_every=0,
        )
        built = prepare(project, wanted, folder).built[0]
        prepared = prepare(project, replace(wanted, checks=tuple(_checks(built, target))), folder)
        if target != ALL and engine.name != CAFFE:
            named = [layer for layer in built.layers if layer.name == target and layer.type == "Python"]
            if named:
                raise NoEngine(f"--gradcheck {target}: it is a Python layer, which needs the caffe engine")
        refuse_python_layers(prepared, choice)
        watcher.started(engine, prepared)
        finished = run_job(engine, prepared, watcher.event)
    run = finished_run(project, prepared, finished, report)
    return Session(judged(run, project, config, report), run, engine)


def _checks(built: BuiltNet, target: str) -> Iterator[Check]:
    layers = [layer for layer in built.layers if layer.message is not None]
    if target != ALL and target not in [layer.name for layer in layers]:
        import difflib

        near = difflib.get_close_matches(target, [layer.name for layer in layers], 1)
        hint = f'; did you mean "{near[0]}"?' if near else ""
        raise NoEngine(f'--gradcheck {target}: the TRAIN net has no layer "{target}"{hint}')
    for layer in layers:
        if target in (ALL, layer.name):
            check = _check(layer)
            if check.bottoms or check.params != ():
                yield check
            elif target != ALL:
                raise NoEngine(f'--gradcheck {target}: no gradient flows through "{target}" ({layer.type})')


def _check(layer: BuiltLayer) -> Check:
    tops: list[float | None] = []
    for number, top in enumerate(layer.tops):
        tops.append(loss_weight(layer, number) or (None if readers(top) else 0.0))
    bottoms = tuple(number for number, flows in enumerate(layer.propagate_down) if flows and layer.need_backward)
    params: tuple[int, ...] | None = ()
    if layer.need_backward and layer.type not in _COUNTED:
        known = layer.params
        params = None if known is None else tuple(i for i, param in enumerate(known) if param.lr_mult)
    names = tuple(unsplit(blob).name for blob in layer.bottoms)
    return Check(layer.name, layer.type, tuple(tops), bottoms, params, names)
