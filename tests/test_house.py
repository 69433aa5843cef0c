"""How the house is built, where it can be counted: imports, lengths of files, and that no words decide."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Collection, Iterator
from functools import cache
from pathlib import Path
from statistics import median

import pytest

from caffelint.lint.registry import all_rules, find_rule

ROOT = Path(__file__).parent.parent
FLOORS = (
    ("__main__",),
    ("cli",),
    ("lsp", "page"),
    ("report", "fix", "smoke", "cluster"),
    ("evidence",),
    ("lint",),
    ("numerics", "deploy"),
    ("caffe",),
    ("project",),
    ("schema",),
    ("text",),
)
PUBLIC = ("caffelint.lint", "caffelint.lint.built", "caffelint.lint.disk", "caffelint.smoke.rule")
PUBLIC += ("caffelint.evidence.log.rule", "caffelint.evidence.data.rule", "caffelint.evidence.weights.rule")
PUBLIC += ("caffelint.lint.numerics", "caffelint.lint.deploy", "caffelint.lint.depth", "caffelint.lint.half")
LONG = 500
LONG_RULE = 250
MEDIAN_RULE = 95

DYNAMIC = {
    "caffelint.cli.group": "a command is imported when it runs",
    "caffelint.cli.test": "the modules of a pack that is named on the command line",
    "caffelint.lint.registry": "packs and their rules, by entry point and index",
    "caffelint.report": "a format is imported when it is asked for",
    "caffelint.schema.comments": "the text of proto/, which is installed beside the code that reads it",
    "caffelint.schema.pool": "the descriptors, which are installed beside the code that reads them",
    "caffelint.smoke.caffe.probe": "runs inside another Python, and tells of what is installed there",
    "caffelint.smoke.torch.python": "the Python layers of a net that is run, which is told before",
}
"""Modules that import by a name which is computed, and why."""
READS_LOGS = {"caffelint.smoke.caffe.log", "caffelint.evidence.log.reader", "caffelint.evidence.log.endings"}
READS_LOGS.add("caffelint.rules.smoke.python_layer_failed")
"""Modules that read what a real Caffe or Python printed: nothing else of it is there to be read."""
PROSE = {"message", "evidence", "caffe", "why", "what", "reason", "note", "advice", "hint"}
SEARCHES = {"startswith", "endswith", "find", "rfind", "index", "partition", "rpartition", "removeprefix", "count"}
SEARCHES.add("removesuffix")
FILLS = {"append", "add", "setdefault", "extend"}
PATTERNS = {"match", "search", "fullmatch", "findall", "finditer"}


@cache
def modules() -> dict[str, Path]:
    """All modules of the program and of its rules, by the name that they are imported by."""
    found = {}
    for folder in ("caffelint", "rules"):
        for path in (ROOT / folder).rglob("*.py"):
            parts = path.relative_to(ROOT).with_suffix("").parts
            parts = parts[:-1] if parts[-1] == "__init__" else parts
            found[".".join(parts if folder == "caffelint" else ("caffelint", *parts))] = path
    return found


@cache
def tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text("utf-8"))


def at_run_time(node: ast.AST) -> Iterator[ast.AST]:
    """All nodes below, but for what is for type checkers alone."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.If) and "TYPE_CHECKING" in ast.unparse(child.test):
            for other in child.orelse:
                yield other
                yield from at_run_time(other)
            continue
        yield child
        yield from at_run_time(child)


@cache
def imports() -> dict[str, set[str]]:
    """What each module imports of the house at run time, however deep inside a function."""
    found: dict[str, set[str]] = {}
    for name, path in modules().items():
        package = name.split(".") if path.name == "__init__.py" else name.split(".")[:-1]
        for node in at_run_time(tree(path)):
            names: list[str] = []
            if isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom):
                base = ".".join([*package[: len(package) - node.level + 1], node.module or ""]).rstrip(".")
                base = base if node.level else node.module or ""
                names = [
                    f"{base}.{alias.name}" if f"{base}.{alias.name}" in modules() else base for alias in node.names
                ]
            found.setdefault(name, set()).update(other for other in names if other in modules())
    return found


