"""What Python code puts into the blobs of a net, followed statement by statement from where it opens images."""

from __future__ import annotations

import ast
import builtins
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence

from caffelint.project import python_pixels as pixels
from caffelint.project.mentions import ZERO, Spoilt
from caffelint.project.python_nodes import FUNCTIONS, dotted, exits, own_nodes, short
from caffelint.project.python_pixel_calls import SAME, by_function, by_method
from caffelint.project.python_pixels import BLANK, DRAWN, DRAWN_WHOLE, MEAN, Numbers, Parts, Pixels, Value
from caffelint.text.records import NamedTuple

_MOST_WORK = 60_000
"""Expressions that are evaluated, and names that are copied for branches."""
_DEEPEST = 40
"""Expressions or blocks within each other."""
_MOST_CALLS = 5
"""Functions within each other."""
_NOTHING = 0.01
"""A whole pixel times less than this is 0, 1 or 2."""
_LARGEST = 1e12
"""Of the numbers that are understood."""
_READ = frozenset(
    (
        *("rectangle", "putText", "line", "circle", "ellipse", "imshow", "imwrite", "imsave", "print"),
        *("show", "save", "mean", "std", "max", "min", "sum", "figure_image"),
    )
)
"""What only looks at an image, or draws on it."""
_CALL_OTHERS = frozenset(["map", "filter", "exec", "eval", "setattr"])
"""Functions of Python itself that may change an array that they are given; no other does."""
_TAKE = frozenset(["preprocess", "predict"])
"""Of pycaffe: io.py, Transformer.preprocess; classifier.py."""
_SIZES = frozenset(["shape", "size", "ndim", "dtype"])
_OF_LAYER = ("__init__", "setup", "reshape", "forward")
"""The methods that Caffe calls of a layer, in this order: python_layer.hpp."""
_NOT_BLOBS = frozenset(["start", "end", "blobs"])
_RUNS = frozenset(["forward", "forward_all"])


class Put(NamedTuple):
    """Where the data of a blob are set, and to what. of: the net, as it is written; blob: its name, or empty."""

    line: int
    of: str
    blob: str
    value: Value


Target = Callable[[ast.expr], tuple[str, str] | None]
"""Of which net, or by which name, and which blob the data are that an expression is, if it is one."""


class _TooLongError(Exception):
    """So much code is not followed."""


def put_by_script(
    tree: ast.Module, nodes: Sequence[ast.AST], is_python2: bool, target: Target
) -> tuple[list[Put], list[Put]]:
    """What a script puts into blobs, in the order in which it does, and what it hands to pycaffe otherwise, by the name
    of the function; nothing if it is too long to be followed.
    """
    reader = _Reader(tree.body, nodes, is_python2, target)
    called = {_last(node.func) for node in nodes if isinstance(node, ast.Call)}
    try:
        reader.run(tree.body, reader.module)
        for function in sorted(reader.defined, key=lambda one: one.name in called):
            if id(function) not in reader.seen:
                reader.call(function, {})
    except _TooLongError:
        return [], []
    return reader.puts, reader.handed


def spoilt_by_layer(
    methods: Sequence[ast.FunctionDef], body: Sequence[ast.stmt], nodes: Sequence[ast.AST], is_python2: bool
) -> Sequence[Spoilt]:
    """What the methods of a Python layer, and what they call, make wrong of the images that they open.

    body: the statements of its module; nodes: all of it.
    """
    reader = _Reader(body, nodes, is_python2, lambda node: None)
    try:
        for name in _OF_LAYER:
            for method in methods:
                if method.name == name:
                    reader.call(method, {})
    except _TooLongError:
        return ()
    return sorted(reader.spoilt)


