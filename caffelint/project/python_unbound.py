"""Names that nothing in a Python file binds, where its text tells that."""

from __future__ import annotations

import ast
import builtins
import sys
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import takewhile

from caffelint.project.python_nodes import (
    asks_for_main,
    certain,
    children,
    exits,
    suppresses,
    until_exit,
    walk,
    walk_all,
)
from caffelint.text.near import Compared, near
from caffelint.text.records import NamedTuple

_OF_PYTHON = frozenset(dir(builtins)) | {"__class__", "__file__", "__path__", "__name__", "__doc__"}
_OF_OTHERS = frozenset(
    (
        *("ExceptionGroup", "BaseExceptionGroup", "PythonFinalizationError", "frozendict", "sentinel"),
        "profile",  # of kernprof
    )
)
"""Builtins of Pythons later than this may be, from 3.11 to 3.15, and what a profiler adds."""
_OF_PYTHON_2 = frozenset(
    (
        *("apply", "basestring", "buffer", "cmp", "coerce", "execfile", "file", "intern", "long", "raw_input"),
        *("reduce", "reload", "unichr", "unicode", "xrange", "StandardError", "WindowsError"),
    )
)
"""Builtins of Python 2 that 3 has not, or not everywhere: docs.python.org/2/library (functions, exceptions)."""
_BIND_ANY = frozenset(
    ["*", "exec", "execfile", "get_ipython", "globals", "locals", "vars", "builtins", "__builtin__", "__builtins__"]
)
"""Names whose use may bind any other. `eval`, of a `param_str` mostly, takes an expression, which binds none."""
_OF_NUMPY = "* of numpy"
_NOT_OF_NUMPY = (frozenset(sys.stdlib_module_names) | {"yaml", "cPickle", "StringIO", "urllib2"}) - frozenset(
    ["array", "copy", "math", "random", "select", "test", "trace", "typing"]
)
"""Modules, also of Python 2, that `from numpy import *` does not bind: `numpy.__all__`, from 1.0 to 2.4."""

_CLOSE = 0.8
_SHORTEST = 4


class Stop(NamedTuple):
    """The line, 1-based, at which a script stops, the name that it reads there and that nothing binds, and the one that
    may have been meant.

    Without a name, Python stops reading there, and `says` why; with both, it is what is called, and `says` how.
    is_absent: the name is of a module that does not have it; `says` by which statement it is taken.
    """

    line: int
    name: str = ""
    near: str = ""
    says: str = ""
    is_absent: bool = False


def stop_in(tree: ast.Module, nodes: Sequence[ast.AST]) -> Stop | None:
    """The first name that nothing binds of what runs whenever a script is run; nodes: all of it."""
    helpers = helpers_of(nodes, tree.body)
    everywhere = names_of_all(tree.body, nodes)
    found = []
    for function, statements in _scopes(_of_main(tree.body), helpers):
        own = frozenset(name for one in walk_all(function) for name in names_bound_by(one))
        found += [(node, own) for node in unknown_names([*evaluated(statements)], everywhere, own)]
    if not found:
        return None
    first, own = min(found, key=lambda one: (one[0].lineno, one[0].col_offset))
    return Stop(first.lineno, first.id, alike(first.id, everywhere, own))


def alike(name: str, *known: Iterable[str]) -> str:
    """The name that may have been meant; empty if none, or if the name is too short to tell."""
    if len(name) < _SHORTEST:
        return ""
    names = [*(one for names in known for one in names), "True", "False", "None"]
    return next(iter(near(name, names, cutoff=_CLOSE, within=Compared())), "")


def _of_main(body: Sequence[ast.stmt]) -> list[ast.stmt]:
    """The statements that run where a file is run as a program, up to the one that ends it."""
    found: list[ast.stmt] = []
    for node in body:
        inner = node.body if isinstance(node, ast.If) and asks_for_main(node) else [node]
        kept = [*until_exit(inner)]
        found += kept
        if len(kept) < len(inner) or exits(kept[-1]):
            break
    return found


def names_of_all(body: Sequence[ast.stmt], nodes: Iterable[ast.AST]) -> frozenset[str]:
    """The names that all code of a file shares: those bound outside functions, and those that one calls global."""
    found = {name for node in nodes if isinstance(node, ast.Global) for name in node.names}
    outside: list[ast.AST] = [*body]
    for node in outside:
        found.update(names_bound_by(node))
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | ast.ClassDef):
            outside += children(node)
    if any(isinstance(node, ast.ImportFrom) and node.names[0].name == "*" for node in nodes):
        found.add(_OF_NUMPY)
    return frozenset(found)


