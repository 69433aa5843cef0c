from __future__ import annotations

from collections.abc import Iterator

from caffelint.lint import INFO, TEST, Finding, Invalid, Layer, NamedTuple, Net, NetRule, Solver, file_name, titles

_DIGITS = {'"train"', '"val"', '"deploy"'}
"""Of these stages DIGITS sets one in each net that it builds."""


class _Condition(NamedTuple):
    """What an include rule asks for. field: of the rule. name and value: of the state that meets it, as written."""

    field: str
    name: str
    value: str


class NeverIncluded(NetRule):
    """A layer needs a stage or level that nothing sets.

    ## Why is this bad?
    An `include` rule with a `stage` or `min_level` keeps the layer out unless the solver's `train_state` or
    `test_state`, or `caffe train --stage`, sets it. Caffe leaves the layer out silently.

    ## Example
    ```
    include { phase: TRAIN stage: "augment" }
    ```
    Use instead, or set the stage in the solver:
    ```
    include { phase: TRAIN }
    ```

    ## Known problems
    Only info where no solver names the net: it may be built by a script that sets the stage. Nothing is said of a stage
    or level that would take other layers out of the net, such as its loss: it is for another use of the net. A net
    with the stages train, val and deploy is made for NVIDIA DIGITS, which builds three nets from it; without a solver
    it is not reported.

    ## References
    - net.cpp, StateMeetsRule; solver.cpp, InitTrainNet
    """

    code = "G027"
    name = "never-included"
    severity = INFO
    has_no_effect = True
    _NET = (
        'layer { name: "data" type: "Data" top: "data" }'
        ' layer { name: "noise" type: "DummyData" top: "noise" include { stage: "noisy" } }'
    )
    VALID = [
        {"solver.prototxt": 'net: "net.prototxt" train_state { stage: "noisy" }', "net.prototxt": _NET},
        'layer { name: "data" type: "Data" top: "data" include { phase: TEST } }',
        'layer { name: "data" type: "Data" top: "data" include { not_stage: "quick" } }',
        # For deployment: in training the stage would take away the loss.
        {
            "solver.prototxt": 'net: "net.prototxt"',
            "net.prototxt": _NET + ' layer { type: "EuclideanLoss" bottom: "data" bottom: "data" top: "loss"'
            ' exclude { stage: "noisy" } }',
        },
        # For DIGITS.
        'layer { name: "train-data" type: "Data" top: "data" include { stage: "train" } }'
        ' layer { name: "val-data" type: "Data" top: "data" include { stage: "val" } }'
        ' layer { name: "softmax" type: "Softmax" bottom: "data" top: "out" include { stage: "deploy" } }',
    ]
    INVALID = [
        Invalid(
            {"solver.prototxt": 'net: "net.prototxt"', "net.prototxt": _NET},
            span='stage: "noisy"',
            message='DummyData "noise": nothing sets stage "noisy", so "solver.prototxt" builds no net with the layer;'
            ' to include it, set train_state { stage: "noisy" }',
        ),
        Invalid(
            _NET.replace('stage: "noisy"', "min_level: 2"),
            span="min_level: 2",
            message='DummyData "noise": nothing sets level 2, so the layer is left out; to include it, pass --level 2'
            " or set train_state { level: 2 } in the solver",
        ),
        Invalid(
            {
                "solver.prototxt": 'net: "net.prototxt" train_state { stage: "quiet" }',
                "net.prototxt": _NET,
            },
            span='stage: "noisy"',
            message='DummyData "noise": nothing sets stage "noisy", so "solver.prototxt" builds no net with the layer;'
            ' to include it, add stage: "noisy" to train_state in the solver',
        ),
        Invalid(
            {
                "solver.prototxt": 'net: "net.prototxt" test_iter: 1 test_interval: 1 test_state { stage: "quiet" }',
                "net.prototxt": _NET.replace("include {", "include { phase: TEST"),
            },
            span='stage: "noisy"',
            message='DummyData "noise": nothing sets stage "noisy", so "solver.prototxt" builds no net with the layer;'
            ' to include it, add test_state { stage: "noisy" } and a test_iter for it',
        ),
    ]

    def check(self, net: Net) -> Iterator[Finding]:
        if net.unbuilt:
            return
        conditional = [layer for layer in net.conditional if _condition(layer)]
        if not conditional or not net.solvers and {one.value for one in map(_condition, conditional) if one} >= _DIGITS:
            return
        present = {layer.index for one in net.states() for layer in one.layers}
        phases = {phase for one in net.states() for phase in one.phases}
        groups: dict[tuple[_Condition, bool], list[Layer]] = {}
        for layer in conditional:
            # Without a phase that is built the layer may be left out for that reason alone.
            condition = _condition(layer)
            if not condition or layer.index in present or not phases.intersection(layer.phases):
                continue
            if not _takes_away(net, layer, condition):
                groups.setdefault((condition, layer.phases == (TEST,)), []).append(layer)
        for ((field, name, value), for_test), layers in groups.items():
            them = "the layer" if len(layers) == 1 else "the layers"
            message = f"{titles(layers)}: nothing sets {name} {value}, so"
            if net.solvers:
                solver = file_name(net.solvers[0].path)
                message += f' "{solver}" builds no net with {them}; to include {_it(layers)},'
                message += f" {_remedy(net.solvers[0], name, value, for_test)}"
            else:
                left = f"{them} {'is' if len(layers) == 1 else 'are'} left out"
                state = f"set {'test' if for_test else 'train'}_state {{ {name}: {value} }} in the solver"
                passed = f"pass --{name} {value}{' to caffe test' if for_test else ''}"
                message += f" {left}; to include {_it(layers)}, {passed} or {state}"
            yield self.finding(layers[0].at("include", 0, field), message, layers=layers)


