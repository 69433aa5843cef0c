"""What training and testing read by lists, and of lists that scripts make data of."""

from __future__ import annotations

import os
from collections.abc import Collection
from typing import TYPE_CHECKING

from caffelint.lint import Layer, file_name, quoted
from caffelint.lint.disk import lines_of

from ._layers import root_folder, same_path, source_of

if TYPE_CHECKING:
    from caffelint.lint import Made

_SHARE = 0.1
"""Of the lines of a list, from which on what is tested is no longer about new data."""


def same_records(layer: Layer, other: Layer) -> str:
    """What is the same in what the two read; empty for nothing."""
    mine, theirs = source_of(layer)[1], source_of(other)[1]
    if not (mine and theirs) or same_path(mine) == same_path(theirs):
        return ""
    made, trained = _made(layer, mine), _made(other, theirs)
    if made and trained and made.list == trained.list and _have_one_root(made, trained):
        return f"{made.place} makes {quoted(mine)} of {quoted(file_name(made.list))}, as {quoted(theirs)} of training"
    if not (layer.kind.has_setting("shuffle") and other.kind.has_setting("shuffle")):
        return ""  # their lines are not a record each, as those of WindowData
    lines = lines_of(mine, layer.net)
    same = _shared(lines, root_folder(layer), lines_of(theirs, other.net), root_folder(other))
    if len(same) < max(_SHARE * len(lines), 1):
        return ""
    are, whole = "are" if len(same) > 1 else "is", f"{len(lines)} lines of {quoted(mine)}"
    return f"{len(same)} of {whole} ({quoted(same[0])}) {are} also in {quoted(theirs)}, which training reads"


def _shared(lines: Collection[str], root: str, others: Collection[str], other: str) -> list[str]:
    """The lines that are the same after one root as others are after another one, of which both may be long."""
    mine, theirs = root.removeprefix(other), other.removeprefix(root)
    if mine and theirs:
        return []
    there = others  # all of a list is one set that is made once
    if mine:
        there = frozenset(line.removeprefix(mine) for line in others if line.startswith(mine))
    return [line for line in lines if line.startswith(theirs) and line.removeprefix(theirs) in there]


def _have_one_root(made: Made, other: Made) -> bool:
    """Scripts may set variables of one name to different values."""
    if made.root is None or other.root is None or "$" in made.root and made.place.path != other.place.path:
        return False
    return same_path(made.root) == same_path(other.root)


def _made(layer: Layer, source: str) -> Made | None:
    """How a script makes a source of a list."""
    folder = os.path.dirname(os.path.abspath(layer.net.path))
    return next((one for one in layer.net.runs.made if one.is_of(source, folder)), None) if layer.net.runs else None
