from __future__ import annotations

from collections.abc import Iterator

from caffelint.lint import CERTAIN, WARNING, Finding, Invalid, Solver, SolverRule

_NET = 'net: "net.prototxt"'
_SOLVER = _NET + ' base_lr: 0.01 lr_policy: "fixed" max_iter: 500'
_RUN = "caffe train \\\n  --solver=solver.prototxt \\\n{}  --weights=old.caffemodel\n"
_EFFECTS = {
    "weights": "training starts from the fillers",
    "snapshot": "training starts anew",
    "solver": "Caffe has no solver, and stops",
}


_WHY = {
    "comment": ("a comment ends the one that trains this solver", "put the comment elsewhere"),
    "blank": ("a blank behind the \\ ends the one that trains this solver", "remove the blank"),
    "no backslash": ("the line before has no \\ at its end", "add it"),
}


class ScriptLosesOption(SolverRule):
    r"""A shell script ends the command that trains before its last options.

    ## Why is this bad?
    A command goes on in the next line only if its line ends with a backslash, with nothing behind it. A comment between
    ends it, too. What follows is a command of its own, which the shell does not find; `caffe train` runs without these
    options, and says nothing of it.

    ## Example
    ```
    caffe train --solver=solver.prototxt \
      # --snapshot=net_iter_500.solverstate
      --weights=old.caffemodel
    ```
    Use instead:
    ```
    caffe train --solver=solver.prototxt \
      --weights=old.caffemodel
    ```

    ## References
    - POSIX, Shell Command Language, 2.2.1 and 2.3; tools/caffe.cpp, train
    """

    code = "S309"
    name = "script-loses-option"
    severity = WARNING
    certainty = CERTAIN
    _WHOLE = {"README.md": "", "solver.prototxt": _SOLVER, "train.sh": _RUN.format("")}
    VALID = [_WHOLE]
    INVALID = [
        Invalid(
            _WHOLE | {"train.sh": _RUN.format("  # --gpu 1\n")},
            span=_NET,
            message="train.sh:4 gives --weights to no command, since a comment ends the one that trains this solver, so"
            " training starts from the fillers; put the comment elsewhere",
        ),
        Invalid(
            _WHOLE | {"train.sh": _WHOLE["train.sh"].replace("xt \\", "xt \\ ")},
            span=_NET,
            message="train.sh:3 gives --weights to no command, since a blank behind the \\ ends the one that trains"
            " this solver, so training starts from the fillers; remove the blank",
        ),
        Invalid(
            {
                "README.md": "",
                "solver.prototxt": _SOLVER,
                "train.sh": _WHOLE["train.sh"].replace("t \\\n  --w", "t\n --w"),
            },
            span=_NET,
            message="train.sh:3 gives --weights to no command, since the line before has no \\ at its end, so training"
            " starts from the fillers; add it",
        ),
    ]

    def check(self, solver: Solver) -> Iterator[Finding]:
        for one in solver.runs.lost if solver.runs else ():
            why, remedy = _WHY[one.why]
            yield self.finding(
                solver.at(),
                f"{one.place} gives --{one.option} to no command, since {why}, so {_EFFECTS[one.option]}; {remedy}",
            )
