"""What a check leaves for later, so that one file is checked soon after the command is given."""

from __future__ import annotations

import ast
import os
import pickle
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from caffelint.text.records import NamedTuple

ROOT = Path(__file__).parent.parent
FOLDERS = ("caffe", "lint", "numerics", "project", "report", "schema", "text")
NET = 'layer { name: "data" type: "Input" top: "data" input_param { shape { dim: 1 dim: 3 } } }'
CHECK = """
import sys
from caffelint.cli.main import main
status = main(["check", "net.prototxt"])
print(*sys.modules)
sys.exit(status)
"""
ALWAYS_USED = {"caffelint/text/parser.py", "caffelint/text/tokens.py"}
"""Every check uses their patterns."""


def modules() -> Iterator[tuple[str, ast.Module]]:
    """The modules of which a check may import any."""
    for folder in (*(f"caffelint/{name}" for name in FOLDERS), "rules"):
        for path in sorted((ROOT / folder).rglob("*.py")):
            yield str(path.relative_to(ROOT)), ast.parse(path.read_text("utf-8"))


def run_at_import(node: ast.AST) -> Iterator[ast.AST]:
    for child in ast.iter_child_nodes(node):
        if not isinstance(child, ast.FunctionDef | ast.Lambda):
            yield child
            yield from run_at_import(child)


def test_patterns_are_compiled_when_they_are_used() -> None:
    found = {
        f"{name}:{node.lineno}: use compiled_later"
        for name, tree in modules()
        for node in run_at_import(tree)
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "re.compile" and name not in ALWAYS_USED
    }
    assert not found


def test_named_tuples_are_made_fast() -> None:
    found = {
        f"{name}:{node.lineno}: take it from caffelint.text.records, a rule from caffelint.lint"
        for name, tree in modules()
        if name != "caffelint/text/records.py"
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and node.module == "typing"
        if any(alias.name == "NamedTuple" for alias in node.names)
    }
    assert not found


class Named(NamedTuple):
    """What it is for."""

    name: str
    count: int = 1

    @property
    def twice(self) -> int:
        return 2 * self.count


def test_defaults_come_last() -> None:
    with pytest.raises(TypeError, match="Wrong: fields with a default must come after those without"):

        class Wrong(NamedTuple):
            first: int = 1
            second: int  # type: ignore[misc]


def test_a_module_that_does_not_keep_its_annotations_as_text() -> None:
    space: dict[str, Any] = {"NamedTuple": NamedTuple}
    code = compile("class Plain(NamedTuple):\n    name: str\n    count: int = 1", "plain", "exec", dont_inherit=True)
    exec(code, space)
    assert space["Plain"]("a") == ("a", 1)


def test_named_tuples_are_as_those_of_typing() -> None:
    one = Named("a", count=2)
    assert (one, Named("b").count, one.twice) == (("a", 2), 1, 4)
    assert (Named.__doc__, Named._fields, Named._field_defaults) == ("What it is for.", ("name", "count"), {"count": 1})
    assert (Named.__module__, Named.__qualname__) == (__name__, "Named")
    assert pickle.loads(pickle.dumps(one)) == one
    assert one._replace(count=3) == Named("a", 3)


def imported(folder: Path) -> set[str]:
    """The modules that a check of the net in a folder imports."""
    command = [sys.executable, "-c", CHECK]
    environment = os.environ | {"XDG_CACHE_HOME": str(folder / "cache")}
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=True)
    return set(done.stdout.splitlines()[-1].split())


def test_a_stored_result_needs_neither_rules_nor_nets(tmp_path: Path) -> None:
    (tmp_path / "net.prototxt").write_text(NET)
    first, again = imported(tmp_path), imported(tmp_path)
    needless = {"caffelint.caffe.net", "caffelint.lint.api", "caffelint.lint.judge", "caffelint.rules"}
    assert needless <= first
    assert not needless & again
