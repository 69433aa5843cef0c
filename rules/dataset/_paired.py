"""Sources that meet in a net, both of which were read."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from caffelint.evidence.data.rule import DataEvidence, Facts, Feed
from caffelint.lint import NamedTuple
from caffelint.lint.built import BuiltNet, Paired


class Meeting(NamedTuple):
    """pair: the layers. Then what feeds the data, and what the target or the other stream, each with what was seen."""

    pair: Paired
    data: Feed
    images: Facts
    target: Feed
    labels: Facts


def meetings(data: DataEvidence, pairs: Callable[[BuiltNet], Iterator[Paired]]) -> Iterator[Meeting]:
    read = {(id(feed.built), feed.made.index): (feed, facts) for feed, facts in data.read}
    for built in {id(feed.built): feed.built for feed, _ in data.read}.values():
        for pair in pairs(built) if built.is_wired else ():
            one, other = (read.get((id(built), layer.index)) for layer in (pair.data, pair.target))
            if one is not None and other is not None:
                yield Meeting(pair, *one, *other)
