from __future__ import annotations

import re
from collections.abc import Iterator

from caffelint.lint import ERROR, Finding, Invalid, SmokeRule
from caffelint.smoke.run import Crashed, Loaded, Run, Running, TimedOut

from ._example import CALM, losses, project

_LOGGED = re.compile(r"[IW]\d{4,8} [\d:.]+ ")
"""What Caffe logs of its doings, up to warnings."""


class TimedOutOrDied(SmokeRule):
    """The run was not over in time, or its process died without a word.

    ## Why is this bad?
    What was not run is not known to work, so a run that did not end is an error and fails a build. Where something
    hangs, the finding names the layer; where it is only slow, fewer iterations or more time will do (--iterations,
    --timeout). A process that dies by a signal has written or read beyond its memory: a label out of range does that,
    and so does a broken library.

    ## References
    - softmax_loss_layer.cpp and hinge_loss_layer.cpp, which do not check labels
    """

    code = "X109"
    name = "timed-out"
    severity = ERROR
    VALID = [project(*losses(*CALM))]
    INVALID = [
        Invalid(
            project(Loaded(0, "TRAIN", 5, 6, 50), *losses(2.3, 2.2), TimedOut(60.0)),
            span='net: "n.prototxt"',
            message="after 60 s 2 of 50 iterations were done: too slow to tell; give --timeout or fewer --iterations",
        ),
        Invalid(
            project(Loaded(0, "TRAIN", 5, 6, 50), Running(0, "log", "forward", -1), TimedOut(60.0)),
            span="layer",
            message='after 60 s "log" was still in its forward pass: it hangs, or is very slow',
        ),
        Invalid(
            project(Loaded(0, "TRAIN", 5, 6, 50), Running(0, "loss", "forward", 3), Crashed(-11, "")),
            span="layer",
            message='the process died by signal 11 in the forward pass of "loss"',
        ),
    ]

    def check(self, run: Run) -> Iterator[Finding]:
        running = run.first(Running)
        place = run.place(running.layer, running.net) if running else run.solver.at("net")
        for late in run.all(TimedOut):
            done = len(run.iterations)
            after = f"after {late.seconds:.0f} s"
            if running:
                message = f'{after} "{running.layer}" was still in its {running.where} pass: it hangs, or is very slow'
            elif run.first(Loaded) is None:
                message = f"{after} the nets were still being loaded: give --timeout, or a smaller batch_size"
            else:
                message = (
                    f"{after} {done} of {run.asked} iterations were done: too slow to tell; give --timeout or fewer"
                )
                message += " --iterations"
            yield self.finding(place, message)
        for death in run.all(Crashed):
            how = f"died by signal {-death.status}" if death.status < 0 else f"ended with status {death.status}"
            where = f' in the {running.where} pass of "{running.layer}"' if running else ""
            lines = [line for line in death.text.strip().splitlines() if not _LOGGED.match(line)]
            yield self.finding(place, f"the process {how}{where}", evidence=lines[-1] if lines else "")
