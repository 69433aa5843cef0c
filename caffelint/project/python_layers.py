"""The classes of a module that `python_param` names, as far as their text tells what Caffe will meet.

What only running the code would tell is unknown, and never guessed.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from caffelint.project import python2
from caffelint.project.python_arrays import Elementwise, elementwise, own_attributes
from caffelint.project.python_counts import allowed_counts
from caffelint.project.python_faults import Code, PythonFault, faults
from caffelint.project.python_flow import Flow
from caffelint.project.python_images import spoilt_by_layer
from caffelint.project.python_names import keys_of_holders, reads_elsewhere, words_of
from caffelint.project.python_nodes import certain, children, in_any_case, inside, is_self, walk, walk_all
from caffelint.project.python_orders import Apart, shuffled_apart
from caffelint.project.python_overwritten import overwritten
from caffelint.project.python_param_str import ParamStr, param_str
from caffelint.project.python_phases import drawn_where_phase_is_set
from caffelint.project.python_pixels import OPENING
from caffelint.project.python_reached import Part, parts_of
from caffelint.project.python_reads import casts, reads_values, writes_diff
from caffelint.project.python_repeats import RepeatedArray, repeated
from caffelint.project.python_shapes import top_shapes
from caffelint.project.python_stops import Failing, failing
from caffelint.project.python_stuck import Stuck, stuck
from caffelint.project.python_switches import Switched, switched
from caffelint.project.python_tops import top_numbers
from caffelint.project.python_views import ChangedView, changed_views
from caffelint.text.near import Compared
from caffelint.text.records import NamedTuple

if TYPE_CHECKING:
    from caffelint.project.dimensions import TopShapes
    from caffelint.project.mentions import Spoilt

EMPTY, RAISES, RUNS = "empty", "raises", "runs"
_BASE = "Layer"
_MOST_BASES = 32
_MOST_WORK = 40_000
"""Nodes of a module, once for each of its classes that layers name, that are looked at; people's have 5,000 at most."""
_WHOLE = frozenset(["int", "long", "int_", *(f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64))])
"""Types of numpy, and of Python."""
_OF_CAFFE = ("setup", "reshape", "forward", "backward")


class Method(NamedTuple):
    """A method and what running it does: `empty`, `raises` or `runs`; `parameters` has `self` in it."""

    line: int
    does: str
    parameters: int
    """How many must be given; -1 where it takes any number."""


class Counts(NamedTuple):
    """How many blobs a class takes, and the line that raises otherwise."""

    allowed: frozenset[int]
    line: int


