"""Arrays that code puts into a list again and again, while it changes them."""

from __future__ import annotations

import ast

import pytest

from caffelint.project.python_repeats import repeated

_CLASS = """class Data:
    def setup(self):
        self.patch = zeros(3)

    def cut(self, i):
        %s
        return self.patch

    def forward(self):
        crops = []
        for i in range(3):
            %s
        return crops
"""


def _found(cut: str, loop: str) -> list[tuple[str, int, int]]:
    body = ast.parse(_CLASS % (cut, loop.replace("\n", "\n            "))).body[0]
    assert isinstance(body, ast.ClassDef)
    methods = [one for one in body.body if isinstance(one, ast.FunctionDef)]
    return [(one.name, one.line, one.changed) for one in repeated(methods)]


@pytest.mark.parametrize(
    ("cut", "loop", "found"),
    [
        ("self.patch[...] = i", "self.cut(i)\ncrops.append(self.patch)", [("self.patch", 13, 6)]),
        ("self.patch[:2] -= i", "crops.append(self.cut(i))", [("self.patch", 12, 6)]),
        ("pass", "np.copyto(self.patch, i)\ncrops.append(self.patch)", [("self.patch", 13, 12)]),
        ("pass", "np.add(i, 1, out=self.patch)\ncrops.append(self.patch)", [("self.patch", 13, 12)]),
        ("self.patch[...] = i", "self.cut(i)\ncrops.append(self.patch.copy())", []),
        ("self.patch = zeros(i)", "self.patch[...] = i\ncrops.append(self.patch)", []),
        ("pass", "patch = zeros(3)\npatch[...] = i\ncrops.append(patch)", []),
        ("pass", "self.patch['a'] = i\ncrops.append(self.patch)", []),
        ("self.patch[...] = i", "crops.append(self.patch)", []),
    ],
)
def test_found(cut: str, loop: str, found: list[tuple[str, int, int]]) -> None:
    assert _found(cut, loop) == found


def test_an_array_made_before_the_loop() -> None:
    code = "def forward(self):\n    one = zeros(3)\n    for i in x:\n        one[:] = i\n        many.append(one)\n"
    method = ast.parse(code).body[0]
    assert isinstance(method, ast.FunctionDef)
    assert [(one.name, one.line) for one in repeated([method])] == [("one", 5)]
