from __future__ import annotations

from collections.abc import Iterator

from caffelint.lint import INFO, LIKELY, WARNING, Finding, Invalid, ProjectRule, Solver
from caffelint.lint.numerics import CLIP, CLIPS_LESS, RATE, STILL, fault, is_trial, judged, number, remedy, training

from ._going_on import goes_on, of
from ._words import mend, net, place
from ._words import solver as solved

_SCALED = "transform_param { scale: 0.00390625 mean_value: 115 }"
_LENGTH = "momentum: 0.9 max_iter: 1000"
_ROWS = net().replace("ImageData", "HDF5Data").replace(" new_height: 28 new_width: 28", "").replace("image_d", "hdf5_d")
_SURE = 0.15
"""The share of their size by which weights may move without having learned anything; recurrent ones need less."""
_MOVES = 0.3
"""The share of their size by which weights move in all that learns (judgement.py)."""
_FINDS_ITS_STEPS = "AdaDelta"
"""Its base_lr is a factor, of which adaptive-parameter-out-of-range tells."""
_OF_ANY_SIZE = 0.003
"""The same for data of a known scale, however large the images are: gradients that are summed grow with their area."""
_WHATEVER = 1e-6
"""A share of the weights' size with which nets do not learn however large the data are, as gradients grow with them."""


class WeightsBarelyMove(ProjectRule):
    """All updates of the training together hardly change the weights.

    From the fillers, the shapes and the range of the data follow the sizes of the first updates; times the number of
    iterations they are the most that weights can move, if all pull in one direction; those of all layers are added up
    as what has nothing to do with each other, for each changes the scores. A trial of fewer than 300 iterations is
    judged as if it went on so long, and is an info.

    ## Why is this bad?
    The net ends as it began: the loss stays where it is.

    ## Known problems
    Data that the text does not describe are taken to be about 1, and the finding is then an info, except where
    `clip_gradients` is to blame or data a thousand times as large would not do; with `--read-data` they are measured.
    It is one, too, where weights move by 15 to 30 % of their size, with which some nets learn, and where another solver
    trains at ten times the rate, or all scripts load weights, so that this one may go on. A net with a sign of weights
    or a Python layer is not judged, nor one whose biases move: steps of Adam and its like are large for any gradient.

    ## References
    - Of 250 random projects on Caffe 1.0 that nothing was tuned with, none of the 19 reported learned; of 1,612 in all,
      none of 119 with `--read-data`; of 178 more, 3 of 23 did, two by biases alone; of 52 more, none of 10
    """

    code = "N104"
    name = "weights-barely-move"
    severity = WARNING
    certainty = LIKELY
    VALID = [
        {"s.prototxt": solved(0.01, _LENGTH), "n.prototxt": net(_SCALED)},
        {"s.prototxt": solved(1e-9, 'weights: "a.caffemodel" max_iter: 1000'), "n.prototxt": net(_SCALED)},
        {"s.prototxt": solved(1e-9), "n.prototxt": net(_SCALED)},
    ]
    INVALID = [
        Invalid(
            {"s.prototxt": solved(1e-9, _LENGTH), "n.prototxt": net(_SCALED)},
            span="base_lr: 1e-09",
            message="in all 1,000 iterations the gradients move the weights of all layers together by no more than"
            ' 6.6e-06 of their size (most in "fc"), so the net learns nothing; try base_lr: 0.2',
            fixed={"s.prototxt": solved(0.2, _LENGTH), "n.prototxt": net(_SCALED)},
        ),
        *(
            Invalid(
                {"s.prototxt": solved(0.01, f"{_LENGTH} clip_gradients: 1e-6"), "n.prototxt": text},
                span="clip_gradients: 1e-6",
                message="in all 1,000 iterations the gradients move the weights of all layers together by no more than"
                ' 3.2e-05 of their size (most in "fc"), so the net learns nothing; clip_gradients cuts the norm of the'
                f" gradients from {norm} to 1e-06; raise it",
                fixed={"s.prototxt": solved(0.01, _LENGTH), "n.prototxt": text},
            )
            for text, norm in ((net(_SCALED), "2.1"), (_ROWS, "30"))
        ),
    ]

    def check(self, solver: Solver) -> Iterator[Finding]:
        found = judged(solver)
        if found is None or found.kind != STILL:
            return
        best = found.cures[0]
        if best.kind == RATE and (_slows_down(solver, found.size) or solver.type == _FINDS_ITS_STEPS):
            return
        what = (
            f"in all {solver.message.max_iter:,} iterations{of(solver)} the gradients move the weights of all layers"
            f' together by no more than {number(found.size)} of their size (most in "{found.layer.name}")'
        )
        why = f"the net {'may learn' if found.size >= _SURE else 'learns'} nothing; {remedy(best)}"
        # However large the data are, a clip lets through no more, and of such updates nothing is left.
        doubted = found.assumed and found.size >= _WHATEVER or found.at_least and found.size >= _OF_ANY_SIZE
        guessed = doubted and best.kind not in (CLIP, CLIPS_LESS)
        after = goes_on(solver)
        yield self.finding(
            place(solver, best, found.layer),
            f"{what}, so {why}",
            cause=fault(found, what, why, "rate"),
            severity=INFO if guessed or after or is_trial(solver) or found.size >= _SURE else None,
            evidence=after,
            fixes=mend(solver, best),
        )


def _slows_down(solver: Solver, moved: float) -> bool:
    """Would they move enough if the rate stayed what it is at first? Then learning-rate-vanishes tells."""
    one = training(solver)
    return one is not None and one.steps > 0 and moved * solver.message.max_iter / one.steps >= _MOVES
