from __future__ import annotations

from collections.abc import Iterator

from caffelint.lint import LIKELY, WARNING, Finding, Invalid, Solver, SolverRule, quoted

_NET = 'net: "net.prototxt"'
_SOLVER = _NET + ' base_lr: 0.01 lr_policy: "fixed" max_iter: 500'
_RUN = "caffe train \\\n  --solver=solver.prototxt \\\n{}  --weights=old.caffemodel\n"
_EFFECTS = {
    "weights": "training starts without them",
    "snapshot": "training starts anew",
    "solver": "Caffe has no solver, and stops",
}
_USAGE = "Caffe prints its usage and trains nothing"
_WHY = {
    "comment": ("a comment ends the one that trains", "put the comment elsewhere"),
    "blank": ("a blank after the \\ ends the one that trains", "remove that blank"),
    "no backslash": ("the one that trains ends on the line before", "end that line with \\"),
}


class ScriptLosesOption(SolverRule):
    r"""A shell script ends the command that trains before its last options, or gives it a word too many.

    ## Why is this bad?
    A command goes on in the next line only if its line ends with a backslash, with nothing behind it. A comment between
    ends it, too. What follows is a command of its own, which the shell does not find; `caffe train` runs without these
    options, and says nothing of it. If the command has a word that is of no option, as a `$` for `$@`, or the
    blank after a backslash, Caffe prints its usage, trains nothing, and ends with status 0.

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
    certainty = LIKELY
    _WHOLE = {"README.md": "", "solver.prototxt": _SOLVER, "train.sh": _RUN.format("")}
    _LINES = _RUN.format("").replace(" \\", "")
    VALID = [
        _WHOLE,
        _WHOLE | {"train.sh": f"args=(\n{_LINES})\n${{args[@]}}\n"},
        _WHOLE | {"train.sh": _WHOLE["train.sh"].strip() + ' "$@" 2>&1 | tee log\n'},
        _WHOLE | {"train.sh": f'echo "usage:\n{_LINES}"\n'},
    ]
    INVALID = [
        Invalid(
            _WHOLE | {"train.sh": "caffe train --solver=solver.prototxt $\n"},
            span=_NET,
            message='"train.sh" (line 1): caffe train is given $, which is of no option, so Caffe prints its usage and'
            " trains nothing; remove it",
        ),
        Invalid(
            _WHOLE | {"train.sh": _RUN.format("  # --gpu 1\n")},
            span=_NET,
            message='"train.sh" (line 4): --weights is a command of its own, since a comment ends the one that trains,'
            " so training starts without them; put the comment elsewhere",
        ),
        Invalid(
            _WHOLE | {"train.sh": _WHOLE["train.sh"].replace("xt \\", "xt \\ ")},
            span=_NET,
            message='"train.sh" (line 3): --weights is a command of its own, since a blank after the \\ ends the one'
            " that trains, so Caffe prints its usage and trains nothing; remove that blank",
        ),
        Invalid(
            _WHOLE | {"train.sh": _WHOLE["train.sh"].replace("t \\\n  --w", "t\n --w")},
            span=_NET,
            message='"train.sh" (line 3): --weights is a command of its own, since the one that trains ends on the line'
            " before, so training starts without them; end that line with \\",
        ),
    ]

    def check(self, solver: Solver) -> Iterator[Finding]:
        for one in solver.runs.lost if solver.runs else ():
            place = f"{quoted(one.place.path)} (line {one.place.line})"
            says = f"caffe train is given {one.option}, which is of no option, so {_USAGE}; remove it"
            if one.why in _WHY:
                why, remedy = _WHY[one.why]
                effect = _USAGE if one.why == "blank" else _EFFECTS[one.option]
                says = f"--{one.option} is a command of its own, since {why}, so {effect}; {remedy}"
            yield self.finding(solver.at(), f"{place}: {says}")
