from __future__ import annotations

from collections.abc import Iterator

from caffelint.lint import INFO, Finding, Invalid, Solver, SolverRule

_TRIAL = 10
"""Iterations: a run of so few tries out whether all works, or `max_iter` is written anew for each."""


class ScheduleBeyondMaxIter(SolverRule):
    """A drop of the learning rate is set for after the end of the run.

    ## Why is this bad?
    The drop never comes. Often max_iter was lowered or the schedule copied from elsewhere, and the rate stays higher
    than was meant.

    ## Example
    ```
    lr_policy: "step" gamma: 0.1 stepsize: 100000 max_iter: 50000
    ```
    Use instead:
    ```
    lr_policy: "step" gamma: 0.1 stepsize: 20000 max_iter: 50000
    ```

    ## Known problems
    A stepsize or last stepvalue that equals max_iter is taken to mark the end, and is not reported. It is an info,
    since people who want a constant rate, or a shorter run, leave the schedule in the file.

    ## References
    - sgd_solver.cpp, GetLearningRate; solver.cpp, Solve
    """

    code = "S108"
    name = "schedule-beyond-max-iter"
    severity = INFO
    VALID = [
        'lr_policy: "step" gamma: 0.1 stepsize: 20000 max_iter: 50000',
        'lr_policy: "multistep" gamma: 0.1 stepvalue: 20000 stepvalue: 50000 max_iter: 50000',
        'lr_policy: "step" gamma: 0.1 stepsize: 50000 max_iter: 50000',
        'lr_policy: "step" gamma: 1 stepsize: 100000 max_iter: 50000',
        'lr_policy: "fixed" stepsize: 100000 max_iter: 50000',
        'lr_policy: "step" gamma: 0.1 stepsize: 20000',
        'lr_policy: "step" gamma: 0.1 stepsize: 20000 max_iter: 1',
    ]
    INVALID = [
        Invalid(
            'lr_policy: "step" gamma: 0.1 stepsize: 100000 max_iter: 50000 base_lr: 0.1',
            span="stepsize: 100000",
            message="stepsize 100000 is not reached before max_iter 50000, so the rate stays 0.1; lower stepsize or"
            " raise max_iter",
        ),
        Invalid(
            'lr_policy: "multistep" gamma: 0.1 stepvalue: 20000 stepvalue: 60000 stepvalue: 70000 max_iter: 50000',
            span="stepvalue: 60000",
            message="stepvalues 60000 and 70000 are not reached before max_iter 50000, so the rate does not drop there;"
            " lower them or raise max_iter",
        ),
        Invalid(
            'lr_policy: "multistep" gamma: 0.1 stepvalue: 60000 max_iter: 50000 base_lr: 0.1',
            span="stepvalue: 60000",
            message="stepvalue 60000 is not reached before max_iter 50000, so the rate stays 0.1; lower it or raise"
            " max_iter",
        ),
    ]

    def check(self, solver: Solver) -> Iterator[Finding]:
        message = solver.message
        end, base = message.max_iter, f"{message.base_lr:g}"
        if end <= _TRIAL or message.gamma == 1:
            return
        if message.lr_policy == "step" and message.stepsize > end:
            yield self.finding(
                solver.at("stepsize"),
                f"stepsize {message.stepsize} is not reached before max_iter {end}, so the rate stays {base};"
                " lower stepsize or raise max_iter",
            )
        if message.lr_policy != "multistep":
            return
        late = [index for index, value in enumerate(message.stepvalue) if value >= end]
        if not late or late[0] == len(message.stepvalue) - 1 and message.stepvalue[late[0]] == end:
            return
        values = [str(message.stepvalue[index]) for index in late]
        if len(values) > 1:
            text = f"stepvalues {', '.join(values[:-1])} and {values[-1]} are not reached before max_iter {end}"
        else:
            text = f"stepvalue {values[0]} is not reached before max_iter {end}"
        never = len(late) == len(message.stepvalue)
        so = f"the rate stays {base}" if never else "the rate does not drop there"
        them = "them" if len(late) > 1 else "it"
        text += f", so {so}; lower {them} or raise max_iter"
        yield self.finding(solver.at("stepvalue", late[0]), text)