class PythonModule:
    """A file, parsed. `is_read`: whether it is Python at all; `python2`: whether Python 3 refuses it.

    broken: the line, 1-based, at which every Python stops reading it, and its words, where that is sure.
    """

    def __init__(self, path: str, text: str):
        self.path = path
        self.text = text
        self.file = path.replace("\\", "/").rpartition("/")[2]
        tree, self.python2 = python2.parse(text.replace("\r\n", "\n"))
        self.is_read = tree is not None
        self.broken = None if self.is_read else python2.broken(text.replace("\r\n", "\n"))
        self.body = body = tree.body if tree else []
        self._classes = {node.name: node for node in body if isinstance(node, ast.ClassDef)}
        self._names = set(_bound_names(body))
        self._found: dict[str, PythonClass] = {}
        self.compared = Compared()

    def class_names(self) -> Sequence[str]:
        """Those that are layers, or may be."""
        return [name for name in self._classes if (one := self.find(name)) and one.is_layer is not False]

    def find(self, name: str) -> PythonClass | None:
        """The class of that name; what is found out about it is kept for all layers that name it."""
        if name not in self._found and (node := self._classes.get(name)):
            is_left = (len(self._found) + 1) * len(self.nodes) > _MOST_WORK
            self._found[name] = PythonClass(self, node, is_left)
        return self._found.get(name)

    @cached_property
    def nodes(self) -> Sequence[ast.AST]:
        """All of its code."""
        return walk_all(self.body)

    @cached_property
    def parts(self) -> Sequence[Part]:
        """It, its functions and its classes, with what each may call."""
        return parts_of(ast.Module(self.body, []))

    @cached_property
    def words(self) -> frozenset[str]:
        """All that its code may use as a key."""
        return words_of(self.nodes)

    @cached_property
    def failing(self) -> Failing:
        """What fails in it if it runs."""
        return failing(self.body, self.nodes)

    def lacks(self, name: str) -> bool:
        """Whether importing the module surely leaves nothing of that name in it."""
        return self.is_read and self._names.isdisjoint([name, "*", "globals", "exec", "setattr"])

    def takes_from(self, name: str, files: Iterable[str]) -> bool:
        """May it take that name from one of these beside it, as by `from .pyloss import EuclideanLoss`?"""
        folder = self.path[: -len(self.file)]
        modules = {file[len(folder) :].removesuffix(".py") for file in files if file.startswith(folder)}
        return any(not modules.isdisjoint(self._taken_from.get(one, ())) for one in (name, "*"))

    @cached_property
    def _taken_from(self) -> Mapping[str, set[str]]:
        """The modules beside it from which it imports each name, or all by `*`."""
        found: dict[str, set[str]] = {}
        for node in self.body:
            if isinstance(node, ast.ImportFrom) and node.level < 2 and node.module:
                for one in node.names:
                    if not one.asname:
                        found.setdefault(one.name, set()).add(node.module)
        return found

    def node(self, name: str) -> ast.ClassDef | None:
        return self._classes.get(name)


