"""Whether a file in a copy of Caffe is as BVLC ships it: nobody who keeps such a copy mends BVLC's examples."""

from __future__ import annotations

import json
import os
from functools import cache

from caffelint.schema.pool import read_data

DIGITS = 8
"""Of the name that git gives a content."""


_HOMES = frozenset(["examples", "models"])


def is_shipped(root: str, path: str, data: bytes) -> bool:
    """Whether BVLC's Caffe has had this very file; `root` is the folder of the Caffe that the file is in, or empty.

    One below a folder `examples` or `models` is as good by its name: copies of Caffe are kept in part, and backups of
    examples beside these.
    """
    folder, name = os.path.split(path)
    versions = _versions().get(_inside(root, path)) if root else None
    if versions is None and not _HOMES.isdisjoint(os.path.abspath(folder).split(os.sep)):
        versions = _versions_by_name().get(name)
    if versions is None:
        return False
    data = data.replace(b"\r\n", b"\n")
    import hashlib

    blob = hashlib.sha1(b"blob %d\0%b" % (len(data), data), usedforsecurity=False).hexdigest()
    return blob[:DIGITS] in versions


def is_of_shipped_folder(root: str, path: str) -> bool:
    """Whether BVLC's Caffe has nets or solvers in the folder that the file is in."""
    return os.path.dirname(_inside(root, path)) in _folders()


def _inside(root: str, path: str) -> str:
    return os.path.relpath(os.path.abspath(path), root).replace(os.sep, "/")


def _folders() -> frozenset[str]:
    """Of one example or model each."""
    folders = map(os.path.dirname, _versions())
    return frozenset(folder for folder in folders if "/" in folder)


@cache
def _versions_by_name() -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for path, versions in _versions().items():
        found.setdefault(path.rpartition("/")[2], []).extend(versions)
    return found


@cache
def _versions() -> dict[str, list[str]]:
    found: dict[str, list[str]] = json.loads(read_data("bvlc_files.json"))
    return found
