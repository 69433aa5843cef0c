from __future__ import annotations

from collections.abc import Iterator

from caffelint.lint import WARNING, Cause, Finding, Invalid, Suggested
from caffelint.smoke.rule import Done, Run, SmokeRule, Tested

from ._evidence import worded
from ._example import CALM, losses, project
from ._numbers import number

_SOLVER = 'net: "n.prototxt"\nbase_lr: 0.1 lr_policy: "fixed" test_iter: {} test_interval: 500\n'
_TEST = Tested(1, 10, 2.1, {}, False, 0.12)
_DONE = Done(50, 2.0)
_LONG = 600.0
_TIMES = 10.0
_UNITS = (("days", 86400.0, 2), ("hours", 3600.0, 2), ("minutes", 60.0, 1))


class TestTakesLong(SmokeRule):
    """A test takes many times as long as the training between two tests.

    ## Why is this bad?
    Caffe runs `test_iter` batches of the TEST net in each test, the first before iteration 0 unless
    `test_initialization` is false, and shows nothing meanwhile, so training seems to hang. `test_iter` is a number of
    batches, not of images: it should be the number of test images divided by the batch size of the TEST net.

    The time of a pass is measured; the warning is given for a test of more than ten minutes that takes more than ten
    times as long as `test_interval` iterations of training.

    ## References
    - solver.cpp, Test and Step
    """

    code = "X118"
    name = "test-takes-long"
    severity = WARNING
    VALID = [
        project(*losses(*CALM), _TEST, _DONE, solver=_SOLVER.format(1000)),
        project(*losses(*CALM), _TEST._replace(seconds=0.0), _DONE, solver=_SOLVER.format(1000000)),
    ]
    INVALID = [
        Invalid(
            project(*losses(*CALM), _TEST, _DONE, solver=_SOLVER.format(1000000)),
            span="test_iter: 1000000",
            message="test_iter 1000000 makes each test take about 3.3 hours: a pass takes 0.012 s, and training between"
            " two tests takes 20 s; the first test runs before the first iteration, and Caffe prints nothing until it"
            " ends; set test_iter to the number of test images divided by the batch size",
        )
    ]

    def check(self, run: Run) -> Iterator[Finding]:
        done, message = run.first(Done), run.solver.message
        for test in run.all(Tested):
            asked = run.planned[test.net].job.iterations
            one = test.seconds / max(1, test.iterations)
            whole = one * asked
            training = message.test_interval * done.seconds / max(1, done.iterations) if done is not None else 0.0
            if whole < max(_LONG, _TIMES * training):
                continue
            what = f"test_iter {asked} makes each test take about {_time(whole)}"
            why = f"a pass takes {number(one)} s"
            if training:
                why += f", and training between two tests takes {_time(training)}"
            first = "the first test runs before the first iteration, and " if message.test_initialization else ""
            why += f"; {first}Caffe prints nothing until {'it' if first else 'a test'} ends"
            known = run.known(rules=("test-settings-mismatch",))
            enough = _enough(run, test.net)
            advice = "set test_iter to the number of test images divided by the batch size"
            if enough is not None:
                advice = f"set test_iter: {enough.value:.0f}, which reads each record of the TEST source once"
            cause = Cause("time", what, f"{why}; {advice}", known=known, suggested=enough)
            yield worded(self, run.solver.at("test_iter", test.net - 1), cause)


def _enough(run: Run, net: int) -> Suggested | None:
    """How many passes read all of the TEST source, where its size is known."""
    for layer in run.built[net].layers:
        if (records := run.fed.held(net, layer.name)) and layer.batch_size:
            return Suggested("test_iter", -(-records // layer.batch_size))
    return None


def _time(seconds: float) -> str:
    """`3.3 hours`."""
    for name, size, least in _UNITS:
        if seconds >= least * size:
            return f"{seconds / size:.2g} {name}" if seconds < 100 * size else f"{seconds / size:.0f} {name}"
    return f"{seconds:.2g} s"
