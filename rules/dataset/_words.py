"""What the messages of these rules share."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from caffelint.evidence.data.rule import DataEvidence, Facts, Fault, Feed, Rounded, name_of
from caffelint.lint.built import BuiltLayer

_FAR = 20.0
"""Times the spread of all values: only a few are so far from their mean."""


def has_outliers(low: float, high: float, mean: float, spread: float) -> bool:
    """Do a few values make the range, and the spread as well?"""
    return max(mean - low, high - mean) > _FAR * spread


def number(value: float) -> str:
    return f"{value:.4g}"


def whole(value: float) -> str:
    return str(int(value)) if value == int(value) else number(value)


def counted(count: int, noun: str = "record") -> str:
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def share(count: int, facts: Facts) -> str:
    """`3 of 100 records`."""
    return f"{count:,} of {counted(facts.records)}"


def first(fault: Fault) -> str:
    """The names of the first records that have a fault."""
    names = [f'"{name}"' for name in fault.examples[:3]]
    return f"first {names[0]}" if len(names) == 1 else f"such as {', '.join(names)}"


def path(feed: Feed) -> str:
    """The source in quotes, as the net has it."""
    named = feed.made.data_source
    return f'"{named or (name_of(feed.source) if feed.source else "")}"'


def source_place(feed: Feed) -> tuple[str, ...]:
    block = feed.layer.kind.data_block
    return (block, "source") if block else ("type",)


def extent(values: Sequence[float]) -> str:
    """`0 to 9`, `3`."""
    low, high = min(values), max(values)
    return whole(low) if low == high else f"{whole(low)} to {whole(high)}"


def once(data: DataEvidence) -> Iterator[tuple[Feed, Facts]]:
    """Each layer and source once, whatever the number of states that a net is built in."""
    seen = set()
    for feed, facts in data.read:
        if (key := (id(feed.layer), feed.source)) not in seen:
            seen.add(key)
            yield feed, facts


def lost(key: str, one: Rounded) -> str:
    """What of the values of a top, or of those of a record, float32 has no steps for."""
    ends = f"{one.low:.10g} to {one.high:.10g}"
    if not one.different:
        text = f'the values of a record of "{key}" in "{one.file}" are {number(one.apart)} apart, and of {one.type},'
        return f"{text} {ends}, where the float32 that Caffe reads has steps of {number(one.step)}"
    column = f" (column {one.column})" if one.column >= 0 else ""
    text = f'"{key}"{column} of "{one.file}" holds {one.different:,} different values of {one.type}, {ends}, of which'
    return f"{text} the float32 that Caffe reads leaves {one.left}, as its steps are {number(one.step)} there"


def may_repeat(feed: Feed, facts: Facts) -> bool:
    """May a record be a step of a sequence, which has to repeat what there was, or one side of many pairs, or is it a
    mask, or one with others only as float32?"""
    kinds = [layer.kind for layer in feed.layer.net.in_phase(feed.phases[0])]
    sides = sum(bool(kind.is_data) for kind in kinds) > 1 and any(kind.compares_records for kind in kinds)
    rounded = any(top.rounded for top in facts.tops.values())
    return sides or rounded or _is_asked(feed) or any(kind.is_recurrent for kind in kinds)


def _is_asked(feed: Feed) -> bool:
    """Does a loss read it, and no layer with weights: is it what is asked of a net that reads other data?"""
    pending, seen, asked = [*feed.made.tops], set[BuiltLayer](), False
    while pending:
        for layer, _ in pending.pop().consumers:
            if layer.has_weights:
                return False
            if layer not in seen:
                seen.add(layer)
                pending += layer.tops
                asked = asked or any(layer.loss_weights)
    return asked
