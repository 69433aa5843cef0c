"""What the messages of these rules share."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from caffelint.evidence.data.rule import DataEvidence, Facts, Fault, Feed, name_of

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
