from __future__ import annotations

from collections.abc import Iterator

from caffelint.lint import LIKELY, WARNING, Finding, Invalid, Solver, SolverRule, quoted

_NET = 'net: "models/faces/net.prototxt"'
_SOLVER = _NET + ' base_lr: 0.01 lr_policy: "fixed" max_iter: 500'
_ANOTHER = "add it, or run another one of its folder, as this one"
_RUN = "caffe train --solver={}/solver.prototxt\n"


class ScriptRunsOtherPath(SolverRule):
    """A shell script runs a solver that is not there: this one but for one folder of its path, or one beside it.

    ## Why is this bad?
    `caffe train` stops at once: it cannot open the file. Mostly the folder or the file was renamed or copied, and the
    script was not changed.

    ## Example
    ```
    caffe train --solver=models/face/first/solver.prototxt
    ```
    Use instead, if the folder is called `faces`:
    ```
    caffe train --solver=models/faces/first/solver.prototxt
    ```

    ## Known problems
    Only paths that are written out are read. A folder that is wrong is one of three or more, and not the first; a name
    that is wrong is that of no file of the project, in a folder that has other solvers. Of several solvers that are
    meant alike, it is the one beside the script; nothing is said where a script may write the solver, also by a name
    that it completes or from an archive, or goes where a variable says. At most three paths are told of a solver.

    ## References
    - tools/caffe.cpp, train; upgrade_proto.cpp, ReadSolverParamsFromTextFileOrDie
    """

    code = "S313"
    name = "script-runs-other-path"
    severity = WARNING
    certainty = LIKELY
    _FILES = {"README.md": "", "models/faces/first/solver.prototxt": _SOLVER}
    _SECOND = {"models/cars/first/solver.prototxt": _SOLVER}
    VALID = [
        _FILES | {"train.sh": _RUN.format("models/faces/first")},
        # From where a variable says.
        _FILES | {"train.sh": "cd $CAFFE_ROOT\n" + _RUN.format("models/face/first")},
        # Of another place, as where the project is a folder of a Caffe.
        _FILES | {"train.sh": _RUN.format("examples/faces/first")},
        _FILES
        | {
            "train.sh": "cp a.txt models/faces/first/new.prototxt\ncaffe train --solver=models/faces/first/new.prototxt"
        },
        _FILES | _SECOND | {"train.sh": _RUN.format("models/face/first")},
        _FILES | {"train.sh": "python make.py > solver.prototxt\n" + _RUN.format("models/face/first")},
        _FILES
        | {
            "train.sh": "sed s/1/2/ s.txt > models/faces/first/new_$1.prototxt\n"
            "caffe train --solver=models/faces/first/new_2.prototxt"
        },
    ]
    INVALID = [
        Invalid(
            _FILES | {"train.sh": _RUN.format("models/face/first")},
            span=_NET,
            message='"train.sh" (line 1) runs "models/face/first/solver.prototxt", which does not exist, so Caffe'
            ' stops; write "models/faces/first/solver.prototxt", if it means this solver',
        ),
        # Of two, the one beside the script.
        Invalid(
            _SECOND | _FILES | {"models/faces/first/train.sh": _RUN.format("models/face/first")},
            span=_NET,
            message='"models/faces/first/train.sh" (line 1) runs "models/face/first/solver.prototxt", which does not'
            ' exist, so Caffe stops; write "models/faces/first/solver.prototxt", if it means this solver',
        ),
        Invalid(
            {"README.md": "", "models/first_solver.prototxt": _SOLVER, "train.sh": _RUN.format("models")},
            span=_NET,
            message='"train.sh" (line 1) runs "models/solver.prototxt", which does not exist, so Caffe stops; add'
            " it, or run another one of its folder, as this one",
        ),
    ]

    def check(self, solver: Solver) -> Iterator[Finding]:
        for path, meant, place in solver.runs.strayed if solver.runs else ():
            remedy = f"write {quoted(meant)}, if it means this solver" if meant else _ANOTHER
            yield self.finding(
                solver.at(),
                f"{quoted(place.path)} (line {place.line}) runs {quoted(path)}, which does not exist, so Caffe stops;"
                f" {remedy}",
            )
