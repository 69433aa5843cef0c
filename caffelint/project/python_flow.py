"""Where what `self.param_str` holds goes in a module: the names that hold it, and whether it leaves the module."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterable, Iterator, Sequence

from caffelint.project.python_nodes import children, is_self

_READERS = frozenset(["literal_eval", "loads", "load", "safe_load"])
"""They make a dictionary of a text, and keep nothing."""
_ONE_VALUE = frozenset(["get", "pop"])
_NO_HOLDERS = frozenset(["bool", "float", "int", "isinstance", "len"])
"""What these return holds nothing of what they are given."""
_ROUNDS = 8
"""Each follows it through one more assignment or call, where these are not in the order of the text."""

_Function = ast.FunctionDef | ast.AsyncFunctionDef


class Flow:
    """`holders`: names of variables, attributes, and functions that return it. `leaves`: code elsewhere may get it.

    Names are the same in all of the module, and what is unclear leaves it.
    """

    def __init__(self, nodes: Sequence[ast.AST], methods: Iterable[ast.AST], body: Sequence[ast.stmt]):
        """nodes: all of a module; methods: those of a layer's class; body: the statements of the module."""
        self._functions: dict[str, list[_Function]] = {}
        self._classes = {node.name: node for node in nodes if isinstance(node, ast.ClassDef)}
        for node in nodes:
            if isinstance(node, _Function):
                self._functions.setdefault(node.name, []).append(node)
        self._returned = _returned(body)
        self._imported = {
            alias.asname or alias.name.partition(".")[0]
            for node in nodes
            if isinstance(node, ast.Import | ast.ImportFrom)
            for alias in node.names
        }
        # The layer itself holds it, but not the `self` of another class.
        self._layers = {id(node) for node in methods if is_self(node)}
        self._found = {"param_str", "param_str_"}
        self.leaves = False
        # What each expression holds, in a round: what is found later in it counts in the next.
        self._known: dict[int, bool] = {}
        for _ in range(_ROUNDS):
            self._known.clear()
            before = len(self._found)
            for node in reversed(nodes):  # what is within others comes first, so that none goes deep
                self._holds(node)
            for node in nodes:
                self._follow(node)
            if len(self._found) == before or self.leaves:
                break
        else:
            self.leaves = True
        self.holders = frozenset(self._found)

    def _follow(self, node: ast.AST) -> None:
        if isinstance(node, ast.Assign | ast.AnnAssign | ast.AugAssign | ast.NamedExpr):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            # What many objects are made of is looked up by name, so the layer counts only where it is handed on.
            if node.value is not None and not is_self(node.value) and self._holds(node.value):
                for target in targets:
                    self._keep(target)
        elif isinstance(node, ast.For | ast.AsyncFor | ast.comprehension):
            if self._holds(node.iter):
                self._keep(node.target)
        elif isinstance(node, _Function):
            if any(map(self._holds, self._returned.get(id(node), ()))):
                self._found.add(node.name)
        elif isinstance(node, ast.Call):
            values = [*node.args, *(keyword.value for keyword in node.keywords)]
            if any(self._holds(value) for value in values):
                self._hand_on(node.func)

    def _keep(self, target: ast.expr) -> None:
        """It is assigned to this."""
        waiting = [target]
        while waiting:
            one = waiting.pop()
            if isinstance(one, ast.Tuple | ast.List):
                waiting += one.elts
            elif isinstance(one, ast.Starred | ast.Subscript):
                waiting.append(one.value)
            elif isinstance(one, ast.Name):
                self._found.add(one.id)
            elif isinstance(one, ast.Attribute) and is_self(one.value):
                self._found.add(one.attr)
            else:
                self.leaves = True  # an attribute of something else, which others may have made

    def _hand_on(self, function: ast.expr) -> None:
        """It is given to this: code of the module, what only looks at it, or else it leaves."""
        if isinstance(function, ast.Name):
            name, is_own = function.id, True
        elif isinstance(function, ast.Attribute):
            name, receiver = function.attr, function.value
            is_own = isinstance(receiver, ast.Name) and (receiver.id == "self" or receiver.id in self._classes)
            is_imported = isinstance(receiver, ast.Name) and receiver.id in self._imported
            if name in _READERS or isinstance(receiver, ast.Constant):
                return
            if not is_own and not is_imported and self._holds(receiver):
                return
            if name == "update" and not is_imported:
                self._keep(receiver)
                return
        else:
            name, is_own = "", False
        if is_own and name in self._classes:
            self._hand_to_class(self._classes[name])
        elif is_own and name in self._functions:
            for one in self._functions[name]:
                self._found.update(_parameters(one))
        elif not (isinstance(function, ast.Name) and (name in _READERS or hasattr(builtins, name))):
            self.leaves = True

    def _hand_to_class(self, node: ast.ClassDef) -> None:
        makes = [one for one in node.body if isinstance(one, _Function) and one.name == "__init__"]
        self.leaves = self.leaves or not makes
        for one in makes:
            self._found.update(_parameters(one))

    def _holds(self, node: ast.AST) -> bool:
        """May the value of an expression hold all of it?"""
        if id(node) not in self._known:
            self._known[id(node)] = self._holds_now(node)
        return self._known[id(node)]

    def _holds_now(self, node: ast.AST) -> bool:
        if isinstance(node, ast.Name):
            return node.id in self._found or id(node) in self._layers
        if isinstance(node, ast.Attribute):
            return node.attr in self._found or not isinstance(node.value, ast.Name) and self._holds(node.value)
        if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant):
            return False  # one value of it
        if isinstance(node, ast.Compare | ast.Lambda):
            return False
        if isinstance(node, ast.Call):
            return self._returns(node)
        return any(self._holds(child) for child in children(node))

    def _returns(self, call: ast.Call) -> bool:
        name = _name(call.func)
        if name in self._found:
            return True
        if name in _NO_HOLDERS or name in self._functions:
            return False
        if isinstance(call.func, ast.Attribute):
            if name in _ONE_VALUE:
                return False
            if not isinstance(call.func.value, ast.Name) or not is_self(call.func.value):
                if self._holds(call.func.value):
                    return True
        return any(self._holds(one) for one in (*call.args, *(keyword.value for keyword in call.keywords)))


def _name(node: ast.expr) -> str:
    return node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""


def _parameters(function: _Function) -> Iterator[str]:
    given = function.args
    for one in (*given.posonlyargs, *given.args, *given.kwonlyargs, given.vararg, given.kwarg):
        if one is not None and one.arg != "self":
            yield one.arg


def _returned(body: Sequence[ast.stmt]) -> dict[int, list[ast.expr]]:
    """What each function returns or yields, by its id; not what a function in it does."""
    found: dict[int, list[ast.expr]] = {}
    stack: list[tuple[ast.AST, int]] = [(statement, 0) for statement in body]
    while stack:
        node, function = stack.pop()
        if isinstance(node, _Function):
            function = id(node)
        elif isinstance(node, ast.Return | ast.Yield) and node.value is not None:
            found.setdefault(function, []).append(node.value)
        stack += [(child, function) for child in children(node)]
    return found
