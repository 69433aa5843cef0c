"""Why the updates of a run were too large, in words: the hypothesis that the experiments left, or the likeliest."""

from __future__ import annotations

import math

from caffelint.lint import CERTAIN, LIKELY, Cause, Suggested
from caffelint.smoke.rule import (
    UNTESTED,
    Change,
    Hypothesis,
    Run,
    Tried,
    alone,
    begins,
    cure,
    drift,
    ends,
    falls,
    first_ratios,
    hypotheses,
    labels_outside,
    large_input,
    refuted,
    survivor,
    trouble,
)
from caffelint.smoke.rule import bad_start as begins_badly

from ._astray import cause_of
from ._drift import drifted
from ._gradient import wrong_gradient
from ._numbers import number
from ._start import RULES, holds, rate_for, start
from ._suspects import NOUNS, noun, suspect

_HARDLY = 1e-4
_OF_GRADIENTS = ("SGD", "Nesterov")
"""Solvers for whose updates a rate of 0.1 is none too high."""
_FADES = ("schedule", "rate")
"""What cured, and what did not: a rate that is wrong by its schedule is not told to be right."""

_HOW = {
    "breaks": "it breaks",
    "crashes": "it crashes",
    "grows": "its loss grows",
    "stops": "nothing learns",
    "dies": "units die",
    "flat": "the loss does not fall",
    "tests": "TEST gives nan or inf",
    "negative": "the loss is below 0",
    "fades": "the rate fades",
}
"""A trouble in words."""


def too_large(run: Run, after: int | None = None) -> Cause:
    """The cause of updates that are too large. after: the iteration that broke, None for the last."""
    best = cure(run)
    if best is None and (wrong := cause_of(run) or wrong_gradient(run)) is not None:
        return wrong
    if best is None and (found := drift(run)) is not None:
        return drifted(run, found)
    if best is not None:
        cause = _cause(run, best.hypothesis, tested=True)
        also = best.hypothesis.also
        if also is None:
            why = "; ".join([cause.why, _cured(best)])
        else:
            other, single = _cause(run, also, tested=True).why, alone(run, best)
            neither = [f"neither alone cures: {', '.join(map(_came, single))}"] if single else []
            why = "; ".join([f"{cause.why}, and {other}", _cured(best), *neither])
        others = () if also else ruled_out(run)
        sure = LIKELY if run.synthetic and cause.kind == "rate" else CERTAIN
        return cause._replace(why=why, certainty=sure, suggested=best.change.suggested, ruled_out=others)
    if labels_outside(run):
        why = "labels that are no class, as label-out-of-range says, make Caffe read outside of the scores"
        return Cause("labels", "", why, CERTAIN)
    gone = {one.hypothesis.place for one in refuted(run.tried)}
    gone |= {one.hypothesis.place for one in run.tried if one.idles and one.hypothesis.kind == "rate"}
    left = [one for one in hypotheses(run, after) if one.place not in gone or one.proved]
    if not left or (left[0].kind == "rate" and left[0].score <= 0 and trouble(run) is None):
        return Cause("unknown", "", "", LIKELY, ruled_out=ruled_out(run))
    cause = _cause(run, left[0])
    untested = gone or any(one.outcome == UNTESTED for one in run.tried)
    doubt = ["this was not tested"] if untested and cause.certainty != CERTAIN else []
    return cause._replace(why="; ".join([cause.why, *doubt]), ruled_out=ruled_out(run))


def came_of(run: Run, cause: Cause) -> Cause:
    """A cause that is known, with what came of the experiments on it: what cured, and what else was ruled out."""
    best = survivor([one for one in run.tried if one.hypothesis.kind == cause.kind])
    if best is None:
        return cause._replace(ruled_out=ruled_out(run))
    others = tuple(one for one in ruled_out(run) if not one.startswith(f"{NOUNS[cause.kind]}:"))
    return cause._replace(why="; ".join([cause.why, _cured(best)]), ruled_out=others)


def _cured(best: Tried) -> str:
    """`with base_lr: 0.1 it learns: loss 2.31 to 0.9 in 50 iterations`."""
    stays = best.idles and not falls(best.first, best.last)
    how = "learns" if best.learned else f"runs{', but does not learn' if stays else ''}"
    fell = f"it {how}: loss {number(best.first)} to {number(best.last)} in {best.iterations} iterations"
    if best.held:
        name, value = best.beside
        fell = f'it {how}: "{best.held}" {number(best.first)} to {number(best.last)} in {best.iterations} iterations'
        fell += "" if math.isnan(value) else f', and "{name}" ends at {number(value)}'
    if best.hypothesis.cured is not None:
        fell = f"the loss is {number(best.last)} after {best.iterations} iterations"
    made = " and ".join(map(_with, best.change.parts or (best.change,)))
    return f"{made.replace(' and with ', ' and ')} {fell}"


