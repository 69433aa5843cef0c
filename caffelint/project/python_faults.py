"""What the methods of a Python layer do that fails, or does nothing, whenever they run, as far as their text says."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping, Sequence

from caffelint.project.python_arrays import rebound, written
from caffelint.project.python_idle_loops import idle_loops
from caffelint.project.python_nodes import walk
from caffelint.project.python_shapes import numbered, numbers_shaped
from caffelint.project.python_unbound import evaluated, helpers_of, names_bound, unbound
from caffelint.text.near import Compared, near
from caffelint.text.records import NamedTuple

UNSET, UNBOUND, ASSIGNED, IN_ONE, UNSHAPED = "unset", "unbound", "assigned", "in one", "unshaped"
REBOUND, IDLE = "rebound", "idle"

_SET_BY_CAFFE = frozenset(["blobs", "param_str", "param_str_", "phase", "type", "name", "layer_param"])
"""Attributes of each layer: python_layer.hpp, LayerSetUp, and _caffe.cpp, of Caffe 1.0, before, and some forks."""
_READ_ONLY = frozenset(["data", "diff", "shape", "num", "channels", "height", "width", "count"])
"""Properties of a blob in _caffe.cpp; none has a setter."""
_UNFORESEEN = frozenset(["setattr", "exec", "__dict__"])
_CLOSE = 0.75
_ANY_NAME = frozenset(["__getattr__", "__getattribute__", "__setattr__"])


class Code(NamedTuple):
    """A method that Caffe calls: what runs in any case, and what it calls its bottoms and tops ("" if unclear)."""

    function: ast.FunctionDef
    certain: Sequence[ast.stmt]
    bottom: str
    top: str


class PythonFault(NamedTuple):
    """`kind` is one of the words above; `name`: the attribute or expression; `number`: that of the top, or -1.

    `near`: the attribute that may have been meant, what `reshape` is given, or the name that is bound anew.
    """

    method: str
    line: int
    kind: str
    name: str
    number: int = -1
    near: str = ""


def faults(
    codes: Sequence[Code],
    classes: Iterable[ast.ClassDef],
    module: Sequence[ast.AST],
    body: Sequence[ast.stmt],
    compared: Compared,
) -> Iterator[PythonFault]:
    """What fails, in the order of the methods and lines; each cause once.

    codes: the methods; classes: the class and its bases; module: all of the file, where attributes may be set as well;
    body: its statements. compared: how much may still be compared of names in the file.
    """
    known, bound = _attributes(classes, module), names_bound(module)
    here = {node for node in module if isinstance(node, ast.FunctionDef)}
    helpers = helpers_of(module, body)
    seen: set[tuple[str, str, int]] = set()
    for code in codes:
        found = [*_unset(code, known, compared)] if known is not None else []
        if bound is not None and code.function in here:
            found += _unbound(code, bound, helpers, compared)
        found += [*_of_blobs(code)]
        if code.function.name == "forward":
            found += _unshaped(code, codes)
        found += [*_rebound(code)]
        for line, name in idle_loops(code.function.body, code.bottom) if code.function.name == "backward" else ():
            found.append(PythonFault("backward", line, IDLE, name, near=f"{code.bottom}[{name}].diff"))
        for fault in sorted(found, key=lambda one: one.line):
            key = fault.kind, fault.name, fault.number
            if key not in seen:
                seen.add(key)
                yield fault


def _attributes(classes: Iterable[ast.ClassDef], module: Iterable[ast.AST]) -> frozenset[str] | None:
    """All attributes that an object may have, by what any code in the file sets; None if that is not to be told."""
    names = set(_SET_BY_CAFFE)
    owners: set[ast.AST] = set()
    for node in module:
        if isinstance(node, ast.Attribute):
            owners.add(node.value)
            if not isinstance(node.ctx, ast.Load):
                names.add(node.attr)
        word = node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""
        if word in _UNFORESEEN or isinstance(node, ast.FunctionDef) and node.name in _ANY_NAME:
            return None
    for one in classes:
        for item in one.body:
            if isinstance(item, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                names.add(item.name)
            else:
                names.update(inner.id for inner in walk(item) if isinstance(inner, ast.Name))
        # A function that is given the object may set what it likes.
        for inner in walk(one):
            if isinstance(inner, ast.Name) and inner.id == "self" and inner not in owners:
                return None
    return frozenset(names)


def _unset(code: Code, known: frozenset[str], compared: Compared) -> Iterator[PythonFault]:
    """The first attribute that nothing sets: the method ends there."""
    unknown = [
        node
        for node in evaluated(code.certain)
        if isinstance(node, ast.Attribute)
        and isinstance(node.value, ast.Name)
        and node.value.id == "self"
        and not node.attr.startswith("__")
        and node.attr not in known
    ]
    if unknown:
        first = min(unknown, key=lambda node: (node.lineno, node.col_offset))
        alike = near(first.attr, known - _SET_BY_CAFFE, cutoff=_CLOSE, within=compared)
        found = f"self.{alike[0]}" if alike else ""
        yield PythonFault(code.function.name, first.lineno, UNSET, f"self.{first.attr}", near=found)


def _unbound(
    code: Code, bound: frozenset[str], helpers: Mapping[str, ast.FunctionDef], compared: Compared
) -> Iterator[PythonFault]:
    """The first name that nothing binds: the method ends there, or in what it calls."""
    unknown = unbound(code.certain, bound, helpers)
    if unknown:
        first = min(unknown, key=lambda node: (node.lineno, node.col_offset))
        alike = near(first.id, [*bound, "True", "False", "None"], cutoff=_CLOSE, within=compared)
        yield PythonFault(code.function.name, first.lineno, UNBOUND, first.id, near=alike[0] if alike else "")


def _of_blobs(code: Code) -> Iterator[PythonFault]:
    for node in evaluated(code.certain):
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            if node.attr in _READ_ONLY and _is_blob(node.value, code):
                yield PythonFault(code.function.name, node.lineno, ASSIGNED, written(node))
        elif isinstance(node, ast.Call) and len(node.args) == 1 and _is_sequence(node.args[0]):
            function = node.func
            if isinstance(function, ast.Attribute) and function.attr == "reshape" and _is_blob(function.value, code):
                given = written(node.args[0])
                yield PythonFault(code.function.name, node.lineno, IN_ONE, written(function), near=given)


def _unshaped(code: Code, codes: Sequence[Code]) -> Iterator[PythonFault]:
    """Tops that forward reads or writes, and that no method shapes."""
    shaped: set[int] = set()
    if all(one.function.name != "reshape" for one in codes):
        return  # that it is missing says it all
    for one in codes:
        numbers = numbers_shaped(one.function, one.top) if one.top else None
        if numbers is None:
            return
        shaped |= numbers
    for node in evaluated(code.certain):
        if isinstance(node, ast.Attribute) and node.attr in ("data", "diff"):
            number = numbered(node.value, code.top)
            if number is not None and number not in shaped:
                yield PythonFault(code.function.name, node.lineno, UNSHAPED, written(node.value), number)


def _rebound(code: Code) -> Iterator[PythonFault]:
    forward = code.function.name == "forward"
    for one in rebound(code.function, code.certain, code.top if forward else code.bottom):
        number = one.number if forward else -1
        yield PythonFault(code.function.name, one.line, REBOUND, one.array, number, one.name)


def _is_blob(node: ast.AST, code: Code) -> bool:
    """`top[0]`, `bottom[i]` or `self.blobs[0]`."""
    if not isinstance(node, ast.Subscript) or isinstance(node.slice, ast.Slice):
        return False
    owner = node.value
    if isinstance(owner, ast.Name):
        return owner.id != "" and owner.id in (code.bottom, code.top)
    return (
        isinstance(owner, ast.Attribute)
        and owner.attr == "blobs"
        and isinstance(owner.value, ast.Name)
        and owner.value.id == "self"
    )


def _is_sequence(node: ast.AST) -> bool:
    """What is surely several numbers in one: `(1, 2)`, `bottom[0].data.shape`."""
    if isinstance(node, ast.Tuple | ast.List):
        return True
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Slice):
        node = node.value
    return isinstance(node, ast.Attribute) and node.attr == "shape"
