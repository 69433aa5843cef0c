"""Which nets a solver builds, in which state, and what stops it: the model against the real Caffe."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from asking import ask
from google.protobuf import text_format
from random_solvers import Generator, Project
from seeds import SEED, draws

from caffelint.caffe.net import Net
from caffelint.caffe.solver import NetUse, Solver
from caffelint.caffe.states import (
    State,
    is_called_for_tests,
    refusals_before_testing,
    refusals_before_training,
    solver_nets,
)
from caffelint.caffe.walk import sources
from caffelint.lint.file import load
from caffelint.schema.detect import NET_FIELDS
from caffelint.schema.messages import NetParameter

SOLVERS = draws(300, 2500)


def test_random_solvers(caffe_python: Path) -> None:
    seed = SEED + 1
    generator = Generator(seed)
    projects = [generator.project() for _ in range(SOLVERS)]
    answers = ask(caffe_python, [project._asdict() for project in projects])
    ends: Counter[str] = Counter()
    for number, (project, real) in enumerate(zip(projects, answers, strict=True)):
        said = list(_model(project))
        stop = said.pop() if isinstance(said[-1], str) else None
        truth: list[Any] = [
            (net["test"], net["source"], *_read(net["net"])) for net in real["nets"] if net["net"] is not None
        ]
        about = f"solver {number} of seed {seed}: {project}\n{real['error']}"
        assert said == truth, about
        assert (stop is None) == real["ok"], f"{about}\nthe model: {stop}"
        assert stop is None or stop in " ".join(real["error"].split()), f"{about}\nthe model: {stop}"
        ends[(stop or "loads")[:40]] += 1
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
            kept = [layer.name for layer in net.layers if state.keeps(layer)]
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


def _net(text: str, solver: str = "") -> Net:
    net = load(text.encode(), "net.prototxt", "net").net
    assert net is not None
    if solver:
        file = load(solver.encode(), "solver.prototxt", "solver")
        assert file.solver is not None
        file.solver.join([NetUse("net", net)])
    return net


_DATA = 'layer { name: "in" type: "Input" top: "a" input_param { shape { dim: 1 dim: 2 } } }'


def test_one_build_stands_for_the_states_that_keep_the_same_layers() -> None:
    plain = _net(_DATA)
    assert [one.states for one in plain.states()] == [(State("TRAIN"), State("TEST"))]
    apart = _net(_DATA + 'layer { name: "y" type: "ReLU" bottom: "a" top: "b" include { phase: TEST } }')
    assert [one.phases for one in apart.states()] == [("TRAIN",), ("TEST",)]
    staged = _DATA + 'layer { name: "y" type: "ReLU" bottom: "a" top: "b" include { stage: "far" } }'
    tested = 'net: "n" test_iter: 1 test_iter: 1 test_state { stage: "far" } test_state { } test_interval: 1'
    builds = _net(staged, tested).states()
    assert [one.states for one in builds] == [
        (State("TRAIN"), State("TEST")),
        (State("TEST", frozenset(["far"])),),
    ]


def test_a_net_is_built_once_until_it_changes() -> None:
    net = _net('layer { name: "in" type: "Data" top: "a" } layer { name: "y" type: "ReLU" bottom: "a" top: "b" }')
    first = net.states()
    assert net.states() is first
    solver = load(b'net: "n"', "solver.prototxt", "solver").solver
    assert solver is not None
    solver.join([NetUse("net", net)])
    assert [one.states for one in net.states()] == [(State("TRAIN"),)]
    net.input_shapes = {"a": (1, 2)}
    assert net.states()[0].blobs["b"].shape == (1, 2)


def test_a_blob_knows_its_maker_and_its_readers_past_splits() -> None:
    (one,) = _net(
        _DATA + 'layer { name: "x" type: "ReLU" bottom: "a" top: "a" }'
        'layer { name: "y" type: "ReLU" bottom: "a" top: "b" } layer { name: "z" type: "ReLU" bottom: "a" top: "c" }'
    ).states()
    layers = {layer.name: layer for layer in one.layers}
    assert len(layers) == 5
    assert layers["z"].bottoms[0].maker is layers["x"]
    assert [(layer.name, number) for layer, number in layers["x"].tops[0].readers] == [("y", 0), ("z", 0)]
    assert [layer.name for layer, _ in layers["in"].tops[0].readers] == ["x"]


def test_what_the_text_says_makes_a_bottom() -> None:
    net = _net(
        _DATA + 'layer { name: "x" type: "ReLU" bottom: "a" top: "b" include { phase: TEST } }'
        'layer { name: "d" type: "Dropout" bottom: "a" top: "b" include { phase: TRAIN } }'
        'layer { name: "y" type: "ReLU" bottom: "b" top: "c" }'
    )
    reader = net.layers[-1]
    assert [(made.layer.name, phases) for made, phases in sources(reader, 0)] == [("in", ("TRAIN",)), ("x", ("TEST",))]
    assert reader.maker(0, "TRAIN") == (net.layers[2], 0)
    assert net.layers[0].maker(0, "TRAIN") is None


@pytest.mark.parametrize(
    ("name", "told"),
    [("test.prototxt", True), ("vgg_test2.prototxt", True), ("deploy.prototxt", True)]
    + [(f"{one}.prototxt", False) for one in ("latest", "train_test", "contest", "net")],
)
def test_names_of_nets_that_are_run(name: str, told: bool) -> None:
    assert is_called_for_tests(name) == told
