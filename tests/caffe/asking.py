"""Asks a real Caffe, and compares its answer with the model's."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from caffelint.caffe.built_net import BuiltNet
from caffelint.caffe.refusal import Kind

SIGFPE, SIGALRM = 8, 14
RECURRENT = {"LSTM", "RNN"}


def ask(caffe_python: Path, jobs: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """What the real Caffe makes of each job ({"net": text, "phase": ..}); see oracle.py."""
    oracle = Path(__file__).with_name("oracle.py")
    lines = "".join(json.dumps(job) + "\n" for job in jobs)
    done = subprocess.run([caffe_python, oracle], input=lines.encode(), capture_output=True, check=True)
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(answers) == len(jobs)
    return answers


def disagreement(built: BuiltNet, real: dict[str, Any]) -> str | None:
    """How the model and the real Caffe differ on a net; None where they agree."""
    refusals = built.refusals
    if refusals and refusals[0].source == "blob.cpp cpu_data":
        # Loads, and dies when its empty blob is looked at, which the oracle does not do.
        refusals = []
    if real["ok"] != (not refusals):
        return f"verdict: {real['error'] or 'loads'}, the model says {refusals[:1] or 'loads'}"
    if refusals:
        return _other_cause(refusals[0], real)
    for part, model, truth in (
        ("blobs", [[name, list(blob.shape or ())] for name, blob in built.blobs.items()], real["blobs"]),
        ("parameters", _params(built), real["params"]),
        ("outputs", built.outputs, real["outputs"]),
    ):
        if model != truth:
            return f"{part}: {truth}, the model says {model}"
    if RECURRENT.intersection(layer.type for layer in built.layers):
        # The log holds the nets inside too.
        return None
    if built.memory != real["memory"]:
        return f"memory: {real['memory']}, the model says {built.memory}"
    flow = {layer.name: layer.need_backward for layer in reversed(built.layers)}
    if not built.message.force_backward and flow != real["backward"]:
        return f"backward: {real['backward']}, the model says {flow}"
    return None


def _params(built: BuiltNet) -> dict[str, list[list[int]]]:
    return {layer.name: [list(param.shape) for param in layer.params] for layer in built.layers if layer.params}


def _other_cause(refusal: Any, real: dict[str, Any]) -> str | None:
    phrase, error = (re.sub(r"\s+", " ", words) for words in (refusal.caffe, real["error"]))
    if phrase == "Floating point exception":
        same = real["signal"] == SIGFPE
    else:
        same = bool(phrase) and phrase in error
    if not same:
        return f"cause: {real['error']}, the model says {refusal}"
    created = real["created"]
    if refusal.source.startswith(("insert_splits", "net.cpp FilterNet")):
        right_layer = created is None
    elif refusal.source.startswith("layer_factory") or refusal.kind is Kind.PROPAGATE_DOWN_COUNT:
        right_layer = created != refusal.layer
    else:
        right_layer = created is not None and (created.startswith(refusal.layer) or created.endswith("_split"))
    right_layer = right_layer or refusal.source.endswith("GetSoftmaxLayer")
    return None if right_layer else f"layer: {created} was the last one created, the model blames {refusal.layer}"
