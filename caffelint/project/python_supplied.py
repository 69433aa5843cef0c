"""What Python scripts give the nets that they build: images by a Classifier, arrays by forward, values of a blob."""

from __future__ import annotations

import ast
from bisect import bisect_right
from collections import ChainMap
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import islice
from operator import itemgetter

from caffelint.project.mentions import Supplied
from caffelint.project.python_blobs import Paths, times_set
from caffelint.project.python_nodes import FUNCTIONS, dotted, in_any_case, own_nodes, script_nodes
from caffelint.text.records import NamedTuple

_BY_HAND = "blobs"
_CLASSIFIERS = frozenset(["Classifier", "Detector"])
"""They give images to what is the first input of their net: classifier.py, detector.py."""
_NETS = ("Net", *_CLASSIFIERS)
_FORWARD: Mapping[str, frozenset[str]] = {
    "forward": frozenset(["blobs", "start", "end"]),
    "forward_all": frozenset(["blobs"]),
}
"""What runs a net, with the arguments that are no blobs: pycaffe.py, _Net_forward and _Net_forward_all."""
_PHASES: Mapping[object, str] = {"TEST": "TEST", "TRAIN": "TRAIN", 0: "TRAIN", 1: "TEST"}
_MOST = 200
"""Of a script, that are held against a net."""
_UNKNOWN = ast.Name("", ast.Load())
"""What a name is that several statements set."""


class Built(NamedTuple):
    """A net that a script builds: of which file, and in which phase; empty where that is not told."""

    path: str
    phase: str


@lru_cache(maxsize=2000)
def supplied(text: str) -> tuple[Supplied, ...]:
    """What a script gives, in any case, nets that it builds of a file whose name it gives."""
    scopes, attributes = scopes_of(text)
    found = (one for scope in scopes for one in _supplied(scope, attributes))
    return tuple(islice(found, _MOST))


@lru_cache(maxsize=100)
def scopes_of(text: str) -> tuple[Sequence[Scope], Mapping[str, Built]]:
    """The module and its functions, if it builds nets, and the nets that are attributes of objects.

    A name counts in the function in which one statement alone sets it, and that of a module in all that set no other.
    """
    nodes = script_nodes(text) if any(f"{name}(" in text for name in _NETS) else ()
    if not nodes:
        return (), {}
    makers = _makers(nodes)
    shared = {name for node in nodes if isinstance(node, ast.Global) for name in node.names}
    everywhere = times_set(nodes)
    module = Scope(nodes[0], shared, makers, None)
    functions = [node for node in module.nodes if isinstance(node, ast.FunctionDef)]
    scopes = [module, *(Scope(node, shared, makers, module) for node in functions)]
    # Attributes of objects, as those of self, are known in all methods where one of these alone sets them.
    attributes = {
        key: net for scope in scopes for key, net in scope.nets.items() if "." in key and everywhere[key] == 1
    }
    return scopes, attributes


class Scope:
    """A module without its functions, or a function without those in it."""

    def __init__(
        self,
        tree: ast.AST,
        shared: set[str],
        makers: Mapping[str, str],
        module: Scope | None,
    ) -> None:
        self.nodes = list(in_any_case(tree, FUNCTIONS))
        inside = own_nodes(tree)
        sets = times_set(inside)
        assigned = {
            key: node.value
            for node in inside
            if isinstance(node, ast.Assign) and len(node.targets) == 1
            if (key := dotted(node.targets[0]))
        }
        is_known = {key: sets[key] == 1 and key in assigned and key not in shared for key in sets}
        own: dict[str, ast.expr] = {key: assigned[key] if known else _UNKNOWN for key, known in is_known.items()}
        self.values: ChainMap[str, ast.expr] = ChainMap(own, *(module.values.maps if module else ()))
        self.paths = Paths(self.values)
        self.sets = frozenset(own)
        self.makers = makers
        self.module = module
        self.nets = {key: net for key, value in own.items() if (net := self.built(value))}

    def built(self, value: ast.expr) -> Built | None:
        """The net that an expression builds of a file whose name is known."""
        maker = self.maker(value)
        if not isinstance(value, ast.Call) or not maker:
            return None
        words = {word.arg: word.value for word in value.keywords}
        file = value.args[0] if value.args else words.get("model_file") or words.get("network_file")
        path = self.paths.of(file) if file is not None else ""
        if not path or words.keys() & {"stages", "level", None}:
            return None
        told = [*value.args[1:], words["phase"]] if "phase" in words else value.args[1:]
        phases = {phase for one in told if (phase := _phase(one))}
        return Built(path, "TEST" if maker in _CLASSIFIERS else phases.pop() if len(phases) == 1 else "")

    def maker(self, value: ast.expr) -> str:
        """By what an expression builds a net: Net, Classifier or Detector; empty if it builds none."""
        return self.makers.get(dotted(value.func), "") if isinstance(value, ast.Call) else ""

    def net(self, key: str, attributes: Mapping[str, Built]) -> Built | None:
        """The net that a name stands for here."""
        if key in self.sets:
            return self.nets.get(key)
        above = self.module.nets if self.module else {}
        return attributes.get(key) or (above.get(key) if "." not in key else None)


