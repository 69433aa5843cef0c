"""Who makes the values that a layer reads."""

from __future__ import annotations

from caffelint.lint.built import Blob, BuiltLayer


def maker_of(blob: Blob) -> BuiltLayer | None:
    """The layer of the text that makes a blob, behind the splits that Caffe inserts."""
    while blob.producer is not None and blob.producer.index is None:
        blob = blob.producer.bottoms[0]
    return blob.producer
