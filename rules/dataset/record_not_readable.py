from __future__ import annotations

from collections.abc import Iterator

from caffelint.evidence.data.rule import (
    CUT,
    MISSING,
    NOT_DATUM,
    TOO_LARGE,
    UNDECODABLE,
    UNFLAGGED,
    WRONG_SIZE,
    DataEvidence,
    DatasetRule,
)
from caffelint.lint import ERROR, WARNING, Cause, Finding, Invalid, title

from ._example import SOUND, project, records
from ._words import first, once, path, share, source_place

_FAULTS = {
    NOT_DATUM: ("no Datum", "so Caffe stops", "write the records with convert_imageset, or as serialized Datum"),
    WRONG_SIZE: (
        "of another size than channels x height x width",
        "so Caffe stops, or trains on what is beside the image",
        "set the fields to the size of the data",
    ),
    UNDECODABLE: ("not decodable", "so Caffe stops", "replace or remove the image"),
    CUT: ("cut short", "so OpenCV fills the rest with grey", "replace or remove the image"),
    UNFLAGGED: (
        "a compressed image but not marked as one",
        "so Caffe takes its bytes for pixels",
        "set encoded: true in the Datum",
    ),
    TOO_LARGE: (
        "an image of more than 67 million pixels, or a JPEG of too many scans",
        "so it was not read",
        "make it smaller, or save the JPEG anew",
    ),
    MISSING: ("missing", "so Caffe stops", "add the file, mend its path or root_folder, or remove the line"),
}
"""What the record is, what comes of it, and what to do."""


class RecordNotReadable(DatasetRule):
    """Records are damaged: an image that is missing, cut short or cannot be decoded, bytes that are no Datum.

    ## Why is this bad?
    Caffe stops when it comes to such a record, perhaps after hours, or trains on something else than the image.

    ## References
    - image_data_layer.cpp, load_batch: Could not load; io.cpp, DecodeDatumToCVMat; data_transformer.cpp, Transform
    """

    code = "E107"
    name = "record-not-readable"
    severity = ERROR
    VALID = [SOUND]
    INVALID = [
        Invalid(
            project(records(0, 1) + "\nlabel 2; fault undecodable\nlabel 2; fault undecodable"),
            span='source: "train_lmdb"',
            message='Data "data": 2 of 4 records of "train_lmdb" are not decodable (such as "00002", "00003"), so Caffe'
            " stops; replace or remove the image",
        ),
    ]

    def check(self, data: DataEvidence) -> Iterator[Finding]:
        for feed, facts in once(data):
            for kind, (what, so, remedy) in _FAULTS.items():
                fault = facts.faults.get(kind)
                if fault is None:
                    continue
                of = share(fault.count, facts)
                if kind == MISSING and feed.made.has_setting("shuffle") and feed.source and feed.source.kind == "hdf5":
                    of = "a file of the list" if fault.count == 1 else f"{fault.count:,} files of the list"
                are = "is" if fault.count == 1 else "are"
                message = f"{title(feed.layer)}: {of} of {path(feed)} {are} {what} ({first(fault)}), {so}"
                yield self.finding(
                    feed.layer.at(*source_place(feed)),
                    f"{message}; {remedy}",
                    severity=WARNING if kind in (CUT, TOO_LARGE) else ERROR,
                    phases=feed.phases,
                    cause=Cause("data", message, remedy),
                )