def _with(change: Change) -> str:
    """`with loss_weight: 1 at "loss" and 2 more layers`."""
    if not change.loads:
        return "without the loaded weights"
    if change.skips:
        return change.text
    if change.text.startswith("no "):
        return f"with {change.text}"
    whole = change.text.startswith(("layer {", "layers {"))
    where = f' at "{change.layer}"' if change.layer and not whole else ""
    if change.more:
        where += f" and {change.more} more layer{'s' if change.more > 1 else ''}"
    return f"with {change.text}{where}"


def ruled_out(run: Run) -> tuple[str, ...]:
    """`the rate: with base_lr: 0.001 it breaks in iteration 3`."""
    best = cure(run)
    told = [one for one in refuted(run.tried) if best is None or (best.hypothesis.kind, one.hypothesis.kind) != _FADES]
    return tuple(f"{noun(one.hypothesis)}: {_came(one)}" for one in told)


def _came(one: Tried) -> str:
    """`with base_lr: 0.001 it breaks in iteration 3`."""
    kind = _HOW.get(one.kind, "its first update is too large")
    when = " before any update" if one.iteration < 0 else f" in iteration {one.iteration}"
    when = when if one.kind in ("breaks", "crashes", "grows") else ""
    return f"{one.change.text if one.change.skips else f'with {one.change.text}'} {kind}{when}"


def _cause(run: Run, one: Hypothesis, tested: bool = False) -> Cause:
    """A hypothesis in words. tested: did an experiment confirm it? Its words come after, in place of advice."""
    if one.field == "seed":
        return Cause("start", "", "whether units die depends on the random start", LIKELY)
    if one.kind in ("start", "input-scale"):
        return start(run, one, tested)
    if one.kind == "rate":
        return _rate(run, one, tested)
    fact, advice, sure = suspect(run, one)
    rules: tuple[str, ...] = RULES
    if one.kind == "weight-decay":
        rules = ("weight-decay-out-of-range",)
    elif one.kind == "loss-weight" and one.value < 0:
        rules = ("suspicious-loss-weight",)
    first = one.changes[0].suggested if one.changes and one.kind in _SUGGESTED else None
    certainty = CERTAIN if sure else LIKELY
    why = fact if tested else f"{fact}{advice}"
    return Cause(one.kind, "", why, certainty, one.place, run.known(rules=rules), first)


_SUGGESTED = ("iter-size", "momentum", "weight-decay")
"""Kinds whose value is suggested although nothing was tried."""


def bad_start(run: Run, better: Suggested | None) -> Cause | None:
    """A loss far above chance before any update: the input or the first weights are too large, not the rate.

    better: the rate that would do for the input as it is.
    """
    if begins_badly(run) is None:
        return None
    one = next((one for one in hypotheses(run) if one.kind in ("start", "input-scale")), None)
    return start(run, one, False, better) if one is not None else None


def _rate(run: Run, one: Hypothesis, tested: bool) -> Cause:
    better = rate_for(run)
    data = " for this synthetic data" if run.synthetic else ""
    solver = f" for {run.solver.type}" if run.solver.type not in _OF_GRADIENTS else ""
    text = f"{run.rate_text} is too high{solver}{data}"
    if one.field == "low":
        text = f"{run.rate_text} is too low{data}: the first update is {number(one.figure)} times the weights"
        if run.solver.type == "AdaDelta":
            text += "; AdaDelta finds the size of its steps itself, and base_lr, mostly 1, multiplies them"
        higher = one.changes[0].suggested if one.changes else None
        text += f"; try {higher.text}" if higher is not None and not tested else ""
        return Cause("rate", "", text, LIKELY, one.place, suggested=higher)
    if not tested:
        text = f"{run.rate_text} is most likely too high{solver}{data}; try {better.text}"
        if large := large_input(run):
            text += f", or scale the input to about 1 ({holds(large)})"
    return Cause("rate", "", text, LIKELY, one.place, run.known(rules=RULES), better)


def clipped_away(run: Run) -> Cause | None:
    """A gradient that clipping leaves next to nothing of, so that weights hardly change; a short run cannot test it."""
    one = next((one for one in hypotheses(run) if (one.kind, one.field) == ("clip-gradients", "tiny")), None)
    most = max(first_ratios(run).values(), default=0.0)
    if one is None or not 0 < most < _HARDLY:
        return None
    fact, advice, _ = suspect(run, one)
    what = f"the loss does not fall: {number(begins(run))} to {number(ends(run))} in {len(run.iterations)} iterations"
    why = f"{fact}, so the first update is {number(most)} times the weights{advice}"
    return Cause(one.kind, what, why, LIKELY)


def small_start(run: Run) -> Cause | None:
    """An input next to 0, of which nothing gets to the loss."""
    found = (one for one in hypotheses(run) if (one.kind, one.field) == ("input-scale", "small"))
    return next((start(run, one, False) for one in found), None)


def blank_statistics(run: Run) -> Cause | None:
    """A BatchNorm of the TRAIN net that normalises with stored statistics that are all 0."""
    return next((_cause(run, one) for one in hypotheses(run) if one.kind == "statistics"), None)
