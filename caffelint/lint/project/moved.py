"""Where else in a project a net lies that a solver names by a path which leads to nothing."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Sequence

from caffelint.lint.discover import NamedNet
from caffelint.lint.disk import is_template
from caffelint.lint.role import TRAIN, role_of

_UP = (".", "..", "")
_MOST = 8
"""Nets of a solver that are looked for in the whole project."""


def moved(
    top: str, solver: str, nets: Sequence[NamedNet], folders_with: Callable[[str], Collection[str]]
) -> tuple[tuple[str, str], ...]:
    """The only file of the project with the name of a missing net, by the path in the solver: as it is called from the
    nearest folder that holds both it and the solver.

    It must be a net to train, and lie below folders that are called as those in the path, one after another: else it
    may be that of another model.
    """
    found: dict[str, str] = {}
    tried = 0
    for net in nets:
        inside, bare = os.path.split(net.name.replace("\\", "/"))
        parts = [part for part in inside.split("/") if part not in _UP]
        if net.path or net.outside or net.near or not parts or is_template(net.name) or "\0" in net.name:
            continue
        if (tried := tried + 1) > _MOST:
            break
        folders = folders_with(bare)
        path = os.path.join(next(iter(folders)), bare) if len(folders) == 1 else ""
        if (
            path
            and (net.field == "test_net" or role_of(path) == TRAIN)
            and _leads_below(parts, os.path.relpath(path, top), net.name)
        ):
            home = os.path.commonpath((os.path.dirname(os.path.abspath(solver)), os.path.dirname(path)))
            found[net.name] = os.path.relpath(path, home).replace(os.sep, "/")
    return tuple(found.items())


def _leads_below(parts: Sequence[str], path: str, name: str) -> bool:
    """Whether the folders of a path are among those above a file, in this order; of an absolute one, the last."""
    if os.path.isabs(name) or name[1:2] == ":":
        parts = parts[-1:]
    above = iter(os.path.dirname(path).split(os.sep))
    return all(part in above for part in parts)
