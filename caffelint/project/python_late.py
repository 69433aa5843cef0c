"""Blobs of a training net that a Python script fills only after the step that is to read them."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence

from caffelint.project.mentions import Late
from caffelint.project.python_nodes import dotted, script_nodes, walk
from caffelint.project.python_put import target_of
from caffelint.project.python_unbound import names_bound_by
from caffelint.text.records import NamedTuple


class _Fill(NamedTuple):
    net: str
    blob: str
    line: int
    reads: frozenset[str]


def late(text: str) -> list[Late]:
    """Each blob that a loop fills after its step with rows of which another one got its data before.

    A loop that fills all blobs after the step does it for the next one.
    """
    if ".step(" not in text or ".blobs[" not in text:
        return []
    nodes = script_nodes(text)
    nets = {
        dotted(node.targets[0]): dotted(node.value)
        for node in nodes
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Attribute) and node.value.attr == "net"
    }
    return [one for node in nodes if isinstance(node, ast.For | ast.While) for one in _of_loop(node.body, nets)]


def _of_loop(body: Sequence[ast.stmt], nets: Mapping[str, str]) -> Iterator[Late]:
    step = next((number for number, node in enumerate(body) if _stepped(node)), None)
    if step is None:
        return
    net = f"{_stepped(body[step])}.net"
    before = [one for node in body[:step] if (one := _fill(node, nets)) and one.net == net]
    filled = {one.blob for one in before}
    rows = {name for node in body[:step] for part in walk(node) for name in names_bound_by(part)}
    for node in body[step + 1 :]:
        one = _fill(node, nets)
        if one and one.net == net and one.blob not in filled:
            same = next((early for early in before if early.reads & one.reads & rows), None)
            if same and one.blob:
                yield Late(one.line, one.blob, same.blob, body[step].lineno)
        rows -= {name for part in walk(node) for name in names_bound_by(part)}


def _stepped(node: ast.stmt) -> str:
    """`solver` of `solver.step(1)`."""
    call = node.value if isinstance(node, ast.Expr | ast.Assign) else None
    is_step = isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and call.func.attr == "step"
    return dotted(call.func.value) if is_step else ""  # type: ignore[union-attr]


def _fill(node: ast.stmt, nets: Mapping[str, str]) -> _Fill | None:
    if not isinstance(node, ast.Assign) or not (target := target_of(node.targets[0])):
        return None
    net, blob = target
    reads = frozenset(part.id for part in walk(node.value) if isinstance(part, ast.Name))
    return _Fill(nets.get(net, net), blob, node.lineno, reads)
