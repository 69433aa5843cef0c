"""Where a Python script stops: whenever it is run, or when it comes to a line of it."""

from __future__ import annotations

import re
from functools import lru_cache

from caffelint.project.mentions import Beside
from caffelint.project.python2 import broken, parse
from caffelint.project.python_calls import bad_calls
from caffelint.project.python_modules import amiss
from caffelint.project.python_nodes import walk
from caffelint.project.python_scopes import unbound_anywhere
from caffelint.project.python_unbound import Stop, alike, names_bound, stop_in
from caffelint.text.patterns import compiled_later

_IMPORTS = compiled_later(r"^[ \t]*(?:import|from)[ \t]{1,9}\.?(\w{1,100})\b", re.MULTILINE)
_MOST_NODES = 50_000
"""Of a script that is understood."""


def stops(text: str, beside: Beside | None = None) -> Stop | None:
    """Where a script stops whenever it is run, if it surely does; else the first line that stops it."""
    stop, is_sure = _alone(text)
    if is_sure or beside is None or not any(beside(name) is not None for name in set(_IMPORTS.findall(text))):
        return stop
    tree, _ = parse(text.replace("\r\n", "\n"))
    nodes = walk(tree) if tree is not None else []
    calls = amiss(nodes, beside) if 0 < len(nodes) <= _MOST_NODES else ()
    found = [Stop(one.line, one.name, says=one.says, is_absent=one.is_absent) for one in calls]
    return min([*found, *([stop] if stop else [])], default=None)


@lru_cache(maxsize=2000)
def _alone(text: str) -> tuple[Stop | None, bool]:
    """What its own text tells, and whether it stops there whenever it is run."""
    text = text.replace("\r\n", "\n")
    tree, _ = parse(text)
    if tree is None:
        fault = broken(text)
        return (Stop(fault[0], says=fault[1]) if fault else None), True
    nodes = walk(tree)
    if len(nodes) > _MOST_NODES:
        return None, True
    is_told = names_bound(nodes) is not None
    if is_told and (stop := stop_in(tree, nodes)):
        return stop, True
    found = [Stop(one.line, one.name, says=one.says) for one in bad_calls(tree.body, nodes)]
    if is_told:
        unbound = min(unbound_anywhere(tree, nodes), key=lambda one: one.node.lineno, default=None)
        if unbound:
            found.append(Stop(unbound.node.lineno, unbound.node.id, alike(unbound.node.id, *unbound.known)))
    return min(found, default=None), False
