"""Which of the modules that a layer imports stop, as Python itself finds it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import caffelint

NET = 'layer { name: "data" type: "Python" top: "x" python_param { module: "pkg.data" layer: "Data" } }'
LAYER = "\n\nclass Data(caffe.Layer):\n    def setup(self, bottom, top):\n        pass\n"


def stops(path: Path, files: dict[str, str]) -> list[str]:
    (path / ".git").mkdir()
    for name, text in {"net.prototxt": NET, "lib/pkg/__init__.py": "", **files}.items():
        (path / name).parent.mkdir(parents=True, exist_ok=True)
        (path / name).write_text(text)
    found = caffelint.check([str(path)]).findings
    return [one.message for one in found if one.name in ("python-module-stops", "script-stops", "script-of-net-stops")]


@pytest.mark.parametrize(
    ("imports", "file", "fails"),
    [
        ("import tools", "lib/tools.py", True),
        ("import os, tools as t", "lib/tools.py", True),
        ("from tools import f", "lib/tools.py", True),
        ("from pkg.tools import f", "lib/pkg/tools.py", True),
        ("from .tools import f", "lib/pkg/tools.py", True),
        ("from . import tools", "lib/pkg/tools.py", True),
        ("from pkg import (tools)", "lib/pkg/tools.py", True),
        ("import pkg.other", "lib/pkg/tools.py", True),
        ("import json", "lib/json.py", False),
        ("def f():\n    import tools", "lib/tools.py", False),
        ("try:\n    import tools\nexcept SyntaxError:\n    pass", "lib/tools.py", False),
        ("import tools", "lib/tools/__init__.py", False),
    ],
)
def test_a_broken_module_that_is_imported(tmp_path: Path, imports: str, file: str, fails: bool) -> None:
    text = "f(1))\n" if not file.endswith("__init__.py") else ""
    files = {file: text, "lib/pkg/other.py": "from pkg import tools\n", "lib/tools.py": "f(1))\n"}
    if file != "lib/tools.py" and not file.endswith("__init__.py"):
        del files["lib/tools.py"]
    told = stops(tmp_path, files | {"lib/pkg/data.py": f"import caffe\n{imports}\n{LAYER}"})
    assert len(told) == fails
    (tmp_path / "lib/caffe.py").write_text("Layer = object\n")
    run = f"import sys; sys.path.append({str(tmp_path / 'lib')!r}); import pkg.data"
    done = subprocess.run([sys.executable, "-c", run], capture_output=True, text=True, check=False)
    assert ("SyntaxError" in done.stderr) == fails


TOOLS = "def load(size):\n    return later\n\n\nclass Reader(object):\n    def read(self):\n        return load(1)\n"


@pytest.mark.parametrize(
    ("runs", "tools", "count"),
    [
        ("pass", TOOLS, 0),
        ("if top:\n            tools.load(1)", TOOLS, 1),
        ("self.reader = tools.Reader()", TOOLS, 0),
        ("self.reader = tools.Reader().read()", TOOLS, 1),
        ("getattr(tools.Reader(), 'read')()", TOOLS, 1),
        ("tools.Reader().start()", TOOLS.replace("object", "threading.Thread"), 1),
        ("tools.load()", TOOLS, 2),
        ("pass", f"{TOOLS}\n\nif __name__ == '__main__':\n    load(1)\n", 0),
        ("pass", f"DEBUG = False\n{TOOLS}\n\nif DEBUG:\n    load(1)\n", 0),
        ("pass", f"DEBUG = False\n{TOOLS}\n\nif DEBUG:\n    pass\nelse:\n    load(1)\n", 1),
        ("pass", f"DEBUG = False\nDEBUG = Reader\n{TOOLS}\n\nif DEBUG:\n    load(1)\n", 1),
        ("pass", f"{TOOLS}\n\nif some:\n    load(1)\n", 1),
    ],
)
def test_what_the_layer_may_run(tmp_path: Path, runs: str, tools: str, count: int) -> None:
    layer = f"import caffe\nimport tools\n{LAYER.replace('pass', runs)}"
    assert len(stops(tmp_path, {"lib/pkg/data.py": layer, "lib/tools.py": tools})) == count


def test_what_of_a_method_is_told_is_not_told_again(tmp_path: Path) -> None:
    layer = f"import caffe\n{LAYER.replace('pass', 'load()')}\n\ndef load():\n    return later\n"
    assert not stops(tmp_path, {"lib/pkg/data.py": layer})
    assert "python-method-fails" in {one.name for one in caffelint.check([str(tmp_path)]).findings}


@pytest.mark.parametrize("where", ["lib/pkg/data.py", "other/pkg/data.py"])
def test_a_module_that_may_be_several_files(tmp_path: Path, where: str) -> None:
    layer = f"import caffe\nimport tools\n{LAYER}"
    files = {"lib/tools.py": "f(1))\n", "lib/pkg/data.py": layer, where: layer}
    assert len(stops(tmp_path, files)) == (where == "lib/pkg/data.py")