def _takes_away(net: Net, layer: Layer, condition: _Condition) -> bool:
    """Does the state that includes a layer leave out others of its phase that are there without?"""
    for state in (state for built in net.states() for state in built.states if state.phase in layer.phases):
        changed = state._replace(level=int(condition.value)) if condition.name == "level" else state
        if condition.name == "stage":
            changed = state._replace(stages=state.stages | {condition.value.strip('"')})
        if any(state.keeps(other) and not changed.keeps(other) for other in net.once(_may_leave)):
            return True
    return False


def _may_leave(net: Net) -> list[Layer]:
    """The layers that one more stage, or a higher level, may take away."""
    return [
        one
        for one in net.conditional
        if one.message.exclude or any(rule.not_stage or rule.HasField("max_level") for rule in one.message.include)
    ]


def _remedy(solver: Solver, name: str, value: str, for_test: bool) -> str:
    """What to set in a solver. Solver::InitTestNets takes no test_state, or one for each test net."""
    given, setting = solver.message, f"{name}: {value}"
    if for_test:
        nets = max(len(given.test_iter), len(given.test_net))
        if nets == 0 or given.test_state:
            return f"add test_state {{ {setting} }} and a test_iter for it"
        others = " for one test net, and test_state { } for the others" if nets > 1 else ""
        return f"set test_state {{ {setting} }}{others}"
    if given.HasField("train_state"):
        change = f"add {setting} to" if name == "stage" else f"set {setting} in"
        return f"{change} train_state in the solver"
    return f"set train_state {{ {setting} }}"


def _it(layers: list[Layer]) -> str:
    return "it" if len(layers) == 1 else "them"


def _condition(layer: Layer) -> _Condition | None:
    """The stage or level that the first include rule asks for."""
    if not layer.message.include:
        return None
    rule = layer.message.include[0]
    if rule.stage:
        return _Condition("stage", "stage", f'"{rule.stage[0]}"')
    return _Condition("min_level", "level", str(rule.min_level)) if rule.min_level > 0 else None
