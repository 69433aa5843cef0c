"""All numbers about data sets, as values for JSON."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from caffelint.evidence.data.evidence import DataEvidence, name_of
from caffelint.evidence.data.values import Channel, Top


def as_json(data: DataEvidence) -> Iterator[dict[str, Any]]:
    """One object for each data layer in each state (docs/json.md)."""
    for feed in data.feeds:
        row: dict[str, Any] = {
            "file": feed.net.path,
            "layer": feed.layer.name,
            "type": feed.layer.type,
            "phases": list(feed.phases),
            "source": feed.made.data_source or None,
            "kind": feed.source.kind if feed.source else None,
            "path": name_of(feed.source) if feed.source else None,
            "not_read": feed.why or None,
        }
        if feed.source is not None:
            scanned = data.scanned[feed.source]
            facts = scanned.facts
            row |= {
                "not_read": scanned.error or facts.stopped or None,
                "records": facts.records,
                "total": facts.total,
                "encoded": facts.encoded,
                "bytes": facts.bytes,
                "faults": {kind: {"records": one.count, "first": one.examples} for kind, one in facts.faults.items()},
                "tops": [
                    _top(blob, facts.tops[key])
                    for number, blob in enumerate(feed.made.top_names)
                    if (key := feed.key(number)) in facts.tops
                ],
            }
        yield row


def _top(name: str, top: Top) -> dict[str, Any]:
    return {
        "name": name,
        "shapes": {shape: seen.count for shape, seen in top.shapes.items()},
        "channels": [_channel(channel) for channel in top.channels],
        "values": None if top.values is None else [[value, count] for value, count in sorted(top.values.items())],
        "faults": {kind: {"records": one.count, "first": one.examples} for kind, one in top.faults.items()},
    }


def _channel(channel: Channel) -> dict[str, Any]:
    return {"low": channel.low, "high": channel.high, "mean": channel.mean, "spread": channel.spread}