class PythonClass:
    """A class that a layer names. Methods are its own and those of its bases in the same file.

    is_left: is it one of so many of a long module that nothing is found out about it?
    """

    def __init__(self, module: PythonModule, node: ast.ClassDef, is_left: bool = False):
        self.module = module
        self.name = node.name
        self.line = node.lineno
        self._nodes = [node]
        self.is_layer: bool | None = True
        self._counts: dict[str, Sequence[Counts]] = {}
        if is_left:
            self._nodes, self.is_layer = [], None
        else:
            self._climb(node)

    def _climb(self, node: ast.ClassDef) -> None:
        """Collect the bases; `is_layer` becomes None where one is of another file, False where none is Caffe's."""
        found = False
        waiting = list(node.bases)
        for base in waiting:
            if len(waiting) > _MOST_BASES:
                self.is_layer = None
                return
            name = base.id if isinstance(base, ast.Name) else base.attr if isinstance(base, ast.Attribute) else ""
            other = self.module.node(name) if isinstance(base, ast.Name) else None
            if other is not None and other not in self._nodes:
                self._nodes.append(other)
                waiting += other.bases
            elif name == _BASE:
                found = True
            elif name != "object":
                self.is_layer = None
        if not found and self.is_layer:
            self.is_layer = False

    @cached_property
    def methods(self) -> Mapping[str, Method]:
        return {name: _method(function) for name, function in self._functions.items()}

    @property
    def lacks_methods(self) -> bool:
        """Whether a method that is not in `methods` is surely not there."""
        return self.is_layer is True and not any(node.decorator_list or node.keywords for node in self._nodes)

    @cached_property
    def _functions(self) -> Mapping[str, ast.FunctionDef]:
        found: dict[str, ast.FunctionDef] = {}
        for node in self._nodes:
            for item in node.body:
                if isinstance(item, ast.FunctionDef):
                    found.setdefault(item.name, item)
        return found

    def counts(self, blobs: str) -> Sequence[Counts]:
        """What `setup` and `reshape` check before anything else may end them; blobs: `bottom` or `top`."""
        if blobs not in self._counts:
            found: list[Counts] = []
            for name in ("setup", "reshape"):
                function = self._functions.get(name)
                argument = _argument(function, blobs)
                if function and argument:
                    found += (Counts(*one) for one in allowed_counts(certain(function.body), argument))
            self._counts[blobs] = found
        return self._counts[blobs]

    @cached_property
    def param_str(self) -> ParamStr | None:
        """How `setup` reads it, if it surely does; None if it may not, or does more than that."""
        function = self._functions.get("setup")
        return param_str(list(certain(function.body))) if function else None

    @cached_property
    def _code(self) -> Sequence[ast.AST]:
        """All of its methods."""
        return walk_all(self._functions.values())

    @cached_property
    def possible_keys(self) -> frozenset[str] | None:
        """The words that may be keys of `param_str` which its code reads; None if other code may read more of them."""
        if self.is_layer is not True or reads_elsewhere(self.module.words, self._flow):
            return None
        return self.module.words

    @cached_property
    def _flow(self) -> Flow:
        return Flow(self.module.nodes, self._code, self.module.body)

    @cached_property
    def keys_read(self) -> frozenset[str]:
        """The keys that it takes from `param_str`, or what it hands that to in its module does; not other layers."""
        others = (one for one in self.module.body if not (isinstance(one, ast.ClassDef) and _is_layer(one)))
        return keys_of_holders([*self._code, *walk_all(others)], self._flow)

    @cached_property
    def reads_phase(self) -> bool:
        """Whether any of its code may ask for `self.phase`."""
        return self.is_layer is not True or any(
            isinstance(node, ast.Attribute)
            and node.attr == "phase"
            or isinstance(node, ast.Name)
            and node.id == "getattr"
            for node in self._code
        )

    @cached_property
    def is_driven(self) -> bool:
        """Whether other code may tell an object what to do: it is handed on, or has methods that nothing here calls."""
        handed = (one for node in self._code if isinstance(node, ast.Call) and not _is_super(node) for one in node.args)
        if any(is_self(one) for one in handed):
            return True
        called = {node.attr for node in self._code if isinstance(node, ast.Attribute)}
        return any(name not in called for name in self._functions if name not in _OF_CAFFE and name[:2] != "__")

    @cached_property
    def top_shapes(self) -> TopShapes:
        """The dimensions of the tops that `setup` or `reshape` shapes in any case, by their numbers."""
        if not self.lacks_methods:
            return {}
        runs = []
        for name in ("setup", "reshape"):
            function = self._functions.get(name)
            bottom, top = _argument(function, "bottom"), _argument(function, "top")
            if function is not None and not (bottom and top):
                return {}
            if function is not None:
                runs.append((list(certain(function.body)), bottom, top))
        return top_shapes(runs, [(one, _argument(one, "top")) for one in self._functions.values()])

    @cached_property
    def top_numbers(self) -> frozenset[int] | None:
        """The numbers of the tops that any of its methods can reach; None if there may be others."""
        given = [(one, _argument(one, "top")) for name in _OF_CAFFE if (one := self._functions.get(name))]
        if not self.lacks_methods or not all(top for _, top in given):
            return None
        found = top_numbers(given, self._code)
        return None if found is None else frozenset(found)

    def shapes_by(self, name: str) -> bool:
        """Whether something is reshaped to a size of that name, as by `top[1].reshape(1, self.num_classes)`."""
        calls = (node for node in self._code if isinstance(node, ast.Call) and _is_reshape(node))
        return any(_name_of(size) == name for call in calls for size in call.args)

    @cached_property
    def faults(self) -> Sequence[PythonFault]:
        """What fails whenever Caffe calls one of its methods."""
        if not self.lacks_methods:
            return ()
        called = [self._functions[name] for name in _OF_CAFFE if name in self.methods]
        codes = [Code(one, [*certain(one.body)], _argument(one, "bottom"), _argument(one, "top")) for one in called]
        return [*faults(codes, self._nodes, self.module.nodes, self.module.body, self.module.compared)]

    @cached_property
    def shuffled_apart(self) -> Sequence[Apart]:
        """Arrays that it shuffles each on its own, although it reads them with one index."""
        return shuffled_apart(self._functions.values())

    @cached_property
    def changed_views(self) -> Sequence[ChangedView]:
        """Arrays that it keeps and changes at each call."""
        return [*changed_views(self._functions.values())] if self.is_layer is not False else []

    @cached_property
    def stuck(self) -> Sequence[Stuck]:
        """Indexes that are held against the end of a list and never moved, where it may read that."""
        return stuck(self.module.nodes, self.module.parts, self.name) if self.is_layer is not None else ()

    @cached_property
    def spoilt(self) -> Sequence[Spoilt]:
        """What its methods make wrong of the images that they open."""
        if not self.lacks_methods or OPENING.isdisjoint(self.module.words):
            return ()
        module = self.module
        return spoilt_by_layer([*self._functions.values()], module.body, module.nodes, module.python2)

    @cached_property
    def repeated_arrays(self) -> Sequence[RepeatedArray]:
        """Arrays that it puts into a list again and again."""
        return [*repeated(self._functions.values())] if self.is_layer is not False else []

    @cached_property
    def whole_numbers(self) -> Sequence[int]:
        """The lines at which its code makes whole numbers of values, as by `astype(np.uint8)`."""
        return sorted({node.lineno for node in self._code if isinstance(node, ast.Call) and casts(node, _WHOLE)})

    @cached_property
    def draws(self) -> bool:
        """Does its `forward` draw random numbers, as by `np.random.randn`?"""
        forward = self._functions.get("forward")
        code = walk(forward) if forward is not None else ()
        return any(isinstance(node, ast.Attribute) and node.attr == "random" for node in code)

    @cached_property
    def drawn_at(self) -> int:
        """The line at which `forward`, or a method that it calls, draws random numbers in any case; 0 for none."""
        depending = inside(self._run_by("forward"), lambda node: [node] if isinstance(node, ast.If) else [])
        if any(isinstance(node, ast.Return) for node in depending):
            return 0
        drawn = (
            node.lineno
            for node in self._run_by("forward", in_any_case)
            if isinstance(node, ast.Attribute) and node.attr == "random" and isinstance(node.value, ast.Name)
        )
        return next(drawn, 0)

    @cached_property
    def drawn_in_test(self) -> int:
        """The line of `if self.phase:`, which is 0 in TRAIN, below which `forward` draws random numbers; 0 for none."""
        return drawn_where_phase_is_set(self._run_by("forward"), self._code)

    @cached_property
    def reads_values(self) -> bool:
        """May `forward`, or a method that it calls, use the data of a bottom for more than their shape?"""
        return reads_values([*self._run_by("forward")], _argument(self._functions.get("forward"), "bottom"))

    def _run_by(self, name: str, nodes: Callable[[ast.AST], Iterable[ast.AST]] = walk) -> Iterator[ast.AST]:
        """The code of a method, and of the methods of its own that it calls. nodes: what of each counts."""
        names = [name] if name in self._functions else []
        for one in names:
            for node in nodes(self._functions[one]):
                yield node
                called = node.func if isinstance(node, ast.Call) else None
                if isinstance(called, ast.Attribute) and is_self(called.value) and called.attr not in names:
                    names += [called.attr] if called.attr in self._functions else []

    def switched_on(self, key: str) -> Switched | None:
        """What `forward`, or a method that it calls, changes only where a value of the param_str is set."""
        setup = self._functions.get("setup")
        return switched(walk(setup) if setup is not None else (), self._run_by("forward"), key)

    @cached_property
    def set_back(self) -> tuple[str, int] | None:
        """What `forward` changes and `reshape`, which Caffe calls before it, sets to a constant, with the line."""
        reshape = self._functions.get("reshape")
        if reshape is None:
            return None
        changed = {name for node in self._run_by("forward") for name, _ in own_attributes(node)}
        said = (one for node in walk(reshape) for one in own_attributes(node) if isinstance(one[1], ast.Constant))
        return next(((name, value.lineno) for name, value in said if name in changed), None)

    @cached_property
    def elementwise(self) -> Sequence[Elementwise]:
        """Where `forward` computes with the data of two bottoms as they are, value by value."""
        function = self._functions.get("forward")
        bottom = _argument(function, "bottom")
        return [*elementwise([*certain(function.body)], bottom)] if function is not None and bottom else []

    @cached_property
    def overwritten(self) -> Mapping[int, int]:
        """The bottoms that `backward` computes with, each with the line, where `forward` writes the same top."""
        forward, backward = self._functions.get("forward"), self._functions.get("backward")
        blobs, bottoms = (_argument(forward, "bottom"), _argument(forward, "top")), _argument(backward, "bottom")
        if forward is None or backward is None or not (all(blobs) and bottoms):
            return {}
        return overwritten(walk(forward), blobs, walk(backward), bottoms)

    @cached_property
    def makes_gradient(self) -> bool:
        """Whether `backward` writes to the diff of a bottom."""
        function = self._functions.get("backward")
        argument = _argument(function, "bottom")
        return function is not None and bool(argument) and writes_diff(walk(function), argument)

    @cached_property
    def reads_top_diff(self) -> bool | None:
        """Whether `backward` reads its tops, where Caffe puts the loss weight into the diff; None if unclear."""
        function = self._functions.get("backward")
        argument = _argument(function, "top")
        if function is None or not argument:
            return None
        uses = [node for node in walk(function) if isinstance(node, ast.Name) and node.id == argument]
        if not uses:
            return None if _calls_own(function) else False
        return True


