from __future__ import annotations

from collections.abc import Iterator

from caffelint.lint import ERROR, INFO, WARNING, Finding, Invalid, Solver, SolverRule


class SnapshotPrefixUnusable(SolverRule):
    """`snapshot_prefix` is missing, or no path that Caffe can write to.

    ## Why is this bad?
    Caffe makes file names of it: PREFIX_iter_1000.caffemodel. It expands no `~`, so that such a prefix names a folder
    that is not there: with `snapshot` set Caffe ends the process at the start, without it at the very end, losing the
    trained weights. A missing prefix ends Caffe 1.0 and most forks at the start; later ones put the files beside the
    solver, under its name. They do so too for a prefix that is a folder, where older ones write files whose names start
    with `_iter_`.

    ## Example
    ```
    snapshot: 1000 snapshot_prefix: "~/models/lenet"
    ```
    Use instead:
    ```
    snapshot: 1000 snapshot_prefix: "/home/me/models/lenet"
    ```

    ## References
    - solver.cpp, CheckSnapshotWritePermissions; util/upgrade_proto.cpp, UpgradeSnapshotPrefixProperty
    """

    code = "S302"
    name = "snapshot-prefix-unusable"
    severity = ERROR
    VALID = [
        'snapshot: 1000 snapshot_prefix: "models/lenet" base_lr: 1',
        "snapshot: 0 base_lr: 1",
        "base_lr: 1 max_iter: 10",
    ]
    INVALID = [
        Invalid(
            'base_lr: 1 snapshot: 1000 snapshot_prefix: "~/models/lenet"',
            span='snapshot_prefix: "~/models/lenet"',
            message='Caffe does not expand the ~ of snapshot_prefix "~/models/lenet": write the whole path',
        ),
        Invalid(
            "base_lr: 1 snapshot: 1000",
            span="snapshot: 1000",
            message="snapshot is 1000, but snapshot_prefix is not set: name the files, e.g. with the net's name",
        ),
        Invalid(
            'base_lr: 1 snapshot: 1000 snapshot_prefix: "models/"',
            span='snapshot_prefix: "models/"',
            message='snapshot_prefix "models/" is a folder: files are named after the solver, by older Caffe _iter_...',
        ),
    ]

    def check(self, solver: Solver) -> Iterator[Finding]:
        message = solver.message
        prefix, place = message.snapshot_prefix, solver.at("snapshot_prefix")
        if prefix.startswith("~"):
            evidence = "with snapshot set, Caffe stops at the start: Cannot write to snapshot prefix"
            text = f'Caffe does not expand the ~ of snapshot_prefix "{prefix}": write the whole path'
            yield self.finding(place, text, evidence=evidence)
        elif prefix.endswith("/"):
            text = f'snapshot_prefix "{prefix}" is a folder: files are named after the solver, by older Caffe _iter_...'
            yield self.finding(place, text, severity=INFO)
        elif message.snapshot > 0 and solver.document.root.first("snapshot_prefix") is None:
            yield self.finding(
                solver.at("snapshot"),
                f"snapshot is {message.snapshot}, but snapshot_prefix is not set: name the files,"
                " e.g. with the net's name",
                evidence="Caffe 1.0 and most forks stop at the start; later Caffe writes beside the solver",
                severity=WARNING,
            )
