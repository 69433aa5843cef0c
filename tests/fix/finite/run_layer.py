# ruff: noqa: UP004
"""Runs check_finite_layer.py with a stand-in for Caffe, under Python 2.7 or 3; argv: the folder it is in.

Prints a line of JSON for each case: what was raised and said, and what became of the blobs.
"""

import json
import sys
import types

import numpy


class Layer(object):
    """What Caffe's own gives: param_str and phase are set before setup is called."""


class Blob(object):
    def __init__(self, data, diff=None):
        self.data = numpy.array(data, numpy.float32)
        self.diff = numpy.zeros_like(self.data) if diff is None else numpy.array(diff, numpy.float32)
        self.count = self.data.size


class Vector(object):
    """As Boost makes Caffe's vectors of blobs: no iterator, and an error for what is not there."""

    def __init__(self, items):
        self.items = items

    def __len__(self):
        return len(self.items)

    def __getitem__(self, index):
        if not isinstance(index, int) or index >= len(self.items):
            raise TypeError("No to_python (by-value) converter found for C++ type")
        return self.items[index]

    __iter__ = None


class Told(object):
    def __init__(self):
        self.text = ""

    def write(self, text):
        assert isinstance(text, str)
        self.text += text

    def flush(self):
        pass


stand_in = types.ModuleType("caffe")
stand_in.Layer = Layer
sys.modules["caffe"] = stand_in
sys.dont_write_bytecode = True
sys.path.insert(0, sys.argv[1])
from check_finite_layer import checkFiniteLayer  # noqa: E402

nan, inf = float("nan"), float("inf")
GOOD = [[1.0, -2.0], [3.0, 0.0]]


def run(about, param_str, passes, phase=0, attribute="param_str"):
    """passes: ("forward", data) or ("backward", diff) one after another, on new blobs."""
    layer = checkFiniteLayer()
    if param_str is not None:
        setattr(layer, attribute, param_str)
    if phase is not None:
        layer.phase = phase
    result = {"about": about, "raised": None}
    stderr, sys.stderr = sys.stderr, Told()
    try:
        layer.setup(Vector([]), Vector([]))
        for name, values in passes:
            many = values if isinstance(values, tuple) else (values,)
            blobs = [Blob(GOOD, one) if name == "backward" else Blob(one) for one in many]
            before = [blob.data.tobytes() + blob.diff.tobytes() for blob in blobs]
            vector = Vector(blobs)
            layer.reshape(vector, vector)
            if name == "forward":
                layer.forward(vector, vector)
            else:
                layer.backward(vector, [name == "backward"] * len(blobs), vector)
            result["unchanged"] = before == [blob.data.tobytes() + blob.diff.tobytes() for blob in blobs]
    except Exception as error:
        result["raised"] = type(error).__name__ + ": " + str(error)
    result["said"] = sys.stderr.text
    sys.stderr = stderr
    print(json.dumps(result, sort_keys=True))


own = json.dumps({"by": "caffelint", "blob": "fc", "made_by": ["fc", "relu"], "read_by": ["loss"], "why": "it is odd"})
run("good", own, [("forward", GOOD), ("backward", GOOD)])
run("nan and inf", own, [("forward", GOOD), ("forward", [[nan, inf, -inf, 2.5, -1.0, 0.0, 0.0, 0.0]])])
run("bad gradient", own, [("forward", GOOD), ("backward", [[nan, nan], [nan, nan]])])
run("large and finite", own, [("forward", [[3e38, -3e38]]), ("backward", [[3e38, 3e38]])])
run("tiny and finite", own, [("forward", [[1e-45, -1e-38]])])
run("no elements", own, [("forward", [])])
run("phase TEST", own, [("forward", [nan])], phase=1)
run("no phase", own, [("forward", [nan])], phase=None)
run("prefix", "prefix-check_loss", [("forward", (GOOD, [nan, 1.0]))])
run("nothing given", None, [("forward", [nan])])
run("empty", "", [("forward", [nan])])
run("older name", "prefix-old", [("forward", [nan])], attribute="param_str_")
run("a dict of Python", "{'prefix': 1}", [("forward", [nan])])
run("a number", "12", [("forward", [nan])])
run("a list", "[1, 2]", [("forward", [nan])])
run("not ASCII", b"pr\xc3\xa9fixe" if str is bytes else "pr\u00e9fixe", [("forward", [nan])])
run("blob not ASCII", json.dumps({"blob": b"\xc3\xbc".decode("utf-8")}), [("forward", [nan])])
run("warn", json.dumps({"blob": "b", "action": "warn"}), [("forward", [nan])] * 12)
run("dump", json.dumps({"blob": "a/b", "action": "dump"}), [("forward", GOOD), ("forward", [nan, 1.0])])
run("no such action", json.dumps({"action": "weep"}), [])
