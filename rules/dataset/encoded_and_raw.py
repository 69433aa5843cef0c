from __future__ import annotations

from collections.abc import Iterator

from caffelint.evidence.data.rule import DataEvidence, DatasetRule
from caffelint.lint import WARNING, Finding, Invalid, title

from ._example import SOUND, project, records
from ._words import once, path, share, source_place


class EncodedAndRaw(DatasetRule):
    """Some records of a database hold compressed images, others pixels.

    ## Why is this bad?
    Two tools made it, or one tool with two settings. `force_color` and `force_gray` change the compressed ones alone,
    and the channels of the two kinds may be in another order.

    ## References
    - data_transformer.cpp, Transform: force_color and force_gray only for encoded datum
    """

    code = "E117"
    name = "encoded-and-raw"
    severity = WARNING
    VALID = [SOUND]
    INVALID = [
        Invalid(
            project(records(0, 1, 2) + "\nlabel 1; image 1x2x2 7 8 9 1; encoded yes"),
            span='source: "train_lmdb"',
            message='Data "data": 1 of 4 records of "train_lmdb" is a compressed image, the rest are pixels, whose'
            " channels may be in another order; write all of them in one way",
        ),
    ]

    def check(self, data: DataEvidence) -> Iterator[Finding]:
        for feed, facts in once(data):
            broken = sum(fault.count for fault in facts.faults.values())
            if 0 < facts.encoded < facts.records - broken:
                one = facts.encoded == 1
                yield self.finding(
                    feed.layer.at(*source_place(feed)),
                    f"{title(feed.layer)}: {share(facts.encoded, facts)} of {path(feed)}"
                    f" {'is a compressed image' if one else 'are compressed images'}, the rest are pixels, whose"
                    " channels may be in another order; write all of them in one way",
                    phases=feed.phases,
                )
