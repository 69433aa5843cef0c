"""Which blobs hold labels."""

from __future__ import annotations

from caffelint.smoke.rule import Blob


def source(blob: Blob) -> str:
    """The name of the blob, or of the one that it is a copy of (a Split)."""
    while blob.producer is not None and blob.producer.type == "Split":
        blob = blob.producer.bottoms[0]
    return blob.name
