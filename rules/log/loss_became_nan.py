from __future__ import annotations

from collections.abc import Iterator

from caffelint.evidence.log.rule import RATE, LogEvidence, Logged, LogRule, Point
from caffelint.lint import ERROR, Cause, Finding, Invalid

from ._example import SOUND, losses
from ._words import back_to, begins, called, joined, measured, number, rate_there, see, state

_RULES = (
    "high-base-lr",
    "poly-without-max-iter",
    "learning-rate-grows",
    "learning-rate-not-finite",
    "dense-loss-unnormalized",
    "unscaled-input",
    "suspicious-loss-weight",
    "log-of-nonpositive",
    "batchnorm-of-one-value",
    "batchnorm-eps-too-small",
    "gaussian-without-std",
    "constant-weights",
    "weight-decay-out-of-range",
    "adaptive-parameter-out-of-range",
    "momentum-out-of-range",
    "division-by-zero",
    "power-out-of-domain",
    "empty-pooling-window",
    "recurrent-without-clip-gradients",
    "mean-in-scaled-units",
    "global-stats-in-training",
)


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
    ]

    def check(self, log: LogEvidence) -> Iterator[Finding]:
        for run in log.runs:
            found = log.bad_first(run)
            if found is None:
                continue
            series, point = found
            before = series.good
            what = f"{called(series)} is {state(point.value)} in iteration {point.iteration}"
            started = run.restored is None and not any(one.iteration < point.iteration for one in _numbers(run))
            if started and point.iteration == 0:
                what += ", before any update"
                why = "the rate is not the cause, but the input, the labels, the fillers, the weights or a layer"
            else:
                what += f", after {number(before[1])} in iteration {before[0]}" if before else ""
                why = rate_there(log, run, point.iteration)
            broken = next((one.first_bad() for one in run.passes if one.first_bad() is not None), None)
            first = f"debug_info: first, {measured(broken)}" if broken else ""
            layer = broken.layer if broken else ""
            known = log.known(run, layer) or log.known(run, rules=_RULES) or log.known(run)
            back = back_to(log, run, point.iteration)
            yield self.finding(
                log.at(point.line, layer),
                joined(what, why),
                evidence=joined(first, back, see(known), begins(log, run)),
                cause=Cause("layer" if layer else "unknown", what, joined(why, first, back), known=known),
            )


def _numbers(run: Logged) -> Iterator[Point]:
    """What the nets gave that is finite."""
    for series in run.series.values():
        if series.name != RATE:
            yield from series.finite
