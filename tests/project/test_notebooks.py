"""The code of notebooks, as Jupyter writes these."""

from __future__ import annotations

import json
from typing import Any

import pytest

from caffelint.project.notebooks import code_of, without_magic
from caffelint.project.python_feeds import fed
from caffelint.project.script_comments import without_comment_lines

CODE = [
    "%matplotlib inline\n",
    "import caffe\n",
    "!caffe train --solver=solver.prototxt\n",
    "net = caffe.Net(\"deploy.prototxt\", 'a.caffemodel', caffe.TEST)\n",
    "# é \\n\n",
    "t = caffe.io.Transformer({'data': net.blobs['data'].data.shape})\n",
    "t.set_transpose('data', (2, 0, 1))\n",
    "t.set_raw_scale('data', 255)\n",
    "net.blobs['data'].data[0] = t.preprocess('data', caffe.io.load_image('a.png'))",
]


def cell(kind: str, source: list[str], version: int = 4) -> dict[str, Any]:
    key = "input" if version == 3 and kind == "code" else "source"
    outputs = [{"name": "stdout", "output_type": "stream", "text": ["solver.step(1)\n", "]\n"]}]
    more: dict[str, Any] = {"execution_count": 1, "outputs": outputs} if kind == "code" else {}
    return {"cell_type": kind, "metadata": {}, key: source, **more}


def notebook(cells: list[dict[str, Any]], version: int = 4) -> str:
    inside = {"cells": cells} if version == 4 else {"worksheets": [{"cells": cells, "metadata": {}}]}
    written = {**inside, "metadata": {}, "nbformat": version, "nbformat_minor": 0}
    return json.dumps(written, indent=1, sort_keys=True, ensure_ascii=False) + "\n"


@pytest.mark.parametrize("version", [3, 4])
def test_the_code_stands_where_the_file_has_it(version: int) -> None:
    cells = [
        cell("markdown", ["solver.step(1)\n", "a page"]),
        cell("code", CODE, version),
        cell("raw", ["solver.solve()"]),
        cell("code", ["x = 1"], version),
    ]
    text = notebook(cells, version)
    lines = code_of(text).split("\n")
    assert [line for line in lines if line] == [line.rstrip("\n") for line in [*CODE, "x = 1"]]
    assert len(lines) == len(text.split("\n"))
    for line, of_file in zip(lines, text.split("\n"), strict=True):
        assert not line or json.dumps(line, ensure_ascii=False)[1:-1] in of_file


def test_what_a_notebook_feeds_its_net_is_read() -> None:
    code = code_of(notebook([cell("markdown", ["# what"]), cell("code", CODE)]))
    found = fed(without_magic(code))
    assert found is not None
    assert found.factor == pytest.approx(1)
    assert "preprocess" in code.split("\n")[found.line + 2]
    assert "é" not in without_comment_lines(code, "a.ipynb")


def test_what_is_no_python_is_left_out() -> None:
    cells = [cell("code", ["%%bash\n", "ls $1"]), cell("code", ["%%time\n", "x = (7\n", " % 2)\n", "%ls\n", "!ls"])]
    code = without_magic(code_of(notebook(cells)))
    assert [line for line in code.split("\n") if line] == ["pass", "x = (7", " % 2)", "pass", "pass"]


@pytest.mark.parametrize("text", ["", "no notebook", '{"cells": [{"cell_type": "code", "source": ["x = 1"]}]}', "[\n]"])
def test_what_is_laid_out_otherwise_stays_as_it_is(text: str) -> None:
    assert code_of(text) == text


def test_a_broken_line_is_no_code() -> None:
    text = '"source": [\n "a\\q",\n "b\\ud800",\n "c"\n]'
    assert code_of(text).split("\n") == ["", "", "b\ud800", "c", ""]
    assert fed("Transformer(b\ud800") is None
