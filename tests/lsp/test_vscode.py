"""The extension for VS Code: what it declares holds together; at night it is compiled, packed, and asks the server."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from caffelint.lint.file import load
from caffelint.lsp.hints import NEXT_STATE

FOLDER = Path(__file__).parents[2] / "editors" / "vscode"
_PLACE = re.compile(r"\$\{\d+:([^}]*)\}|\$\{\d+\|([^,|]*)[^}]*\}|\$\d+")


def _read(name: str) -> Any:
    return json.loads((FOLDER / name).read_text("utf-8"))


@pytest.mark.parametrize("name", sorted(_read("snippets/prototxt.json")))
def test_snippets_are_read_by_caffe(name: str) -> None:
    snippet = _read("snippets/prototxt.json")[name]
    text = _PLACE.sub(lambda place: place[1] or place[2] or "", "\n".join(snippet["body"]))
    file = load(text.encode())
    assert file.kind == ("solver" if name == "Solver" else "net")
    assert not file.problems
    assert all(layer.kind.known and layer.name for net in file.nets for layer in net.layers)


def test_each_command_is_declared_and_made() -> None:
    source = (FOLDER / "src" / "extension.ts").read_text("utf-8")
    declared = {one["command"] for one in _read("package.json")["contributes"]["commands"]}
    assert declared == set(re.findall(r'command\("([\w.]+)"', source))
    assert f'"{NEXT_STATE}"' in source  # a command of the server
    assert NEXT_STATE not in declared


def test_a_folder_that_is_not_trusted_does_not_say_what_runs() -> None:
    package = _read("package.json")
    trust = package["capabilities"]["untrustedWorkspaces"]
    settings = package["contributes"]["configuration"]["properties"]
    open_to_folders = {name for name, one in settings.items() if one["scope"] != "machine"}
    assert open_to_folders <= set(trust["restrictedConfigurations"])


@pytest.mark.parametrize("line", ['net: "a" # b', "pooling_param { pool: MAX stride: -2.5e3 }", "x: 'it\\'s'"])
def test_the_grammar_has_patterns_that_python_reads_too(line: str) -> None:
    def patterns(node: Any) -> list[str]:
        if isinstance(node, dict):
            own = [node[key] for key in ("match", "begin", "end") if key in node]
            return own + [one for value in node.values() for one in patterns(value)]
        return [one for value in node for one in patterns(value)] if isinstance(node, list) else []

    found = [re.compile(pattern) for pattern in patterns(_read("syntaxes/prototxt.tmLanguage.json"))]
    assert any(pattern.search(line) for pattern in found)


@pytest.mark.nightly
def test_it_compiles_packs_and_asks_the_server(tmp_path: Path) -> None:
    npm = shutil.which("npm")
    if npm is None:
        pytest.skip("no npm to compile with")
    folder = shutil.copytree(FOLDER, tmp_path / "vscode", ignore=shutil.ignore_patterns("node_modules", "out"))
    shutil.copy(FOLDER.parents[1] / "LICENSE", folder)
    command = f"{sys.executable} -m caffelint"
    for arguments in (["ci", "--no-audit"], ["run", "package"], ["test"]):
        subprocess.run(
            [npm, *arguments], cwd=folder, env={**os.environ, "CAFFELINT_COMMAND": command}, check=True, timeout=600
        )
    assert (folder / "caffelint.vsix").stat().st_size > 50_000
