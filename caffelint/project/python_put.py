"""Images that a Python script puts into a blob itself."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import TypeGuard

from caffelint.project.mentions import Fed, Spoilt
from caffelint.project.python2 import parse
from caffelint.project.python_images import put_by_script
from caffelint.project.python_nodes import children, dotted, same, walk
from caffelint.project.python_pixels import RGB, Pixels, all_values

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
_MOST_NODES = 50_000
"""Of a script that is understood."""
_MOST_FEEDS = 20
"""Places where a script fills blobs that are followed; most have one."""


def put_by_hand(tree: ast.Module, nodes: Sequence[ast.AST], is_python2: bool) -> Fed | None:
    """Images that a script puts into a blob itself, as far as all that it does to their values is understood.

    Where it does in several places, they are alike, and there is one net that they may be of.
    """
    nets = sum(isinstance(node, ast.Call) and last_name(node.func) in _NETS for node in nodes)
    feeds = [node for node in nodes if _is_feed(node)]
    blobs = [_blob(node.targets[0]) for node in feeds]
    if len(blobs) > _MOST_FEEDS or nets > 1:
        return None
    # What is put by the name of an input that is not written out may be for any blob.
    puts = [one for one in put_by_script(tree, nodes, is_python2, target_of)[0] if not _is_of_solver(one.of)]
    names = {one.blob for one in puts}
    lines = {node.lineno for node in feeds if not _is_of_solver(dotted(_owner(node.targets[0])))}
    if not lines <= {one.line for one in puts}:
        return None  # in a function within another, or where nothing comes
    found = [one for one in puts if isinstance(one.value, Pixels)]
    if not found or len({one.blob for one in found}) > 1 or "" in names and len(names) > 1:
        return None
    told = [one.value for one in puts if one.blob == found[0].blob]
    image = all_values(told)
    if not isinstance(image, Pixels) or any(_changes_later(node, blob) for node in nodes for blob in blobs):
        return None
    factor = image.factor if image.factor != 1 else None
    is_rgb = image.order == RGB
    return Fed(found[0].line, BY_HAND, image.opened, None, factor, image.mean, is_rgb, found[0].blob, image.spoilt)


@lru_cache(maxsize=2000)
def spoilt(text: str) -> tuple[Spoilt, ...]:
    """What a script makes wrong of the images that it opens and gives to a net, in the order of its lines."""
    tree, is_python2 = parse(text.replace("\r\n", "\n"))
    nodes = walk(tree) if tree is not None else []
    if tree is None or len(nodes) > _MOST_NODES:
        return ()
    puts, handed = put_by_script(tree, nodes, is_python2, target_of)
    found = (fault for one in (*puts, *handed) if isinstance(one.value, Pixels) for fault in one.value.spoilt)
    return tuple(sorted(set(found)))


def target_of(node: ast.expr) -> tuple[str, str] | None:
    """Of which net, and which blob, the data are that an expression is: python_images.Target."""
    if not _is_blob_data(node):
        return None
    return dotted(_owner(node)).rpartition(".")[0], _name_of(_blob(node))


def _owner(data: ast.expr) -> ast.expr:
    """`net.blobs` of `net.blobs["data"].data[...]`."""
    blob = _blob(data)
    return blob.value if isinstance(blob, ast.Subscript) else blob


def _is_of_solver(net: str) -> bool:
    """It is trained by what a script puts there, in whatever way."""
    return "solver" in net.lower()


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
