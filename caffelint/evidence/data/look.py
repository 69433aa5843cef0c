"""From a solver or a net to what its data sets hold."""

from __future__ import annotations

from collections.abc import Sequence

from caffelint.evidence.data.class_names import class_names_of
from caffelint.evidence.data.evidence import DataEvidence, shape_nets
from caffelint.evidence.data.gains import matrices_of
from caffelint.evidence.data.label_maps import label_maps_of
from caffelint.evidence.data.means import means_of
from caffelint.evidence.data.overlaps import overlaps_of
from caffelint.evidence.data.parts import left_out_of
from caffelint.evidence.data.scan import Scan
from caffelint.evidence.data.sources import feeds, rebuilt
from caffelint.lint.file import File


def look(file: File, scan: Scan, roots: Sequence[str] = ()) -> DataEvidence:
    """Read all that the nets of a file read, and build them with the shapes that are found."""
    found = feeds(file, roots)
    scanned = scan.read(list(dict.fromkeys(feed.source for feed in found if feed.source is not None)))
    shape_nets(found, scanned)
    found = rebuilt(found)
    overlaps = overlaps_of(found, scanned, scan.name)
    means, maps = means_of(found, roots), label_maps_of(found, roots)
    left, names = left_out_of(found), class_names_of(found)
    return DataEvidence(file, found, scanned, overlaps, means, maps, left, names, matrices_of(found, roots))
