from __future__ import annotations

from collections.abc import Iterator

from caffelint.lint import ERROR, INFO, Finding, Given, Invalid, Kind, Solver, SolverRule

from ._text import NET_FIELDS, is_completed

_MESSAGE = "the solver names no net to train, so Caffe stops at the start; set net or train_net"


class NoTrainNet(SolverRule):
    """The solver names no net to train: `net`, `train_net`, `net_param` and `train_net_param` are all missing.

    ## Why is this bad?
    Caffe aborts at the start: "SolverParameter must specify a train net". A `test_net` alone is not enough.

    ## Example
    ```
    base_lr: 0.01 lr_policy: "fixed" max_iter: 100
    ```
    Use instead:
    ```
    net: "train_val.prototxt" base_lr: 0.01 lr_policy: "fixed" max_iter: 100
    ```

    ## Known problems
    It is not reported where the file's name or a placeholder in it says that a script fills it in. Where a script of
    the project writes a net into a solver, it is an info.

    ## References
    - solver.cpp, InitTrainNet
    """

    code = "S001"
    name = "no-train-net"
    severity = ERROR
    claims = (Kind.NO_TRAIN_NET,)
    VALID = [
        'net: "train_val.prototxt" base_lr: 0.01',
        'train_net: "train.prototxt" test_net: "test.prototxt" base_lr: 0.01',
        {"solver_template.prototxt": "base_lr: 0.01 max_iter: 1"},
        'net_param { layer { name: "x" type: "ReLU" bottom: "x" top: "x" } } base_lr: 0.01 max_iter: 1',
    ]
    INVALID = [
        Invalid('base_lr: 0.01\nlr_policy: "fixed"', span="base_lr: 0.01", message=_MESSAGE),
        Invalid('base_lr: 0.01 test_net: "test.prototxt"', span='test_net: "test.prototxt"', message=_MESSAGE),
    ]

    def check(self, solver: Solver) -> Iterator[Finding]:
        if not solver.refusal(Kind.NO_TRAIN_NET) or is_completed(solver):
            return
        if any(solver.given(field) is not Given.NOTHING for field in NET_FIELDS):
            return
        writer = solver.runs and solver.runs.customs.names_net
        yield self.finding(
            solver.at("test_net"),
            _MESSAGE,
            severity=INFO if writer else None,
            evidence=f"{writer} writes one into a solver"
            if writer
            else "Caffe stops at the start: SolverParameter must specify a train net",
        )
