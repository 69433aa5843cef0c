from __future__ import annotations

from collections.abc import Iterator

from caffelint.lint import LIKELY, WARNING, Finding, Invalid
from caffelint.smoke.rule import BLOB, DATA, Run, SmokeRule, Statistics, drift

from ._drift import REMEDY, drifted
from ._evidence import worded
from ._example import CALM, NET, losses, project

_OWN = NET.replace(
    'type: "DummyData" top: "data" top: "label"\n  dummy_data_param { shape { dim: 8 dim: 4 } shape { dim: 8 } } }',
    'type: "Python" top: "data" top: "label" python_param { module: "batches" layer: "Batches" } }',
)


def _batches(*means: float, deviation: float = 1.0) -> list[Statistics]:
    return [Statistics(at, "data", BLOB, "data", DATA, -9, 9, mean, deviation, 0) for at, mean in enumerate(means)]


class DriftingData(SmokeRule):
    """What a Python layer brings goes further away from where it began with every batch.

    ## Why is this bad?
    The net is to learn from one kind of data, and this becomes another while it trains: what it learned no longer
    fits, layers that were scaled for the first batches saturate, and TEST reads other values than TRAIN. Mostly
    `forward` changes the arrays that the layer keeps: a slice of an array is no copy, so `batch -= mean` takes the mean
    off the records themselves, once more whenever they come again.

    ## Known problems
    Data that is made harder step by step, on purpose, is reported as well, and so is data that comes in an order in
    which it changes that much. What no weights read is not looked at, as numbers of records and labels.

    ## References
    - numpy, "Copies and views": basic indexing gives views
    - pycaffe, python_layer.hpp: the object of the layer lives as long as its net
    """

    code = "X129"
    name = "drifting-data"
    severity = WARNING
    certainty = LIKELY
    VALID = [
        project(*losses(*CALM), *_batches(0.1, -0.1, 0.2, 0, 0.1, 0), net=_OWN),
        project(*losses(*CALM), *_batches(0, 0.1, 0.2, 0.3, 0.4, 0.5), net=_OWN),
        project(*losses(*CALM), *_batches(0, -1, -3.5, -5, -8, -17)),
        project(*losses(*CALM), *(one._replace(name="label") for one in _batches(0, -1, -3.5, -5, -8, -17)), net=_OWN),
    ]
    INVALID = [
        Invalid(
            project(*losses(*CALM), *_batches(0, -1, -3.5, -5, -8, -17), net=_OWN),
            span="layer",
            message='Python "data" (batches.Batches) brings data that goes away from where it began: from the first to'
            ' the last batch that was measured, the mean of "data" goes from 0 to -17, its deviation from 1 to 1: its'
            " forward may change the arrays that it keeps: copy what it takes out of them before changing it; or, if"
            " records come in an order, shuffle them",
        )
    ]

    def check(self, run: Run) -> Iterator[Finding]:
        if (found := drift(run)) is not None:
            cause = drifted(run, found)
            yield worded(self, run.place(found.layer.name), cause._replace(what=cause.why, why=REMEDY))
