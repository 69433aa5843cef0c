from __future__ import annotations

import math
from collections.abc import Iterator

from caffelint.lint import ERROR, LIKELY, UNSAFE, WARNING, Finding, Fix, Invalid, Solver, SolverRule, fix, join, write

_WITH_DELTA = ("AdaGrad", "RMSProp", "AdaDelta", "Adam")
_LONG = 0.99
"""Of a mean over a hundred updates, which is usual for the square of gradients."""
_SLOW, _LARGE = 0.999, 0.05
"""From which on a decay lets its mean grow too slowly, and what an update then is at least that does harm."""
_MOST_DELTA = 10
"""Some train with 0.1 or 1, which make the steps of small gradients smaller on purpose."""

_LOW, _SMALL_DELTA = 0.01, 1e-4
"""A base_lr with which AdaDelta comes to nothing, as it is made for 1, and a delta that does not make up for it."""


class AdaptiveParameterOutOfRange(SolverRule):
    """`rms_decay`, `momentum2` or `delta` of an adaptive solver is out of its range.

    ## Why is this bad?
    RMSProp refuses an rms_decay outside [0, 1); near 1 its first updates are huge, as it divides by a mean of squares
    that begins at 0. Adam with a momentum2 (beta2) of 1 multiplies every update by
    sqrt(1 - 1) = 0, and with one above 1 by the root of a negative number; below the square of momentum, a gradient
    is still in the numerator when it has left the divisor. delta keeps the divisor, the root of the
    mean squared gradient, away from 0: with delta 0, each weight whose gradient is exactly 0 (from a dead ReLU, a
    frozen layer or a zero input) gets 0/0. AdaDelta with delta 0 does not move at all, since its first numerator is
    delta. With a delta far above the gradients the others divide by delta, and move by next to nothing. AdaDelta
    uses momentum as its decay; without it, nothing is averaged. It finds the size of its steps itself, and is made for
    a base_lr of 1.

    ## Example
    ```
    type: "Adam" momentum2: 1
    ```
    Use instead:
    ```
    type: "Adam" momentum2: 0.999
    ```

    ## Fix safety
    Unsafe: the value is a common one, which may not be the intended one.

    ## References
    - sgd_solvers.hpp, RMSPropSolver; adam_solver.cpp, rmsprop_solver.cpp, adagrad_solver.cpp, adadelta_solver.cpp
    """

    code = "S204"
    name = "adaptive-parameter-out-of-range"
    severity = ERROR
    VALID = [
        'type: "RMSProp" rms_decay: 0 base_lr: 0.1',
        'type: "Adam" momentum2: 0.999 delta: 1e-8 base_lr: 0.1',
        'type: "SGD" delta: 0 momentum2: 2 rms_decay: 3 base_lr: 0.1',
        'type: "AdaDelta" momentum: 0.95 base_lr: 1',
        'type: "AdaDelta" momentum: 0 base_lr: 1',
        'type: "AdaDelta" momentum: 0.95 base_lr: 0.01 delta: 1',
    ]
    INVALID = [
        Invalid(
            'type: "RMSProp" rms_decay: 0.9999 base_lr: 0.005',
            span="rms_decay: 0.9999",
            message="rms_decay 0.9999 lets the mean of squares grow so slowly that the first updates are 100 times"
            " base_lr 0.005; set rms_decay: 0.99",
            fixed='type: "RMSProp" rms_decay: 0.99 base_lr: 0.005',
        ),
        Invalid(
            'type: "RMSProp" rms_decay: 1 base_lr: 0.1',
            span="rms_decay: 1",
            message="rms_decay 1 is outside the range [0, 1); try rms_decay: 0.98",
            fixed='type: "RMSProp" rms_decay: 0.98 base_lr: 0.1',
        ),
        Invalid(
            'type: "Adam" momentum2: 1 base_lr: 0.1',
            span="momentum2: 1",
            message="momentum2 1 is not below 1, so Adam multiplies every update by sqrt(1 - momentum2 ^ t) = 0, so"
            " no weight changes; try momentum2: 0.999",
            fixed='type: "Adam" momentum2: 0.999 base_lr: 0.1',
        ),
        Invalid(
            'type: "Adam" momentum2: 1.5 base_lr: 0.1',
            span="momentum2: 1.5",
            message="momentum2 1.5 is not below 1, so Adam multiplies every update by sqrt(1 - momentum2 ^ t) = nan,"
            " so all weights become nan; try momentum2: 0.999",
            fixed='type: "Adam" momentum2: 0.999 base_lr: 0.1',
        ),
        Invalid(
            'type: "Adam" momentum2: -0.9 base_lr: 0.1',
            span="momentum2: -0.9",
            message="momentum2 -0.9 is negative, so Adam may take the root of a negative mean square; try momentum2:"
            " 0.999",
            fixed='type: "Adam" momentum2: 0.999 base_lr: 0.1',
        ),
        Invalid(
            'type: "Adam" momentum: 0.999 momentum2: 0.9 base_lr: 0.1',
            span="momentum2: 0.9",
            message="momentum2 0.9 is below the square of momentum 0.999, so Adam divides past gradients by later ones,"
            " however small; the two seem to be swapped: 0.9 and 0.999 are usual",
            fixed='type: "Adam" momentum: 0.9 momentum2: 0.999 base_lr: 0.1',
        ),
        Invalid(
            'type: "Adam" momentum: # first: yes\n 0.999 momentum2: 0.9 base_lr: 0.1',
            span="momentum2: 0.9",
            message="momentum2 0.9 is below the square of momentum 0.999, so Adam divides past gradients by later ones,"
            " however small; the two seem to be swapped: 0.9 and 0.999 are usual",
            fixed='type: "Adam" momentum: # first: yes\n 0.9 momentum2: 0.999 base_lr: 0.1',
        ),
        Invalid(
            'type: "Adam" momentum: 0.95 momentum2: 0.9 base_lr: 0.1',
            span="momentum2: 0.9",
            message="momentum2 0.9 is below the square of momentum 0.95, so Adam divides past gradients by later ones,"
            " however small; try momentum2: 0.999",
            fixed='type: "Adam" momentum: 0.95 momentum2: 0.999 base_lr: 0.1',
        ),
        Invalid(
            'type: "Adam" delta: 0 base_lr: 0.1',
            span="delta: 0",
            message="delta 0 gives 0/0 = nan in Adam where a gradient is exactly 0; try delta: 1e-8",
            fixed='type: "Adam" delta: 1e-8 base_lr: 0.1',
        ),
        Invalid(
            'type: "RMSProp" delta: -1e-6 base_lr: 0.1',
            span="delta: -1e-6",
            message="delta -1e-06 is negative, but RMSProp adds it to its divisor; try delta: 1e-8",
            fixed='type: "RMSProp" delta: 1e-8 base_lr: 0.1',
        ),
        Invalid(
            'type: "Adam" delta: 100 base_lr: 0.001',
            span="delta: 100",
            message="delta 100 outweighs the root mean square of the gradients that Adam adds it to, so weights hardly"
            " move; try delta: 1e-8",
            fixed='type: "Adam" delta: 1e-8 base_lr: 0.001',
        ),
        Invalid(
            'type: "AdaDelta" delta: 0 momentum: 0.9 base_lr: 0.1',
            span="delta: 0",
            message="delta 0 makes the first update of AdaDelta 0, or 0/0 = nan where a gradient is 0; try delta: 1e-6",
            fixed='type: "AdaDelta" delta: 1e-6 momentum: 0.9 base_lr: 0.1',
        ),
        Invalid(
            'type: "AdaDelta" momentum: 0.95 base_lr: 0.001 delta: 1e-6',
            span="base_lr: 0.001",
            message="AdaDelta finds the size of its steps itself, and base_lr 0.001 makes them 1,000 times smaller, so"
            " weights hardly move; set base_lr: 1",
            fixed='type: "AdaDelta" momentum: 0.95 base_lr: 1 delta: 1e-6',
        ),
        Invalid(
            'type: "AdaDelta" base_lr: 1',
            span='type: "AdaDelta"',
            message="momentum, which AdaDelta uses as its decay, is missing, so nothing is averaged; try momentum:"
            " 0.95",
            fixed='type: "AdaDelta" momentum: 0.95 base_lr: 1',
        ),
    ]

    def check(self, solver: Solver) -> Iterator[Finding]:
        message, type_ = solver.message, solver.type
        if type_ not in _WITH_DELTA:
            return
        if type_ == "RMSProp" and not 0 <= message.rms_decay < 1:
            yield self.finding(
                solver.at("rms_decay"),
                f"rms_decay {message.rms_decay:g} is outside the range [0, 1); try rms_decay: 0.98",
                evidence="Caffe stops at the start: rms_decay should lie between 0 and 1",
                fixes=_common(solver, "rms_decay", "0.98"),
            )
        if type_ == "RMSProp" and message.rms_decay < 1:
            yield from self._begins_at_nothing(solver, message.rms_decay)
        if type_ == "Adam" and not 0 <= message.momentum2 < 1:
            yield self._momentum2(solver, message.momentum2)
        elif type_ == "Adam" and message.momentum2 < message.momentum**2 and message.momentum < 1:
            text = (
                f"momentum2 {message.momentum2:g} is below the square of momentum {message.momentum:g}, so Adam divides"
            )
            text += " past gradients by later ones, however small"
            place, fixes = solver.at_first("momentum2", "momentum"), _common(solver, "momentum2", "0.999")
            remedy = "try momentum2: 0.999"
            if solver.has("momentum2") and message.momentum >= _LONG > message.momentum2:
                remedy, fixes = "the two seem to be swapped: 0.9 and 0.999 are usual", _swapped(solver)
            yield self.finding(place, f"{text}; {remedy}", severity=WARNING, fixes=fixes)
        if type_ == "AdaDelta" and not solver.has("momentum"):
            text = "momentum, which AdaDelta uses as its decay, is missing, so nothing is averaged; try momentum: 0.95"
            place = solver.at("type" if solver.written.HasField("type") else "solver_type")
            yield self.finding(place, text, severity=WARNING, fixes=_common(solver, "momentum", "0.95"))
        if type_ == "AdaDelta" and 0 < message.base_lr <= _LOW and 0 < message.delta <= _SMALL_DELTA:
            text = f"AdaDelta finds the size of its steps itself, and base_lr {message.base_lr:g} makes them"
            text += f" {1 / message.base_lr:,.0f} times smaller, so weights hardly move; set base_lr: 1"
            fixes = _common(solver, "base_lr", "1")
            yield self.finding(solver.at("base_lr"), text, severity=WARNING, certainty=LIKELY, fixes=fixes)
        # AdaDelta has delta in numerator and divisor: a large one makes plain steps of it.
        if message.delta <= 0 or message.delta > _MOST_DELTA and type_ != "AdaDelta":
            yield self._delta(solver, type_, message.delta)

    def _begins_at_nothing(self, solver: Solver, decay: float) -> Iterator[Finding]:
        """The mean of squares begins at 0, and unlike that of Adam nothing corrects it."""
        first = 1 / math.sqrt(1 - decay) if decay > _SLOW else 0.0
        if first * solver.message.base_lr >= _LARGE:
            yield self.finding(
                solver.at("rms_decay"),
                f"rms_decay {decay:g} lets the mean of squares grow so slowly that the first updates are"
                f" {first:.0f} times base_lr {solver.message.base_lr:g}; set rms_decay: 0.99",
                severity=WARNING,
                certainty=LIKELY,
                fixes=_common(solver, "rms_decay", "0.99"),
            )

    def _momentum2(self, solver: Solver, value: float) -> Finding:
        place, fixes = solver.at("momentum2"), _common(solver, "momentum2", "0.999")
        if value < 0:
            text = f"momentum2 {value:g} is negative, so Adam may take the root of a negative mean square"
            return self.finding(place, f"{text}; try momentum2: 0.999", severity=WARNING, fixes=fixes)
        factor = "0, so no weight changes" if value == 1 else "nan, so all weights become nan"
        text = f"momentum2 {value:g} is not below 1, so Adam multiplies every update by sqrt(1 - momentum2 ^ t)"
        return self.finding(place, f"{text} = {factor}; try momentum2: 0.999", fixes=fixes)

    def _delta(self, solver: Solver, type_: str, value: float) -> Finding:
        place = solver.at("delta")
        common = "1e-6" if type_ == "AdaDelta" else "1e-8"
        fixes = _common(solver, "delta", common)
        if value > 0:
            text = f"delta {value:g} outweighs the root mean square of the gradients that {type_} adds it to"
            return self.finding(
                place, f"{text}, so weights hardly move; try delta: {common}", severity=WARNING, fixes=fixes
            )
        if value < 0:
            text = f"delta {value:g} is negative, but {type_} adds it to its divisor; try delta: {common}"
            return self.finding(place, text, severity=WARNING, fixes=fixes)
        if type_ == "AdaDelta":
            text = "delta 0 makes the first update of AdaDelta 0, or 0/0 = nan where a gradient is 0"
            return self.finding(place, f"{text}; try delta: {common}", fixes=fixes)
        text = f"delta 0 gives 0/0 = nan in {type_} where a gradient is exactly 0; try delta: {common}"
        return self.finding(place, text, severity=WARNING, fixes=fixes)


def _swapped(solver: Solver) -> tuple[Fix, ...]:
    first, second = f"{solver.message.momentum:g}", f"{solver.message.momentum2:g}"
    edits = join([write(solver, "momentum", value=second), write(solver, "momentum2", value=first)])
    return fix(f"set momentum: {second} and momentum2: {first}", UNSAFE, edits) if edits else ()


def _common(solver: Solver, field: str, value: str) -> tuple[Fix, ...]:
    return fix(f"set {field}: {value}", UNSAFE, write(solver, field, value=value, after="type"))
