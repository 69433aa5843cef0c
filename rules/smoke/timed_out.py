from __future__ import annotations

from collections.abc import Iterator

from caffelint.lint import ERROR, LIKELY, Cause, Finding, Invalid
from caffelint.smoke.rule import Crashed, Loaded, Run, Running, SmokeRule, TimedOut

from ._example import CALM, losses, project


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
                what = f'{after} "{running.layer}" was still in its {running.where} pass'
                why = "it hangs, or is very slow"
            elif run.first(Loaded) is None:
                what = f"{after} the nets were still being loaded"
                why = "give --timeout, or a smaller batch_size"
            else:
                what = f"{after} {done} of {run.asked} iterations were done"
                why = "too slow to tell; give --timeout or fewer --iterations"
            yield self.finding(place, f"{what}: {why}", cause=Cause("time", what, why, LIKELY))
        for death in run.all(Crashed):
            how = f"died by signal {-death.status}" if death.status < 0 else f"ended with status {death.status}"
            where = f' in the {running.where} pass of "{running.layer}"' if running else ""
            what = f"the process {how}{where}"
            yield self.finding(place, what, evidence=death.said, cause=Cause("crash", what, death.said))
