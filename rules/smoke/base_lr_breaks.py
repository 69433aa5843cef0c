from __future__ import annotations

from collections.abc import Iterator

from caffelint.lint import ERROR, INFO, LIKELY, UNSAFE, WARNING, Cause, Finding, Fix, Invalid, Suggested, replace
from caffelint.smoke.rule import Iteration, RateFound, Run, SmokeRule

from ._cause import bad_start
from ._example import CALM, SOLVER, losses, project


class BaseLrBreaks(SmokeRule):
    """base_lr is near or above the largest rate at which a run stays finite, or learns nothing where another does.

    ## Why is this bad?
    Above that rate the loss grows or becomes nan within a few dozen iterations. Just below it the outcome depends on
    the batch; a tenth of it leaves a margin. `caffelint smoke --find-lr` suggests a rate to start with, not the best
    one.

    ## References
    - Smith, Cyclical learning rates for training neural networks (arXiv 1506.01186), section 3.3
    """

    code = "X114"
    name = "base-lr-breaks"
    severity = ERROR
    certainty = LIKELY
    VALID = [project(*losses(*CALM)), project(RateFound(1000, 10, 7))]
    INVALID = [
        Invalid(
            project(RateFound(1.5, 0.1, 7)),
            span="base_lr: 10",
            message="base_lr 10 breaks the run; the largest rate that stays finite is 1.5; try base_lr: 0.1",
            fixed=project(RateFound(1.5, 0.1, 7), solver=SOLVER.replace("10", "0.1")),
        ),
        Invalid(
            project(RateFound(12, 1, 7)),
            span="base_lr: 10",
            message="base_lr 10 is near the largest rate that stays finite, 12; try base_lr: 1",
            fixed=project(RateFound(12, 1, 7), solver=SOLVER.replace("10", "1")),
        ),
        Invalid(
            project(RateFound(1.5, 0.1, 7), Iteration(-1, 0, 77.9, {"loss": 77.9})),
            span="base_lr: 10",
            message="the run breaks at base_lr 10, but the loss is already 77.9 before any update (chance gives 2.303),"
            " so the rate is not the cause; scale the input or the fillers down",
        ),
        Invalid(
            project(RateFound(1000, 1, 7, (), 'every output of "relu" is 0')),
            span="base_lr: 10",
            message='base_lr 10 stays finite, but the net learns nothing: every output of "relu" is 0; it learns with'
            " base_lr: 1",
            fixed=project(RateFound(1000, 1, 7, (), 'every output of "relu" is 0'), solver=SOLVER.replace("10", "1")),
        ),
    ]

    def check(self, run: Run) -> Iterator[Finding]:
        found = run.first(RateFound)
        rate = run.solver.message.base_lr
        if found is None or not found.largest:
            return
        if rate <= found.largest / 2:
            if found.idle and found.suggested:
                yield self._idle(run, found)
            return
        place = run.solver.at("base_lr")
        better = Suggested("base_lr", found.suggested)
        what = f"base_lr {rate:g} breaks the run"
        advice = f"try {better.text}" if found.suggested else f"no rate learns: {found.idle}"
        why = f"the largest rate that stays finite is {found.largest:g}; {advice}"
        message = f"{what}; {why}"
        evidence = f"found in {found.runs} runs of {run.asked} iterations"
        start = bad_start(run, better) if found.suggested else None
        if start is not None:
            why = start.why
            what = f"the run breaks at base_lr {rate:g}"
            message = f"{what}, but {why}"
            evidence = f"the largest rate that stays finite is {found.largest:g}, {evidence}"
        if rate <= found.largest:
            what = f"base_lr {rate:g} is near the largest rate that stays finite, {found.largest:g}"
            why = advice
            message = f"{what}; {why}"
        yield self.finding(
            place,
            message,
            severity=None if rate > found.largest else INFO,
            evidence=evidence,
            fixes=(Fix(f"set {better.text}", UNSAFE, (replace(place, better.text),)),)
            if run.solver.has("base_lr") and start is None and found.suggested
            else (),
            cause=(start or Cause("rate", "", suggested=better if found.suggested else None))._replace(
                what=what, why=why
            ),
        )

    def _idle(self, run: Run, found: RateFound) -> Finding:
        """The net learns nothing at the solver's own rate, but at another."""
        better = Suggested("base_lr", found.suggested)
        place = run.solver.at("base_lr")
        what = f"base_lr {run.solver.message.base_lr:g} stays finite, but the net learns nothing: {found.idle}"
        return self.finding(
            place,
            f"{what}; it learns with {better.text}",
            severity=WARNING,
            evidence=f"found in {found.runs} runs of {run.asked} iterations",
            fixes=(Fix(f"set {better.text}", UNSAFE, (replace(place, better.text),)),)
            if run.solver.has("base_lr")
            else (),
            cause=Cause("rate", what, f"it learns with {better.text}", suggested=better),
        )
