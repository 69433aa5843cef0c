"""Which nets a solver builds, in which order and in which state: solver.cpp Init, InitTrainNet and InitTestNets."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from caffelint.caffe.refusal import Kind, Refusal
from caffelint.caffe.shapes import plural
from caffelint.schema.messages import NetState
from caffelint.text.records import NamedTuple

if TYPE_CHECKING:
    from caffelint.caffe.net import Net
    from caffelint.caffe.written import WrittenLayer
    from caffelint.schema.messages import NetParameter, SolverParameter

TRAIN, TEST = "TRAIN", "TEST"
PHASES = (TRAIN, TEST)

TRAIN_FIELDS = ("train_net_param", "train_net", "net_param", "net")
"""Fields of a solver that name the net to train, in the order in which Caffe reads them."""
GENERIC_FIELDS = ("net_param", "net")
"""Those of them whose net is also tested."""
TEST_FIELDS = ("test_net_param", "test_net")
"""Fields that name nets only for tests, in the order in which Caffe numbers the test nets."""

_SOURCE = "solver.cpp"


def phase_name(number: int) -> str:
    """The name of a phase, which may be one that only a fork knows."""
    phases: Any = NetState.DESCRIPTOR.fields_by_name["phase"].enum_type
    return str(phases.values_by_number[number].name)


def histories(solver_type: str) -> int:
    """How many blobs of its size a solver keeps for each parameter, but for temporary ones (PreSolve, *_solver.cpp)."""
    return 2 if solver_type in ("AdaDelta", "Adam") else 1


class StateRule(NamedTuple):
    """An include or exclude rule of a layer: what a state is to be like; None where the rule does not say."""

    phase: str | None
    min_level: int | None
    max_level: int | None
    stages: frozenset[str]
    not_stages: frozenset[str]


def state_rule(rule: Any) -> StateRule:
    """The rule in a NetStateRule."""
    return StateRule(
        phase_name(rule.phase) if rule.HasField("phase") else None,
        rule.min_level if rule.HasField("min_level") else None,
        rule.max_level if rule.HasField("max_level") else None,
        frozenset(rule.stage),
        frozenset(rule.not_stage),
    )


class State(NamedTuple):
    """The state that a net is built in; it decides which layers are kept (net.cpp FilterNet)."""

    phase: str
    stages: frozenset[str] = frozenset()
    level: int = 0

    def keeps(self, layer: WrittenLayer) -> bool:
        """Whether a layer is part of the net in this state."""
        if layer.include:
            if layer.any_stage and layer.any_stage.isdisjoint(self.stages):
                return False
            return any(map(self._meets, layer.include))
        return not any(map(self._meets, layer.exclude))

    def _meets(self, rule: StateRule) -> bool:
        """Whether the state meets an include or exclude rule (net.cpp StateMeetsRule)."""
        phase, least, most, stages, not_stages = rule
        return (
            phase in (None, self.phase)
            and stages <= self.stages
            and (least is None or least <= self.level)
            and (most is None or self.level <= most)
            and not_stages.isdisjoint(self.stages)
        )

    def merged(self, given: NetState) -> State:
        """The state after a NetState: stages are added, a phase or a level that is set replaces the old one."""
        return State(
            phase_name(given.phase) if given.HasField("phase") else self.phase,
            self.stages.union(given.stage),
            given.level if given.HasField("level") else self.level,
        )


class SolverNet(NamedTuple):
    """A net that a solver builds.

    field, position: the field that names it, for example the second `test_net`. test: its number among the test nets,
    from 0; None for the net to train. iterations: its test_iter, 0 if it has none.
    """

    field: str
    position: int = 0
    test: int | None = None
    iterations: int = 0

    def state(self, solver: SolverParameter, net: NetParameter) -> State:
        """The state that it is built in: of its phase, then of the net's state, then of train_state or test_state."""
        state = State(TRAIN if self.test is None else TEST).merged(net.state)
        if self.test is None:
            return state.merged(solver.train_state)
        given = solver.test_state
        return state.merged(given[self.test]) if self.test < len(given) else state


