from __future__ import annotations

import os
from collections.abc import Iterator

from caffelint.lint import ERROR, INFO, LIKELY, WARNING, Finding, Given, Invalid, Option, Solver, SolverRule, Valid
from caffelint.lint.disk import data_of_this_machine, data_sources, exists, found_from, is_template, starts

from ._prefix import slip
from ._text import is_completed

_OWN = 3
"""Parts of `/home/somebody`, the first of which is empty."""

_END = {True: "start", False: "end and the weights are lost"}
"""Of a run, by whether it is to make snapshots on the way."""


class SnapshotPrefixUnusable(SolverRule):
    """`snapshot_prefix` is missing, or is not a path that Caffe can write to.

    ## Why is this bad?
    Caffe makes file names from it: PREFIX_iter_1000.caffemodel. It makes no folders, and it does not expand `~`. If the
    folder does not exist, Caffe aborts at the start if `snapshot` is set, and otherwise at the very end, when the
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

    ## Known problems
    A missing folder is reported only where Caffe seems to run: if data of the solver's nets exists here that is no part
    of the repository; and, as an info, where a script of the project runs the solver from a directory of it that has
    no such folder, and none makes it. `smoke` reports it also for nets that name no data.

    ## Options
    - `check-folder`: look for the folder also if the nets name no data
    - `roots`: folders that relative paths may start from, besides the working directory and the folders of the file

    ## References
    - solver.cpp, CheckSnapshotWritePermissions and Snapshot; util/upgrade_proto.cpp, UpgradeSnapshotPrefixProperty
    """

    code = "S302"
    name = "snapshot-prefix-unusable"
    severity = ERROR
    OPTIONS = {
        "check-folder": Option(False, "Look for the folder of the prefix also if the nets name no data."),
        "roots": Option([], "Folders that relative paths may start from."),
    }
    VALID = [
        'snapshot: 1000 snapshot_prefix: "models/lenet" base_lr: 1',
        "snapshot: 0 base_lr: 1",
        "base_lr: 1 max_iter: 10",
        'net: "models/lenet_1/train.prototxt" snapshot_prefix: "models/lenet_2/lenet" base_lr: 1',
        'net: "models/lenet/train.prototxt" snapshot_prefix: "models/letter/lenet" base_lr: 1',
        Valid('snapshot: 1000 snapshot_prefix: "/lenet" base_lr: 1', {"check-folder": True}),
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
            'net: "examples/tracker/model/a.prototxt" snapshot_prefix: "examples/traker/model/a" base_lr: 1',
            span='snapshot_prefix: "examples/traker/model/a"',
            message='snapshot_prefix leads to "examples/traker", but other paths of this solver to "examples/tracker";'
            " did you mean that?",
        ),
        Invalid(
            'base_lr: 1 snapshot: 1000 snapshot_prefix: "models/"',
            span='snapshot_prefix: "models/"',
            message='snapshot_prefix "models/" is a folder, so Caffe 1.0 saves "models/_iter_N.caffemodel"; add a name,'
            " for"
            ' example snapshot_prefix: "models/net"',
        ),
        Invalid(
            'base_lr: 1 snapshot: 1000 snapshot_prefix: "/no/such/folder/lenet"',
            span='snapshot_prefix: "/no/such/folder/lenet"',
            message='the folder "/no/such/folder" of snapshot_prefix does not exist, and Caffe does not create it, so'
            ' Caffe stops at the start; create it: mkdir -p "/no/such/folder"',
            options={"check-folder": True},
        ),
        Invalid(
            'base_lr: 1 snapshot_prefix: "/no/such/folder/lenet"',
            span='snapshot_prefix: "/no/such/folder/lenet"',
            message='the folder "/no/such/folder" of snapshot_prefix does not exist, and Caffe does not create it, so'
            ' the trained weights are lost at the end; create it: mkdir -p "/no/such/folder"',
            options={"check-folder": True},
        ),
    ]

    def check(self, solver: Solver) -> Iterator[Finding]:
        message = solver.message
        prefix, place = message.snapshot_prefix, solver.at("snapshot_prefix")
        if prefix.startswith("~"):
            evidence = "Caffe stops at the start with: Cannot write to snapshot prefix"
            if message.snapshot <= 0:
                evidence = "snapshot is 0, so Caffe writes only after the last iteration, and the weights are lost"
            text = (
                f'snapshot_prefix "{prefix}" starts with ~, which Caffe does not expand, so it saves no snapshot;'
                " write the full path"
            )
            yield self.finding(place, text, evidence=evidence)
        elif prefix.endswith("/"):
            yield from [*self._folder(solver)] or [self._without_name(solver)]
        elif message.snapshot > 0 and solver.given("snapshot_prefix") is Given.NOTHING:
            caffe = solver.caffe
            if is_completed(solver) or (caffe and caffe.registered.names_snapshots):
                return
            own = bool(caffe and caffe.knows_types)
            whose = "this project's Caffe" if own else "Caffe 1.0"
            yield self.finding(
                solver.at("snapshot"),
                f"snapshot is {message.snapshot} but snapshot_prefix is missing, so"
                f" {whose} stops at the start; set it, for example"
                ' snapshot_prefix: "net"',
                evidence="" if own else "most forks stop too; Caffe after 1.0 saves next to the solver, under its name",
                severity=WARNING if own else INFO,
            )
        else:
            yield from [*self._slip(solver)] or [*self._folder(solver)]

    def _slip(self, solver: Solver) -> Iterator[Finding]:
        """A prefix that another path of the solver shows to be misspelt, or to lead to the folder of the data."""
        message, roots = solver.message, self.options["roots"]
        prefix, place = message.snapshot_prefix, solver.at("snapshot_prefix")
        found = [source.path for net in solver.distinct_nets for source in data_sources(net, roots)]
        nets = [message.net, message.train_net, *message.test_net]
        wrong, meant = slip(prefix, [*nets, *found])
        if wrong and not found_from(wrong, [*starts(solver.path, roots)]):
            text = (
                f'snapshot_prefix leads to "{wrong}", but other paths of this solver to "{meant}"; did you mean that?'
            )
            yield self.finding(place, text, severity=WARNING, certainty=LIKELY)
        elif prefix and (source := next((path for path in found if _is_below(path, prefix)), "")):
            text = (
                f'snapshot_prefix "{prefix}" is the folder of "{source}", so Caffe saves "{prefix}_iter_N.caffemodel"'
            )
            text += f' beside it; add a name, for example snapshot_prefix: "{prefix}/net"'
            # A name without a folder may well be that of the model.
            yield self.finding(place, text, severity=WARNING if "/" in prefix else INFO, certainty=LIKELY)

    def _without_name(self, solver: Solver) -> Finding:
        """A prefix that is a folder."""
        prefix = solver.message.snapshot_prefix
        text = (
            f'snapshot_prefix "{prefix}" is a folder, so Caffe 1.0 saves "{prefix}_iter_N.caffemodel"; add a name,'
            f' for example snapshot_prefix: "{prefix}net"'
        )
        evidence = "Caffe after 1.0 names the files after the solver"
        return self.finding(solver.at("snapshot_prefix"), text, evidence=evidence, severity=INFO)

    def _folder(self, solver: Solver) -> Iterator[Finding]:
        """A prefix in a folder that does not exist, seen from where the data exists."""
        message = solver.message
        prefix = message.snapshot_prefix
        folder = os.path.dirname(prefix)
        if not folder or is_template(prefix) or not (message.snapshot > 0 or message.snapshot_after_train):
            return
        roots = self.options["roots"]
        sources = [source for net in solver.distinct_nets for source in data_sources(net, roots)]
        home = dict.fromkeys(where for source in sources for where in source.folders if not os.path.isabs(source.path))
        is_asked = self.options["check-folder"] and (not sources or any(source.folders for source in sources))
        if not is_asked and data_of_this_machine(sources) is None:
            yield from self._where_launched(solver, folder)
            return
        if found_from(folder, [*home] or [*starts(solver.path, roots)]):
            return
        if not self.options["check-folder"] and _is_of_another_machine(folder):
            return
        what = f'the folder "{folder}" of snapshot_prefix does not exist, and Caffe does not create it'
        if message.snapshot > 0:
            text = f'{what}, so Caffe stops at the start; create it: mkdir -p "{folder}"'
            evidence = f"snapshot is {message.snapshot}; Caffe ends with: Cannot write to snapshot prefix '{prefix}'"
        else:
            text = f'{what}, so the trained weights are lost at the end; create it: mkdir -p "{folder}"'
            evidence = "snapshot is 0, so Caffe writes only after the last iteration"
        yield self.finding(solver.at("snapshot_prefix"), text, evidence=evidence)

    def _where_launched(self, solver: Solver, folder: str) -> Iterator[Finding]:
        """A prefix in a folder that is not where scripts of the project run the solver."""
        runs = solver.runs
        if runs is None or not runs.launched or os.path.isabs(folder) or os.path.normpath(folder).startswith(".."):
            return
        parts = os.path.normpath(folder).split(os.sep)
        if found_from(folder, [one.home for one in runs.launched]) or all(map(runs.says, parts)):
            return  # it is there, or a script may make it
        first = runs.launched[0]
        yield self.finding(
            solver.at("snapshot_prefix"),
            f'the folder "{folder}" of snapshot_prefix is not there where {first.place} runs this solver as'
            f' "{first.path}", and Caffe does not create it, so'
            f' Caffe stops at the {_END[solver.message.snapshot > 0]}; create it: mkdir -p "{folder}"',
            evidence="git keeps no empty folders, so each new checkout lacks it, though its author may have it",
            severity=INFO,
            certainty=LIKELY,
        )


def _is_below(path: str, folder: str) -> bool:
    return os.path.normpath(path).startswith(os.path.normpath(folder) + "/")


def _is_of_another_machine(folder: str) -> bool:
    """Whether an absolute path is unknown here from `/home/somebody` on."""
    parts = folder.split("/")
    return os.path.isabs(folder) and len(parts) > _OWN and not exists("/".join(parts[:_OWN]))
