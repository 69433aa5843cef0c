"""Data that goes away from where it began, in words."""

from __future__ import annotations

from caffelint.lint import LIKELY, Cause, title
from caffelint.smoke.rule import Drift, Run

from ._numbers import number

REMEDY = (
    "its forward may change the arrays that it keeps: copy what it takes out of them before changing it; or, if records"
    " come in an order, shuffle them"
)


def drifted(run: Run, found: Drift) -> Cause:
    """Why no rate helps: what a Python layer brings does not stay what it was."""
    p, first, last = found.layer.message.python_param, found.first, found.last
    why = (
        f"{title(found.layer)} ({p.module}.{p.layer}) brings data that goes away from where it began: from the first to"
        f' the last batch that was measured, the mean of "{first.name}" goes from {number(first.mean)} to'
        f" {number(last.mean)}, its deviation from {number(first.std)} to {number(last.std)}"
    )
    known = run.known([found.layer.name], ("python-changes-its-data",))
    return Cause("python-layer", "", why, LIKELY, run.place(found.layer.name), known)
