from __future__ import annotations

from collections.abc import Iterator

from caffelint.lint import LIKELY, WARNING, Finding, Invalid, Solver, SolverRule, stop_of

_NET = 'net: "net.prototxt"'
_SCRIPT = 'import caffe\n\n\ndef main():\n    solver = caffe.SGDSolver("solver.prototxt")\n    {}\n\n\n{}main()\n'


class ScriptStops(SolverRule):
    """A Python script that names the solver, or nothing but is near, ends with an error.

    ## Why is this bad?
    A name that nothing defines raises `NameError` when its line is reached, and a function of the file that is called
    without an argument that it needs, or with one that it does not take, `TypeError`: both may be after hours of
    training. A script whose brackets or indentation are wrong does not even start.

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
    Told is one line of a script: the first that stops it whenever it is run, else the first that does where it is
    reached. Nothing is said of scripts that bind names in ways which their text does not show, as
    `from settings import *` and `exec` do, of what is in a `try` or in a function that nothing names, and of scripts
    that have nothing to do with Caffe.

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
        _FILES | {"train.py": _SCRIPT.format("try:\n        stop(solver)\n    except NameError:\n        pass", "")},
        _FILES | {"train.py": "from settings import *\n" + _SCRIPT.format("solver.step(steps)", "")},
    ]
    INVALID = [
        Invalid(
            _FILES | {"train.py": _SCRIPT.format("solver.step(step)", "steps = 5\n" + _MAIN)},
            span=_NET,
            message='"train.py" (line 6) reads step, which nothing defines there, so it stops; did you mean steps?',
        ),
        Invalid(
            _FILES | {"train.py": "def other(steps):\n    pass\n\n\n" + _SCRIPT.format("solver.step(steps)", "")},
            span=_NET,
            message='"train.py" (line 10) reads steps, which nothing defines there, so it stops; define or import it',
        ),
        Invalid(
            _FILES | {"run.py": "import caffe\n\n\ndef run(net, steps):\n    pass\n\n\nif ready:\n    run(1)\n"},
            span=_NET,
            message='"run.py" (line 8) reads ready, which nothing defines there, so it stops; define or import it',
        ),
        Invalid(
            _FILES | {"train.py": _SCRIPT.format("solver.step(5)", "def run(net, steps):\n    pass\n\n\nrun(1)\n")},
            span=_NET,
            message='"train.py" (line 13) calls run without steps, which it needs, so it stops there',
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
            yield self.finding(solver.at(), stop_of(one))
