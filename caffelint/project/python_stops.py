"""Where a Python script stops: whenever it is run, or when it comes to a line of it."""

from __future__ import annotations

from functools import lru_cache

from caffelint.project.python2 import broken, parse
from caffelint.project.python_calls import bad_calls
from caffelint.project.python_nodes import walk
from caffelint.project.python_scopes import unbound_anywhere
from caffelint.project.python_unbound import Stop, alike, names_bound, stop_in

_MOST_NODES = 50_000
"""Of a script that is understood."""


@lru_cache(maxsize=2000)
def stops(text: str) -> Stop | None:
    """Where a script stops whenever it is run, if it surely does; else the first line that stops it."""
    text = text.replace("\r\n", "\n")
    tree, _ = parse(text)
    if tree is None:
        fault = broken(text)
        return Stop(fault[0], says=fault[1]) if fault else None
    nodes = walk(tree)
    if len(nodes) > _MOST_NODES:
        return None
    is_told = names_bound(nodes) is not None
    if is_told and (stop := stop_in(tree, nodes)):
        return stop
    found = [Stop(one.line, one.name, says=one.says) for one in bad_calls(tree.body, nodes)]
    if is_told:
        unbound = min(unbound_anywhere(tree, nodes), key=lambda one: one.node.lineno, default=None)
        if unbound:
            found.append(Stop(unbound.node.lineno, unbound.node.id, alike(unbound.node.id, *unbound.known)))
    return min(found, default=None)
