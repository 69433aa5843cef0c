"""A rule lists no layer types that a layer class could answer for: what remains is held here, each with its reason."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

from caffelint.caffe.layers import REGISTRY

RULES = Path(__file__).parents[2] / "rules"
ALLOWED = {
    "data/source_is_mean_file.py": "words for a message: what each reader reads",
    "data/unscaled_input.py": "layers of plain bytes, which have no other scale",
    "layers/misread_setting.py": "a check of its own for each type that people misread",
    "objective/integer_labels_for_regression.py": "one family: distances to a target",
    "objective/softmax_twice.py": "one family: softmax inside in every Caffe",
}
"""Files that may hold one list."""

# Advice by type, which is being turned into answers of the layer classes: never more than these.
OF_SMOKE = 15


def lists(path: Path) -> Iterator[int]:
    """The lines of all literals with two types or more: tuples, lists, sets, and keys of dictionaries."""
    for node in ast.walk(ast.parse(path.read_text())):
        items: list[ast.expr | None] = []
        if isinstance(node, (ast.Tuple, ast.List, ast.Set)):
            items = list(node.elts)
        elif isinstance(node, ast.Dict):
            items = list(node.keys)
        if sum(isinstance(item, ast.Constant) and item.value in REGISTRY for item in items) > 1:
            yield node.lineno


def test_type_lists() -> None:
    found = {path.relative_to(RULES).as_posix(): list(lists(path)) for path in sorted(RULES.rglob("*.py"))}
    of_smoke = sum(len(lines) for path, lines in found.items() if path.startswith("smoke/"))
    others = {path: lines for path, lines in found.items() if lines and not path.startswith("smoke/")}
    assert of_smoke <= OF_SMOKE
    assert {path: len(lines) for path, lines in others.items()} == dict.fromkeys(ALLOWED, 1), others


def test_what_counts_as_a_list(tmp_path: Path) -> None:
    code = tmp_path / "rule.py"
    code.write_text(
        'A = ("ReLU", "Pooling")\nB = {"ReLU": 1, "LRN": 2}\nC = frozenset(["Data"])\nD = ["Ring", "Data"]\n'
    )
    assert list(lists(code)) == [1, 2]
