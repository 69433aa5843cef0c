"""From a solver or a net to what its data sets hold."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

from caffelint.caffe.states import TEST, TRAIN
from caffelint.evidence.data.evidence import DataEvidence, shape_nets
from caffelint.evidence.data.overlaps import Overlap, find_overlap
from caffelint.evidence.data.scan import Scan, Scanned, Source
from caffelint.evidence.data.sources import Feed, feeds, rebuilt
from caffelint.lint.file import File


def look(file: File, scan: Scan, roots: Sequence[str] = ()) -> DataEvidence:
    """Read all that the nets of a file read, and build them with the shapes that are found."""
    found = feeds(file, roots)
    scanned = scan.read(list(dict.fromkeys(feed.source for feed in found if feed.source is not None)))
    shape_nets(found, scanned)
    found = rebuilt(found)
    return DataEvidence(file, found, scanned, _overlaps(found, scanned))


def _overlaps(found: Sequence[Feed], scanned: dict[Source, Scanned]) -> list[Overlap]:
    """Of each source with itself, and of those for training with those for testing."""
    read = [feed for feed in found if feed.source is not None and scanned[feed.source].parts]
    training = dict.fromkeys(feed.source for feed in read if TRAIN in feed.phases)
    testing = dict.fromkeys(feed.source for feed in read if TEST in feed.phases and TRAIN not in feed.phases)
    sources = dict.fromkeys(feed.source for feed in read)
    pairs = [(one, one) for one in sources] + [pair for pair in product(training, testing) if pair[0] != pair[1]]
    return [
        overlap
        for one, other in pairs
        if one is not None and other is not None and (overlap := find_overlap(one, other, scanned)) is not None
    ]
