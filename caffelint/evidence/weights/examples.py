"""Examples of rules: text stands for files of weights, as no example can hold the bytes."""

from __future__ import annotations

import os
import tempfile
from typing import Any

from google.protobuf import text_format

from caffelint.caffe.net import Net
from caffelint.caffe.solver import NetUse, Solver
from caffelint.caffe.weights.file import read_solver_state, read_weights
from caffelint.caffe.weights.stored import State, Weights
from caffelint.evidence.weights.evidence import WeightsEvidence
from caffelint.lint.file import load
from caffelint.lint.rule import Files
from caffelint.schema import message_class
from caffelint.schema.detect import NET_FIELDS
from caffelint.schema.messages import NetParameter


def evidence_of(files: Files) -> WeightsEvidence:
    """From the files of an example: nets and a solver, and .caffemodel and .solverstate files in protobuf's text
    format.
    """
    models = [_model(path, text) for path, text in files.items() if path.endswith(".caffemodel")]
    others = {path: load(text.encode(), path) for path, text in files.items() if path.endswith(".prototxt")}
    nets = {path: file.net for path, file in others.items() if file.net}
    solver = next((file.solver for file in others.values() if file.solver), None)
    if solver is not None:
        solver.join(_uses(solver, nets))
    states = [_state(path, text) for path, text in files.items() if path.endswith(".solverstate")]
    return WeightsEvidence(models, list(nets.values()), solver, states[0] if states else None)


def _uses(solver: Solver, nets: dict[str, Net]) -> list[NetUse]:
    found = []
    for field in NET_FIELDS:
        value = getattr(solver.message, field)
        names = [value] if isinstance(value, str) else list(value)
        found += [NetUse(field, nets[name], number) for number, name in enumerate(names) if name in nets]
    return found


def _written(message: Any, text: str) -> str:
    """The path of a file that holds a message in the binary format."""
    text_format.Parse(text, message)
    descriptor, path = tempfile.mkstemp(prefix="caffelint-weights-")
    try:
        with open(descriptor, "wb") as stream:
            stream.write(message.SerializePartialToString())
    except BaseException:
        os.remove(path)
        raise
    return path


def _model(path: str, text: str) -> Weights:
    file = _written(NetParameter(), text)
    try:
        weights = read_weights(file)
    finally:
        os.remove(file)
    weights.path = path
    return weights


def _state(path: str, text: str) -> State:
    file = _written(message_class("SolverState")(), text)
    try:
        state = read_solver_state(file)
    finally:
        os.remove(file)
    state.path = path
    return state
