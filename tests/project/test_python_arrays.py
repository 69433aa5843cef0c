"""What methods do with the arrays of their blobs, and with what they keep from call to call."""

from __future__ import annotations

import pytest

from caffelint.project.python_layers import PythonModule

FORWARD = """import caffe
import numpy as np


class Layer(caffe.Layer):
    def setup(self, bottom, top):
        pass

    def reshape(self, bottom, top):
        top[0].reshape(*bottom[0].data.shape)

    def forward(self, bottom, top):
        {}

    def backward(self, top, propagate_down, bottom):
        {}
"""


@pytest.mark.parametrize(
    ("forward", "backward", "wrong"),
    [
        ("a, b = top[0].data, bottom[0].data; a = b * 2", "pass", ["top[0].data"]),
        ("a = top[0].data; a[...] = 3", "d = bottom[0].diff; d = top[0].diff * 2", ["bottom[0].diff"]),
        ("a = top[0].data; a = np.add(a, 1)", "pass", []),
        ("a = top[0].data; a += 1; a = 3", "pass", []),
        ("a = top[0].data; np.copyto(a, 3); a = 3", "pass", []),
        ("a = top[0].data; a = bottom[0].data; top[0].data[...] = a", "pass", []),
        ("a = top[0].data; a = bottom[0].data; self.write(top)", "pass", []),
        ("a = top[0].data\n        if self.phase: a = 3", "pass", []),
        ("a = bottom[0].data; a = a * 2; a = 3; top[0].data[...] = a", "pass", []),
    ],
)
def test_names_of_arrays_that_are_bound_anew(forward: str, backward: str, wrong: list[str]) -> None:
    found = PythonModule("a.py", FORWARD.format(forward, backward)).find("Layer")
    assert found is not None
    assert [fault.name for fault in found.faults if fault.kind == "rebound"] == wrong


@pytest.mark.parametrize(
    ("forward", "pairs"),
    [
        ("d = bottom[0].data - bottom[1].data", [(0, 1)]),
        ("a, b = bottom[1].data, bottom[0].data.copy()\n        d = a * b", [(1, 0)]),
        ("d = np.subtract(bottom[0].data, bottom[2].data)", [(0, 2)]),
        ("d = bottom[0].data - bottom[1].data[:, None]", []),
        ("a = bottom[1].data\n        a = a.ravel()\n        d = bottom[0].data - a", []),
        ("d = bottom[0].data - bottom[0].data", []),
        ("d = bottom[0].data - bottom[1].data.reshape(-1, 1)", []),
    ],
)
def test_bottoms_that_are_compared_value_by_value(forward: str, pairs: list[tuple[int, int]]) -> None:
    found = PythonModule("a.py", FORWARD.format(forward, "pass")).find("Layer")
    assert found is not None
    assert [(one.first, one.second) for one in found.elementwise] == pairs


@pytest.mark.parametrize(
    ("reshape", "forward", "found"),
    [
        ("self.at = 0", "self.at += 8", ("at", 3)),
        ("self.at = 0", "self.at = self.at + 8", ("at", 3)),
        ("self.at = 0", "other.at += 8", None),
        ("self.at = len(top)", "self.at += 8", None),
        ("self.size = 0", "self.at += 8", None),
    ],
)
def test_what_reshape_sets_back(reshape: str, forward: str, found: tuple[str, int] | None) -> None:
    head = "class A(caffe.Layer):\n    def reshape(self, bottom, top):\n        "
    one = PythonModule("a.py", f"{head}{reshape}\n    def forward(self, bottom, top):\n        {forward}\n").find("A")
    assert one is not None
    assert one.set_back == found


@pytest.mark.parametrize(
    "lines",
    [
        ["out = top[0].data", "out = bottom[0].data * 2", "self._copy(top[0], out)"],
        ["t = top[0]", "data = top[0].data", "data = bottom[0].data", "t.data[...] = data"],
        ["def write():", "    x[...] = 1", "x = top[0].data", "x = bottom[0].data", "write()"],
    ],
)
def test_an_array_that_something_else_may_write_to_is_not_lost(lines: list[str]) -> None:
    text = "class A(caffe.Layer):\n    def setup(self, bottom, top):\n        pass\n"
    text += "    def reshape(self, bottom, top):\n        top[0].reshape(1)\n    def forward(self, bottom, top):\n"
    one = PythonModule("a.py", text + "".join(f"        {line}\n" for line in lines)).find("A")
    assert one is not None
    assert [fault for fault in one.faults if fault.kind == "rebound"] == []
