from __future__ import annotations

from collections.abc import Iterator

from caffelint.lint import CERTAIN, WARNING, Cause, Finding, Invalid, title
from caffelint.smoke.rule import Run, SmokeRule, Spent

from ._evidence import worded
from ._example import CALM, NET, losses, project
from ._gradient import code
from ._numbers import number

_LONG, _MOST, _IDLE = 0.05, 0.2, 0.8
_LOADS = 0.5
"""Of the whole time, which a layer takes that only brings data."""
_PYTHON = NET.replace('type: "Log"', 'type: "Python" python_param { module: "slow" layer: "Slow" }')
_LOADER = NET.replace('type: "DummyData"', 'type: "Python" python_param { module: "slow" layer: "Slow" }', 1)
_WAITS = Spent("log", 20, 4.0, 3.9, 5.0, "slow.py", 12)


class PythonLayerWaits(SmokeRule):
    """A Python layer waits, for a disk, the network, a queue or a sleep, for a good part of each iteration, or takes
    most of it to bring data.

    ## Why is this bad?
    Caffe runs a Python layer in the thread that trains, so nothing else is computed meanwhile. Read ahead in a thread
    or process of the layer's own, and let forward take what is ready.

    The time of each pass is measured, and how much of it the thread neither computed nor waited for a CPU. The warning
    is given for a layer that takes more than 0.05 s a pass and a fifth of the whole time,
    and waits for most of that, and for one without bottoms that takes more than
    half of the whole time.

    ## References
    - python_layer.hpp, Forward_cpu
    """

    code = "X122"
    name = "python-layer-waits"
    severity = WARNING
    VALID = [
        project(*losses(*CALM), _WAITS._replace(idle=0.1), net=_PYTHON),
        project(*losses(*CALM), _WAITS._replace(whole=50.0), net=_PYTHON),
        project(*losses(*CALM), _WAITS._replace(calls=400), net=_PYTHON),
    ]
    INVALID = [
        Invalid(
            project(*losses(*CALM), _WAITS, net=_PYTHON),
            span="layer",
            message='Python "log": each pass waits 0.195 s without computing, 78% of the whole time, so training is'
            " slow: it waits at slow.py:12",
        ),
        Invalid(
            project(*losses(*CALM), _WAITS._replace(layer="data", idle=0.1), net=_LOADER),
            span="layer",
            message='Python "data": each batch takes 0.2 s to load, 80% of the whole time, so training is slow: it is'
            " at slow.py:12",
        ),
        Invalid(
            project(*losses(*CALM), _WAITS._replace(layer="data", idle=0.1), net=_LOADER),
            span="layer",
            message='Python "data": each batch takes 0.2 s to load, 80% of the whole time, so training is slow: it is'
            " at slow.py:12",
        ),
    ]

    def check(self, run: Run) -> Iterator[Finding]:
        last = {event.layer: event for event in run.all(Spent)}
        for one in last.values():
            slow = one.seconds > _LONG * one.calls and one.seconds > _MOST * one.whole
            layer = run.layer(one.layer)
            if layer is None or not slow:
                continue
            waits = one.idle >= _IDLE * one.seconds
            if not waits and (layer.bottoms or one.seconds < _LOADS * one.whole):
                continue
            took = one.idle if waits else one.seconds
            each = number(took / one.calls)
            does = f"each pass waits {each} s without computing" if waits else f"each batch takes {each} s to load"
            what = f"{title(layer)}: {does}, {took / one.whole:.0%} of the whole time, so training is slow"
            why = f"it {'waits' if waits else 'is'} at {code(one.file, one.line)}" if one.file else ""
            remedy = "read ahead in a thread or process of its own"
            remedy += ", and do not sleep or block in forward" if waits else ", or prepare the data once and store it"
            yield worded(self, run.place(layer.name), Cause("python-layer", what, why, CERTAIN), remedy)
