from __future__ import annotations

from collections.abc import Iterator

from caffelint.lint import LIKELY, WARNING, Cause, Finding, Invalid, title
from caffelint.smoke.rule import NonFinite, Run, SmokeRule, Warned, dead_layers, trouble

from ._evidence import worded
from ._example import CALM, NET, losses, project, spread
from ._gradient import GUARD, code, owner

_PYTHON = NET.replace('type: "Log"', 'type: "Python" python_param { module: "balanced" layer: "Balanced" }')
_DEAD = [spread(-1, "log", "blob", "log", 0, 1), spread(5, "log", "blob", "log", 0, 1)]
_WARNED = Warned("divide by zero encountered in divide", "balanced.py", 20)


class NumpyWarns(SmokeRule):
    """Numpy warns of a computation in a Python layer of a net that does not learn.

    ## Why is this bad?
    A division by 0 gives inf or nan, and what is made of these may be finite again: a weight of 1 / inf is 0, so a loss
    is 0 for a batch without any example of a class, and its gradient, too. Nothing breaks, and nothing is learned.

    ## Known problems
    A run that goes well is not judged: its code may know what it does.

    ## References
    - numpy.seterr
    """

    code = "X123"
    name = "numpy-warns"
    severity = WARNING
    certainty = LIKELY
    VALID = [
        project(*losses(*CALM), _WARNED, net=_PYTHON),
        project(*losses(*CALM), *_DEAD, net=_PYTHON),
    ]
    INVALID = [
        Invalid(
            project(*losses(*CALM), *_DEAD, _WARNED, net=_PYTHON),
            span="layer",
            message='Python "log" (balanced.py:20): numpy says "divide by zero encountered in divide" there, so what it'
            " computes may be wrong; keep that computation finite for every batch, even one without any example of a"
            " class",
        ),
    ]

    def check(self, run: Run) -> Iterator[Finding]:
        if any(event.said for event in run.all(NonFinite)) or not (dead_layers(run) or trouble(run)):
            return
        for event in run.all(Warned):
            layer = owner(run, event.file)
            if layer is None:
                continue
            what = f'{title(layer)} ({code(event.file, event.line)}): numpy says "{event.said}" there, so what it'
            what += " computes may be wrong"
            place = run.place(layer.name)
            yield worded(self, place, Cause("python-layer", f"{what}; {GUARD}", "", LIKELY))
            return
