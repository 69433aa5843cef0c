"""Whether a file in a copy of Caffe is as BVLC ships it: nobody who keeps such a copy mends BVLC's examples."""

from __future__ import annotations

import hashlib
import json
import os
from functools import cache

from caffelint.schema.pool import read_data

DIGITS = 8
"""Of the name that git gives a content."""


def is_shipped(root: str, path: str, data: bytes) -> bool:
    """Whether BVLC's Caffe has had this very file; `root` is the folder of the Caffe that the file is in."""
    inside = os.path.relpath(os.path.abspath(path), root).replace(os.sep, "/")
    versions = _versions().get(inside)
    if versions is None:
        return False
    data = data.replace(b"\r\n", b"\n")
    blob = hashlib.sha1(b"blob %d\0%b" % (len(data), data), usedforsecurity=False).hexdigest()
    return blob[:DIGITS] in versions


@cache
def _versions() -> dict[str, list[str]]:
    found: dict[str, list[str]] = json.loads(read_data("bvlc_files.json"))
    return found
