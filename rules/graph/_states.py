"""The net as Caffe would build it, once for all rules that ask."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from caffelint.lint import PHASES, TEST, TRAIN, Net, NetUse, Solver
from caffelint.lint.built import BVLC_TYPES, BuiltNet, build


class State(NamedTuple):
    phase: str
    stages: frozenset[str] = frozenset()
    level: int = 0


@lru_cache(maxsize=2)
def built(net: Net) -> tuple[BuiltNet, ...]:
    """The net in each state that its solvers build it in; without a solver in both phases, with no stage set.

    One build stands for both phases where no layer asks for a phase.
    """
    wanted = states(net)
    if not any(layer.message.include or layer.message.exclude for layer in net.layers):
        wanted = wanted[:1]
    return tuple(
        build(net.message, state.phase, state.stages, state.level, input_shapes=net.input_shapes) for state in wanted
    )


def states(net: Net) -> list[State]:
    """The states to look at; never empty."""
    found = [state for solver in net.solvers for use in solver.nets if use.net is net for state in _states(solver, use)]
    level = net.message.state.level
    return list(dict.fromkeys(found)) or [State(phase, level=level) for phase in PHASES]


def _states(solver: Solver, use: NetUse) -> list[State]:
    """What solver.cpp makes of a net: InitTrainNet and InitTestNets."""
    message = solver.message
    own = use.net.message.state
    rows = []
    if use.trains:
        rows.append((TRAIN, message.train_state))
    named = len(message.test_net) + len(message.test_net_param)
    if use.field.startswith("test_") or (use.tests and len(message.test_iter) > named):
        given = list(message.test_state)
        rows += [(TEST, state) for state in given] or [(TEST, own)]
    return [
        State(
            PHASES[state.phase] if state.HasField("phase") and phase == TRAIN else phase,
            frozenset([*own.stage, *state.stage]),
            state.level if state.HasField("level") else own.level,
        )
        for phase, state in rows
    ]


@lru_cache(maxsize=2)
def is_plain(net: Net) -> bool:
    """Is the net for BVLC's Caffe, using nothing that only forks have, so that Caffe 1.0's own rules hold for it?"""
    return not net.bound.problems and is_for_bvlc(net)


def is_for_bvlc(net: Net) -> bool:
    """Is the net for BVLC's Caffe, by dialect, fields and types, whatever is wrong with its text?"""
    return net.bound.is_plain and all(layer.type in BVLC_TYPES for layer in net.layers)
