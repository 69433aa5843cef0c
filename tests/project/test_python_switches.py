"""What a Python layer changes only where its param_str says so."""

from __future__ import annotations

import ast

import pytest

from caffelint.project.python_nodes import walk
from caffelint.project.python_switches import Switched, switched

SETUP = """
p = eval(self.param_str)
self.n, self.train = p["n"], p.get("train", False)
self.mean = p["mean"]
"""


@pytest.mark.parametrize(
    ("code", "found"),
    [
        ("if self.train:\n  im = im[:, ::-1]", Switched(("im",), 2)),
        ("if self.train:\n  im, mask = im[::f], mask[::f]\n  im += 3", Switched(("im", "mask"), 2)),
        ("if self.train and x:\n  if f:\n    im *= f", Switched(("im",), 3)),
        ("if self.train:\n  j = randint(0, 9)", None),  # which record, not what is in it
        ("if self.mean:\n  im -= 3", None),
        ("im = im[:, ::-1]", None),
    ],
)
def test_switched(code: str, found: Switched | None) -> None:
    assert switched(walk(ast.parse(SETUP)), walk(ast.parse(code)), "train") == found
