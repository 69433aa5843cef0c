"""Goes through the folders below one, as `os.walk` does, which recurses in Python 3.11."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator

DEEPEST = 200
"""Folders below folders; to look at one takes time with the length of its path."""


def walk(top: str, failed: Callable[[OSError], None] | None = None) -> Iterator[tuple[str, list[str], list[str]]]:
    """A folder, the names of its folders and of all else in it; then the same of those names that are left in.

    No link is followed. `failed` hears of a folder that cannot be listed, and of one that is more than `DEEPEST` deep.
    """
    waiting = [(top, 0)]
    while waiting:
        folder, depth = waiting.pop()
        folders: list[str] = []
        others: list[str] = []
        try:
            if depth > DEEPEST:
                raise OSError(0, "is nested too deeply and was not searched", folder)
            with os.scandir(folder) as entries:
                for entry in entries:
                    (folders if _is_folder(entry) else others).append(entry.name)
        except OSError as error:
            if failed:
                failed(error)
            continue
        yield folder, folders, others
        waiting += ((os.path.join(folder, name), depth + 1) for name in reversed(folders))


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir(follow_symlinks=False)
    except OSError:
        return False
