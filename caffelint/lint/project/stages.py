"""Solvers of one net that are run one after the other: a later one goes on from what an earlier one has trained."""

from __future__ import annotations

from caffelint.lint.read import ReadError, read
from caffelint.text.parser import parse
from caffelint.text.tree import Field

_LARGEST = 1 << 20


def may_go_on(solver: str, other: str) -> bool:
    """Whether a solver may take up what another has trained: with weights, another policy or a lower rate.

    So may one that cannot be read.
    """
    try:
        mine, theirs = (parse(read(path, _LARGEST), path).root for path in (solver, other))
    except ReadError:
        return True
    if mine.first("weights") or _text(mine, "lr_policy") != _text(theirs, "lr_policy"):
        return True
    try:
        return float(_text(mine, "base_lr")) < float(_text(theirs, "base_lr"))
    except ValueError:
        return True


def _text(root: Field, name: str) -> str:
    field = root.first(name)
    return field.text.strip("\"'") if field else ""
