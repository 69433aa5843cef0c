"""Images that a Python script puts into a blob as it opens them."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import TypeGuard

from caffelint.project.mentions import Fed
from caffelint.project.python_nodes import children, own_nodes, same, walk_all
from caffelint.text.records import NamedTuple

_PIXEL, _FRACTION = 1.0, 1 / 255
"""What of a pixel is left of its value from 0 to 255 as images are opened."""
BY_HAND = "blobs"
"""What is said to set up images that a script puts into a blob itself."""
OPENERS = {
    ("io", "load_image"): _FRACTION,
    ("", "load_image"): _FRACTION,
    ("cv2", "imread"): _PIXEL,
    ("cv", "imread"): _PIXEL,
    ("Image", "open"): _PIXEL,
}
"""What opens an image, by the last names of it. io.py, load_image: img_as_float."""
_KEEP = frozenset(
    [
        "resize",
        "cvtColor",
        "transpose",
        "reshape",
        "astype",
        "array",
        "asarray",
        "expand_dims",
        "squeeze",
        "copy",
        "swapaxes",
        "rollaxis",
        "moveaxis",
        "ascontiguousarray",
        "flip",
    ]
)
"""Calls by which the values of images stay what they are, of numpy and cv2."""
_LOOK = frozenset(["print", "imshow", "imwrite", "show", "imsave"])
"""Statements that do nothing to an image that they are given."""
_CALL_OTHERS = frozenset(["map", "filter", "exec", "eval", "setattr"])
"""Functions of Python itself that may change an array that they are given; no other does."""
_SIZES = frozenset(["shape", "size", "ndim", "dtype"])
"""What of an array can be given away without being changed."""
_NETS = ("Net", "Classifier", "Detector")
_MOST_FEEDS = 20
"""Places where a script fills blobs that are followed; most have one."""


def as_opened(tree: ast.Module, nodes: Sequence[ast.AST]) -> Fed | None:
    """Images that a script puts into a blob as it opens them, with nothing on the way that changes their values.

    Where it fills blobs in several places, none of them changes values, and there is one net that they may be of.
    """
    module = _Scope.of(tree)
    scopes = [module, *(_Scope.of(node) for node in module.nodes if isinstance(node, ast.FunctionDef))]
    feeds = [(scope, node) for scope in scopes for node in scope.nodes if _is_feed(node)]
    if not 0 < len(feeds) <= _MOST_FEEDS or len(feeds) != sum(map(_is_feed, nodes)):
        return None
    nets = sum(isinstance(node, ast.Call) and last_name(node.func) in _NETS for node in nodes)
    own = {node.name for node in nodes if isinstance(node, ast.FunctionDef)}
    told: dict[str, list[Fed]] = {}
    filled: set[tuple[int, str]] = set()
    for scope, feed in feeds:
        blob = _blob(feed.targets[0])
        opened = _opened(feed.value, scope, module, own)
        name = _name_of(blob)
        is_again = (id(scope), name) in filled
        filled.add((id(scope), name))
        if opened is None or is_again or any(_changes_later(node, blob) for node in nodes):
            return None
        if (len(feeds) > 1 or not scope.arguments.isdisjoint(_names([blob]))) and nets != 1:
            return None
        if len(opened) > 1:
            return None
        told.setdefault(name, []).extend(Fed(feed.lineno, BY_HAND, one, None, None, False, blob=name) for one in opened)
    found = [one for one in told.values() if one]
    return found[0][0] if len(found) == 1 and len({one.opened for one in found[0]}) == 1 else None


class _Scope(NamedTuple):
    """A module without its functions, or a function without those in it: what is in it, the names that it is called
    with, the values of those that statements set, and those that something else may change.
    """

    nodes: Sequence[ast.AST]
    arguments: frozenset[str]
    sets: Mapping[str, Sequence[ast.expr]]
    changed: frozenset[str]

    @classmethod
    def of(cls, tree: ast.AST) -> _Scope:
        nodes = own_nodes(tree)
        sets: dict[str, list[ast.expr]] = {}
        for node in nodes:
            if isinstance(node, ast.Assign) and len(node.targets) == 1:
                sets.setdefault(last_name(node.targets[0]), []).append(node.value)
        arguments = frozenset(node.arg for node in nodes if isinstance(node, ast.arg))
        return cls(nodes, arguments, sets, frozenset(name for node in nodes for name in _changed(node)))


def _opened(value: ast.expr, scope: _Scope, module: _Scope, own: Collection[str]) -> set[float] | None:
    """What pixels are of the images that a value is made of, as far as they are opened here; None where something on
    the way may change their values. own: names of the script's functions.
    """
    found: set[float] = set()
    left: list[ast.AST] = [value]
    seen: set[str] = set()
    while left:
        node = left.pop()
        if isinstance(node, ast.BinOp | ast.Lambda | ast.IfExp | ast.comprehension):
            return None
        if isinstance(node, ast.Call):
            key = opener(node)
            if key[1] in own or key not in OPENERS and (key[1] not in _KEEP or _rescales(*key)):
                return None
            if key in OPENERS:
                found.add(OPENERS[key])
                continue
        elif isinstance(node, ast.Name) and node.id not in seen:
            seen.add(node.id)
            of = scope if node.id in scope.sets or node.id in scope.arguments else module
            if node.id in scope.changed or node.id in of.changed:
                return None
            left += of.sets.get(node.id, ())
        left += children(node)
    return found


def _changed(node: ast.AST) -> Iterator[str]:
    """The names of what a node may change, or gives a value otherwise than by a plain assignment."""
    if isinstance(node, ast.AugAssign | ast.AnnAssign | ast.NamedExpr | ast.For | ast.comprehension):
        yield from _names([node.target])
    elif isinstance(node, ast.Assign):
        yield from _names(target for target in node.targets if not isinstance(target, ast.Name))
    elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call) and last_name(node.value.func) not in _LOOK:
        sized = {
            id(one.value) for one in walk_all(node.value.args) if isinstance(one, ast.Attribute) and one.attr in _SIZES
        }
        yield from (one.id for one in walk_all(node.value.args) if isinstance(one, ast.Name) and id(one) not in sized)
    elif isinstance(node, ast.Call) and _may_change(node):
        yield from (one.id for one in _given(node) if isinstance(one, ast.Name))


def _may_change(call: ast.Call) -> bool:
    """May a call change arrays that it is given?"""
    name = last_name(call.func)
    is_python = isinstance(call.func, ast.Name) and hasattr(builtins, name) and name not in _CALL_OTHERS
    return name not in _KEEP and name not in _LOOK and not is_python


def _given(call: ast.Call) -> Iterator[ast.AST]:
    """What a call is given, but sizes, and what calls in it that may change it are given: each only once in all."""
    left: list[ast.AST] = [*call.args, *call.keywords]
    while left:
        node = left.pop()
        yield node
        is_size = isinstance(node, ast.Attribute) and node.attr in _SIZES
        if not is_size and not _is_blob(node) and not (isinstance(node, ast.Call) and _may_change(node)):
            left += children(node)


def _changes_later(node: ast.AST, blob: ast.expr) -> bool:
    """May it change the data of the blob, or an array, in place, or give it another name?"""
    if isinstance(node, ast.keyword):
        return node.arg == "out"
    if isinstance(node, ast.AugAssign):
        return _may_be_of(node.target, blob)
    if isinstance(node, ast.Assign):
        values = node.value.elts if isinstance(node.value, ast.Tuple | ast.List) else [node.value]
        return any(_may_be_of(value, blob) for value in values)
    return isinstance(node, ast.Call) and _may_change(node) and any(_may_be_of(one, blob) for one in _given(node))


def _may_be_of(node: ast.AST, blob: ast.expr) -> bool:
    """May it be the blob, its data, the data of a blob with a name of its own, or all blobs?"""
    if isinstance(node, ast.Attribute) and node.attr == "blobs":
        return True
    if not isinstance(node, ast.Attribute | ast.Subscript):
        return False
    data = node.value if isinstance(node, ast.Subscript) and not _is_blob(node) else node
    is_data = isinstance(data, ast.Attribute) and data.attr == "data"
    of = data.value if isinstance(data, ast.Attribute) and is_data else data
    if not _is_blob(of):
        return is_data and isinstance(of, ast.Name)
    return same(of, blob) or _name_of(of) == _name_of(blob) != ""


def _is_blob(node: ast.AST) -> TypeGuard[ast.Subscript]:
    """Is it `net.blobs["data"]`?"""
    return isinstance(node, ast.Subscript) and last_name(node.value) == "blobs"


def _rescales(owner: str, name: str) -> bool:
    """May it be a function of skimage.transform, which makes values from 0 to 1 of images?"""
    return owner == "transform" or name == "resize" and not owner


def _names(nodes: Iterable[ast.AST]) -> Iterator[str]:
    return (one.id for one in walk_all([*nodes]) if isinstance(one, ast.Name))


def _is_feed(node: ast.AST) -> TypeGuard[ast.Assign]:
    """Does it set the data of one blob?"""
    return isinstance(node, ast.Assign) and len(node.targets) == 1 and _is_blob_data(node.targets[0])


def _name_of(blob: ast.expr) -> str:
    """`data` of `net.blobs["data"]`; empty where that is not written out."""
    return str(blob.slice.value) if isinstance(blob, ast.Subscript) and isinstance(blob.slice, ast.Constant) else ""


def _is_blob_data(target: ast.expr) -> bool:
    """Is it `net.blobs["data"].data[...]`?"""
    data = target.value if isinstance(target, ast.Subscript) else target
    return isinstance(data, ast.Attribute) and data.attr == "data" and _is_blob(data.value)


def _blob(data: ast.expr) -> ast.expr:
    """What it is the data, or a part of the data, of."""
    whole = data.value if isinstance(data, ast.Subscript) else data
    return whole.value if isinstance(whole, ast.Attribute) else whole


def last_name(node: ast.AST) -> str:
    """The last name of an expression such as `caffe.io.Transformer`."""
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def opener(call: ast.Call) -> tuple[str, str]:
    before = call.func.value if isinstance(call.func, ast.Attribute) else None
    return last_name(before) if before is not None else "", last_name(call.func)
