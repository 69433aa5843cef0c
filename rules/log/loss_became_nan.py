from __future__ import annotations

import math
from collections.abc import Iterator

from caffelint.evidence.log.rule import (
    BREAKS,
    FIRST,
    LARGE,
    RATE,
    SUDDEN,
    TEST,
    TESTED,
    LogEvidence,
    Logged,
    LogRule,
    Point,
    Series,
)
from caffelint.lint import ERROR, INFO, Cause, Finding, Invalid

from ._example import SOUND, losses, with_tests
from ._suspects import explained, unexplained
from ._words import back_to, begins, called, joined, measured, number, rate_there, see, state

_RESUMED = "I1122 13:10:00.00 17644 caffe.cpp:242] Resuming from net_iter_140.solverstate\n"
_AT_140 = losses(["nan", "nan"], rate=None).replace("Iteration ", "Iteration 14")
_OF_SNAPSHOT = "`caffelint weights` names the layers of a snapshot that are not finite"
_MEASURE = "I1122 13:12:00.00 17644 solver.cpp:414]     Test net output #1: recall = -nan\n"


class LossBecameNan(LogRule):
    """A number in the log is nan, infinite, or larger than any loss.

    The finding names the first iteration, the output, the rate there, the last number before, the layer that
    `debug_info` shows first, and the snapshot to go back to.

    ## Why is this bad?
    Every weight that such a number reaches becomes nan in the next update, and stays so: no later iteration is of use,
    and snapshots written after it hold nan.

    ## References
    - solver.cpp, Step; net.cpp, ForwardDebugInfo and BackwardDebugInfo
    """

    code = "T101"
    name = "loss-became-nan"
    severity = ERROR
    VALID = [SOUND]
    INVALID = [
        Invalid(
            losses([2.3, 2.6, "nan", "nan"]),
            span="I1122 13:11:02.00 17644 solver.cpp:258]     Train net output #0: loss = nan (* 1 = nan loss)",
            message='train output "loss" is nan in iteration 20, after 2.6 in iteration 10; the rate is 0.1 there',
        ),
        Invalid(
            losses(["-nan", "-nan"], rate=None),
            span="I1122 13:11:00.00 17644 solver.cpp:258]     Train net output #0: loss = -nan (* 1 = -nan loss)",
            message='train output "loss" is nan in iteration 0, before any update; the rate is not the cause, but the'
            " input, the labels, the fillers, the weights or a layer",
        ),
        Invalid(
            _RESUMED + _AT_140,
            span="I1122 13:11:00.00 17644 solver.cpp:258]     Train net output #0: loss = nan (* 1 = nan loss)",
            message='train output "loss" is nan in iteration 140, the first number of the resumed run;'
            ' "net_iter_140.solverstate" or its weights hold it already, so resume from an earlier snapshot',
        ),
        Invalid(
            _RESUMED.replace("140", "100") + _AT_140,  # 40 updates later
            span="I1122 13:11:00.00 17644 solver.cpp:258]     Train net output #0: loss = nan (* 1 = nan loss)",
            message='train output "loss" is nan in iteration 140',
        ),
        Invalid(
            with_tests([1.4, 1.2]) + _MEASURE,
            span="I1122 13:12:00.00 17644 solver.cpp:414]     Test net output #1: recall = -nan",
            message='test output "recall" is nan in iteration 30; no loss is, so it is a measure of nothing, such as a'
            " mean over no samples",
        ),
    ]

    def check(self, log: LogEvidence) -> Iterator[Finding]:
        for run in log.runs:
            found = log.bad_first(run)
            if found is None:
                continue
            series, point = found
            before = series.good
            what = is_bad = f"{called(series)} is {state(point.value)} in iteration {point.iteration}"
            started = run.restored is None and not any(one.iteration < point.iteration for one in _numbers(run))
            only_test = series.phase == TEST and not any(one.bad for one in run.series.values() if one.phase != TEST)
            if started and point.iteration == 0 and not only_test:
                what += ", before any update"
                why = "the rate is not the cause, but the input, the labels, the fillers, the weights or a layer"
                effects: tuple[str, ...] = (FIRST,)
            elif only_test:
                what += f", after {number(before[1])} in iteration {before[0]}" if before else ""
                why = "the training net gives only finite numbers"
                effects = (TESTED,)
            else:
                what += f", after {number(before[1])} in iteration {before[0]}" if before else ""
                why = rate_there(log, run, point.iteration)
                effects = _effects(run, series)
            if only_test and math.isnan(point.value) and _is_measure(run, series):
                yield self.finding(
                    log.at(point.line),
                    f"{is_bad}; no loss is, so it is a measure of nothing, such as a mean over no samples",
                    severity=INFO,
                )
                continue
            broken = next((one.first_bad() for one in run.passes if one.first_bad() is not None), None)
            first = f"debug_info: first, {measured(broken)}" if broken else ""
            layer = broken.layer if broken else ""
            known = log.known(run, layer) if layer else ()
            cause = explained(log, run, effects)
            is_first = run.restored is not None and before is None and series.phase != TEST
            if run.restored is not None and is_first and point.iteration <= run.resumed_at:
                what += ", the first number of the resumed run"
                resumed = f'"{run.restored[0]}" or its weights hold it already, so resume from an earlier snapshot'
                yield self.finding(
                    log.at(point.line, layer),
                    joined(what, resumed),
                    evidence=joined(first, _OF_SNAPSHOT),
                    cause=Cause("weights", what, resumed),
                )
                continue
            most = "" if known else _below_zero(log, run, point) or cause.most or unexplained(log, run)
            back = joined(back_to(log, run, point.iteration), _OF_SNAPSHOT if is_first else "")
            yield self.finding(
                log.at(point.line, layer),
                joined(what, "" if most and effects == (FIRST,) else why, most),
                evidence=joined(first, back, see(known), cause.others, "" if most else begins(log, run)),
                cause=Cause(
                    "layer" if layer else cause.kind, what, joined(why, first, most, back), known=known or cause.known
                ),
            )


def _is_measure(run: Logged, series: Series) -> bool:
    """Is it no loss, where all losses of the test nets, and other measures, are finite?"""
    others = list(run.outputs(TEST))
    is_finite = all(one.bad is None for one in others if one.weight is not None)
    return series.weight is None and is_finite and any(one.bad is None for one in others)


def _below_zero(log: LogEvidence, run: Logged, bad: Point) -> str:
    """What a loss tells that was below 0 before."""
    found = log.beginning(run).below_zero()
    if found is None or found.line.number > bad.line.number:
        return ""
    return (
        f'the loss of "{found.layer}" was {number(found.value)} before, which no valid label or target gives:'
        " `caffelint data` shows their range"
    )


def _effects(run: Logged, series: Series) -> tuple[str, ...]:
    """How it went before: did the loss grow, or fall, or is nothing known between the first and the bad one?"""
    loss = run.loss if series.phase == TEST or not series.weight else series
    before = [
        one.value for one in (loss.finite if loss else ()) if not series.bad or one.iteration < series.bad.iteration
    ]
    if len(before) < 2:
        return (BREAKS, LARGE, SUDDEN)
    grew = before[-1] > 1.5 * min(before) and before[-1] > before[0]
    return (BREAKS, LARGE) if grew or max(before) > 10 * before[0] else (SUDDEN, BREAKS)


def _numbers(run: Logged) -> Iterator[Point]:
    """What the nets gave that is finite."""
    for series in run.series.values():
        if series.name != RATE:
            yield from series.finite