def test_no_circle_of_imports() -> None:
    above: list[str] = []
    done: set[str] = set()
    circles: list[str] = []

    def visit(name: str) -> None:
        if name in above:
            circles.append(" -> ".join([*above[above.index(name) :], name]))
        elif name not in done:
            above.append(name)
            for other in sorted(imports().get(name, ())):
                visit(other)
            above.pop()
            done.add(name)

    for name in modules():
        visit(name)
    assert not circles, circles
    assert sum(map(len, imports().values())) > 1000


def test_imports_only_go_down() -> None:
    def floor(name: str) -> int | None:
        part = name.split(".")[1] if "." in name else ""
        return next((number for number, parts in enumerate(FLOORS) if part in parts), None)

    wrong = []
    for name, others in imports().items():
        here = floor(name)
        for other in others:
            there = floor(other)
            if name.startswith("caffelint.rules"):
                is_public = (
                    other in PUBLIC if not other.startswith("caffelint.rules") else family(other) == family(name)
                )
                wrong += [] if is_public else [f"{name} -> {other}"]
            elif other.startswith("caffelint.rules"):
                wrong.append(f"{name} -> {other}")
            elif here is not None and there is not None:
                aside = here == there and name.split(".")[1] != other.split(".")[1]
                wrong += [f"{name} -> {other}"] if there < here or aside else []
    assert not wrong, wrong


def family(name: str) -> str:
    return name.split(".")[2] if name.count(".") > 1 else ""


def test_every_module_has_a_floor() -> None:
    known = {part for parts in FLOORS for part in parts} | {"rules", "search_path"}
    assert {name.split(".")[1] for name in modules() if "." in name} == known


def test_no_import_hides() -> None:
    found = {
        name
        for name, path in modules().items()
        for node in ast.walk(tree(path))
        if isinstance(node, ast.Call) and ast.unparse(node.func).split(".")[-1] in ("import_module", "__import__")
    }
    assert found == set(DYNAMIC)


def test_most_rules_are_short() -> None:
    """Half of them fit in what one looks over at once, with docstring and examples."""
    lengths = [
        len(path.read_text("utf-8").splitlines())
        for name, path in modules().items()
        if name.count(".") == 3 and name.startswith("caffelint.rules") and not path.name.startswith("_")
    ]
    assert len(lengths) > 150
    assert median(lengths) <= MEDIAN_RULE


def test_files_are_short() -> None:
    long = {}
    for name, path in modules().items():
        lines = len(path.read_text("utf-8").splitlines())
        if lines > (LONG_RULE if name.startswith("caffelint.rules") else LONG):
            long[name] = lines
    assert not long


def is_text(node: ast.AST) -> bool:
    """Is it words for people, rather than a name or a piece of prototxt?"""
    parts = node.values if isinstance(node, ast.JoinedStr) else [node]
    texts = [part.value for part in parts if isinstance(part, ast.Constant) and isinstance(part.value, str)]
    return any(re.search("[a-z] | [a-z]" if len(parts) > 1 else "[a-z]+ [a-z]+ ", text) for text in texts)


def speaks(node: ast.AST | None, functions: Collection[str] = (), names: Collection[str] = ()) -> bool:
    """Does an expression give words: some that it is made of, what a function says, or what a name holds?"""
    if isinstance(node, ast.BinOp):
        return any(speaks(part, functions, names) for part in (node.left, node.right))
    if isinstance(node, ast.IfExp):
        return any(speaks(part, functions, names) for part in (node.body, node.orelse))
    called = getattr(node.func, "id", "") if isinstance(node, ast.Call) else ""
    return called in functions or getattr(node, "id", "") in names or (node is not None and is_text(node))


