from __future__ import annotations

from collections.abc import Iterator

from caffelint.lint import DISPLAY, INFO, Finding, Fix, Invalid, Solver, SolverRule, fix, remove


class NeverSnapshots(SolverRule):
    """The trained weights are never saved.

    ## Why is this bad?
    With `snapshot_after_train: false` Caffe saves nothing at the end of training, and no `snapshot` is due before: what
    was learned is lost. The severity is info, since the field may be set on purpose, for example to measure speed.

    ## Example
    ```
    max_iter: 1000 snapshot_after_train: false
    ```
    Use instead:
    ```
    max_iter: 1000 snapshot: 500 snapshot_after_train: false
    ```

    ## Fix safety
    Shown and never applied, since `false` may be meant.

    ## References
    - solver.cpp, Step and Solve
    """

    code = "S303"
    name = "never-snapshots"
    severity = INFO
    VALID = [
        "max_iter: 1000 base_lr: 1",
        "max_iter: 1000 base_lr: 1 snapshot: 1000 snapshot_after_train: false",
        "max_iter: 1000 base_lr: 1 snapshot: 5000",
        "base_lr: 1 snapshot: 0 snapshot_after_train: false",
        "base_lr: 1 max_iter: 10 test_and_snapshot_last_epochs: 5 snapshot_after_train: false",
    ]
    INVALID = [
        Invalid(
            "max_iter: 1000 base_lr: 1 snapshot_after_train: false",
            span="snapshot_after_train: false",
            message="snapshot_after_train is false and snapshot is not set, so the trained weights are never saved;"
            " remove snapshot_after_train",
        ),
        Invalid(
            "max_iter: 1000 base_lr: 1 snapshot: 5000 snapshot_after_train: false",
            span="snapshot: 5000",
            message="snapshot 5000 is larger than max_iter 1000 and snapshot_after_train is false, so the trained"
            " weights are never saved; remove snapshot_after_train",
        ),
    ]

    def check(self, solver: Solver) -> Iterator[Finding]:
        message = solver.message
        # Without max_iter a script counts the iterations and saves the weights. NVIDIA's Caffe saves in its own way.
        if message.snapshot_after_train or message.max_iter <= 0 or message.test_and_snapshot_last_epochs:
            return
        if message.snapshot == 0:
            text = "snapshot_after_train is false and snapshot is not set, so the trained weights are never saved;"
            text += " remove snapshot_after_train"
            yield self.finding(solver.at("snapshot_after_train"), text, fixes=_saved(solver))
        elif message.snapshot > message.max_iter:
            yield self.finding(
                solver.at("snapshot"),
                f"snapshot {message.snapshot} is larger than max_iter {message.max_iter} and snapshot_after_train is"
                " false, so the trained weights are never saved; remove snapshot_after_train",
                fixes=_saved(solver),
            )


def _saved(solver: Solver) -> tuple[Fix, ...]:
    return fix("remove snapshot_after_train", DISPLAY, remove(solver, "snapshot_after_train"))
