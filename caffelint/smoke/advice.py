"""What to do about a Caffe that cannot run a net, or cannot be reached."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Sequence

from caffelint.caffe.built_net import BuiltNet
from caffelint.smoke.engines import CAFFE, Engine, module
from caffelint.smoke.events import NO_GPU, UNKNOWN, Crashed, Event, Refused
from caffelint.smoke.kept import can_import, output

_SECONDS = 120


def no_gpu(engine: Engine, last: Event | None) -> str:
    """Why this Caffe cannot use its GPU, "" if it can."""
    if engine.name == CAFFE and isinstance(last, Refused) and last.kind == NO_GPU:
        said = last.message.removesuffix(".")
        return f"this Caffe cannot run on {engine.device}: {said[:1].lower()}{said[1:]}"
    return ""


def unseen(engine: Engine, last: Event | None, folder: str) -> str:
    """Why the command found no job at all, "" if it did: a container sees only what is mounted."""
    if isinstance(last, Crashed) and last.unseen:
        return (
            f'"{engine.command[0]}" cannot see "{folder}", the folder of the copies; mount it under the same path, or'
            " choose a folder that it can see with --work-dir"
        )
    return ""


def other_engine(engine: Engine, last: Event | None, nets: Sequence[BuiltNet]) -> str:
    """The option to give if this Caffe lacks what a fork has and torch runs it; else ""."""
    if engine.name != CAFFE or not isinstance(last, Refused) or last.kind != UNKNOWN:
        return ""
    if not can_import("torch"):
        return ""
    try:
        _, told = output(module("caffelint.smoke.torch.probe"), _SECONDS)
        known = set(json.loads(told)["layers"])
    except (OSError, subprocess.TimeoutExpired, ValueError, KeyError):
        return ""
    used = {layer.type for built in nets for layer in built.layers if layer.message is not None}
    if used <= known:
        return (
            "this Caffe lacks layer types or fields of a fork, but torch has all layers of the net; try --engine torch"
        )
    return ""
