from __future__ import annotations

from collections.abc import Iterator

from caffelint.lint import LIKELY, WARNING, Finding, Invalid, ProjectRule, Solver
from caffelint.lint.numerics import LOSS, fault, judged, number, remedy

from ._words import mend, net, place
from ._words import solver as solved


class FirstLossTooLarge(ProjectRule):
    """The loss begins hundreds of times above that of a net that guesses.

    ## Why is this bad?
    The scores, or the distance to the targets, are far too large before anything is learned. The first updates are
    spent on making them small: the net forgets what its fillers gave it, units die, and the loss often ends up at that
    of guessing and stays there.

    ## Known problems
    Nothing is reported where neither a source nor `transform_param` tells how large the data are, nor of a distance
    whose data and weights are of a usual size: its gradients are as large as it is. Weights that are
    loaded are not known: a net that shows a sign of them is not judged, nor is one with Python layers on its way.

    ## References
    - Of 250 random projects on Caffe 1.0 that nothing was tuned with, none of the 5 that are reported learned
    """

    code = "N102"
    name = "first-loss-too-large"
    severity = WARNING
    certainty = LIKELY
    VALID = [
        {"s.prototxt": solved(1e-9), "n.prototxt": net("transform_param { scale: 0.00390625 }")},
    ]
    INVALID = [
        Invalid(
            {"s.prototxt": solved(1e-12), "n.prototxt": net(filler='type: "gaussian" std: 1')},
            span="layer",
            message='"fc", which "loss" reads, begins at about 6400, so the first loss is far above that of guessing,'
            ' and the net may never learn; the values of "data" are about 130; bring them to about 1 with a scale of'
            " 0.0076",
        ),
    ]

    def check(self, solver: Solver) -> Iterator[Finding]:
        found = judged(solver)
        if found is None or found.kind != LOSS:
            return
        best = found.cures[0] if found.cures else None
        what = (
            f'"{found.layer.bottom_names[0]}", which "{found.layer.name}" reads, begins at about'
            f" {number(found.scores)}, so the first loss is far above that of guessing"
        )
        why = f"the net may never learn; {remedy(best)}" if best else "the net may never learn"
        at = place(solver, best, found.layer)
        yield self.finding(
            at,
            f"{what}, and {why}",
            cause=fault(found, what, why, "start"),
            fixes=mend(solver, best),
        )
