"""What training and testing read by lists, and of lists that scripts make data of."""

from __future__ import annotations

import os

from caffelint.lint import Layer, file_name, quoted
from caffelint.lint.disk import lines_of

from ._layers import same_path, source_of

_SHARE = 0.1
"""Of the lines of a list, from which on what is tested is no longer about new data."""


def same_records(layer: Layer, other: Layer) -> str:
    """What is the same in what the two read; empty for nothing."""
    mine, theirs = source_of(layer)[1], source_of(other)[1]
    if not (mine and theirs) or same_path(mine) == same_path(theirs):
        return ""
    place, list_ = _made(layer, mine)
    if list_ and list_ == _made(other, theirs)[1]:
        return f"{place} makes {quoted(mine)} of {quoted(file_name(list_))}, as {quoted(theirs)} of training"
    lines, others = lines_of(mine, layer.net), lines_of(theirs, other.net)
    if len(same := [line for line in lines if line in others]) < max(_SHARE * len(lines), 1):
        return ""
    are, whole = "are" if len(same) > 1 else "is", f"{len(lines)} lines of {quoted(mine)}"
    return f"{len(same)} of {whole} ({quoted(same[0])}) {are} also in {quoted(theirs)}, which training reads"


def _made(layer: Layer, source: str) -> tuple[str, str]:
    """Where a script makes a source of a list, and of which; two empty strings where none does."""
    folder = os.path.dirname(os.path.abspath(layer.net.path))
    made = (one for one in layer.net.runs.made if one.is_of(source, folder)) if layer.net.runs else iter(())
    return next(((str(one.place), one.list) for one in made), ("", ""))
