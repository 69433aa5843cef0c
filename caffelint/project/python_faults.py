"""What the methods of a Python layer do that fails, or does nothing, whenever they run, as far as their text says."""

from __future__ import annotations

import ast
import builtins
import sys
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import takewhile

from caffelint.project.python_arrays import rebound, written
from caffelint.project.python_idle_loops import idle_loops
from caffelint.project.python_nodes import certain, children, walk, walk_all
from caffelint.project.python_shapes import numbered, numbers_shaped
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
_OF_PYTHON = frozenset(dir(builtins)) | {"__class__", "__file__", "__path__"}
_OF_PYTHON_2 = frozenset(
    (
        *("apply", "basestring", "buffer", "cmp", "coerce", "execfile", "file", "intern", "long", "raw_input"),
        *("reduce", "reload", "unichr", "unicode", "xrange", "StandardError", "WindowsError"),
    )
)
"""Builtins of Python 2 that 3 has not, or not everywhere: docs.python.org/2/library (functions, exceptions)."""
_BIND_ANY = frozenset(["*", "exec", "globals", "locals", "vars", "builtins", "__builtin__", "__builtins__"])
"""Names whose use may bind any other. `eval`, of a `param_str` mostly, takes an expression, which binds none."""
_OF_NUMPY = "* of numpy"
_NOT_OF_NUMPY = (frozenset(sys.stdlib_module_names) | {"yaml", "cPickle", "StringIO", "urllib2"}) - frozenset(
    ["array", "copy", "math", "random", "select", "test", "trace", "typing"]
)
"""Modules, also of Python 2, that `from numpy import *` does not bind: `numpy.__all__`, from 1.0 to 2.4."""
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
    known, bound = _attributes(classes, module), _bound(module)
    here = {node for node in module if isinstance(node, ast.FunctionDef)}
    helpers = _helpers(module, body)
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
        for node in _evaluated(code.certain)
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


def _bound(module: Iterable[ast.AST]) -> frozenset[str] | None:
    """All names that anything in a file binds, wherever; None if that is not to be told."""
    names: set[str] = set()
    stars: set[ast.AST] = set()
    for node in module:
        if isinstance(node, ast.ImportFrom) and node.module == "numpy" and node.names[0].name == "*":
            names.add(_OF_NUMPY)
            stars.update(node.names)
        elif node in stars:
            continue
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            if node.id in _BIND_ANY:
                return None
        else:
            names.update(_names_bound(node))
    return None if names & _BIND_ANY else frozenset(names)


def _helpers(module: Sequence[ast.AST], body: Sequence[ast.stmt]) -> Mapping[str, ast.FunctionDef]:
    """The functions of a file that run whenever they are called by their names, which stand for nothing else."""
    functions = {one.name: one for one in body if isinstance(one, ast.FunctionDef) and not one.decorator_list}
    if not functions:
        return functions
    times = Counter(name for node in module for name in _names_bound(node))
    return {
        name: one
        for name, one in functions.items()
        if times[name] == 1 and not any(isinstance(node, ast.Yield | ast.YieldFrom) for node in walk(one))
    }


def _names_bound(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Name):
        yield from () if isinstance(node.ctx, ast.Load) else (node.id,)
    elif isinstance(node, ast.alias):
        yield (node.asname or node.name).partition(".")[0]
    elif isinstance(node, ast.arg):
        yield node.arg
    elif isinstance(name := getattr(node, "name", None), str):
        yield name


def _with_called(statements: Sequence[ast.stmt], helpers: Mapping[str, ast.FunctionDef]) -> list[ast.stmt]:
    """These, and what runs in any case of the helpers that they call, and those in turn."""
    found: list[ast.stmt] = []
    waiting, called = [*statements], set[str]()
    while waiting:
        found += waiting
        names = {
            node.func.id
            for node in _evaluated(waiting)
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
        }
        waiting = [one for name in sorted(names - called) if name in helpers for one in certain(helpers[name].body)]
        called |= names
    return found


def _unbound(
    code: Code, bound: frozenset[str], helpers: Mapping[str, ast.FunctionDef], compared: Compared
) -> Iterator[PythonFault]:
    """The first name that nothing binds: the method ends there, or in what it calls."""
    known = bound | _OF_PYTHON | _OF_PYTHON_2
    evaluated = [*_evaluated(_with_called(code.certain, helpers))]
    names = (node for node in evaluated if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load))
    unknown = [node for node in names if node.id not in known]
    if _OF_NUMPY in bound:
        owners = {node.value for node in evaluated if isinstance(node, ast.Attribute)}
        unknown = [node for node in unknown if node.id in _NOT_OF_NUMPY and node in owners]
    if unknown:
        first = min(unknown, key=lambda node: (node.lineno, node.col_offset))
        alike = near(first.id, [*bound, "True", "False", "None"], cutoff=_CLOSE, within=compared)
        yield PythonFault(code.function.name, first.lineno, UNBOUND, first.id, near=alike[0] if alike else "")


def _of_blobs(code: Code) -> Iterator[PythonFault]:
    for node in _evaluated(code.certain):
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
    for node in _evaluated(code.certain):
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


def _evaluated(statements: Iterable[ast.stmt]) -> Iterator[ast.AST]:
    """All parts that are evaluated if these statements are; loops are taken to run."""
    waiting: list[ast.AST] = list(statements)
    leaving: set[ast.AST] | None = None
    while waiting:
        node = waiting.pop()
        yield node
        if isinstance(node, ast.For) and leaving is None:
            leaving = _leaving([node, *waiting])
        if isinstance(node, ast.If | ast.While | ast.IfExp):
            waiting.append(node.test)
        elif isinstance(node, ast.BoolOp):
            waiting.append(node.values[0])
        elif isinstance(node, ast.For):
            waiting += [node.iter, node.target, *_until_left(node.body, leaving or set())]
        elif not isinstance(node, _LATER):
            waiting += children(node)


_LATER = (
    ast.Try,
    ast.Assert,
    ast.FunctionDef,
    ast.AsyncFunctionDef,
    ast.ClassDef,
    ast.Lambda,
    ast.ListComp,
    ast.SetComp,
    ast.DictComp,
    ast.GeneratorExp,
)


def _until_left(body: Iterable[ast.stmt], leaving: Collection[ast.AST]) -> Iterator[ast.stmt]:
    """The statements of a loop up to the first that may end a turn."""
    return takewhile(lambda node: node not in leaving, body)


def _leaving(statements: Iterable[ast.AST]) -> set[ast.AST]:
    """All parts of these that hold what may end a turn of a loop."""
    found: set[ast.AST] = set()
    for node in reversed(walk_all(statements)):
        ends = isinstance(node, ast.Continue | ast.Break | ast.Return | ast.Raise)
        if ends or not found.isdisjoint(children(node)):
            found.add(node)
    return found
