from __future__ import annotations

from collections.abc import Iterator

from caffelint.evidence.data.rule import BELOW, INF, NAN, DataEvidence, DatasetRule, Fault
from caffelint.lint import ERROR, Cause, Finding, Invalid, title

from ._example import SOUND, project, records
from ._words import first, once, path, share, source_place


class ValueNotFinite(DatasetRule):
    """Records hold nan or inf.

    ## Why is this bad?
    One such value makes the loss nan as soon as its record is read, and from then on all weights. HDF5Data makes
    float32 of what it reads, so that a larger double is inf.

    ## References
    - io.cpp, hdf5_load_nd_dataset; data_transformer.cpp, Transform
    """

    code = "E105"
    name = "value-not-finite"
    severity = ERROR
    VALID = [SOUND]
    INVALID = [
        Invalid(
            project(records(0, 1) + "\nlabel 2; image 1x2x2 0.5 nan 0 1\nlabel 2; image 1x2x2 0.5 inf 0 1"),
            span='source: "train_lmdb"',
            message='Data "data": 1 of 4 records of "train_lmdb" has nan in "data" (first "00002"), 1 has inf (first'
            ' "00003"); remove them, or mend the values',
        ),
        Invalid(
            project(records(0, 1) + "\nlabel 2; image 1x2x2 0.5 -inf 0 1"),
            span='source: "train_lmdb"',
            message='Data "data": 1 of 3 records of "train_lmdb" has -inf in "data" (first "00002"); remove them, or'
            " mend the values; a log of 0 gives -inf",
        ),
    ]

    def check(self, data: DataEvidence) -> Iterator[Finding]:
        for feed, facts in once(data):
            for key, top in facts.tops.items():
                blob = feed.top_of(key)
                found = [(kind, top.faults[kind]) for kind in (NAN, INF, BELOW) if kind in top.faults]
                if blob is None or not found:
                    continue
                (kind, fault), *rest = found
                what = f"{title(feed.layer)}: {share(fault.count, facts)} of {path(feed)} {_has(fault)} {kind} in"
                what += f' "{blob.name}" ({first(fault)})'
                what += "".join(f", {more.count} {_has(more)} {other} ({first(more)})" for other, more in rest)
                remedy = "remove them, or mend the values" + ("; a log of 0 gives -inf" if BELOW in top.faults else "")
                place = feed.layer.at(*source_place(feed))
                yield self.finding(place, f"{what}; {remedy}", phases=feed.phases, cause=Cause("data", what, remedy))


def _has(fault: Fault) -> str:
    return "has" if fault.count == 1 else "have"
