"""Nothing lists layer types that a layer class could answer for: what remains is held here, each with its reason."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

from caffelint.caffe.layers import REGISTRY

ROOT = Path(__file__).parents[1]
OWN = ROOT / "caffelint/caffe/layers"
"""Where the classes are."""
ALLOWED = {
    "rules/data/source_is_mean_file.py": "words for a message: what each reader reads",
    "rules/data/unscaled_input.py": "layers of plain bytes, which have no other scale",
    "rules/layers/misread_setting.py": "a check of its own for each type that people misread",
    "rules/objective/softmax_twice.py": "one family: softmax inside in every Caffe",
    "rules/smoke/_advice.py": "words: what to do about each type",
    "caffelint/caffe/old_formats.py": "Caffe's own table of older names",
    "caffelint/lint/depth.py": "activations to try a ReLU for, as people advise it",
    "caffelint/evidence/data/sources.py": "a reader for each kind of file",
    "caffelint/lint/source_shapes.py": "a reader for each kind of file",
    "caffelint/smoke/diagnosis/forms.py": "fields to try, with their usual values",
    "caffelint/smoke/diagnosis/signal.py": "factors to try, each in the words of its type",
    "caffelint/smoke/gradients.py": "runs under another Python, which has no caffelint",
    "caffelint/smoke/memory.py": "what torch's classes answer, where torch is not imported; a test compares them",
    "caffelint/smoke/torch/sources.py": "a reader for each kind of file",
    "caffelint/smoke/torch/types.py": "words: why torch does not run a type",
}
"""Files that may hold lists, and why."""
SEVERAL = {"caffelint/smoke/gradients.py": 2}


def lists(path: Path) -> Iterator[int]:
    """The lines of all literals with two types or more: tuples, lists, sets, and keys of dictionaries."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        items: list[ast.expr | None] = []
        if isinstance(node, (ast.Tuple, ast.List, ast.Set)):
            items = list(node.elts)
        elif isinstance(node, ast.Dict):
            items = list(node.keys)
        if sum(isinstance(item, ast.Constant) and item.value in REGISTRY for item in items) > 1:
            yield node.lineno


def test_type_lists() -> None:
    paths = [path for folder in ("caffelint", "rules") for path in sorted((ROOT / folder).rglob("*.py"))]
    found = {path.relative_to(ROOT).as_posix(): list(lists(path)) for path in paths if OWN not in path.parents}
    assert {path: len(lines) for path, lines in found.items() if lines} == dict.fromkeys(ALLOWED, 1) | SEVERAL, found
    assert sum(path.startswith("rules/") for path in ALLOWED) <= 10


def test_what_counts_as_a_list(tmp_path: Path) -> None:
    code = tmp_path / "rule.py"
    code.write_text(
        'A = ("ReLU", "Pooling")\nB = {"ReLU": 1, "LRN": 2}\nC = frozenset(["Data"])\nD = ["Ring", "Data"]\n'
    )
    assert list(lists(code)) == [1, 2]