def names_of_words(module: ast.Module) -> Iterator[tuple[ast.AST, set[str]]]:
    """Each function of a module, and its names that hold words which the module itself has put together."""
    functions = [node for node in ast.walk(module) if isinstance(node, ast.FunctionDef)]
    speaking = {
        function.name
        for function in functions
        for node in ast.walk(function)
        if isinstance(node, ast.Return) and speaks(node.value)
    }
    for function in functions:
        names: set[str] = set()
        for node in list(ast.walk(function)) * 2:  # a loop may come before what fills it
            targets: list[ast.expr] = []
            if isinstance(node, ast.Assign) and speaks(node.value, speaking, names):
                targets = node.targets
            elif isinstance(node, ast.AugAssign | ast.AnnAssign) and speaks(node.value, speaking, names):
                targets = [node.target]
            elif isinstance(node, ast.For):
                over = node.iter.func if isinstance(node.iter, ast.Call) else node.iter
                targets = [node.target] if getattr(getattr(over, "value", over), "id", "") in names else []
            elif isinstance(node, ast.Call) and getattr(node.func, "attr", "") in FILLS:
                targets = [node.func] if any(speaks(argument, speaking, names) for argument in node.args) else []
            names.update(part.id for target in targets for part in ast.walk(target) if isinstance(part, ast.Name))
        yield function, names


def decisions(module: ast.Module) -> Iterator[ast.expr]:
    """Where a module looks for something in a message, in evidence, in what Caffe says, or in its own words."""

    def looks_into(node: ast.AST, own: set[str]) -> bool:
        def is_prose(node: ast.AST, own: set[str] = own) -> bool:
            return getattr(node, "attr", "") in PROSE or getattr(node, "id", "") in own | PROSE - {"caffe"}

        if isinstance(node, ast.Compare):
            pairs = zip(node.ops, node.comparators, strict=True)
            # What is no literal may be looked for among whole sentences.
            own = own if isinstance(node.left, ast.Constant) else set()
            return any(isinstance(op, ast.In | ast.NotIn) and is_prose(right, own) for op, right in pairs)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            name, words = node.func.attr, [node.func.value, *node.args]
            # A full stop or a line break is no word.
            layout = [ast.unparse(argument) for argument in node.args] in (["'.'"], ["'\\n'"])
            return (name in SEARCHES and not layout and is_prose(words[0])) or (
                name in PATTERNS and any(map(is_prose, words))
            )
        return False

    for part, own in [(module, set[str]()), *names_of_words(module)]:
        for node in ast.walk(part):
            if isinstance(node, ast.expr) and looks_into(node, own):
                yield node


def test_no_words_decide() -> None:
    """Nothing but reports looks for anything in a message, in evidence or in what Caffe says."""
    found = {
        f"{name}:{node.lineno}: {ast.unparse(node)}"
        for name, path in modules().items()
        if not name.startswith("caffelint.report") and name not in READS_LOGS
        for node in decisions(tree(path))
    }
    assert not found, found
    assert any(True for name in READS_LOGS for _ in decisions(tree(modules()[name])))


@pytest.mark.parametrize(
    "body",
    [
        'if "did you mean" in reason: pass',
        "message.removesuffix(' more')",
        "re.search('nan', found.evidence)",
        "line = f'and {count} more'\n    if line.endswith(' more'): pass",
        "groups.setdefault(_said(x), [])\n    for one, layers in groups.items():\n        one.startswith('stage')",
    ],
)
def test_words_that_decide_are_seen(body: str) -> None:
    said = "def _said(x):\n    return f'stage {x} is not set'\n"
    assert list(decisions(ast.parse(f"{said}def f():\n    {body}\n")))
    assert not list(decisions(ast.parse(f"{said}def f():\n    line = _said(1)\n    name.startswith('x')\n")))


def names_of_rules(node: ast.AST) -> Iterator[str]:
    """The rule names that code asks for: `rules=(...)` of a call, and what is named `_RULES`."""
    names: ast.AST | None = None
    if (
        isinstance(node, ast.keyword)
        and node.arg == "rules"
        or isinstance(node, ast.Assign)
        and any(ast.unparse(target).endswith("RULES") for target in node.targets)
    ):
        names = node.value
    for one in getattr(names, "elts", ()):
        if isinstance(one, ast.Constant) and isinstance(one.value, str) and "-" in one.value:
            yield one.value


def test_rules_that_code_names_are_there() -> None:
    named = {
        name: where
        for where, path in modules().items()
        for node in ast.walk(tree(path))
        for name in names_of_rules(node)
    }
    assert len(named) > 10
    assert {name: where for name, where in named.items() if find_rule(name) is None} == {}


def test_codes_and_names_are_given_once() -> None:
    for what in ("code", "name"):
        given = Counter(getattr(rule, what) for rule in all_rules())
        assert [one for one, times in given.items() if times > 1] == []
