from __future__ import annotations

from collections.abc import Iterator

from caffelint.lint import DISPLAY, ERROR, Finding, Invalid, Kind, Related, Solver, SolverRule, fix, remove

from ._text import NET_FIELDS


class AmbiguousTrainNet(SolverRule):
    """More than one of `net`, `net_param`, `train_net` and `train_net_param` is set; a solver trains one net.

    ## Why is this bad?
    Caffe aborts at the start. For separate training and test files, use `train_net` and `test_net`; `net` is one file
    for both.

    ## Example
    ```
    net: "train_val.prototxt" train_net: "train.prototxt"
    ```
    Use instead:
    ```
    train_net: "train.prototxt" test_net: "test.prototxt"
    ```

    ## References
    - solver.cpp, InitTrainNet
    """

    code = "S002"
    name = "ambiguous-train-net"
    severity = ERROR
    claims = (Kind.SEVERAL_TRAIN_NETS,)
    VALID = [
        'net: "train_val.prototxt" test_net: "test.prototxt" test_iter: 1 test_iter: 1 test_interval: 10',
        'train_net: "train.prototxt" test_net: "test.prototxt" base_lr: 0.01',
    ]
    INVALID = [
        Invalid(
            'net: "train_val.prototxt"\ntrain_net: "train.prototxt"\nbase_lr: 0.01',
            span='train_net: "train.prototxt"',
            message="net and train_net both name a net to train; keep one of them",
        ),
    ]

    def check(self, solver: Solver) -> Iterator[Finding]:
        refusal = solver.refusal(Kind.SEVERAL_TRAIN_NETS)
        if refusal is None:
            return
        given = [field for field in NET_FIELDS if field in refusal.values["fields"]]
        both = "both name" if len(given) == 2 else "all name"
        names = f"{', '.join(given[:-1])} and {given[-1]}"
        yield self.finding(
            solver.at(given[1]),
            f"{names} {both} a net to train; keep one of them",
            evidence="Caffe stops at the start: SolverParameter must not contain more than one of these fields",
            related=(Related("the other one", solver.at(given[0])),),
            fixes=tuple(
                one
                for kept in given
                for one in fix(
                    f"keep only {kept}", DISPLAY, *(remove(solver, field) for field in given if field != kept)
                )
            ),
        )
