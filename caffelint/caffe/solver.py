"""A solver and the nets that it names."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from caffelint.caffe.learning_rate import FORK_POLICIES, POLICIES, Schedule, schedule
from caffelint.caffe.net import Found, Net
from caffelint.caffe.place import Given, Place, given, has, is_commented_out, place
from caffelint.caffe.states import (
    SolverNet,
    State,
    histories,
    refusals_before_testing,
    refusals_before_training,
    solver_nets,
)
from caffelint.caffe.upgrade import upgrade_solver
from caffelint.schema.provenance import provenance
from caffelint.text.records import NamedTuple

if TYPE_CHECKING:
    from caffelint.caffe.refusal import Kind, Refusal
    from caffelint.project.solver_runs import Runs
    from caffelint.schema.bound import Bound
    from caffelint.schema.messages import SolverParameter
    from caffelint.schema.project import ProjectCaffe
    from caffelint.text.parser import Document


class NetUse(NamedTuple):
    """A net and the field of the solver that names it: `net`, `train_net`, `test_net`, or one of the `..._param`.

    `position` is its index in a repeated field.
    """

    field: str
    net: Net
    position: int = 0

    @property
    def trains(self) -> bool:
        return not self.field.startswith("test_")

    @property
    def tests(self) -> bool:
        return not self.field.startswith("train_")


class NetName(NamedTuple):
    """A net's name as a solver gives it; `field` and `position` say where, for example the second `test_net`.

    `near`: the name of a file that may have been meant; empty if there is none. `is_guess`: is it only the one net
    beside the one solver, in a folder of another name?
    """

    field: str
    position: int
    name: str
    near: str = ""
    is_guess: bool = False


class Solver:
    """A solver. `message` is its SolverParameter in the current format, `nets` are the nets that could be read.

    `missing` are the names of nets for which no file was found, `beside` those found only by their bare file name,
    beside the solver, `outside` those in folders that are not read, `solvers` those of files that hold a solver; all
    are empty if nobody looked.
    """

    def __init__(self, bound: Bound):
        self.bound = bound
        self.written: SolverParameter = bound.message
        self.refusals: list[Refusal] = []
        """What Caffe refuses about the solver itself, in Caffe's order."""
        self.message: SolverParameter = upgrade_solver(bound.message, bound, self.refusals)
        self.refusals += [*refusals_before_training(self.message), *refusals_before_testing(self.message)]
        self.nets: list[NetUse] = []
        self.missing: list[NetName] = []
        self.beside: list[NetName] = []
        self.outside: list[NetName] = []
        self.solvers: list[NetName] = []
        self.runs: Runs | None = None
        self._found: dict[Callable[[Solver], Any], Any] = {}

    @property
    def document(self) -> Document:
        return self.bound.document

    @property
    def path(self) -> str:
        return self.document.path

    def at(self, *path: str | int) -> Place:
        """The place of a field, for example `at("stepvalue", 2)`; the file's first field if it is not set."""
        return place(self.document, self.document.root, path)

    def at_first(self, *fields: str) -> Place:
        """The place of the first of these fields that is written; if none is, as `at`.

        Of a field that Caffe's upgrade has set, only its value is known: `type` is written as `solver_type`.
        """
        root = self.document.root
        written = (field for field in fields if root.all(field) or (id(root), field) in self.document.misspelt)
        return self.at(next(written, fields[-1]))

    def has(self, field: str) -> bool:
        """Has a field a value, in the text or by Caffe's upgrade?"""
        return has(self.message, (field,))

    def given(self, field: str) -> Given:
        """What the text gives of a field: a value, nothing, or something that could not be read."""
        return given(self.message, self.document.root, (field,))

    def is_commented_out(self, field: str) -> bool:
        """Is a field there in a comment, with a value? It was turned off, and not forgotten."""
        return is_commented_out(self.document, self.document.root, (field,))

    def refusal(self, kind: Kind) -> Refusal | None:
        """The refusal of a kind, if Caffe refuses the solver for it."""
        return next((refusal for refusal in self.refusals if refusal.kind is kind), None)

    @property
    def type(self) -> str:
        """The solver's type; `SGD` if it is not set."""
        return self.message.type

    @property
    def histories(self) -> int:
        """How many blobs of its size it keeps for each parameter."""
        return histories(self.type)

    @property
    def dialect(self) -> str | None:
        """The dialect that the text was read in; None if none is set."""
        return self.bound.dialect

    @property
    def caffe(self) -> ProjectCaffe | None:
        """The Caffe of its own project, if that is to read it."""
        return self.bound.caffe

    @property
    def type_forks(self) -> frozenset[str]:
        """The forks that register the solver's type, "bvlc" among them; empty if none does."""
        return provenance().solver_type(self.type)

    @property
    def policy_forks(self) -> frozenset[str]:
        """The forks that know the lr_policy, "bvlc" among them; empty if none does."""
        if self.message.lr_policy in POLICIES:
            return frozenset(provenance().forks)
        facts = provenance().field("SolverParameter", FORK_POLICIES.get(self.message.lr_policy, ""))
        return facts.forks if facts else frozenset()

    def fork_names(self, forks: frozenset[str]) -> str:
        """The names of forks for a message, best known first."""
        return provenance().describe(forks)

    @property
    def schedule(self) -> Schedule:
        """The learning rate over all iterations."""
        return schedule(self.message)

    @property
    def tests(self) -> bool:
        """Does a run of it ever read a batch for testing (solver.cpp, Step and Solve)?

        Many switch tests off with a test_iter of 0, or with a test_interval that the run never reaches.
        """
        message = self.message
        has_test_net = bool(message.test_net or message.test_net_param)
        if not any(message.test_iter) and (message.test_iter or not has_test_net):
            return False
        return message.test_initialization or not 0 < message.max_iter < message.test_interval

    @property
    def is_cut_short(self) -> bool:
        """Does a run end before its first test but that at the start, and before its first snapshot?

        Such a run measures the time, or shows that it all works; nobody looks at what it learns.
        """
        message = self.message
        return 0 < message.max_iter < min(message.test_interval, message.snapshot)

    @property
    def distinct_nets(self) -> list[Net]:
        """The nets that it names, each once."""
        return list({id(use.net): use.net for use in self.nets}.values())

    @property
    def scales_rates(self) -> bool:
        """Does a fork's LARS or warm-up scale base_lr, so that it is not the rate of the first updates?"""
        message = self.message
        return bool(message.local_lr_auto or message.larc or message.warmup_iter or message.rampup_interval)

    @cached_property
    def train_net(self) -> Net | None:
        return next((use.net for use in self.nets if use.trains), None)

    @cached_property
    def inline_nets(self) -> list[NetUse]:
        """The nets that are written in the solver's own text."""
        found = [
            NetUse(field, Net(self.bound, getattr(self.message, field)))
            for field in ("net_param", "train_net_param")
            if self.message.HasField(field)
        ]
        tests = enumerate(self.message.test_net_param)
        return found + [NetUse("test_net_param", Net(self.bound, net), position) for position, net in tests]

    def join(self, uses: Iterable[NetUse]) -> None:
        """Connect the solver with nets that it names, and them with it."""
        for use in uses:
            self.nets.append(use)
            use.net.join(self)
        self._found.clear()
        self.__dict__.pop("_uses", None)
        self.__dict__.pop("builds", None)
        self.__dict__.pop("_states", None)

    def once(self, find: Callable[[Solver], Found]) -> Found:
        """What a function finds out about the solver and its nets; it is called once, as by `Net.once`."""
        if find not in self._found:
            self._found[find] = find(self)
        found: Found = self._found[find]
        return found

    def uses_of(self, net: Net) -> Sequence[NetUse]:
        """How it names a net."""
        return self._uses.get(id(net), ())

    @cached_property
    def _uses(self) -> dict[int, list[NetUse]]:
        found: dict[int, list[NetUse]] = {}
        for use in self.nets:
            found.setdefault(id(use.net), []).append(use)
        return found

    @cached_property
    def builds(self) -> Sequence[tuple[SolverNet, Net, State]]:
        """The nets that Caffe builds for it and their states, in Caffe's order, without nets that could not be read."""
        nets = {(use.field, use.position): use.net for use in self.nets}
        return [
            (build, net, build.state(self.message, net.message))
            for build in solver_nets(self.message)
            if (net := nets.get((build.field, build.position))) is not None
        ]

    def states_of(self, net: Net) -> Sequence[State]:
        """The states in which it builds a net."""
        return self._states.get(id(net), ())

    @cached_property
    def _states(self) -> dict[int, list[State]]:
        found: dict[int, list[State]] = {}
        for _, net, state in self.builds:
            found.setdefault(id(net), []).append(state)
        return found
