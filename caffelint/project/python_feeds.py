"""How a Python script makes what it gives a net of the images that it opens, as far as its own text shows all of it."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache

from caffelint.project.mentions import Fed
from caffelint.project.python2 import parse
from caffelint.project.python_nodes import asks_for_main, children, walk, walk_all
from caffelint.project.python_put import OPENERS, last_name, opener, put_by_hand

_OF_RGB = frozenset([("io", "load_image"), ("", "load_image"), ("Image", "open")])
"""Those that give red, green and blue; cv2.imread gives blue, green and red."""
_SWAPS = frozenset(["set_channel_swap", "channel_swap"])
_CONVERT = frozenset(["cvtColor", "transpose", "split", "convert", "flip", "swapaxes"])
"""Names of what may put the channels of an image in another order, or make one of three."""
_MAKERS = {"Transformer": "preprocess", "Classifier": "predict"}
"""What transforms images, and the method that does."""
_FEEDS = (*(f"{name}(" for name in _MAKERS), ".blobs[")
_ARGUMENTS = ("model_file", "pretrained_file", "image_dims", "mean", "input_scale", "raw_scale", "channel_swap")
"""Of a Classifier, in their order: classifier.py."""
_SETTINGS = ("raw_scale", "input_scale", "mean")
_OTHERS = frozenset(
    ["Detector", "normalize", "img_as_float", "img_as_ubyte", "ToTensor", "Datum", "subtract", "divide", "multiply"]
)
"""What changes values as well, or gives a net what is no image that is opened here."""
_LEAST, _MOST = 0.05, 20.0
"""Factors between these are no scale of pixels; 100 and 1000 make per cent and milliseconds."""
_IN_PERCENT = (100, 1000)
_MOST_NODES = 50_000
"""Of a script that is understood; most have a thousand."""
_BOUNDS = (1e-9, 1e9)
"""Of the numbers that are understood."""
_MEANS = (80.0, 140.0)
"""Numbers that may be the mean of pixels."""


@lru_cache(maxsize=2000)
def fed(text: str) -> Fed | None:
    """What a script does to the images that it opens; None where it does not show, or that may not be all."""
    tree, is_python2 = parse(text) if any(one in text for one in _FEEDS) else (None, False)
    if tree is None:
        return None
    nodes = walk(tree)
    if len(nodes) > _MOST_NODES:
        return None
    calls = [node for node in nodes if isinstance(node, ast.Call)]
    makers = [one for one in calls if last_name(one.func) in _MAKERS]
    is_used = any(last_name(node) == _MAKERS[last_name(one.func)] for one in makers[:1] for node in nodes)
    if not is_used and all(last_name(one.func) == "Transformer" for one in makers):  # none, or one to no purpose
        return put_by_hand(tree, nodes, is_python2)
    if len(makers) != 1 or any(_changes_values(one) for one in calls) or _feeds_another(nodes, calls):
        return None
    by = last_name(makers[0].func)
    setters = {name: [one for one in calls if last_name(one.func) == f"set_{name}"] for name in _SETTINGS}
    if any(len(found) > 1 for found in setters.values()):
        return None
    set_up = [makers[0], *(one for found in setters.values() for one in found)]
    opened = {OPENERS[key] for one in calls if (key := opener(one)) in OPENERS}
    used = any(last_name(one.func) == _MAKERS[by] for one in calls)
    around = {id(inner): node for node in nodes for inner in children(node)}
    if not used or len(opened) != 1 or _depend(around, set_up) or _scales(nodes, set_up):
        return None
    given = {name: _given(makers[0], name, found) for name, found in setters.items()}
    values = {name: _number(given[name]) for name in ("raw_scale", "input_scale")}
    if any(given[name] is not None and values[name] is None for name in values):
        return None
    has_mean = _subtracts(given["mean"], nodes, around)
    of_rgb = all(opener(one) in _OF_RGB for one in calls if opener(one) in OPENERS)
    images = {name for node in nodes for name in _images(node) if name}
    until = max(one.lineno for one in calls if last_name(one.func) == _MAKERS[by])
    is_rgb = of_rgb and not any(_may_swap(node, images, until) for node in nodes)
    return Fed(makers[0].lineno, by, opened.pop(), values["raw_scale"], values["input_scale"], has_mean, is_rgb)


def _given(maker: ast.Call, name: str, setters: Sequence[ast.Call]) -> ast.expr | None:
    """The value of a setting, by a method or an argument; None where there is none, as where it is None."""
    if setters:
        values = [*setters[0].args, *(word.value for word in setters[0].keywords)]
        return values[-1] if len(values) > 1 else ast.Name("unknown", ast.Load())
    if last_name(maker.func) != "Classifier":
        return None
    starred = any(isinstance(one, ast.Starred) for one in maker.args) or any(not one.arg for one in maker.keywords)
    if starred:
        return ast.Name("unknown", ast.Load())
    places = dict(zip(_ARGUMENTS, maker.args, strict=False)) | {one.arg or "": one.value for one in maker.keywords}
    value = places.get(name)
    return None if isinstance(value, ast.Constant) and value.value is None else value


def _number(node: ast.expr | None) -> float | None:
    """A number that is written as one, or as a quotient of two."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div):
        parts = [_number(one) for one in (node.left, node.right) if isinstance(one, ast.Constant)]
        return parts[0] / parts[1] if len(parts) == 2 and parts[0] and parts[1] else None
    value = node.value if isinstance(node, ast.Constant) else None
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if _BOUNDS[0] < value < _BOUNDS[1] else None


