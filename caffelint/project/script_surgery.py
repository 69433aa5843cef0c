"""Where a script sets the weights of a net that it trains: to numbers of its own, or to those of another net."""

from __future__ import annotations

import re
from itertools import islice

from caffelint.text.patterns import compiled_later

_SET = compiled_later(
    r"\.params\[[^\]\n]{1,200}\]\[\w{1,20}\]\.data\b[^\n=]{0,200}(?<![=!<>])=(?!=)|\bsurgery\b|\binterp_"
)
_NAMED = compiled_later(
    r"(?<![\w.])(?P<name>[A-Za-z_]\w{0,60})(?:\[\w{1,20}\])?\.data(?:\.flat)?"
    r"(?:\[[^\n=]{0,200}\])?[ \t]{0,9}(?<![=!<>])=(?!=)"
)
"""A blob that has a name: `a.data[...] = b.data`."""
_COPIED = compiled_later(r"\bcopyto\([ \t]{0,9}(?P<first>[^\n,]{1,200})\.data\b")
_OF_PARAMS = compiled_later(
    r"(?:\bfor\b(?P<looped>[^\n]{1,200}?)\bin\b|(?<![\w.])(?P<set>[A-Za-z_]\w{0,60})[ \t]{0,9}=(?!=))"
    r"[^\n]{0,300}?\.params\b"
)
"""What gives a name to weights."""
_WORDS = compiled_later(r"[A-Za-z_]\w{0,60}")
_OTHERS = compiled_later(
    # What a training shares with its own nets to test gives it nothing.
    r"^(?![^\n#]{0,400}\btest_nets?\b)[^\n#]{0,400}(?:\.share_with\(|\.share_weights\(|\.set_data\()",
    re.MULTILINE,
)
_SOLVERS = compiled_later(r"\b(?:\w{1,20}Solver|get_solver)\(")
_STEPS = compiled_later(r"\.(?:step|solve)\(")
_MOST = 100
"""Places of a script that are looked at, of each kind."""


def sets_weights(code: str) -> int | None:
    """Where it assigns weights, by a path from the net to them."""
    if not any(word in code for word in (".params[", "surgery", "interp_")):
        return None
    found = _SET.search(code)
    return found.start() if found else None


def hands_over(code: str) -> int | None:
    """Where a script that builds a solver gives a net weights that its own training did not make: it assigns or
    shares them, or steps several solvers in turn, which have them from each other.
    """
    solvers = [*_SOLVERS.finditer(code)]
    if not solvers:
        return None
    at = sets_weights(code)
    if at is None and ".params" in code:
        at = _by_name(code)
    if at is None and (found := _OTHERS.search(code)):
        at = found.start() + len(found[0]) - len(found[0].lstrip())
    if at is None and len(solvers) > 1 and len(_STEPS.findall(code)) > 1:
        at = solvers[1].start()
    return at


def _by_name(code: str) -> int | None:
    """Where it assigns what a name stands for, which is one of the weights of a net."""
    names = {
        name: found.start()
        for found in islice(_OF_PARAMS.finditer(code), _MOST)
        for name in _WORDS.findall(found["looped"] or found["set"])
    }
    for found in islice(_NAMED.finditer(code), _MOST):
        if names.get(found["name"], len(code)) < found.start():
            return found.start()
    copied = (found for found in _COPIED.finditer(code) if ".params" in found["first"])
    return next((found.start() for found in copied), None)
