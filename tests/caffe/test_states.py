"""Which nets a solver builds, in which state, and what stops it: the model against the real Caffe."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from asking import ask
from google.protobuf import text_format
from random_solvers import Generator, Project

from caffelint.caffe.solver import NET_FIELDS, NetUse, Solver
from caffelint.caffe.states import State, refusals_before_testing, refusals_before_training, solver_nets
from caffelint.lint.file import load
from caffelint.schema.messages import NetParameter

SEED = int(os.environ.get("CAFFELINT_TEST_SEED", "1"))
SOLVERS = int(os.environ.get("CAFFELINT_TEST_SOLVERS", "300"))


def test_random_solvers(caffe_python: Path) -> None:
    generator = Generator(SEED)
    projects = [generator.project() for _ in range(SOLVERS)]
    answers = ask(caffe_python, [project._asdict() for project in projects])
    ends: Counter[str] = Counter()
    nets: Counter[int] = Counter()
    for number, (project, real) in enumerate(zip(projects, answers, strict=True)):
        said = list(_model(project))
        stop = said.pop() if isinstance(said[-1], str) else None
        truth: list[Any] = [
            (net["test"], net["source"], *_read(net["net"])) for net in real["nets"] if net["net"] is not None
        ]
        about = f"solver {number} of seed {SEED}: {project}\n{real['error']}"
        assert said == truth, about
        assert (stop is None) == real["ok"], f"{about}\nthe model: {stop}"
        assert stop is None or stop in " ".join(real["error"].split()), f"{about}\nthe model: {stop}"
        ends[(stop or "loads")[:40]] += 1
        nets[len(said)] += 1
    print(dict(ends), dict(nets))
    assert ends["loads"] > SOLVERS / 3
    assert len(ends) >= 7


def _read(text: str) -> tuple[State, list[str]]:
    net: Any = text_format.Parse(text, NetParameter())
    state = State(("TRAIN", "TEST")[net.state.phase], frozenset(net.state.stage), net.state.level)
    return state, [layer.name for layer in net.layer]


def _model(project: Project) -> Iterator[Any]:
    """The nets in the order of Caffe, as (number, source, state, layers), and at last what stops, if anything does."""
    solver = _solver(project)
    message: Any = solver.message
    train = [one for one in solver_nets(message) if one.test is None]
    tests = [one for one in solver_nets(message) if one.test is not None]
    uses = {(use.field, use.position): use.net for use in solver.nets}
    for nets, refusals in (train, refusals_before_training), (tests, refusals_before_testing):
        if found := refusals(message):
            yield found[0].caffe
            return
        if any((one.field, one.position) not in uses for one in nets):
            yield "File not found"
            return
        for one in nets:
            net = uses[one.field, one.position]
            state = one.state(message, net.message)
            built = next(built for built in net.states() if state in built.states)
            source = one.field
            if not source.endswith("param"):
                source += f" file: {_all(getattr(message, one.field))[one.position]}"
            kept = [layer.name for layer in net.layers if state.keeps(layer.message)]
            assert [layer.name for layer in built.layers if layer.index is not None] == kept
            yield one.test, source, state, kept
            if built.refusals:
                yield built.refusals[0].caffe
                return


def _solver(project: Project) -> Solver:
    solver = load(project.solver.encode(), "solver.prototxt").solver
    assert solver is not None
    files = {name: load(text.encode(), name).net for name, text in project.files.items()}
    named = [
        NetUse(field, net, position)
        for field in NET_FIELDS
        if solver.has(field)
        for position, name in enumerate(_all(getattr(solver.message, field)))
        if (net := files.get(name))
    ]
    solver.join([*named, *solver.inline_nets])
    return solver


def _all(value: Any) -> list[str]:
    return [value] if isinstance(value, str) else list(value)
