from __future__ import annotations

from collections.abc import Iterator

from caffelint.evidence.data.rule import DataEvidence, DatasetRule, Feed, Overlap
from caffelint.lint import INFO, WARNING, Cause, Finding, Invalid, title

from ._example import NET, SOUND, project, records
from ._words import counted, may_repeat, path, source_place

_MANY = 0.01
_MOST = 0.3
"""Of the records with another label: from there on the net can learn little."""


class RecordsRepeated(DatasetRule):
    """Images are there twice: in TRAIN and in TEST, or within one source, perhaps with different labels.

    ## Why is this bad?
    What is tested with images that were trained on tells nothing of new ones: the accuracy is too good. An image with
    two labels cannot be learned. Repeated records weigh more than others.

    Images are the same if all bytes are; a picture that was resized or compressed anew is another. Sources of answers
    alone, such as positions beside images, are not looked at, nor steps of recurrent nets and pairs of records.
    """

    code = "E113"
    name = "records-repeated"
    severity = WARNING
    _TEST = NET.replace('top: "label"\n', 'top: "label"\n  include { phase: TRAIN }\n', 1) + (
        'layer { name: "test" type: "Data" top: "data" top: "label" include { phase: TEST }'
        ' data_param { source: "test_lmdb" batch_size: 4 } }\n'
    )
    _SEEN = records(0, 1, 2, image="1x2x2 9 8 7 6")
    _TRUTH = 'layer { name: "truth" type: "Data" top: "label" data_param { source: "truth_lmdb" batch_size: 4 } }\n'
    _APART = _TRUTH + NET.replace('top: "label"', 'top: "none"', 1)
    VALID = [
        SOUND,
        {**project(records(0, 1, 2), _TEST), "test_lmdb": records(0, image="1x2x2 9 8 7 6")},
        {**project(records(0, 1, 2), _APART), "truth_lmdb": _SEEN},
        project(_SEEN, NET + ' layer { name: "l" type: "RNN" bottom: "data" bottom: "label" top: "l" }'),
    ]
    INVALID = [
        Invalid(
            {**project(_SEEN, _TEST), "test_lmdb": records(1, image="1x2x2 9 8 7 6")},
            span=('source: "train_lmdb"', 'source: "test_lmdb"'),
            message=(
                'Data "data": 2 of 3 records of "train_lmdb" repeat earlier records with another label (such as'
                ' "00001" and "00000"), so they cannot be learned; look at how the labels were made',
                'Data "test": 1 of 1 record of "test_lmdb" is in "train_lmdb" as well (such as "00000", there "00000"),'
                " so testing is too good; remove it from one of the two",
            ),
        ),
    ]

    def check(self, data: DataEvidence) -> Iterator[Finding]:
        for overlap in data.overlaps:
            feed = next((one for one in data.feeds if one.source == overlap.other), None)
            other = next((one for one in data.feeds if one.source == overlap.one), None)
            facts = data.scanned[overlap.other].facts
            if feed is None or other is None or may_repeat(feed, facts):
                continue
            total, of = facts.records, f"{overlap.records:,} of {counted(facts.records)} of {path(feed)}"
            message = self._within(of, overlap) if overlap.one == overlap.other else self._both(of, overlap, other)
            message = f"{title(feed.layer)}: {message}"
            is_rare = overlap.records <= _MANY * total
            within = overlap.one == overlap.other
            hinders = within and (overlap.relabelled or 0) > _MOST * total
            yield self.finding(
                feed.layer.at(*source_place(feed)),
                message,
                severity=INFO if is_rare else WARNING,
                phases=feed.phases,
                cause=Cause("data", message, "") if hinders else None,
            )

    def _within(self, of: str, overlap: Overlap) -> str:
        repeat = "repeats an earlier record" if overlap.records == 1 else "repeat earlier records"
        one, two = overlap.named
        if overlap.relabelled:
            them = "" if overlap.relabelled == overlap.records else f", {overlap.relabelled:,} of them"
            they = "it" if overlap.relabelled == 1 else "they"
            return (
                f'{of} {repeat}{them} with another label (such as "{two}" and "{one}"), so {they} cannot be learned;'
                " look at how the labels were made"
            )
        return f'{of} {repeat} (such as "{two}" and "{one}"), so they weigh more; remove the copies'

    def _both(self, of: str, overlap: Overlap, other: Feed) -> str:
        are, them = ("is", "it") if overlap.records == 1 else ("are", "them")
        one, two = overlap.named
        return (
            f'{of} {are} in {path(other)} as well (such as "{two}", there "{one}"), so testing is too good; remove'
            f" {them} from one of the two"
        )