def _scopes(
    body: Sequence[ast.stmt], helpers: Mapping[str, ast.FunctionDef]
) -> Iterator[tuple[Sequence[ast.FunctionDef], Sequence[ast.stmt]]]:
    """The statements of a file that run in any case, then those of each helper that they call, and it, in turn."""
    yield (), body
    waiting, seen = _called(body, helpers), set[str]()
    for name in waiting:
        if name not in seen:
            seen.add(name)
            statements = [*until_exit(certain(helpers[name].body))]
            yield [helpers[name]], statements
            waiting += _called(statements, helpers)


def _called(statements: Iterable[ast.stmt], helpers: Mapping[str, ast.FunctionDef]) -> list[str]:
    calls = (node.func for node in evaluated(statements) if isinstance(node, ast.Call))
    return sorted({one.id for one in calls if isinstance(one, ast.Name) and one.id in helpers})


def unbound(
    statements: Sequence[ast.stmt], bound: frozenset[str], helpers: Mapping[str, ast.FunctionDef]
) -> list[ast.Name]:
    """Where a name is read that nothing binds, by these statements or by what they call in any case."""
    return unknown_names([*evaluated(with_called(statements, helpers))], bound)


def unknown_names(parts: Sequence[ast.AST], *known: frozenset[str]) -> list[ast.Name]:
    known += (_OF_PYTHON, _OF_PYTHON_2, _OF_OTHERS)
    names = (node for node in parts if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load))
    unknown = [node for node in names if not any(node.id in one for one in known)]
    if any(_OF_NUMPY in one for one in known):
        owners = {node.value for node in parts if isinstance(node, ast.Attribute)}
        unknown = [node for node in unknown if node.id in _NOT_OF_NUMPY and node in owners]
    return unknown


def names_bound(module: Iterable[ast.AST]) -> frozenset[str] | None:
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
        elif isinstance(node, ast.Attribute) and node.attr == "modules":
            return None  # sys.modules[__name__], which may be given any
        else:
            names.update(names_bound_by(node))
    return None if names & _BIND_ANY else frozenset(names)


def helpers_of(module: Sequence[ast.AST], body: Sequence[ast.stmt]) -> Mapping[str, ast.FunctionDef]:
    """The functions of a file that run whenever they are called by their names, which stand for nothing else."""
    return {
        name: one
        for name, one in functions_of(module, body).items()
        if not any(isinstance(node, ast.Yield | ast.YieldFrom) for node in walk(one))
    }


def functions_of(module: Sequence[ast.AST], body: Sequence[ast.stmt]) -> Mapping[str, ast.FunctionDef]:
    """The functions of a file that are what they are written as, and whose names stand for nothing else."""
    functions = {one.name: one for one in plain(body)}
    if not functions:
        return functions
    times = Counter(name for node in module for name in names_bound_by(node))
    return {name: one for name, one in functions.items() if times[name] == 1}


def plain(body: Sequence[ast.stmt]) -> list[ast.FunctionDef]:
    """The functions of a body that no decorator changes."""
    return [one for one in body if isinstance(one, ast.FunctionDef) and not one.decorator_list]


def names_bound_by(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Name):
        yield from () if isinstance(node.ctx, ast.Load) else (node.id,)
    elif isinstance(node, ast.alias):
        yield (node.asname or node.name).partition(".")[0]
    elif isinstance(node, ast.arg):
        yield node.arg
    else:
        names = (getattr(node, field, None) for field in ("name", "rest"))  # rest: of a pattern for mappings
        yield from (name for name in names if isinstance(name, str))


def with_called(statements: Sequence[ast.stmt], helpers: Mapping[str, ast.FunctionDef]) -> list[ast.stmt]:
    """These, and what runs in any case of the helpers that they call, and those in turn."""
    return [one for _, body in _scopes(statements, helpers) for one in body]


def evaluated(statements: Iterable[ast.stmt]) -> Iterator[ast.AST]:
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
        elif isinstance(node, ast.Match):
            waiting.append(node.subject)
        elif isinstance(node, ast.AnnAssign):
            waiting += [node.target, *([node.value] if node.value else [])]
        elif suppresses(node):
            continue
        elif not isinstance(node, _LATER):
            waiting += children(node)


_LATER = (
    ast.Try,
    getattr(ast, "TryStar", ast.Try),  # of Python 3.11
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
