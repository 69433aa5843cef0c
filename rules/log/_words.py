"""What the messages of these rules share."""

from __future__ import annotations

import math
from collections.abc import Sequence

from caffelint.evidence.log.rule import LOSS, LogEvidence, Logged, Measured, Series
from caffelint.lint import Known
from caffelint.lint.numerics import ALIKE, DECAY, HOT, OVERSHOOT, STILL, remedy
from caffelint.lint.numerics import number as rounded


def number(value: float) -> str:
    return f"{value:.4g}"


def counted(count: int, noun: str) -> str:
    return f"{count} {noun}{'' if count == 1 else 's'}"


def rounded_to_one(value: float) -> str:
    """A value to try: one digit of it."""
    return f"{float(f'{value:.1g}'):g}"


def far_targets(size: float) -> tuple[str, str]:
    """What targets of that size are, and what to do about them."""
    about = rounded_to_one(size)
    why = f"divide them by {about}, so that they are about 1 (`caffelint data` shows their range)"
    return f"are about {about}, or what the net reads is as large", why


def called(series: Series) -> str:
    """A series as the subject of a message."""
    if series.name == LOSS:
        return "the loss"
    return f'{series.phase} output "{series.name}"'


def state(value: float) -> str:
    return "nan" if math.isnan(value) else "inf" if math.isinf(value) else number(value)


def see(known: Sequence[Known]) -> str:
    """What a check says of the same."""
    seen = "; ".join(f"{one.where}: {one.message}" for one in known)
    return f"see {seen}" if seen else ""


def joined(*parts: str) -> str:
    return "; ".join(part for part in parts if part)


def begins(log: LogEvidence, run: Logged) -> str:
    """What is wrong by the numbers that the run begins with: the sizes of targets, of updates, of scores."""
    beginning = log.beginning(run)
    if first := beginning.far_targets():
        are, why = far_targets(first.targets)
        return f'the first loss of "{first.layer}" is {number(first.value)}, so its targets {are}; {why}'
    found = beginning.judgement
    if found is None:
        return ""
    advice = f"; {remedy(found.cures[0])}" if found.cures else ""
    if found.kind == HOT and found.update is not None:
        layer = found.update.param.layer.name
        return f'by its numbers, the first updates of "{layer}" are {rounded(found.size)} times its weights{advice}'
    if found.kind == ALIKE:
        return (
            f'by its numbers, the scores that "{found.layer.name}" reads differ between samples by'
            f" {rounded(found.size)} of their size{advice}"
        )
    if found.kind == OVERSHOOT:
        times = f"{rounded(found.size)} times the largest at which updates approach the targets"
        return f'by its numbers, the rate is {times} of "{found.layer.name}"{advice}'
    if found.kind == DECAY:
        times = f"{rounded(found.size)} times as hard as their gradients"
        return f"by its numbers, the decay pulls the weights of half of the layers at least {times}{advice}"
    if found.kind == STILL:
        return f"by its numbers, all weights move by no more than {rounded(found.size)} of their size{advice}"
    return f'by its numbers, the scores that "{found.layer.name}" reads begin at about {rounded(found.scores)}{advice}'


def rate_there(log: LogEvidence, run: Logged, iteration: int) -> str:
    """`the rate is 0.1 there`, with what the schedule gives where that is another one."""
    rate = run.rate_at(iteration)
    wanted = log.scheduled(run, rate.iteration if rate else iteration)
    if rate is None:
        return f"the schedule gives a rate of {number(wanted)} there" if wanted is not None else ""
    if wanted is not None and abs(rate.value - wanted) > 0.01 * abs(wanted):
        return f"the rate is {number(rate.value)} there, but the schedule gives {number(wanted)}"
    return f"the rate is {number(rate.value)} there"


def back_to(log: LogEvidence, run: Logged, iteration: int) -> str:
    """The snapshot to go back to."""
    found = log.sound_snapshot(run, iteration)
    if found is None:
        return "no snapshot was written before" if run.snapshots else ""
    how = "--snapshot" if found.is_state else "--weights"
    return f"the last snapshot before is of iteration {found.iteration}: {how} {found.path}"


def measured(one: Measured) -> str:
    """A line of debug_info in words."""
    what = f'parameter {one.name} of layer "{one.layer}"'
    if one.what != "param":
        what = f'{one.what} "{one.name}" of layer "{one.layer}"'
    of = "" if one.way == "Forward" else "the gradient of " if one.way == "Backward" else "the update of "
    way = {"Forward": "forward", "Backward": "backward", "Update": "update"}[one.way]
    return f"in the {way} pass {of}{what} is {state(one.value)}"
