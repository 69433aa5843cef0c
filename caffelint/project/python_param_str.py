"""How a class reads its `param_str`, as far as its text surely says."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from caffelint.project.python_nodes import children, walk
from caffelint.text.records import NamedTuple

_READERS = {"eval": "eval", "literal_eval": "literal_eval", "loads": "json", "load": "yaml", "safe_load": "yaml"}


class ParamStr(NamedTuple):
    """How `param_str` is read in any run: by `eval`, `literal_eval`, `json` or `yaml`, and the keys it must have."""

    reader: str
    line: int
    keys: Mapping[str, int]
    """With their lines."""


def param_str(statements: Sequence[ast.stmt]) -> ParamStr | None:
    for number, node in enumerate(statements):
        if isinstance(node, ast.If | ast.For | ast.With | ast.Try | ast.While):
            if _mentions(node):
                return None
            continue
        if not _mentions(node):
            continue
        for call in walk(node):
            reader = _reader(call)
            if reader is None:
                continue
            if not isinstance(node, ast.Assign) or node.value is not call or len(node.targets) != 1:
                return ParamStr(reader, node.lineno, dict(_keys([node], call)))
            return ParamStr(reader, node.lineno, dict(_keys(statements[number + 1 :], node.targets[0])))
        return None
    return None


def _mentions(node: ast.AST) -> bool:
    return any(isinstance(one, ast.Attribute) and one.attr == "param_str" for one in walk(node))


def _reader(node: ast.AST) -> str | None:
    """By what a call reads `self.param_str`, if it is one that does, and nothing else is done to the text."""
    if not isinstance(node, ast.Call) or not node.args:
        return None
    text = node.args[0]
    if not (isinstance(text, ast.Attribute) and text.attr == "param_str" and isinstance(text.value, ast.Name)):
        return None
    function = node.func
    if isinstance(function, ast.Name):
        return _READERS.get(function.id) if function.id in ("eval", "literal_eval") else None
    if isinstance(function, ast.Attribute) and isinstance(function.value, ast.Name):
        reader = _READERS.get(function.attr)
        return reader if function.value.id in ("json", "yaml", "ast") and reader else None
    return None


def _keys(statements: Iterable[ast.stmt], read: ast.AST) -> Iterator[tuple[str, int]]:
    """The keys that are taken from what was read, and no default is there for."""
    wanted = _dotted(read)

    def is_it(node: ast.AST) -> bool:
        return node is read or bool(wanted) and _dotted(node) == wanted

    for node in statements:
        inner = list(_unconditional(node))
        # A call with it, or a key written to it, may put in what is missing.
        for one in inner:
            if isinstance(one, ast.Call) and one is not read and _may_change(one, is_it):
                return
            if isinstance(one, ast.Subscript) and isinstance(one.ctx, ast.Store) and is_it(one.value):
                return
        for one in inner:
            if isinstance(one, ast.Subscript) and is_it(one.value) and isinstance(one.slice, ast.Constant):
                if isinstance(one.slice.value, str):
                    yield one.slice.value, one.lineno
        if isinstance(node, ast.If | ast.For | ast.With | ast.Try) and any(map(is_it, walk(node))):
            return


def _may_change(call: ast.Call, is_it: Callable[[ast.AST], bool]) -> bool:
    function = call.func
    if isinstance(function, ast.Attribute) and is_it(function.value):
        return function.attr not in ("get", "keys", "has_key", "items")
    reads = isinstance(function, ast.Name) and function.id in ("print", "len", "str")
    return not reads and any(map(is_it, call.args))


def _dotted(node: ast.AST) -> str:
    """`self.params` and the like; empty for all else, and for what is longer."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute) and len(parts) < 4:
        parts.append(node.attr)
        node = node.value
    return ".".join([node.id, *reversed(parts)]) if isinstance(node, ast.Name) else ""


def _unconditional(node: ast.stmt) -> Iterator[ast.AST]:
    """The parts of a statement that are evaluated in any case."""
    if isinstance(node, ast.If | ast.For | ast.With | ast.Try | ast.While | ast.FunctionDef | ast.ClassDef):
        return
    waiting: list[ast.AST] = [node]
    while waiting:
        one = waiting.pop()
        yield one
        if isinstance(one, ast.IfExp | ast.BoolOp | ast.Lambda | ast.ListComp | ast.GeneratorExp | ast.DictComp):
            continue
        waiting += children(one)
