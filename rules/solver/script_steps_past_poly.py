from __future__ import annotations

import math
from collections.abc import Iterator

from caffelint.lint import LIKELY, WARNING, Finding, Invalid, Solver, SolverRule, quoted

_TO_MATTER = 0.01
"""Of base_lr: a rate from there on changes something."""
_SOLVER = 'net: "net.prototxt" base_lr: 0.01 lr_policy: "poly" power: {} max_iter: 150'
_SCRIPT = """
solver = caffe.SGDSolver("solver.prototxt")
for epoch in range(EPOCHS):
    solver.step(50)
"""


class ScriptStepsPastPoly(SolverRule):
    """A script steps a solver with `lr_policy: "poly"` beyond max_iter, where the rate is nan, negative or rises.

    ## Why is this bad?
    `solver.step(n)` does not end at `max_iter`. The rate is `base_lr * (1 - iter / max_iter) ^ power`, and what is
    raised is negative from there on: with a power that is no whole number the rate is nan, and so is each weight after
    the next update; with an odd power it is below 0, so each update raises the loss; with an even one it rises again.

    ## Example
    ```
    lr_policy: "poly" power: 0.5 max_iter: 150  # train.py makes 300 steps
    ```
    Use instead:
    ```
    lr_policy: "poly" power: 0.5 max_iter: 300
    ```

    ## Known problems
    Steps are counted in loops over ranges, with numbers that the script itself has. Nothing is said where it steps
    another number of times, as with `break`.

    ## References
    - sgd_solver.cpp, GetLearningRate; solver.cpp, Step
    """

    code = "S316"
    name = "script-steps-past-poly"
    severity = WARNING
    certainty = LIKELY
    _FILES = {"README.md": "", "solver.prototxt": _SOLVER.format(0.5), "train.py": "EPOCHS = 6\n" + _SCRIPT}
    VALID = [
        _FILES | {"train.py": "EPOCHS = 3\n" + _SCRIPT},
        _FILES | {"train.py": "EPOCHS = int(sys.argv[1])\n" + _SCRIPT},
        _FILES | {"train.py": "EPOCHS = 6\n" + _SCRIPT + "    if done():\n        break\n"},
        _FILES | {"solver.prototxt": _SOLVER.format(0.5).replace("150", "300")},
        _FILES | {"solver.prototxt": _SOLVER.format(0)},
        _FILES | {"solver.prototxt": _SOLVER.format(0.5).replace("poly", "fixed")},
        _FILES | {"solver.prototxt": _SOLVER.format(2), "train.py": "EPOCHS = 3\n" + _SCRIPT + "solver.step(9)\n"},
    ]
    INVALID = [
        Invalid(
            _FILES,
            span="max_iter: 150",
            message='"train.py" (line 5) makes 300 steps, but with lr_policy "poly" the rate is nan beyond max_iter'
            " 150, so every weight becomes nan; set max_iter: 300",
        ),
        Invalid(
            _FILES | {"solver.prototxt": _SOLVER.format(1)},
            span="max_iter: 150",
            message='"train.py" (line 5) makes 300 steps, but with lr_policy "poly" the rate is negative beyond'
            " max_iter 150, down to -0.00993333, so each step raises the loss; set max_iter: 300",
        ),
        Invalid(
            _FILES | {"solver.prototxt": _SOLVER.format(2)},
            span="max_iter: 150",
            message='"train.py" (line 5) makes 300 steps, but with lr_policy "poly" the rate rises again beyond'
            " max_iter 150, up to 0.00986711; set max_iter: 300",
        ),
    ]

    def check(self, solver: Solver) -> Iterator[Finding]:
        schedule, ends = solver.schedule, solver.message.max_iter
        if schedule.policy != "poly" or ends <= 0 or not schedule.power:
            return
        for path, one in solver.runs.stepped if solver.runs else ():
            rate = schedule.rate(one.iterations - 1)
            if one.iterations - 1 <= ends or abs(rate) < abs(schedule.base) * _TO_MATTER:
                continue
            if math.isnan(rate):
                becomes, so = "is nan", ", so every weight becomes nan"
            elif rate < 0:
                becomes, so = "is negative", f", down to {rate:g}, so each step raises the loss"
            else:
                becomes, so = "rises again", f", up to {rate:g}"
            yield self.finding(
                solver.at("max_iter"),
                f'{quoted(path)} (line {one.line}) makes {one.iterations} steps, but with lr_policy "poly" the rate'
                f" {becomes} beyond max_iter {ends}{so}; set max_iter: {one.iterations}",
            )
            return
