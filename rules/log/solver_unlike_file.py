from __future__ import annotations

from collections.abc import Iterator

from caffelint.evidence.log.rule import Differs, LogEvidence, LogRule, net_differs, solver_differs
from caffelint.lint import WARNING, Finding, Invalid, listed

from ._example import SOUND

_FILE = (
    'net: "gone.prototxt" base_lr: 0.1 display: 10 max_iter: 400 lr_policy: "fixed" momentum: 0.9 solver_mode: CPU\n'
)


class SolverUnlikeFile(LogRule):
    """The solver or the net that ran is another than the file that lies there now (`--solver FILE`).

    ## Why is this bad?
    The log tells of another training than the files describe: they were changed since, or Caffe read other ones.

    ## References
    - solver.cpp, Init, and net.cpp, Init, print what was read
    """

    code = "T115"
    name = "solver-unlike-file"
    severity = WARNING
    VALID = [{"train.log": SOUND, "solver.prototxt": _FILE}]
    INVALID = [
        Invalid(
            {"train.log": SOUND, "solver.prototxt": _FILE.replace("base_lr: 0.1", "base_lr: 0.5")},
            span="base_lr: 0.5",
            message="base_lr is 0.5 here, but 0.1 in the run of the log",
        ),
        Invalid(
            {"train.log": SOUND, "solver.prototxt": _FILE.replace("momentum: 0.9", "weight_decay: 0.1")},
            span=('net: "gone.prototxt"', "weight_decay: 0.1"),
            message=(
                "momentum is not set here, but 0.9 in the run of the log",
                "weight_decay is 0.1 here, but not set in the run of the log",
            ),
        ),
    ]

    def check(self, log: LogEvidence) -> Iterator[Finding]:
        run = log.log.run
        if log.solver_file is None or run is None:
            return
        recovered = log.recovered(run)
        for one in solver_differs(recovered, log.solver_file):
            here = f"is {one.written}" if one.written else "is not set"
            there = one.logged or "not set"
            yield self.finding(one.place, f"{one.what} {here} here, but {there} in the run of the log")
        layers = net_differs(recovered, log.solver_file)
        if layers:
            yield self.finding(
                layers[0].place,
                f"the net is another than that of the log: {listed([_layer(one) for one in layers])}",
            )


def _layer(one: Differs) -> str:
    if not one.logged:
        return f'layer "{one.what}" was not there'
    if not one.written:
        return f'layer "{one.what}" is not here'
    return f'layer "{one.what}" differs in {one.logged}'