def _is_super(call: ast.Call) -> bool:
    return isinstance(call.func, ast.Name) and call.func.id == "super"


def _is_reshape(call: ast.Call) -> bool:
    return isinstance(call.func, ast.Attribute) and call.func.attr == "reshape"


def _name_of(node: ast.expr) -> str:
    """`num_classes` of `num_classes`, `self.num_classes` and `params["num_classes"]`, without underscores before it."""
    name = node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant):
        name = str(node.slice.value)
    return name.lstrip("_")


def _bound_names(body: Iterable[ast.stmt]) -> Iterator[str]:
    """What the statements of a module may bind; `*` may be anything. Functions and classes are not looked into."""
    waiting: list[ast.AST] = list(body)
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Import | ast.ImportFrom):
            yield from (alias.asname or alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.FunctionDef | ast.ClassDef):
            yield node.name
        elif isinstance(node, ast.Name):
            yield node.id
        else:
            waiting += children(node)


def _is_layer(node: ast.ClassDef) -> bool:
    return any(isinstance(one, ast.FunctionDef) and one.name in _OF_CAFFE for one in node.body)


def _method(function: ast.FunctionDef) -> Method:
    wanted = function.args
    parameters = len(wanted.posonlyargs + wanted.args) - len(wanted.defaults)
    if wanted.vararg:
        parameters = -1
    statements = [node for node in function.body if not _is_nothing(node)]
    does = RUNS
    if not statements:
        does = EMPTY
    elif isinstance(statements[0], ast.Raise):
        does = RAISES
    return Method(function.lineno, does, parameters)


def _is_nothing(node: ast.stmt) -> bool:
    """`pass`, a docstring, `return`, or what only prints."""
    if isinstance(node, ast.Expr):
        call = node.value
        return isinstance(call, ast.Constant) or (
            isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id == "print"
        )
    if isinstance(node, ast.Assign):  # print of Python 2
        return isinstance(node.targets[0], ast.Name) and node.targets[0].id == "_"
    return isinstance(node, ast.Pass) or (isinstance(node, ast.Return) and node.value is None)


def _argument(function: ast.FunctionDef | None, blobs: str) -> str:
    """What a method calls its bottoms or tops; `backward(self, top, propagate_down, bottom)` has them turned round."""
    if function is None or function.args.vararg:
        return ""
    names = [argument.arg for argument in function.args.args]
    if function.name == "backward":
        return names[{"top": 1, "bottom": 3}[blobs]] if len(names) == 4 else ""
    return names[{"bottom": 1, "top": 2}[blobs]] if len(names) == 3 else ""


def _calls_own(function: ast.FunctionDef) -> bool:
    """Whether it calls a method of its own, which may read what it does not."""
    return any(
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and isinstance(node.func.value, ast.Name)
        and node.func.value.id == "self"
        for node in walk(function)
    )
