"""Findings that another one explains: mending that mends these too, or shows them anew."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

from caffelint.lint.finding import CERTAIN, ERROR, INFO
from caffelint.lint.report import ReportedFinding

_ESTIMATES = "N1"
"""How codes begin of rules that compute from shapes and fillers what a first update does."""
_OF_SHAPES = "L"
_OF_NUMBERS = ("I", "O")
"""How codes begin of rules on fillers and losses: what is certain of these changes what estimates come from."""
_BOTTOM, _TOP = "unknown-bottom", "duplicate-top"
_BROKEN = "syntax-error"
_MIXED, _VALUE = "mixed-layer-formats", "wrong-value-type"
_OF_TRAINED, _NO_LOSS = frozenset(["batchnorm-without-scale", "global-stats-in-training"]), "no-loss"
_SCORES, _SINGLE = "top-k-out-of-range", "single-class-softmax"
_REFUSED, _NOT_UNDONE = "refused-by-caffe", "reshape-not-undone"


def lower_consequences(
    findings: Sequence[ReportedFinding], nets_of: Callable[[str], Collection[str]]
) -> list[ReportedFinding]:
    """The findings, with infos for those that follow from others. `nets_of`: the nets that a solver names."""
    changing: dict[str, ReportedFinding] = {}
    by_file: dict[tuple[str, str], ReportedFinding] = {}
    by_layer: dict[tuple[str, str], dict[str, ReportedFinding]] = {}
    for one in findings:
        if one.severity == INFO:
            continue
        if _changes_numbers(one):
            changing.setdefault(one.file, one)
        by_file.setdefault((one.file, one.name), one)
        if one.layer:
            by_layer.setdefault((one.file, one.layer), {}).setdefault(one.name, one)

    def cause_of(one: ReportedFinding) -> ReportedFinding | None:
        if one.code.startswith(_ESTIMATES):
            around = nets_of(one.file) or [one.file]
            return next((changing[file] for file in around if file in changing), None)
        if one.name == _TOP:
            return by_layer.get((one.file, one.layer), {}).get(_BOTTOM)
        if one.name == _MIXED and one.layer and (broken := by_layer[one.file, one.layer].get(_BROKEN)):
            if (broken.line or 0) < (one.line or 0):  # what comes before it is read as it is meant
                return broken
        if one.name == _MIXED or one.name == _VALUE and one.field == "param":  # of the newer format, in `layers`
            first = by_file.get((one.file, _MIXED))
            return first if first is not one else None
        if one.name in _OF_TRAINED:  # statistics are those of a net to be tested, named to be trained
            return by_file.get((one.file, _NO_LOSS))
        if one.name == _SCORES:
            return by_file.get((one.file, _SINGLE))
        if one.name == _REFUSED and one.severity != ERROR:  # which names no value
            return by_layer.get((one.file, one.layer), {}).get(_NOT_UNDONE)
        elsewhere = [related.file for related in one.related if one.layer and related.file != one.file]
        there = (other for file in elsewhere for other in by_layer.get((file, one.layer), {}).values())
        return next((other for other in there if other.name != one.name), None)

    lowered = []
    for one in findings:
        if one.severity != INFO and (cause := cause_of(one)):
            where = f"line {cause.line}" if cause.file == one.file else f"{cause.file}:{cause.line or 1}"
            why = f"mend {cause.name} at {where} first"
            one = one.because(why, INFO)
        lowered.append(one)
    return lowered


def _changes_numbers(one: ReportedFinding) -> bool:
    """Does what it tells of a net change the shapes that estimates come from?"""
    sure = one.certainty == CERTAIN and one.code.startswith(_OF_NUMBERS)
    return not one.code.startswith(_ESTIMATES) and (one.severity == ERROR or sure or one.code.startswith(_OF_SHAPES))