def solver_nets(solver: SolverParameter) -> list[SolverNet]:
    """The nets of a solver in the order in which Caffe builds them: the net to train, then the test nets.

    If the fields do not match, where Caffe aborts, these are the nets that were meant: each one that is named, with the
    test_iter and the test_state of its number, if there are any.
    """
    message: Any = solver
    found = [SolverNet(field) for field in TRAIN_FIELDS if message.HasField(field)]
    named = [(field, position) for field in TEST_FIELDS for position in range(len(getattr(message, field)))]
    for field in GENERIC_FIELDS:
        if message.HasField(field):
            named += [(field, 0)] * (len(message.test_iter) - len(named))
    for number, (field, position) in enumerate(named):
        iterations = message.test_iter[number] if number < len(message.test_iter) else 0
        found.append(SolverNet(field, position, number, iterations))
    return found


def refusals_before_training(solver: SolverParameter) -> list[Refusal]:
    """What Caffe refuses about a solver before it reads the net to train; it aborts at the first."""
    message: Any = solver
    found = []
    if message.average_loss < 1:
        found.append(
            Refusal(
                Kind.AVERAGE_LOSS,
                f"average_loss {message.average_loss} must be at least 1",
                "average_loss should be non-negative.",
                f"{_SOURCE} Init",
                "average_loss",
            )
        )
    given = [field for field in TRAIN_FIELDS if message.HasField(field)]
    if not given:
        found.append(
            Refusal(
                Kind.NO_TRAIN_NET,
                "the solver names no net to train; set net or train_net",
                "SolverParameter must specify a train net using one of these fields:",
                f"{_SOURCE} InitTrainNet",
            )
        )
    elif len(given) > 1:
        found.append(
            Refusal(
                Kind.SEVERAL_TRAIN_NETS,
                f"{' and '.join(given)} each name a net to train; keep one of them",
                "SolverParameter must not contain more than one of these fields specifying a train_net:",
                f"{_SOURCE} InitTrainNet",
                given[1],
                fields=tuple(given),
            )
        )
    return found


def refusals_before_testing(solver: SolverParameter) -> list[Refusal]:
    """What Caffe refuses about a solver once the net to train is built, and before it reads any net to test."""
    message: Any = solver
    function = f"{_SOURCE} InitTestNets"
    found = []
    named = sum(len(getattr(message, field)) for field in TEST_FIELDS)
    count = len(message.test_iter)
    generic = any(message.HasField(field) for field in GENERIC_FIELDS)
    if count < named or (count > named and not generic):
        found.append(
            Refusal(
                Kind.TEST_ITER_COUNT,
                f"{count or 'no'} test_iter for {plural(named, 'test net')}; set one for each",
                "test_iter must be specified for each test network.",
                function,
                "test_iter",
                given=count,
                wanted=named,
            )
        )
    states = len(message.test_state)
    if states and states != count:
        found.append(
            Refusal(
                Kind.TEST_STATE_COUNT,
                f"{states} test_state for {plural(count, 'test net')}; set one for each, or none",
                "test_state must be unspecified or specified once per test net.",
                function,
                ("test_state", min(count, states - 1)),
                given=states,
                wanted=count,
            )
        )
    if count and message.test_interval <= 0:
        how = f"is {message.test_interval}" if message.HasField("test_interval") else "is missing"
        found.append(
            Refusal(
                Kind.TEST_INTERVAL,
                f"test_interval {how}; set it to the number of iterations between two tests",
                "Check failed: param_.test_interval() > 0",
                function,
                "test_interval",
            )
        )
    return found


def has_data_of_training(net: Net) -> bool:
    """Has a net layers that make blobs in TRAIN alone, out of nothing?"""
    return any(not layer.bottoms and layer.phases == (TRAIN,) and layer.tops for layer in net.layers)


def is_called_for_tests(name: str) -> bool:
    """Is a file of a name in small letters one to be run, not trained? `latest` is no word for that."""
    is_test = any(one.startswith("test") for one in re.split("[^a-z]+", name))
    return is_test and "train" not in name or "deploy" in name
