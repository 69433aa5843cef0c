from __future__ import annotations

from collections.abc import Iterator

from caffelint.lint import ERROR, INFO, WARNING, Finding, Given, Invalid, Solver, SolverRule


class SnapshotPrefixUnusable(SolverRule):
    """`snapshot_prefix` is missing, or is not a path that Caffe can write to.

    ## Why is this bad?
    Caffe makes file names from it: PREFIX_iter_1000.caffemodel. It does not expand `~`, so a prefix with `~` names a
    folder that does not exist: with `snapshot` set Caffe aborts at the start, without it at the very end, and the
    trained weights are lost. Without a prefix Caffe 1.0 and most forks abort at the start; later versions put the files
    beside the solver, under its name. They do the same for a prefix that is a folder, where older versions write files
    whose names start with `_iter_`.

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
            message='snapshot_prefix "~/models/lenet" starts with ~, which Caffe does not expand, so it saves no'
            " snapshot; write the full path",
        ),
        Invalid(
            "base_lr: 1 snapshot: 1000",
            span="snapshot: 1000",
            message="snapshot is 1000 but snapshot_prefix is missing, so Caffe 1.0 stops at the start; set it, for"
            " example"
            ' snapshot_prefix: "net"',
        ),
        Invalid(
            'base_lr: 1 snapshot: 1000 snapshot_prefix: "models/"',
            span='snapshot_prefix: "models/"',
            message='snapshot_prefix "models/" is a folder, so Caffe 1.0 saves "models/_iter_N.caffemodel"; add a name,'
            " for"
            ' example snapshot_prefix: "models/net"',
        ),
    ]

    def check(self, solver: Solver) -> Iterator[Finding]:
        message = solver.message
        prefix, place = message.snapshot_prefix, solver.at("snapshot_prefix")
        if prefix.startswith("~"):
            evidence = "if snapshot is set, Caffe stops at the start with: Cannot write to snapshot prefix"
            text = (
                f'snapshot_prefix "{prefix}" starts with ~, which Caffe does not expand, so it saves no snapshot;'
                " write the full path"
            )
            yield self.finding(place, text, evidence=evidence)
        elif prefix.endswith("/"):
            text = (
                f'snapshot_prefix "{prefix}" is a folder, so Caffe 1.0 saves "{prefix}_iter_N.caffemodel"; add a name,'
                f' for example snapshot_prefix: "{prefix}net"'
            )
            evidence = "Caffe after 1.0 names the files after the solver"
            yield self.finding(place, text, evidence=evidence, severity=INFO)
        elif message.snapshot > 0 and solver.given("snapshot_prefix") is Given.NOTHING:
            yield self.finding(
                solver.at("snapshot"),
                f"snapshot is {message.snapshot} but snapshot_prefix is missing, so Caffe 1.0 stops at the start; set"
                ' it, for example snapshot_prefix: "net"',
                evidence="most forks stop too; Caffe after 1.0 saves next to the solver, under its name",
                severity=WARNING,
            )
