from __future__ import annotations

from collections.abc import Iterator

from caffelint.lint import ERROR, LIKELY, Cause, Finding, Invalid, Place, title
from caffelint.smoke.rule import Crashed, Iteration, Loaded, NonFinite, Run, Running, SmokeRule, TimedOut, cure

from ._cause import too_large
from ._evidence import subject, worded
from ._example import CALM, losses, project
from ._gradient import code, owner
from ._records import bad_records, batch_of

_WAITS = 0.04
"""Of a core: less than that is waiting, also on a machine that is busy otherwise."""
_WORKS = 0.5
_PASSES, _ITEMS = 100, 1000
_FEWER = "lower iter_size; the gradient is the mean of all of them"
_SIGNALS = {
    4: "illegal instruction",
    6: "abort",
    7: "bus error",
    8: "floating point exception",
    11: "segmentation fault",
}


class TimedOutOrDied(SmokeRule):
    """The run does not end in time, or its process crashes without an error message.

    ## Why is this bad?
    What did not run is not known to work, so a run that does not end is an error and fails a build. If something hangs,
    the finding names the layer; if the run is only slow, allow more time or fewer iterations (--timeout, --iterations).
    A process that crashes (segmentation fault) has written or read outside its memory: a label out of range does
    that, and so does a broken library.

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
            message="only 2 of 50 iterations were done after 60 s; raise --timeout or lower --iterations",
        ),
        Invalid(
            project(Loaded(0, "TRAIN", 5, 6, 50), Running(0, "log", "forward", -1), TimedOut(60.0)),
            span="layer",
            message='Log "log": still in the forward pass after 60 s, so it hangs or is very slow',
        ),
        Invalid(
            project(Loaded(0, "TRAIN", 5, 6, 50), Running(0, "loss", "forward", 3), Crashed(-11, "")),
            span="layer",
            message='SoftmaxWithLoss "loss": the process crashed (signal 11, segmentation fault) in the forward pass',
        ),
    ]

    def check(self, run: Run) -> Iterator[Finding]:
        running = run.first(Running)
        named = running is not None and bool(running.layer)
        place = run.place(running.layer, running.net) if running and named else run.solver.at("net")
        for late in run.all(TimedOut):
            done = len(run.iterations)
            after = f"after {late.seconds:.0f} s"
            why, own = _where(late), owner(run, late.file)
            large = _large(run) if not run.iterations and own is None else None
            if large is not None:
                place, what, reason = large
                yield worded(self, place, Cause("time", f"no iteration was done {after}", what), reason, *why)
                continue
            if own is not None:
                place = run.place(own.name, 0)
                what = f"{title(own)} ({code(late.file, late.line)}): its code still ran {after}"
                if done > 1:
                    what += f", {done} of {run.asked} iterations were done"
            elif running and named:
                of = subject(run, running.layer, running.net)
                what = f"{of}: still in the {running.where} pass {after}, so it hangs or is very slow"
            elif run.first(Loaded) is None:
                what = f"the nets were still loading {after}; raise --timeout or lower batch_size"
            else:
                what = f"only {done} of {run.asked} iterations were done {after}; raise --timeout or lower --iterations"
            yield worded(self, place, Cause("python-layer" if own else "time", what, "", LIKELY), *why)
        for death in run.all(Crashed):
            what = f"the process exited with {death.status}"
            if death.status < 0:
                what = f"the process crashed (signal {_signal(-death.status)})"
            if running and named:
                what = f"{subject(run, running.layer, running.net)}: {what} in the {running.where} pass"
            at = max((event.iteration for event in run.all(Iteration)), default=-2) + 1
            what += f" of iteration {at}" if named and at >= 0 else f" in iteration {at}" if at >= 0 else ""
            cause = _why(run, running.net if running else 0)
            yield worded(self, place, cause._replace(what=what), death.said)


def _why(run: Run, net: int) -> Cause:
    """What a crash came of, where records or experiments tell."""
    batch = batch_of(run, net)
    if batch is not None and batch.bad:
        return Cause("data", "", f"{bad_records(batch)}; leave them out, or mend them")
    if run.first(NonFinite) is None and cure(run) is not None:
        return too_large(run)
    return Cause("crash", "")


def _large(run: Run) -> tuple[Place, str, str] | None:
    """What makes an iteration compute far more than any batch: where, what, and the remedy."""
    passes = run.solver.message.iter_size
    if passes > _PASSES:
        return run.solver.at("iter_size"), f"iter_size {passes} makes an iteration compute {passes} batches", _FEWER
    for layer in run.built[0].layers if run.built else ():
        records = run.fed.held(0, layer.name)
        if records and layer.batch_size > max(records, _ITEMS):
            place = run.place(layer.name, 0, layer.block, "batch_size")
            what = f"{title(layer)} reads batches of {layer.batch_size:,}, and its source holds {records:,} records"
            return place, what, "lower batch_size"
    return None


def _where(late: TimedOut) -> list[str]:
    """What it was doing."""
    said = []
    if late.raised:
        said.append(f"a thread of it had ended with {late.raised}, at {code(late.raised_in, late.raised_at)}")
    if late.file:
        calls = f" and there called {late.calls}" if late.calls else ""
        said.append(f"in {late.found} of {late.looks} samples it was in {late.function}{calls}")
    if 0 <= late.cpu < _WAITS:
        said.append("it took no CPU time, so it was waiting, for example for a lock, a queue, a disk or the network")
    elif late.cpu >= _WAITS:
        doing = ", so it was computing" if late.cpu > _WORKS else ""
        said.append(f"it took {late.cpu:.0%} of a CPU core{doing}")
    return said


def _signal(number: int) -> str:
    """A signal as Linux numbers it, with its name: `11, segmentation fault`."""
    return f"{number}, {_SIGNALS[number]}" if number in _SIGNALS else str(number)
