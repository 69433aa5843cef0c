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
        # This one copies.
        ("self.patch[...] = i", "self.cut(i)\ncrops = np.append(crops, self.patch)", []),
    ],
)
def test_found(cut: str, loop: str, found: list[tuple[str, int, int]]) -> None:
    assert _found(cut, loop) == found


def test_an_array_made_before_the_loop() -> None:
    code = "def forward(self):\n    one = zeros(3)\n    for i in x:\n        one[:] = i\n        many.append(one)\n"
    method = ast.parse(code).body[0]
    assert isinstance(method, ast.FunctionDef)
    assert [(one.name, one.line) for one in repeated([method])] == [("one", 5)]


_CHANGES = "one[:, 0] -= 3\nnp.clip(one, 0, 1, out=one)\nmany.append(one)"


@pytest.mark.parametrize(
    ("code", "lines"),
    [
        (f"for one in x:\n{_CHANGES}", []),
        (f"for i, (one, *label) in enumerate(x):\n{_CHANGES}", []),
        ("for one in x:\nfor i in range(2):\n one[:] = i\n many.append(one)", []),
        (f"for i in x:\n{_CHANGES}", [6]),
        # Not the list of the whole loop, which holds the array once.
        (f"for i in x:\nmany = []\n{_CHANGES}", []),
        (f"for i in x:\nmany.clear()\n{_CHANGES}", []),
        (f"for i in x:\ndel many[:]\n{_CHANGES}", []),
        (f"for i in x:\nself.begin()\n{_CHANGES.replace('many', 'self.many')}", []),
        (f"for i in x:\n{_CHANGES.replace('many', 'self.many')}", [6]),
        # It is put there once.
        (f"for i in x:\n{_CHANGES}\nbreak", []),
        ("for i in x:\none[:] = i\nif i:\n many.append(one)\n break", []),
        ("for i in x:\none[:] = i\nif i:\n many.append(one)\n return many", []),
        ("for i in x:\none[:] = i\nif i:\n many.append(one)\n continue", [6]),
        ("for i in x:\none[:] = i\nfor j in x:\n many.append(one)\n break", [6]),
        ("for i in x:\none[:] = i\nelse:many.append(one)", []),
    ],
)
def test_loops(code: str, lines: list[int]) -> None:
    first, *others = code.split("\n")
    text = "\n".join(["class Data:", " def forward(self):", f"  {first}", *(f"   {one}" for one in others)])
    text = text.replace("   else:", "  else: ")
    body = ast.parse(f"{text}\n def begin(self):\n  self.many = []").body[0]
    assert isinstance(body, ast.ClassDef)
    assert [one.line for one in repeated(one for one in body.body if isinstance(one, ast.FunctionDef))] == lines
