from __future__ import annotations

from collections.abc import Iterator

from caffelint.evidence.log.rule import Line, LogEvidence, Logged, LogRule
from caffelint.lint import INFO, LIKELY, WARNING, Cause, Finding, Invalid

from ._example import FALLING, NET, SOLVER, SOUND, losses
from ._words import back_to, joined


class RunCutOff(LogRule):
    """The log ends before the run does, and does not say why.

    ## Why is this bad?
    The run is still going on, or it was killed without a word: by a person, by the queue, for want of memory. What came
    after the last snapshot is lost then.
    """

    code = "T114"
    name = "run-cut-off"
    severity = INFO
    VALID = [SOUND, losses(FALLING)]
    INVALID = [
        Invalid(
            SOLVER + NET + losses(FALLING),
            span="max_iter: 400",
            message="the log ends in iteration 190 of 400, and does not say why",
        ),
        Invalid(
            SOLVER
            + NET.split("I1122 13:11:02.19")[0].replace('type: "SoftmaxWithLoss"', 'type: "Python"')
            + "I1122 13:11:02.19 17644 net.cpp:84] Creating Layer loss\n",
            span="layer {",
            message='the log ends while Caffe sets up layer "loss", and does not say why; it is a Python layer, whose'
            " setup may wait for something: a file, a lock, a queue, a server",
        ),
    ]

    def check(self, log: LogEvidence) -> Iterator[Finding]:
        for run in log.runs:
            if run.creating and run.iteration is None and not run.ended and run is log.log.run:
                yield self._in_set_up(log, run)
            solver = log.recovered(run).solver
            if solver is None or run.done or run.ended or run.iteration is None or run.loss is None:
                continue
            last = solver.message.max_iter
            if run.iteration >= last:
                continue
            what = f"the log ends in iteration {run.iteration} of {last}, and does not say why"
            place = log.solver_at(run, "max_iter", run.loss.points[0].line)
            yield self.finding(place, what, evidence=joined(back_to(log, run, 2**62) if run.snapshots else ""))

    def _in_set_up(self, log: LogEvidence, run: Logged) -> Finding:
        """It was a layer that Caffe was busy with."""
        built = log.recovered(run).built
        kind = next((layer.type for layer in built.layers if layer.name == run.creating), "") if built else ""
        what = f'the log ends while Caffe sets up layer "{run.creating}", and does not say why'
        at = log.recovered(run).line_of(run.creating) or Line(run.line)
        if kind != "Python":
            return self.finding(log.at(at, run.creating), what)
        why = "it is a Python layer, whose setup may wait for something: a file, a lock, a queue, a server"
        cause = Cause("python-layer", what, why, LIKELY)
        return self.finding(log.at(at, run.creating), joined(what, why), severity=WARNING, cause=cause)
