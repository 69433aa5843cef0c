"""The public API of rules that look at trained weights, with `caffelint.lint`: the kind of rule, and what is read."""

from __future__ import annotations

from collections.abc import Iterator

from caffelint.caffe.layers import BuiltLayer
from caffelint.caffe.net_parts import Param
from caffelint.caffe.weights.copying import Copied, Copy, Misfit, Misfits
from caffelint.caffe.weights.file import MOST_OF_PROTOBUF
from caffelint.caffe.weights.restoring import Restored, Stale
from caffelint.caffe.weights.stored import State, StoredBlob, StoredLayer, Weights
from caffelint.evidence.weights.difference import equal_values
from caffelint.evidence.weights.evidence import Fit, Measured, WeightsEvidence
from caffelint.evidence.weights.examples import evidence_of
from caffelint.evidence.weights.match import Renamed, bare
from caffelint.evidence.weights.statistics import HALF_MOST, Filters, Statistics
from caffelint.lint import rule
from caffelint.lint.finding import Finding

__all__ = [
    "HALF_MOST",
    "MOST_OF_PROTOBUF",
    "BuiltLayer",
    "Copied",
    "Copy",
    "Filters",
    "Fit",
    "Measured",
    "Misfit",
    "Misfits",
    "Param",
    "Renamed",
    "Restored",
    "Stale",
    "State",
    "Statistics",
    "StoredBlob",
    "StoredLayer",
    "Weights",
    "WeightsEvidence",
    "WeightsRule",
    "bare",
    "equal_values",
]


class WeightsRule(rule.WeightsRule):
    """Looks at files of weights and the nets that are to take them. In its examples text stands for the files."""

    @classmethod
    def subject(cls, files: rule.Files) -> WeightsEvidence:
        return evidence_of(files)

    def check(self, weights: WeightsEvidence) -> Iterator[Finding]:
        raise NotImplementedError
