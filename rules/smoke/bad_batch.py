from __future__ import annotations

from collections.abc import Iterator

from caffelint.lint import WARNING, Cause, Finding, Invalid, title
from caffelint.smoke.rule import EXTREME, NOT_FINITE, BadRecord, Batch, Odd, Run, Scanned, SmokeRule

from ._evidence import worded
from ._example import project
from ._numbers import number
from ._records import bad_records

_ODD = Odd(22, float("nan"), "log", True)
_HIGH = Odd(7, 4100.0, "", False)
_RECORD = BadRecord("record 181 of train.h5", NOT_FINITE, "data", -1, 1, 1, 0, 0.7)
_BATCH = Batch(0, "data", -1, -1, [], 200, [_RECORD], 0)
_SHOWN = 4


class BadBatch(SmokeRule):
    """A batch of the data gives a loss that is not finite, or many times that of the others, before any training.

    ## Why is this bad?
    One such batch ends training, or undoes a good part of it, whenever it comes round. `smoke --scan` looks at all
    batches once, forward only, with the weights that training starts from, and at each record of the source.

    ## References
    - caffelint smoke --scan
    """

    code = "X120"
    name = "bad-batch"
    severity = "error"
    VALID = [project(Scanned(25, 2.1, 2.3, 2.6, []))]
    INVALID = [
        Invalid(
            project(Scanned(25, 2.1, 2.3, 2.6, [_ODD]), _BATCH),
            span="layer",
            message='1 of 25 batches has an unusual loss (batch 22 gives nan at Log "log"): of the 200 records'
            ' read, record 181 of train.h5 holds nan in "data"',
        ),
        Invalid(
            project(Scanned(25, 2.1, 2.3, 2.6, [_ODD]), _BATCH._replace(bad=[_RECORD._replace(nan=0, inf=2, below=2)])),
            span="layer",
            message='1 of 25 batches has an unusual loss (batch 22 gives nan at Log "log"): of the 200 records'
            ' read, record 181 of train.h5 holds -inf in 2 values of "data"',
        ),
        Invalid(
            project(Scanned(25, 2.1, 2.3, 4100, [_HIGH])),
            span="layer",
            message="1 of 25 batches has an unusual loss (batch 7 gives 4100; most give about 2.3)",
        ),
    ]

    def check(self, run: Run) -> Iterator[Finding]:
        scanned = run.first(Scanned)
        if scanned is None:
            return
        odd = [Odd(*one) for one in scanned.odd]
        batches = [one for one in run.all(Batch) if any(bad[1] in (NOT_FINITE, EXTREME) for bad in one.bad)]
        if not odd and not batches:
            return
        records = "; ".join(bad_records(one) for one in batches)
        have = "have" if len(odd) > 1 else "has"
        what = f"{len(odd)} of {scanned.batches} batches {have} an unusual loss"
        if odd:
            what += f" ({', '.join(_loss(run, one) for one in odd[:_SHOWN])}"
            what += f", and {len(odd) - _SHOWN} more" if len(odd) > _SHOWN else ""
            what += ")" if any(one.layer for one in odd) else f"; most give about {number(scanned.usual)})"
        else:
            bad = sum(len(one.bad) for one in batches)
            hold = "hold" if bad > 1 else "holds"
            what = f"{bad} of {sum(one.read for one in batches)} records {hold} values unlike those of the others"
        data = next((layer for layer in run.built[0].layers if not layer.bottoms), None)
        place = run.place(batches[0].layer if batches else data.name if data is not None else "")
        severe = None if any(one.layer for one in odd) else WARNING
        yield worded(self, place, Cause("data", what, records), severity=severe)


def _loss(run: Run, one: Odd) -> str:
    if not one.layer:
        return f"batch {one.number} gives {number(one.loss)}"
    layer = run.layer(one.layer)
    return (
        f"batch {one.number} gives {'nan' if one.nan else 'inf'} at {title(layer) if layer is not None else one.layer}"
    )
