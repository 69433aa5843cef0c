"""One cause, one finding: what is found for the same reason in several places is told at the first of them."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence

from caffelint.lint.finding import ERROR, INFO
from caffelint.lint.report import ReportedFinding
from caffelint.lint.words import listed
from caffelint.text.patterns import compiled_later

_SUBJECT = compiled_later(r'\A(?:layers? |[A-Z]\w* )"[^"]*"(?:, "[^"]*")*(?: and (?:"[^"]*"|\d+ more))?')
"""The layers that a message begins with."""
_FILE = compiled_later(r'"[^"/.]*[/.][^"]*"')
_NUMBER = compiled_later(r"\d+(?:\.\d+)?(?:e[-+]?\d+)?")
_OF_GRAPHS = "G"
_NAMES = compiled_later(r'"[^"]*"')
_THEIR = compiled_later(r"\btheir\b")
"""Of several layers, where one has `its`."""


def tell_first_of_alike(
    findings: Sequence[ReportedFinding], project_of: Callable[[str], str], is_live: Callable[[str], bool]
) -> list[ReportedFinding]:
    """The findings, with infos for those of a project that are there for the same reason as another one.

    The first is in a file that `is_live`, if one is, and then the nearest to the top.
    """
    alike: dict[tuple[str, ...], list[int]] = {}
    first_of: dict[tuple[str, ...], tuple[str, ...]] = {}
    for number, one in enumerate(findings):
        if one.severity != INFO:
            reason = project_of(one.file), *_reason(one)
            # Several errors of one layer and rule are one slip, such as a layer that was pasted twice.
            if one.severity == ERROR and one.layer and one.code.startswith(_OF_GRAPHS):
                reason = first_of.setdefault((one.file, one.layer, one.name), reason)
            alike.setdefault(reason, []).append(number)
    told = list(findings)
    for numbers in alike.values():
        if len(numbers) < 2:
            continue
        live = {number: is_live(findings[number].file) for number in numbers}
        numbers.sort(
            key=lambda number: (not live[number], findings[number].file.count(os.sep), _place(findings[number]))
        )
        first, *others = (findings[number] for number in numbers)
        told[numbers[0]] = first.because(_elsewhere(first, others))
        for number, one in zip(numbers[1:], others, strict=True):
            told[number] = one.because(f"as in {_shown(first, one)}", INFO)
    return told


def _elsewhere(first: ReportedFinding, others: Sequence[ReportedFinding]) -> str:
    """Where else a finding is; those with other numbers or names by themselves: nobody is to take these for its own."""
    found: dict[str, list[str]] = {"the same": [], "with other numbers": [], "with other names": []}
    for one in others:
        here, there = _what(first), _what(one)
        names = [_NAMES.findall(_NUMBER.sub("", text)) for text in (here, there)]
        how = "the same" if _NUMBER.findall(here) == _NUMBER.findall(there) else "with other numbers"
        found[how if names[0] == names[1] else "with other names"].append(_shown(one, first))
    return "; ".join(f"{how} in {listed(places)}" for how, places in found.items() if places)


def construct(one: ReportedFinding) -> tuple[str, ...]:
    """What is equal for what Caffe refuses of a layer type, whichever the layers are: its numbers and names count."""
    return one.name, one.field, _SUBJECT.sub("", one.message)


def _reason(one: ReportedFinding) -> tuple[str, ...]:
    """What is equal for one mistake that was made several times.

    The layers and files that it names and its numbers may differ; in an error, which stops Caffe, no other word may.
    """
    text = _NUMBER.sub("", _what(one))
    if one.severity == ERROR:
        return one.name, one.severity, one.field, text
    # Of layers of two types, which have blocks of their own, the same field is meant.
    return one.name, one.severity, one.field.rpartition(".")[2], _THEIR.sub("its", _NAMES.sub("", text))


def _what(one: ReportedFinding) -> str:
    """What a message says without the layers and files that it names."""
    return _FILE.sub("", _SUBJECT.sub("", one.message))


def _place(one: ReportedFinding) -> tuple[str, int]:
    return one.file, one.line or 0


def _shown(one: ReportedFinding, beside: ReportedFinding) -> str:
    return f"line {one.line}" if one.file == beside.file else f"{one.file}:{one.line or 1}"
