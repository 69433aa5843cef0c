from __future__ import annotations

from collections.abc import Iterator

from caffelint.lint import LIKELY, WARNING, Finding, Invalid, Solver, SolverRule, quoted

_NET = 'net: "net.prototxt"'
_SCRIPT = 'import caffe\n\n\ndef main():\n    solver = caffe.SGDSolver("solver.prototxt")\n    {}\n\n\n{}main()\n'


class ScriptStops(SolverRule):
    """A Python script that names the solver ends with an error whenever it is run.

    ## Why is this bad?
    A name that nothing defines raises `NameError` when its line is reached, which may be after hours of training. A
    script whose brackets or indentation are wrong does not even start.

    ## Example
    ```python
    solver = caffe.SGDSolver("solver.prototxt")
    solver.step(max_iter)
    ```
    Use instead:
    ```python
    max_iter = 10000
    solver = caffe.SGDSolver("solver.prototxt")
    solver.step(max_iter)
    ```

    ## Known problems
    Read is only what runs in any case: not the branches of an `if` but for `__name__ == "__main__"`, functions only
    where such code calls them, and nothing after `sys.exit()`. Loops are taken to run. Nothing is said of scripts that
    bind names in ways which their text does not show, as `from settings import *` and `exec` do.

    ## References
    - The Python Language Reference, 4.2, Naming and binding
    """

    code = "S311"
    name = "script-stops"
    severity = WARNING
    certainty = LIKELY
    _FILES = {"README.md": "", "solver.prototxt": _NET + ' base_lr: 0.01 lr_policy: "fixed" max_iter: 500'}
    _MAIN = 'if __name__ == "__main__":\n    '
    VALID = [
        _FILES | {"train.py": _SCRIPT.format("solver.solve()", _MAIN)},
        _FILES | {"train.py": _SCRIPT.format("solver.step(steps)", "steps = 5\n")},
        _FILES | {"train.py": _SCRIPT.format("if solver:\n        stop(solver)", "")},
        _FILES | {"train.py": "from settings import *\n" + _SCRIPT.format("solver.step(steps)", "")},
        _FILES | {"train.py": "def other(steps):\n    pass\n" + _SCRIPT.format("solver.step(steps)", "")[:-7]},
    ]
    INVALID = [
        Invalid(
            _FILES | {"train.py": _SCRIPT.format("solver.step(step)", "steps = 5\n" + _MAIN)},
            span=_NET,
            message='"train.py" (line 6) reads "step", which nothing defines there, so it stops; did you mean "steps"?',
        ),
        Invalid(
            _FILES | {"train.py": "def other(steps):\n    pass\n\n\n" + _SCRIPT.format("solver.step(steps)", "")},
            span=_NET,
            message='"train.py" (line 10) reads "steps", which nothing defines there, so it stops; define or import it',
        ),
        Invalid(
            _FILES | {"train.py": _SCRIPT.format("print 'a'\n    solver.step([1)", "")},
            span=_NET,
            message="\"train.py\" (line 7) cannot be read: closing parenthesis ')' does not match opening parenthesis"
            " '[', so no Python runs it; mend that line",
        ),
    ]

    def check(self, solver: Solver) -> Iterator[Finding]:
        for one in solver.runs.stopped if solver.runs else ():
            where = f"{quoted(one.place.path)} (line {one.place.line})"
            if one.name:
                remedy = f"did you mean {quoted(one.near)}?" if one.near else "define or import it"
                text = f"{where} reads {quoted(one.name)}, which nothing defines there, so it stops; {remedy}"
            else:
                text = f"{where} cannot be read: {one.says}, so no Python runs it; mend that line"
            yield self.finding(solver.at(), text)
