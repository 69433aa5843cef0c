"""The public API of rules that look at data sets, with `caffelint.lint`: the kind of rule, and what was read."""

from __future__ import annotations

from collections.abc import Iterator

from caffelint.evidence.data.class_names import are_apart, sides_of
from caffelint.evidence.data.evidence import DataEvidence, first_shape, images, name_of, shape_of
from caffelint.evidence.data.example import evidence_of
from caffelint.evidence.data.label_maps import LabelMap, Named, named_in
from caffelint.evidence.data.means import Mean
from caffelint.evidence.data.overlaps import Overlap
from caffelint.evidence.data.scan import Scanned, Source
from caffelint.evidence.data.scripts import made_bytes
from caffelint.evidence.data.sources import Feed, Reader
from caffelint.evidence.data.steps import INTERLEAVED, LAST, SWAPPED, read_as, read_unlike
from caffelint.evidence.data.transform import After, transformed_values
from caffelint.evidence.data.values import (
    BELOW,
    BOX_EMPTY,
    BOX_OUTSIDE,
    CONSTANT,
    COVERED,
    CUT,
    IMAGE,
    INF,
    LABEL,
    MISSING,
    NAN,
    NO_LABEL,
    NOT_DATUM,
    OTHER_TYPE,
    PART_LABEL,
    SCALAR,
    TOO_LARGE,
    UNDECODABLE,
    UNFLAGGED,
    WRONG_SIZE,
    Channel,
    Columns,
    Facts,
    Farthest,
    Fault,
    Rounded,
    Top,
)
from caffelint.lint import rule
from caffelint.lint.finding import Finding

__all__ = [
    "BELOW",
    "BOX_EMPTY",
    "BOX_OUTSIDE",
    "CONSTANT",
    "COVERED",
    "CUT",
    "IMAGE",
    "INF",
    "INTERLEAVED",
    "LABEL",
    "LAST",
    "MISSING",
    "NAN",
    "NOT_DATUM",
    "NO_LABEL",
    "OTHER_TYPE",
    "PART_LABEL",
    "SCALAR",
    "SWAPPED",
    "TOO_LARGE",
    "UNDECODABLE",
    "UNFLAGGED",
    "WRONG_SIZE",
    "After",
    "Channel",
    "Columns",
    "DataEvidence",
    "DatasetRule",
    "Facts",
    "Farthest",
    "Fault",
    "Feed",
    "LabelMap",
    "Mean",
    "Named",
    "Overlap",
    "Reader",
    "Rounded",
    "Scanned",
    "Source",
    "Top",
    "are_apart",
    "first_shape",
    "images",
    "made_bytes",
    "name_of",
    "named_in",
    "read_as",
    "read_unlike",
    "shape_of",
    "sides_of",
    "transformed_values",
]


class DatasetRule(rule.DatasetRule):
    """Looks at the data sets that a net or the nets of a solver read. In its examples a source is a text."""

    @classmethod
    def subject(cls, files: rule.Files) -> DataEvidence:
        return evidence_of(files)

    def check(self, data: DataEvidence) -> Iterator[Finding]:
        raise NotImplementedError
