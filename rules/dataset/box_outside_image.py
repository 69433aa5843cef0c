from __future__ import annotations

from collections.abc import Iterator

from caffelint.evidence.data.rule import BOX_EMPTY, BOX_OUTSIDE, DataEvidence, DatasetRule
from caffelint.lint import WARNING, Finding, Invalid, title

from ._example import SOUND, project, records
from ._words import counted, first, once, path, source_place

_FAULTS = {BOX_OUTSIDE: "beyond the edge of the image", BOX_EMPTY: "without any area"}


class BoxOutsideImage(DatasetRule):
    """Boxes of objects, or windows, reach beyond their image, or have no area.

    ## Why is this bad?
    Such a box matches nothing, or what is beside the image, and WindowData stops. Corners of an AnnotatedDatum are
    shares of the image, from 0 to 1: pixels there are a usual mistake.

    ## References
    - window_data_layer.cpp, load_batch; SSD's annotated_data_layer.cpp
    """

    code = "E118"
    name = "box-outside-image"
    severity = WARNING
    VALID = [SOUND]
    INVALID = [
        Invalid(
            project(records(0, 1, 2) + "\nlabel 1; image 1x2x2 7 8 9 1; fault box outside"),
            span='source: "train_lmdb"',
            message='Data "data": 1 box of "train_lmdb" is beyond the edge of the image (first "00003"); clip it to the'
            " image, or remove it",
        ),
    ]

    def check(self, data: DataEvidence) -> Iterator[Finding]:
        for feed, facts in once(data):
            for kind, what in _FAULTS.items():
                fault = facts.faults.get(kind)
                if fault is not None:
                    are, it = ("is", "it") if fault.count == 1 else ("are", "them")
                    boxes = f"{fault.count:,} box{'' if fault.count == 1 else 'es'}"
                    remedy = f"clip {it} to the image, or remove {it}" if kind == BOX_OUTSIDE else f"remove {it}"
                    yield self.finding(
                        feed.layer.at(*source_place(feed)),
                        f"{title(feed.layer)}: {boxes} of {path(feed)} {are} {what} ({first(fault)}); {remedy}",
                        phases=feed.phases,
                        evidence=f"of {counted(facts.records)}",
                    )