class _Reader:
    def __init__(self, body: Sequence[ast.stmt], nodes: Sequence[ast.AST], is_python2: bool, target: Target):
        # What is in a function knows names of that.
        outer = own_nodes(ast.Module([*body], []))
        self.defined = [node for node in outer if isinstance(node, ast.FunctionDef)]
        times = Counter(node.name for node in nodes if isinstance(node, ast.FunctionDef))
        self.functions = {one.name: one for one in self.defined if times[one.name] == 1}
        futures = [one.name for node in nodes if isinstance(node, ast.ImportFrom) for one in node.names]
        self.is_python2 = is_python2 and "division" not in futures
        self.films = any(isinstance(node, ast.Attribute) and node.attr == "VideoCapture" for node in nodes)
        self.skimage = {
            one.asname or one.name
            for node in nodes
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("skimage")
            for one in node.names
        }
        self.target = target
        self.module: dict[str, Value] = {}
        self.attributes: dict[str, Value] = {}
        """What `self.x` is set to, in any method."""
        self.puts: list[Put] = []
        self.handed: list[Put] = []
        """What pycaffe is given to transform, or to write into a data base."""
        self.spoilt: set[Spoilt] = set()
        self.seen: set[int] = set()
        self._inside: list[ast.FunctionDef] = []
        self._returned: list[list[Value]] = []
        self._work, self._depth = 0, 0

    def _pay(self, work: int = 1) -> None:
        self._work += work
        if self._work > _MOST_WORK:
            raise _TooLongError

    # Statements

    def run(self, body: Sequence[ast.stmt], env: dict[str, Value]) -> bool:
        """Whether what follows the body may run after it."""
        self._depth += 1
        if self._depth > _DEEPEST:
            raise _TooLongError
        try:
            for node in body:
                if not self._statement(node, env) or isinstance(node, ast.Break | ast.Continue) or exits(node):
                    return False
        finally:
            self._depth -= 1
        return True

    def _statement(self, node: ast.stmt, env: dict[str, Value]) -> bool:
        self._pay()
        if isinstance(node, ast.Assign):
            self._assign(node, env)
        elif isinstance(node, ast.AnnAssign):
            self._store(node.target, self.value(node.value, env) if node.value else None, env)
        elif isinstance(node, ast.AugAssign):
            self._change(node, env)
        elif isinstance(node, ast.Expr):
            self._expression(node.value, env)
        elif isinstance(node, ast.Return):
            value = self.value(node.value, env) if node.value is not None else None
            if self._returned:
                self._returned[-1].append(value)
        elif isinstance(node, ast.If):
            return self._branches([node.body, node.orelse], env)
        elif isinstance(node, ast.For):
            of = self.value(node.iter, env)
            self._store(node.target, pixels.item(of), env)
            self.run(node.body, env)
            self.run(node.orelse, env)
        elif isinstance(node, ast.While):
            self.run(node.body, env)
        elif isinstance(node, ast.With):
            for one in node.items:
                if one.optional_vars is not None:
                    self._store(one.optional_vars, self.value(one.context_expr, env), env)
            return self.run(node.body, env)
        elif isinstance(node, ast.Try):
            return self._branches([[*node.body, *node.orelse], *(one.body for one in node.handlers)], env)
        return True

    def _branches(self, bodies: Sequence[Sequence[ast.stmt]], env: dict[str, Value]) -> bool:
        ends: list[dict[str, Value]] = []
        for body in bodies:
            self._pay(len(env))
            end = dict(env)
            if self.run(body, end):
                ends.append(end)
        if not ends:
            return False
        names = set().union(*ends)
        self._pay(len(names))
        env.update({name: _either([end.get(name) for end in ends], name, ends) for name in names})
        return True

    def _assign(self, node: ast.Assign, env: dict[str, Value]) -> None:
        target = node.targets[0]
        if self.films and isinstance(target, ast.Tuple) and _is_read(node.value) and len(target.elts) == 2:
            self._store(target.elts[1], pixels.frame(), env)
            return
        if (
            isinstance(target, ast.Tuple)
            and isinstance(node.value, ast.Tuple)
            and len(target.elts) == len(node.value.elts)
        ):
            for one, value in zip(target.elts, [self.value(each, env) for each in node.value.elts], strict=True):
                self._store(one, value, env)
            return
        value = self.value(node.value, env)
        for one in node.targets:
            self._store(one, value, env)

    def _store(self, target: ast.expr, value: Value, env: dict[str, Value]) -> None:
        if blob := self.target(target):
            self.puts.append(Put(target.lineno, *blob, value))
        elif isinstance(target, ast.Tuple | ast.List):
            parts = value.values if isinstance(value, Parts) and len(value.values) == len(target.elts) else ()
            for number, one in enumerate(target.elts):
                self._store(one, parts[number] if parts else None, env)
        elif isinstance(target, ast.Subscript):
            name = dotted(target.value)
            known = env.get(name)
            if name and (isinstance(known, Pixels) or known == BLANK):
                env[name] = _filled(known, target.slice, value)
        elif name := dotted(target):
            env[name] = value
            if name.startswith("self."):
                known = self.attributes.get(name, value)
                self.attributes[name] = pixels.joined(known, value)

    def _change(self, node: ast.AugAssign, env: dict[str, Value]) -> None:
        """x -= 120"""
        if blob := self.target(node.target):
            self.puts.append(Put(node.lineno, *blob, None))
            return
        part = isinstance(node.target, ast.Subscript)
        name = dotted(node.target.value if isinstance(node.target, ast.Subscript) else node.target)
        by, known = self.value(node.value, env), self._named(name, env)
        if name and (name in env or isinstance(known, Pixels)):
            found = self._calculated(node.op, known, by, node, in_place=True)
            env[name] = found if not part or known != BLANK else None
            self.spoilt.update(found.spoilt if isinstance(found, Pixels) else ())

    def _expression(self, node: ast.expr, env: dict[str, Value]) -> None:
        """A statement that is nothing but a call."""
        of = node.func.value if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) else None
        name = dotted(of) if of is not None else ""
        if isinstance(node, ast.Call) and len(node.args) == 1 and _last(node.func) in ("append", "extend") and name:
            value = self.value(node.args[0], env)
            value = pixels.with_axis(value, 0) if _last(node.func) == "append" else value
            if name in env:
                env[name] = pixels.joined(env[name], value) if value != BLANK else env[name]
        else:
            self.value(node, env)

    # Expressions

    def value(self, node: ast.expr, env: dict[str, Value]) -> Value:
        self._pay()
        self._depth += 1
        try:
            found = self._value(node, env) if self._depth <= _DEEPEST else None
        finally:
            self._depth -= 1
        if isinstance(found, Pixels):
            self.spoilt.update(found.spoilt)
        return found

    def _value(self, node: ast.expr, env: dict[str, Value]) -> Value:
        if isinstance(node, ast.Constant):
            number = node.value
            if isinstance(number, bool) or not isinstance(number, int | float):
                return None
            return Numbers((number,)) if -_LARGEST < number < _LARGEST else None
        if isinstance(node, ast.Name | ast.Attribute):
            found = self._named(dotted(node), env)
            if found is None and isinstance(node, ast.Attribute) and node.attr == "T":
                of = self.value(node.value, env)
                return pixels.permuted(of, ()) if isinstance(of, Pixels) else of
            return found
        if isinstance(node, ast.UnaryOp):
            of = self.value(node.operand, env)
            is_minus = isinstance(node.op, ast.USub) and isinstance(of, Numbers)
            return Numbers(tuple(-one for one in of.values)) if is_minus and isinstance(of, Numbers) else None
        if isinstance(node, ast.BinOp):
            left, right = self.value(node.left, env), self.value(node.right, env)
            if isinstance(node.left, ast.List) or isinstance(node.right, ast.List):  # [im] * 3
                return None if isinstance(left, Pixels) or isinstance(right, Pixels) else left
            return self._calculated(node.op, left, right, node)
        if isinstance(node, ast.Subscript):
            of = self.value(node.value, env)
            if isinstance(of, Pixels):
                return pixels.sliced(of, node.slice)
            key = node.slice.value if isinstance(node.slice, ast.Constant) else ""
            if isinstance(of, Numbers) and isinstance(node.slice, ast.Tuple | ast.Slice):
                return of  # with more axes
            return MEAN if of == MEAN or isinstance(key, str) and pixels.is_mean(key) else None
        if isinstance(node, ast.List | ast.Tuple):
            values = [self.value(one, env) for one in node.elts]
            is_tuple = isinstance(node, ast.Tuple) and not all(isinstance(one, Numbers) for one in values)
            return Parts(tuple(values)) if is_tuple else pixels.several(values)
        if isinstance(node, ast.ListComp):
            inner = dict(env)
            self._pay(len(env))
            for one in node.generators:
                self._store(one.target, pixels.item(self.value(one.iter, inner)), inner)
            return pixels.several([self.value(node.elt, inner)])
        if isinstance(node, ast.IfExp):
            return pixels.joined(self.value(node.body, env), self.value(node.orelse, env))
        return self._called(node, env) if isinstance(node, ast.Call) else None

    def _named(self, name: str, env: Mapping[str, Value]) -> Value:
        found = env[name] if name in env else self.attributes.get(name, self.module.get(name))
        return MEAN if found is None and pixels.is_mean(name.rpartition(".")[2]) else found

    def _calculated(self, op: ast.operator, left: Value, right: Value, node: ast.AST, in_place: bool = False) -> Value:
        line = getattr(node, "lineno", 0)
        if isinstance(left, Numbers) and isinstance(right, Numbers):
            return self._number(op, left, right)
        if not isinstance(left, Pixels):
            if isinstance(right, Pixels):
                swapped = isinstance(op, ast.Mult) and isinstance(left, Numbers)
                return pixels.times(right, left, line, short(node), in_place) if swapped else None
            return MEAN if MEAN in (left, right) else None
        if isinstance(op, ast.Sub):
            return pixels.less(left, right, line, short(node), in_place)
        if isinstance(op, ast.Add):
            if right in (DRAWN, DRAWN_WHOLE):
                return pixels.less(left, right, line, short(node), in_place)
            if isinstance(right, Numbers):
                negative = Numbers(tuple(-one for one in right.values))
                return pixels.less(left, negative, line, short(node), in_place)
        if isinstance(op, ast.Mult):
            return pixels.times(left, right, line, short(node), in_place)
        if isinstance(op, ast.Div):
            found = pixels.times(left, right, line, short(node), in_place, is_division=True)
            ints = isinstance(right, Numbers) and all(isinstance(one, int) for one in right.values)
            if self.is_python2 and left.is_whole and ints and isinstance(found, Pixels):
                is_zero = found.factor * found.opened < _NOTHING and found.order and found.axes  # a mask of 255 is 1
                spoilt = (Spoilt(line, ZERO, short(node)),) if is_zero else ()
                return found._replace(is_whole=True, spoilt=(*left.spoilt, *spoilt))
            return found
        return None

    def _number(self, op: ast.operator, left: Numbers, right: Numbers) -> Value:
        if len(right.values) != 1:
            left, right = right, left
            if len(right.values) != 1 or not isinstance(op, ast.Mult):
                return None
        by = right.values[0]
        try:
            if isinstance(op, ast.Div):
                found = [one / by for one in left.values]
                if self.is_python2 and isinstance(by, int):
                    found = [one // by if isinstance(one, int) else one / by for one in left.values]
            elif isinstance(op, ast.Mult):
                found = [one * by for one in left.values]
            else:
                return None
        except (ZeroDivisionError, OverflowError):
            return None
        return Numbers(tuple(found)) if max(map(abs, found)) < _LARGEST else None

    # Calls

    def _called(self, node: ast.Call, env: dict[str, Value]) -> Value:
        image = pixels.opened(node) if _last(node.func) not in self.functions else None
        if image is not None:
            return image
        of = self.value(node.func.value, env) if isinstance(node.func, ast.Attribute) else None
        values = [self.value(one, env) for one in node.args]
        words = {word.arg: self.value(word.value, env) for word in node.keywords}
        name = _last(node.func)
        if name in _RUNS:
            self._run_with(node, words)
        if name in _TAKE and values:
            self.handed.append(Put(node.lineno, "", name, values[-1 if name == "preprocess" else 0]))
        written = [word.value for word in node.keywords if word.arg in ("out", "dst")]
        if isinstance(of, Pixels):
            found = by_method(node, name, of)
        elif isinstance(of, Numbers) or of in (MEAN, BLANK):
            found = of if name in SAME else None
        elif function := self._own(node.func):
            found = self._inline(function, node, values, words)
        else:
            found = by_function(node, name, values, self.skimage)
        is_python = isinstance(node.func, ast.Name) and hasattr(builtins, name) and name not in _CALL_OTHERS
        is_known = found is not None or isinstance(of, Pixels) or is_python or name in (*_READ, *_RUNS, *_TAKE)
        if written or not is_known:
            self._spoil(node, env)
        return None if written else found

    def _own(self, func: ast.expr) -> ast.FunctionDef | None:
        """A function of the script, or a method that only one of its classes has."""
        if isinstance(func, ast.Name):
            return self.functions.get(func.id)
        found = self.functions.get(func.attr) if isinstance(func, ast.Attribute) else None
        args = found.args.args if found is not None else []
        return found if args and args[0].arg in ("self", "cls") else None

    def _inline(
        self, function: ast.FunctionDef, node: ast.Call, values: Sequence[Value], words: Mapping[str | None, Value]
    ) -> Value:
        names = [one.arg for one in function.args.args]
        if isinstance(node.func, ast.Attribute):
            names = names[1:]
        if function in self._inside or len(self._inside) >= _MOST_CALLS or None in words or function.args.vararg:
            return None
        if any(isinstance(one, ast.Starred) for one in node.args):
            return None
        return self.call(function, {**dict(zip(names, values, strict=False)), **{str(k): v for k, v in words.items()}})

    def call(self, function: ast.FunctionDef, given: Mapping[str, Value]) -> Value:
        self.seen.add(id(function))
        args = function.args
        names = [one.arg for one in (*args.posonlyargs, *args.args, *args.kwonlyargs)]
        env: dict[str, Value] = dict.fromkeys(names)
        defaults = zip(reversed(args.args), reversed(args.defaults), strict=False)
        env.update((one.arg, self.value(value, {})) for one, value in defaults if one.arg not in given)
        env.update((name, value) for name, value in given.items() if name in env)
        self._inside.append(function)
        self._returned.append([])
        self.run(function.body, env)
        self._inside.pop()
        found = self._returned.pop()
        return pixels.all_values(found) if found else None

    def _run_with(self, node: ast.Call, words: Mapping[str | None, Value]) -> None:
        """net.forward(data=x)"""
        of = dotted(node.func).rpartition(".")[0]
        for name, value in words.items():
            if name not in _NOT_BLOBS:
                self.puts.append(Put(node.lineno, of, name or "", value))

    def _spoil(self, node: ast.Call, env: dict[str, Value]) -> None:
        """What is known of images ends where a call may change them."""
        for one in _given(node):
            self._pay()
            name = dotted(one)
            if name and isinstance(self._named(name, env), Pixels):
                env[name] = None


def _given(call: ast.Call) -> Iterator[ast.AST]:
    """What a call is given, but sizes."""
    left: list[ast.AST] = [*call.args, *(word.value for word in call.keywords)]
    while left:
        node = left.pop()
        yield node
        if not (isinstance(node, ast.Attribute) and node.attr in _SIZES) and not isinstance(node, FUNCTIONS):
            left += ast.iter_child_nodes(node)


def _filled(known: Value, index: ast.expr, value: Value) -> Value:
    """An array of which a part is set."""
    if isinstance(value, Numbers):
        return known  # a border, or a mask
    if not isinstance(value, Pixels):
        return None
    parts = index.elts if isinstance(index, ast.Tuple) else [index]
    rest = all(isinstance(one, ast.Slice) or isinstance(one, ast.Constant) and one.value is ... for one in parts[1:])
    if isinstance(parts[0], ast.Slice) or isinstance(parts[0], ast.Constant) and parts[0].value is ...:
        is_all = rest and all(_is_all(one) for one in parts)
        found = value if is_all else value.unordered
    else:
        found = value._replace(axes=f"N{value.axes}" if value.axes else "") if rest else value.unordered
    # Its type is that with which the array was made.
    return found._replace(is_whole=None) if known == BLANK else pixels.joined(known, found)


def _is_all(part: ast.expr) -> bool:
    return not isinstance(part, ast.Slice) or part.lower is None and part.upper is None and part.step is None


def _either(values: Sequence[Value], name: str, ends: Sequence[Mapping[str, Value]]) -> Value:
    """What a name is after branches, of which those that do not set it have ended in an error, if it is read."""
    there = [value for value, end in zip(values, ends, strict=True) if name in end]
    return pixels.all_values(there)


def _is_read(node: ast.expr) -> bool:
    """capture.read()"""
    is_call = isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "read"
    return is_call and isinstance(node, ast.Call) and not node.args


def _last(node: ast.AST) -> str:
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""
