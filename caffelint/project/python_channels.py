"""How many channels Python scripts take the images of the nets that they build to have, where their text shows it."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from functools import lru_cache

from caffelint.project.mentions import Channels
from caffelint.project.python_nodes import dotted, walk
from caffelint.project.python_supplied import Built, Scope, scopes_of

SWAP, OPENED = "channel_swap", "load_image"
_CLASSIFIER = "Classifier"
_COLOURS = 3
"""io.py, load_image, which leaves an alpha channel out. A grey image fits any blob: numpy spreads it."""


@lru_cache(maxsize=2000)
def channels(text: str) -> tuple[Channels, ...]:
    """In any case; a Transformer counts where it is made of the shape that a net has in its file."""
    if SWAP not in text and OPENED not in text:
        return ()
    scopes, attributes = scopes_of(text)
    is_reshaped = ".reshape(" in text and ".blobs[" in text
    return tuple(one for scope in scopes for one in _channels(scope, attributes, is_reshaped))


def _channels(scope: Scope, attributes: Mapping[str, Built], is_reshaped: bool) -> Iterator[Channels]:
    for node in scope.nodes:
        if not isinstance(node, ast.Call):
            continue
        if scope.maker(node) == _CLASSIFIER:
            net, count = (
                scope.built(node),
                _order(next((word.value for word in node.keywords if word.arg == SWAP), None)),
            )
            if net and count:
                yield Channels(net.path, node.lineno, SWAP, count, "")
        elif isinstance(node.func, ast.Attribute) and node.args:
            name, owner = node.func.attr, dotted(node.func.value)
            if name == f"set_{SWAP}" and len(node.args) == 2 and not is_reshaped:
                blob = node.args[0].value if isinstance(node.args[0], ast.Constant) else ""
                net = _of_shape(scope.values.get(owner), str(blob), scope, attributes)
                if net and blob and (count := _order(node.args[1])):
                    yield Channels(net.path, node.lineno, SWAP, count, str(blob))
            elif name == "predict" and scope.maker(scope.values.get(owner, node)) == _CLASSIFIER:
                net = scope.net(owner, attributes) if _are_colour(node.args[0], scope) else None
                if net:
                    yield Channels(net.path, node.lineno, OPENED, _COLOURS, "")


def _order(node: ast.expr | None) -> int:
    """How many numbers are written out in order; 0 where that is not told."""
    if not isinstance(node, ast.Tuple | ast.List):
        return 0
    known = all(isinstance(one, ast.Constant) and isinstance(one.value, int) for one in node.elts)
    return len(node.elts) if known else 0


def _of_shape(made: ast.expr | None, blob: str, scope: Scope, attributes: Mapping[str, Built]) -> Built | None:
    """The net whose blob has the shape of `Transformer({"data": net.blobs["data"].data.shape})`."""
    if not isinstance(made, ast.Call) or dotted(made.func).rpartition(".")[2] != "Transformer" or len(made.args) != 1:
        return None
    given = made.args[0]
    for key, shape in zip(given.keys, given.values, strict=True) if isinstance(given, ast.Dict) else ():
        if isinstance(key, ast.Constant) and key.value == blob:
            of = [dotted(one.value) for one in walk(shape) if isinstance(one, ast.Attribute) and one.attr == "blobs"]
            asked = [asked_ for one in walk(shape) if (asked_ := _asked(one)) is not None]
            is_whole = isinstance(shape, ast.Attribute) and shape.attr == "shape"
            return scope.net(of[0], attributes) if is_whole and len(of) == 1 and asked == [blob] else None
    return None


def _asked(node: ast.AST) -> object:
    return node.slice.value if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant) else None


def _are_colour(node: ast.expr, scope: Scope) -> bool:
    """Is it a list of images as caffe.io.load_image opens them, in colour?"""
    images = [node.elt] if isinstance(node, ast.ListComp) else []
    if isinstance(node, ast.List | ast.Tuple):
        images = node.elts
    return bool(images) and all(_is_colour(scope.values.get(dotted(one), one), scope) for one in images)


def _is_colour(node: ast.expr, scope: Scope) -> bool:
    if not isinstance(node, ast.Call) or dotted(node.func) != f"caffe.io.{OPENED}" or OPENED in scope.sets:
        return False
    told = [*node.args[1:], *(one.value for one in node.keywords if one.arg != "filename")]
    return all(isinstance(one, ast.Constant) and one.value is True for one in told)
