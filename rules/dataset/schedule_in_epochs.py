from __future__ import annotations

from collections.abc import Iterator

from caffelint.evidence.data.rule import DataEvidence, DatasetRule
from caffelint.lint import (
    LIKELY,
    TRAIN,
    UNSAFE,
    WARNING,
    Cause,
    Finding,
    Invalid,
    early_drops,
    fix,
    in_iterations,
    listed,
    write,
)

from ._example import NET, records
from ._words import counted, path

_SHARE = 0.1
"""Of the run, by the end of which the rate is down: of 180 solvers with stepvalues, one is so fast."""


def _project(first: int, second: int, end: int) -> dict[str, str]:
    """10 iterations an epoch."""
    drops = f'lr_policy: "multistep" gamma: 0.1 stepvalue: {first} stepvalue: {second}'
    solver = f'net: "net.prototxt" base_lr: 0.01 {drops} max_iter: {end}'
    return {"s.prototxt": solver, "net.prototxt": NET, "train_lmdb": records(*[0, 1] * 20)}


class ScheduleInEpochs(DatasetRule):
    """The numbers at which the learning rate drops are epochs, and Caffe counts iterations.

    ## Why is this bad?
    The rate is down to a hundredth when the net has seen its data a few times, and next to nothing changes from then
    on: the loss stays where it is, which looks like a net that cannot learn more.

    ## Known problems
    It is told only where the rate falls to a hundredth in the first tenth of the run, and where the same numbers,
    times the iterations that it takes to read all records once, are well within the run. Somebody may still mean it.

    ## Fix safety
    Unsafe: the rate drops later.

    ## References
    - sgd_solver.cpp, GetLearningRate: iter_ and stepvalue are compared
    """

    code = "E136"
    name = "schedule-in-epochs"
    severity = WARNING
    certainty = LIKELY
    VALID = [
        _project(200, 300, 400),
        _project(20, 30, 40),
        # Times 10 they would still come early.
        _project(20, 30, 4000),
    ]
    INVALID = [
        Invalid(
            _project(20, 30, 400),
            span="stepvalue: 20",
            message='stepvalue 20 and 30 seem to be epochs, and Caffe counts iterations: the 40 records of "train_lmdb"'
            " are 10 iterations, and after 30 of 400 the rate is 0.0001; write stepvalue: 200 and 300",
            fixed=_project(200, 300, 400),
        ),
    ]

    def check(self, data: DataEvidence) -> Iterator[Finding]:
        solver = data.solver
        early = early_drops(solver.message, _SHARE) if solver is not None else None
        read = [(feed, facts) for feed, facts in data.read if TRAIN in feed.phases and feed.made.batch_size > 0]
        feed, facts = max(read, key=lambda one: one[1].total, default=(None, None))
        if solver is None or early is None or feed is None or facts is None:
            return
        runs = solver.message.max_iter
        epoch = facts.total / (feed.made.batch_size * max(solver.message.iter_size, 1))
        if not (better := in_iterations(early, runs, epoch)):
            return
        written, wanted = (listed([str(value) for value in values]) for values in (early.written, better))
        what = f"{early.field} {written} seem{'s' if len(better) == 1 else ''} to be epochs, and Caffe counts"
        what += f" iterations: the {counted(facts.total)} of {path(feed)} are {epoch:.4g} iterations, and after"
        what += f" {early.at} of {runs} the rate is {early.rate:.4g}"
        advice = f"write {early.field}: {wanted}"
        paths = [(early.field, at) if early.field == "stepvalue" else (early.field,) for at in range(len(better))]
        edits = [write(solver, *where, value=str(value)) for where, value in zip(paths, better, strict=True)]
        cause = Cause("schedule", what, advice, LIKELY)
        fixes = fix(f"set {early.field}: {wanted}", UNSAFE, *edits)
        yield self.finding(solver.at(*paths[0]), f"{what}; {advice}", cause=cause, fixes=fixes)
