"""Whether a file in a copy of Caffe is as BVLC or a fork ships it: nobody who keeps such a copy mends its examples.

What they have mended themselves since is a mistake all the same, and a newer copy is without it.
"""

from __future__ import annotations

import json
import os
from functools import cache

from caffelint.schema.pool import read_data

DIGITS = 8
"""Of the name that git gives a content."""
_BVLC = "BVLC"

HOMES = frozenset(["examples", "models"])


def shipped_by(root: str, path: str, data: bytes) -> str:
    """Whose Caffe has had this very file, BVLC's or a fork's; `root` is the folder of the Caffe it is in, or empty.

    One below a folder `examples` or `models` is as good by its name: copies of Caffe are kept in part, and backups of
    examples beside these.
    """
    folder, name = os.path.split(path)
    known: dict[str, str] = {}
    if not HOMES.isdisjoint(os.path.abspath(folder).split(os.sep)):
        known = _versions_by_name().get(name, known)
    if root and (versions := _versions().get(_inside(root, path))):
        known = {**known, **dict.fromkeys(versions, _BVLC)}
    if not known:
        return ""
    return known.get(_name(data), "")


def shipped_script(path: str, data: bytes) -> str:
    """The folder of the copy of Caffe, or of a part of one, in which a script is as BVLC has shipped it; else empty."""
    folder, name = os.path.split(path)
    if name not in _script_names() or not (homes := _scripts().get(_name(data))):
        return ""
    above = next((path[: -len(home)] for home in homes if path.endswith(os.sep + home.replace("/", os.sep))), folder)
    return above.rstrip(os.sep) or os.sep


def mended_since(data: bytes) -> tuple[str, frozenset[str]]:
    """A commit of those who shipped this content once, and the rules that no longer tell of the file there."""
    commit, *rules = _mended().get(_name(data), [""])
    return commit, frozenset(rules)


def _name(data: bytes) -> str:
    """What git calls a content, without the ends of lines that Windows gave it."""
    import hashlib

    data = data.replace(b"\r\n", b"\n")
    return hashlib.sha1(b"blob %d\0%b" % (len(data), data), usedforsecurity=False).hexdigest()[:DIGITS]


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
def _versions_by_name() -> dict[str, dict[str, str]]:
    """Whose each content is, by the names of files."""
    found: dict[str, dict[str, str]] = {}
    for fork, files in _versions_by_fork().items():
        for name, versions in files.items():
            found.setdefault(name, {}).update(dict.fromkeys(versions, fork))
    for path, versions in _versions().items():
        found.setdefault(path.rpartition("/")[2], {}).update(dict.fromkeys(versions, _BVLC))
    return found


@cache
def _versions_by_fork() -> dict[str, dict[str, list[str]]]:
    """By the forks, and by the names of files."""
    found: dict[str, dict[str, list[str]]] = json.loads(read_data("fork_files.json"))
    return found


@cache
def _versions() -> dict[str, list[str]]:
    found: dict[str, list[str]] = json.loads(read_data("bvlc_files.json"))
    return found


@cache
def _scripts() -> dict[str, list[str]]:
    """The paths of BVLC's scripts, by the first digits of their contents."""
    found: dict[str, list[str]] = {}
    versions_by_path: dict[str, str] = json.loads(read_data("bvlc_scripts.json"))
    for path, versions in versions_by_path.items():
        for version in versions.split():
            found.setdefault(version, []).append(path)
    return found


@cache
def _script_names() -> frozenset[str]:
    return frozenset(path.rpartition("/")[2] for paths in _scripts().values() for path in paths)


@cache
def _mended() -> dict[str, list[str]]:
    found: dict[str, list[str]] = json.loads(read_data("mended_files.json"))
    return found
