from __future__ import annotations

import os
from collections.abc import Iterator
from functools import lru_cache

from caffelint.lint import LIKELY, WARNING, Finding, Invalid, Net, Related, Solver, SolverRule

_KEEPS = {"mv", "cp", "move", "copy", "copyfile", "rename", "renames", "rsync", "scp"}
_KEEPS |= {"tar", "zip", "gsutil", "aws", "install"}
"""Words of scripts that may put the snapshots elsewhere between two runs."""
_CHOICES = {"if", "elif", "else", "case", "function", "def", "fi", "esac"}
_MAKEFILE = "Makefile"
_WEIGHTS = (".caffemodel", ".solverstate")
_MOST = 50
"""Solvers of a net that save to the same file, up to which each is held against each."""
_SOLVER = 'net: "net.prototxt" base_lr: {} lr_policy: "fixed" max_iter: 500 snapshot_prefix: "{}"'
_NET = 'layer { name: "data" type: "Data" top: "data" top: "label" data_param { source: "train" batch_size: 4 } }'
_RUN = "caffe train --solver=slow.prototxt\ncaffe train --solver=fast.prototxt\n"
_SLOW = {"net.prototxt": _NET, "slow.prototxt": _SOLVER.format(0.1, "net"), "train.sh": _RUN}


class SnapshotsOverwritten(SolverRule):
    """A script runs two solvers one after the other that save their weights to the same file.

    ## Why is this bad?
    Caffe names a file of weights after `snapshot_prefix` and the iteration alone, and overwrites one that is there. Of
    both runs, only the last one's weights are left.

    ## Example
    `train.sh`:
    ```
    caffe train --solver=slow.prototxt  # max_iter: 500 snapshot_prefix: "net"
    caffe train --solver=fast.prototxt  # max_iter: 500 snapshot_prefix: "net"
    ```
    Use instead:
    ```
    caffe train --solver=slow.prototxt  # max_iter: 500 snapshot_prefix: "slow"
    caffe train --solver=fast.prototxt  # max_iter: 500 snapshot_prefix: "fast"
    ```

    ## Known problems
    Only solvers of one net are compared, and only where the script shows the directory that it runs them in.

    ## References
    - solver.cpp, SnapshotFilename
    """

    code = "S308"
    name = "snapshots-overwritten"
    severity = WARNING
    certainty = LIKELY
    VALID = [_SLOW | {"fast.prototxt": _SOLVER.format(1, "fast")}]
    INVALID = [
        Invalid(
            _SLOW | {"fast.prototxt": _SOLVER.format(1, "net")},
            span='snapshot_prefix: "net"',
            message='train.sh:2 runs "fast.prototxt" after this solver, also with snapshot_prefix "net" and max_iter'
            ' 500, so "net_iter_500.caffemodel" of this one is overwritten; give each solver a snapshot_prefix of its'
            " own",
        ),
    ]

    def check(self, solver: Solver) -> Iterator[Finding]:
        runs, message = solver.runs, solver.message
        if runs is None or not runs.launched or not message.snapshot_prefix or not _last(solver):
            return
        if any(map(_keeps, runs.words)):
            return
        mine = {(one.home, one.place.path): one.place.line for one in reversed(runs.launched)}
        alike = (other for use in solver.nets for other in use.net.once(_by_last).get(_last(solver), ())[:_MOST])
        others = {other.path: other for other in alike if other.path != solver.path}
        for other in others.values():
            last = {(one.home, one.place.path): one.place for one in (other.runs.launched if other.runs else ())}
            later = [place for key, place in last.items() if key in mine and mine[key] < place.line]
            if later and not _chooses(later[0].path, runs.words):
                saved = f"{os.path.basename(message.snapshot_prefix)}_iter_{message.max_iter}.caffemodel"
                yield self.finding(
                    solver.at("snapshot_prefix"),
                    f'{later[0]} runs "{os.path.basename(other.path)}" after this solver, also with snapshot_prefix'
                    f' "{message.snapshot_prefix}" and max_iter {message.max_iter}, so "{saved}" of this one is'
                    " overwritten; give each solver a snapshot_prefix of its own",
                    related=(Related("the other solver", other.at("snapshot_prefix")),),
                )
                return


@lru_cache(maxsize=64)
def _keeps(words: frozenset[str]) -> bool:
    """Does a script speak of a file of weights, or put files elsewhere?"""
    return any(word in _KEEPS or word.endswith(_WEIGHTS) for word in words)


def _by_last(net: Net) -> dict[tuple[str, int] | None, list[Solver]]:
    found: dict[tuple[str, int] | None, list[Solver]] = {}
    for solver in net.solvers:
        found.setdefault(_last(solver), []).append(solver)
    return found


def _chooses(script: str, words: tuple[frozenset[str], ...]) -> bool:
    """May a script run one solver or the other?"""
    return script.endswith(_MAKEFILE) or any(not _CHOICES.isdisjoint(some) for some in words)


def _last(solver: Solver) -> tuple[str, int] | None:
    """What the last file of weights is named after; None where there is none."""
    message = solver.message
    return (os.path.normpath(message.snapshot_prefix), message.max_iter) if message.snapshot_after_train else None
