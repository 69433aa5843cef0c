from __future__ import annotations

from collections.abc import Iterator

from caffelint.lint import INFO, LIKELY, Finding, Invalid, Option, Solver, SolverRule, Valid, is_for_unknown_caffe

_ENDLESS = 10_000_000
"""Iterations."""


class SnapshotsFillDisk(SolverRule):
    """There are so many snapshots that they may fill the disk or slow training down.

    ## Why is this bad?
    Each snapshot writes all weights and, as a solverstate, the solver's history: twice the size of the weights or more.
    Caffe deletes none of them. 2,000 snapshots of a 240 MB AlexNet take a terabyte, and a full disk ends training.

    ## Example
    ```
    snapshot: 10 max_iter: 100000
    ```
    Use instead:
    ```
    snapshot: 5000 max_iter: 100000
    ```

    ## Known problems
    Silent from 10,000,000 iterations on, which people write to stop the run by hand, and about solvers with fields that
    no known Caffe has, which may end a run early.

    ## Options
    - `max-snapshots`: the most snapshots of a run that are not reported

    ## References
    - solver.cpp, Step and Snapshot
    """

    code = "S304"
    name = "snapshots-fill-disk"
    severity = INFO
    certainty = LIKELY
    OPTIONS = {"max-snapshots": Option(1000, "The most snapshots of a run that are not reported.")}
    VALID = [
        "snapshot: 1000 max_iter: 1000000 base_lr: 1",
        "snapshot: 1000 max_iter: 1000000000 base_lr: 1",
        "snapshot: 1 base_lr: 1",
        "max_iter: 100000 base_lr: 1",
        "base_lr: 1 snapshot: 10 max_iter: 100000 max_steps_without_improvement: 9",
        Valid("base_lr: 1 snapshot: 1000 max_iter: 100000", {"max-snapshots": 100}),
    ]
    INVALID = [
        Invalid(
            "base_lr: 1 snapshot: 10 max_iter: 100000",
            span="snapshot: 10",
            message="snapshot 10 makes 10000 snapshots in 100000 iterations, each with weights and solver state, which"
            " may fill the disk; raise it",
        ),
        Invalid(
            "base_lr: 1 snapshot: 500 max_iter: 100000",
            span="snapshot: 500",
            message="snapshot 500 makes 200 snapshots in 100000 iterations, each with weights and solver state, which"
            " may fill the disk; raise it",
            options={"max-snapshots": 100},
        ),
    ]

    def check(self, solver: Solver) -> Iterator[Finding]:
        message = solver.message
        count = message.max_iter // message.snapshot if message.snapshot > 0 else 0
        # Nobody trains that long: it is how people say that they will stop the run themselves.
        if count <= self.options["max-snapshots"] or message.max_iter >= _ENDLESS or is_for_unknown_caffe(solver):
            return
        yield self.finding(
            solver.at("snapshot"),
            f"snapshot {message.snapshot} makes {count} snapshots in {message.max_iter} iterations, each with weights"
            " and solver state, which may fill the disk; raise it",
        )
