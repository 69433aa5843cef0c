"""HDF5 files that lead to others: a link, or a dataset whose values another file holds, may name a pipe or a device."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

_MOST_LINKS = 16
_MOST_PARTS = 32
"""Groups and links that a name may lead through: each is opened, and links in a circle may lead through any number."""


def elsewhere(group: Any, name: str, step: Callable[[], object] = lambda: None) -> str:
    """Why what has this name in a file or group of h5py is not opened; empty where it is in that file, or nowhere.

    step: is called for each part of the way, and may raise where many names take too many in all.
    """
    import h5py

    pending = name.split("/")[::-1]
    links = walked = 0
    while pending:
        walked += 1
        if walked + len(pending) > _MOST_PARTS:
            return f'has more than {_MOST_PARTS} groups and links on the way to "{name}", which is not opened'
        step()
        part = pending.pop()
        if part in ("", "."):
            continue
        link = group.get(part, getlink=True) if hasattr(group, "keys") else None
        if link is None:
            return ""
        if isinstance(link, h5py.SoftLink) and links < _MOST_LINKS:
            links += 1
            group = group.file if link.path.startswith("/") else group
            pending += link.path.split("/")[::-1]
        elif isinstance(link, h5py.HardLink):
            group = group[part]
        else:
            return f'has a link to another file at "{name}", which is not opened'
    return f'has a dataset "{name}" whose values are in other files, which are not opened' if _is_outside(group) else ""


def _is_outside(found: Any) -> bool:
    """Whether a dataset is virtual or has external storage. Asking for its shape may open the other files."""
    from h5py import Dataset, h5d

    if not isinstance(found, Dataset):
        return False
    created = found.id.get_create_plist()
    return bool(created.get_layout() == h5d.VIRTUAL or created.get_external_count())