def _depend(around: Mapping[int, ast.AST], set_up: Sequence[ast.AST]) -> bool:
    """Is any of these done only under a condition? `around`: what each node is right below."""
    seen: set[int] = set()
    above = (node for one in set_up for node in _above(one, around, seen))
    return any(isinstance(node, ast.If | ast.IfExp) and not asks_for_main(node) for node in above)


def _above(node: ast.AST, around: Mapping[int, ast.AST], seen: set[int]) -> Iterator[ast.AST]:
    """All that a node is in, the nearest first, up to what was seen before."""
    found = around.get(id(node))
    while found is not None and id(found) not in seen:
        seen.add(id(found))
        yield found
        found = around.get(id(found))


def _scales(nodes: Iterable[ast.AST], set_up: Sequence[ast.Call]) -> bool:
    """Does anything else multiply or divide by a number that may be a scale of pixels?"""
    inside = {id(node) for node in walk_all(set_up)}
    for operands in _operands(nodes, (ast.Mult, ast.Div, ast.Pow), inside):
        numbers = [abs(number) for one in operands if (number := _number(one)) is not None]
        if any(not _LEAST < number < _MOST and number not in _IN_PERCENT for number in numbers):
            return True
    return False


def _operands(
    nodes: Iterable[ast.AST], kinds: tuple[type[ast.operator], ...], inside: frozenset[int] | set[int] = frozenset()
) -> Iterator[tuple[ast.expr, ...]]:
    """What is calculated with, by the operators of these kinds, but for what is in other nodes."""
    for node in nodes:
        if isinstance(node, ast.BinOp) and isinstance(node.op, kinds) and id(node) not in inside:
            yield node.left, node.right
        elif isinstance(node, ast.AugAssign) and isinstance(node.op, kinds):
            yield (node.value,)


def _may_subtract_mean(nodes: Sequence[ast.AST], around: Mapping[int, ast.AST]) -> bool:
    """Is a mean used for anything but to make it, or anything subtracted or written that may be one?"""
    seen: set[int] = set()
    images = {name for node in nodes for name in (*_images(node), *_transformed(node)) if name}
    for operands in _operands(nodes, (ast.Sub,)):
        if any(
            last_name(one) in images or isinstance(one, ast.Call) and last_name(one.func) == "preprocess"
            for one in operands
        ):
            return True
    for node in nodes:
        if isinstance(node, ast.AugAssign) and isinstance(node.op, ast.Sub) and last_name(node.target) in images:
            return True
        if _is_mean_number(node) or "mean" in last_name(node).lower():
            above = _above(node, around, seen)
            if any(isinstance(getattr(one, "op", None), ast.Sub) for one in above):
                return True
    making = {id(inner) for one in nodes if _makes_mean(one) for inner in walk(one)}
    called = {id(one.func) for one in nodes if isinstance(one, ast.Call)}
    for node in nodes:
        if isinstance(node, ast.List | ast.Tuple) and any(map(_is_mean_number, node.elts)):
            return True
        is_used = isinstance(node, ast.Name | ast.Attribute) and "mean" in last_name(node).lower()
        if is_used and id(node) not in making and not (id(node) in called and last_name(node) == "mean"):
            return True
    return False


