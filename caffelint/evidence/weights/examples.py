"""Examples of rules: text stands for files of weights, as no example can hold the bytes."""

from __future__ import annotations

import os
import tempfile
from typing import Any

from google.protobuf import text_format

from caffelint.caffe.net import Net
from caffelint.caffe.solver import NET_FIELDS, NetUse, Solver
from caffelint.caffe.weights.file import read_weights
from caffelint.caffe.weights.stored import Weights
from caffelint.evidence.weights.evidence import WeightsEvidence
from caffelint.lint.file import load
from caffelint.lint.rule import Files
from caffelint.schema.messages import NetParameter


def evidence_of(files: Files) -> WeightsEvidence:
    """From the files of an example: nets and a solver, and .caffemodel files in protobuf's text format."""
    models = [_model(path, text) for path, text in files.items() if path.endswith(".caffemodel")]
    others = {path: load(text.encode(), path) for path, text in files.items() if path.endswith(".prototxt")}
    nets = {path: file.net for path, file in others.items() if file.net}
    solver = next((file.solver for file in others.values() if file.solver), None)
    if solver is not None:
        solver.join(_uses(solver, nets))
    return WeightsEvidence(models, list(nets.values()), solver)


def _uses(solver: Solver, nets: dict[str, Net]) -> list[NetUse]:
    found = []
    for field in NET_FIELDS:
        value = getattr(solver.message, field)
        names = [value] if isinstance(value, str) else list(value)
        found += [NetUse(field, nets[name], number) for number, name in enumerate(names) if name in nets]
    return found


def _model(path: str, text: str) -> Weights:
    message: Any = text_format.Parse(text, NetParameter())
    with tempfile.TemporaryDirectory(prefix="caffelint-weights-") as folder:
        file = os.path.join(folder, "model")
        with open(file, "wb") as stream:
            stream.write(message.SerializePartialToString())
        weights = read_weights(file)
    weights.path = path
    return weights
