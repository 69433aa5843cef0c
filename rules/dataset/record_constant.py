from __future__ import annotations

from collections.abc import Iterator
from math import prod

from caffelint.evidence.data.rule import (
    CONSTANT,
    COVERED,
    DataEvidence,
    DatasetRule,
    first_shape,
    made_bytes,
)
from caffelint.lint import TRAIN, WARNING, Cause, Finding, Invalid, listed, title

from ._example import NET, SOUND, project, records
from ._words import counted, first, once, path, share, source_place

_FEW = 16
"""Of fewer values it may well be that all are the same."""
_IMAGE_AXES = 3
"""Channels, height and width."""
_MANY = 20
"""Records of one label."""
_SHOWN = 3
_BRIGHT = 128
_NEARLY_ALL = 0.9
"""From this share on, what made them is at fault, and what is left teaches next to nothing."""


class RecordConstant(DatasetRule):
    """All values of a record are the same: a blank image.

    ## Why is this bad?
    It carries a label but shows nothing, so it teaches noise. Blank records are what is left of files that could not
    be read or converted, or of drawings on a transparent page, whose alpha channel Caffe drops. A dataset of HDF5 that
    is no images (labels, weights) may well hold one value.
    """

    code = "E106"
    name = "record-constant"
    severity = WARNING
    VALID = [
        SOUND,
        project(records(0, 1, image="1x2x2 7 7 7 7")),
        # What shows nothing is a class of its own.
        project(records(*[0] * 30, image="1x4x4 1 2 3") + "\n" + records(*[1] * 25, image="1x4x4 0"), NET),
    ]
    INVALID = [
        Invalid(
            project(records(0, 1, image="1x4x4 1 2 3") + "\n" + records(2, image="1x4x4 0"), NET),
            span='source: "train_lmdb"',
            message='Data "data": 1 of 3 records of "train_lmdb" is blank, all its values are the same (first "00002");'
            " look at what made it, or remove it",
        ),
        Invalid(
            project(records(0, 1, 2, image="1x4x4 0"), NET),
            span='source: "train_lmdb"',
            message='Data "data": all 3 records of "train_lmdb" are blank, all their values are the same (such as'
            ' "00000", "00001", "00002"); look at what made them',
        ),
    ]

    def check(self, data: DataEvidence) -> Iterator[Finding]:
        for feed, facts in once(data):
            for key, top in facts.tops.items():
                shape = first_shape(top) or ()
                fault = top.faults.get(CONSTANT)
                if fault is None or len(shape) != _IMAGE_AXES or prod(shape) < _FEW:
                    continue
                if feed.top_of(key) is None or any(feed.readers(key)):
                    continue
                if fault.count >= _MANY and any(
                    fault.count in (it.values or {}).values() for it in facts.tops.values()
                ):
                    continue  # as many as have one label: what shows nothing is a class of its own
                most = fault.count >= max(2.0, _NEARLY_ALL * facts.records)
                one = fault.count == 1
                which = share(fault.count, facts)
                if fault.count == facts.records > 1:
                    which = f"all {counted(facts.records)}"
                covered = COVERED in top.faults and top.faults[COVERED].count >= _NEARLY_ALL * fault.count
                why = f"all {'its' if one else 'their'} values are the same"
                if covered:
                    why += " but for alpha, which Caffe drops"
                message = (
                    f"{title(feed.layer)}: {which} of {path(feed)} {'is' if one else 'are'} blank, {why}"
                    f" ({first(fault)})"
                )
                remedy = f"look at what made {'it' if one else 'them'}"
                if covered:
                    page = "white" if (top.high or 0) < _BRIGHT else "black"
                    remedy = f"paste {'it' if one else 'them'} on {page}, and write RGB without alpha"
                if most and all(one.low == one.high == 0 for one in top.channels):
                    made = made_bytes(feed.net.path, feed.made.data_source, fault.examples[0])
                    if made:
                        remedy = (
                            f"multiply values of 0 to 1 by 255 before they become bytes, as at {listed(made[:_SHOWN])}"
                        )
                if not most and not covered:
                    remedy += f", or remove {'it' if one else 'them'}"
                yield self.finding(
                    feed.layer.at(*source_place(feed)),
                    f"{message}; {remedy}",
                    phases=feed.phases,
                    cause=Cause("data", message, remedy) if most and TRAIN in feed.phases else None,
                )