def _is_call(node: ast.expr, name: str) -> bool:
    return isinstance(node, ast.Call) and last_name(node.func) == name


def _images(node: ast.AST) -> Iterator[str]:
    """The names of images: what is opened, and what is transformed."""
    if isinstance(node, ast.Assign) and any(
        isinstance(one, ast.Call) and opener(one) in OPENERS for one in walk(node.value)
    ):
        yield from (last_name(one) for target in node.targets for one in walk(target))
    elif isinstance(node, ast.Call) and last_name(node.func) in _MAKERS.values():
        yield from map(last_name, node.args)


def _transformed(node: ast.AST) -> Iterator[str]:
    """The names of what was transformed."""
    if isinstance(node, ast.Assign) and _is_call(node.value, "preprocess"):
        yield from map(last_name, node.targets)


def _may_swap(node: ast.AST, images: Collection[str], until: int) -> bool:
    """May it put the channels of an image in another order, up to a line, or is it told that there is one?"""
    if isinstance(node, ast.Call) and last_name(node.func) in _CONVERT and node.lineno <= until:
        given = [*node.args, *([node.func.value] if isinstance(node.func, ast.Attribute) else [])]
        return any(last_name(one) in images or isinstance(one, ast.Call) and opener(one) in OPENERS for one in given)
    if isinstance(node, ast.Slice):
        return node.step is not None
    if isinstance(node, ast.Tuple | ast.List):
        return [_number(one) for one in node.elts[:2]] == [2.0, 1.0]
    if isinstance(node, ast.keyword):
        return node.arg in (*_SWAPS, "color", "as_grey")
    return last_name(node) in _SWAPS


def _subtracts(given: ast.expr | None, nodes: Sequence[ast.AST], around: Mapping[int, ast.AST]) -> bool | None:
    """Is a mean subtracted, None where that is not clear: of a name that is set in several places, or to nothing?"""
    if isinstance(given, ast.Name):
        sets = [node for node in nodes if isinstance(node, ast.Name) and node.id == given.id and _is_stored(node)]
        asked = any(isinstance(node, ast.arg) and node.arg == given.id for node in nodes)
        return True if len(sets) == 1 and not asked and not _depend(around, sets) else None
    if given is not None:
        return True
    return None if _may_subtract_mean(nodes, around) else False


def _is_stored(node: ast.Name) -> bool:
    return isinstance(node.ctx, ast.Store)


def _changes_values(call: ast.Call) -> bool:
    """Does it change values in another way than by arithmetic, as skimage's resize, which makes fractions of pixels?"""
    owner, name = opener(call)
    return name in _OTHERS or name in ("resize", "rescale") and owner in ("", "transform") or owner == "exposure"


def _feeds_another(nodes: Sequence[ast.AST], calls: Sequence[ast.Call]) -> bool:
    """Does a script make several nets, one of which is not given what is transformed?"""
    if sum(last_name(one.func) in ("Net", "Classifier") for one in calls) < 2:
        return False
    assigned = [node for node in nodes if isinstance(node, ast.Assign) and len(node.targets) == 1]
    makes = [node for node in assigned if _is_call(node.value, "Net")]
    given = [
        node for node in assigned if isinstance(node.value, ast.Call) and last_name(node.value.func) == "preprocess"
    ]
    nets = {last_name(node.targets[0]) for node in makes}
    fed_ = {last_name(inner) for node in given for inner in walk(node.targets[0])}
    return len(makes) < 2 or not nets <= fed_


def _makes_mean(node: ast.AST) -> bool:
    """Is it an assignment to what is called a mean, or a statement that calls a method of one?"""
    if isinstance(node, ast.Assign):
        return all(any("mean" in last_name(inner).lower() for inner in walk(target)) for target in node.targets)
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
        function = node.value.func
        return isinstance(function, ast.Attribute) and "mean" in last_name(function.value).lower()
    return False


def _is_mean_number(node: ast.AST) -> bool:
    number = _number(node) if isinstance(node, ast.expr) else None
    return number is not None and _MEANS[0] <= number <= _MEANS[1] and number != int(number) // 100 * 100