def _makers(nodes: Sequence[ast.AST]) -> Mapping[str, str]:
    """The names by which a script calls what makes nets in pycaffe; many have a class Classifier of their own."""
    found = {f"caffe.{name}": name for name in _NETS}
    for node in nodes:
        if isinstance(node, ast.Import):
            modules = [one.asname for one in node.names if one.name == "caffe" and one.asname]
            found.update((f"{module}.{name}", name) for module in modules for name in _NETS)
        elif isinstance(node, ast.ImportFrom) and (node.module or "").partition(".")[0] == "caffe" and not node.level:
            for one in node.names:
                names = _NETS if one.name == "*" else (one.name,) if one.name in _NETS else ()
                found.update((one.asname or name, name) for name in names)
    own = {node.name for node in nodes if isinstance(node, ast.ClassDef | ast.FunctionDef)}
    return {key: name for key, name in found.items() if key not in own}


def _supplied(scope: Scope, attributes: Mapping[str, Built]) -> Iterator[Supplied]:
    runs: dict[str, list[tuple[int, bool]]] = {}
    fills: list[tuple[str, int, str]] = []
    for node in scope.nodes:
        if isinstance(node, ast.Assign) and len(node.targets) == 1:
            of, blob = _filled(node.targets[0])
            if of:
                fills.append((of, node.lineno, blob))
        elif isinstance(node, ast.Call):
            name = _last(node.func)
            maker = scope.makers.get(dotted(node.func), "")
            if maker in _CLASSIFIERS and (net := scope.built(node)):
                yield Supplied(net.path, node.lineno, maker, (), net.phase)
            for key in _run_otherwise(node):
                runs.setdefault(key, []).append((node.lineno, False))
            if name in _FORWARD and isinstance(node.func, ast.Attribute):
                of = dotted(node.func.value)
                words = {word.arg for word in node.keywords}
                is_clear = None not in words and "start" not in words and len(node.args) < 2
                runs.setdefault(of, []).append((node.lineno, is_clear))
                names = tuple(sorted(word for word in words if word and word not in _FORWARD[name]))
                if names and None not in words and (net := scope.net(of, attributes)):
                    yield Supplied(net.path, node.lineno, name, names, net.phase)
    for key, lines in runs.items():
        runs[key] = sorted(lines)
    for of, line, blob in fills:
        net = scope.net(of, attributes) if of in runs else None
        after = bisect_right(runs[of], line, key=itemgetter(0)) if net else 0
        if net and after < len(runs[of]) and runs[of][after][1]:
            yield Supplied(net.path, line, _BY_HAND, (blob,), net.phase)


def _run_otherwise(call: ast.Call) -> list[str]:
    """The nets that a call may run from any layer on: net._forward(1, 5), and all that it is given."""
    found = [dotted(one) for one in (*call.args, *(word.value for word in call.keywords))]
    if isinstance(call.func, ast.Attribute) and "forward" in call.func.attr.lower() and call.func.attr not in _FORWARD:
        found.append(dotted(call.func.value))
    return [one for one in found if one]


def _filled(target: ast.expr) -> tuple[str, str]:
    """The net and the blob whose values `net.blobs["data"].data[...] = ...` sets; empty for anything else."""
    data = target.value if isinstance(target, ast.Subscript) else None
    blob = data.value if isinstance(data, ast.Attribute) and data.attr == "data" else None
    if not isinstance(blob, ast.Subscript) or not isinstance(blob.slice, ast.Constant):
        return "", ""
    of = blob.value
    if not isinstance(of, ast.Attribute) or of.attr != "blobs" or not isinstance(blob.slice.value, str):
        return "", ""
    return dotted(of.value), blob.slice.value


def _phase(value: ast.expr) -> str:
    if isinstance(value, ast.Constant):
        said = value.value
        return _PHASES.get(said.upper() if isinstance(said, str) else said, "")
    return _PHASES.get(_last(value), "")


def _last(node: ast.AST) -> str:
    return node.attr if isinstance(node, ast.Attribute) else dotted(node)
