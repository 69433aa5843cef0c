"""Which keys of `param_str` a class may read."""

from __future__ import annotations

import pytest

from caffelint.project.python_layers import PythonModule

LAYER = """import caffe
from images import Batch


def check(params):
    assert "root" in params


class Data(caffe.Layer):
    def setup(self, bottom, top):
        self.params = eval(self.param_str)
        self.batch = self.params["batch"]
        self.seed = self.params.get("seed", 1)
        check(self.params)
"""


def keys(text: str) -> tuple[frozenset[str] | None, frozenset[str]]:
    found = PythonModule("data.py", text).find("Data")
    assert found is not None
    return found.possible_keys, found.keys_read


def test_keys_are_read_with_a_default_or_without() -> None:
    possible, read = keys(LAYER)
    assert read == {"batch", "seed", "root"}, "also by what it hands them to"
    assert possible is not None
    assert {"batch", "seed", "root"} <= possible
    assert "split" not in possible


def test_what_another_layer_reads_is_no_key_of_this_one() -> None:
    other = LAYER.partition("class")[2].replace("Data", "Other").replace("root", "split").replace("seed", "split")
    _, read = keys(f"{LAYER}\n\nclass{other}")
    assert read == {"batch", "seed", "root"}


@pytest.mark.parametrize(
    "more",
    [
        "Batch(self.params)",
        "Batch(**self.params)",
        "Batch(options=self.params)",
        "self.__dict__.update(self.params)",
        "[setattr(self, key, value) for key, value in self.params.items()]",
        "self.batch = Batch(self)",
        "self.batch = Batch(eval(self.param_str))",
        "self.batch = Batch(self.param_str)",
        "self.batch = Batch(dict(self.params, size=3))",
        "self.batch = Batch({'options': [self.params]})",
        "params: dict = self.params\n        self.batch = Batch(params)",
        "if (params := self.params):\n            self.batch = Batch(params)",
        "[Batch(key, value) for key, value in self.params.items()]",
        "Batch.options = self.params",
        "options = {}\n        options.update(self.params)\n        self.batch = Batch(options)",
        "self.start(self.params)\n\n    def start(self, given):\n        self.batch = Batch(given)",
        "self.batch = Batch(self.read())\n\n    def read(self):\n        return eval(self.param_str)",
        "self.own = Own(self.params)\n\n\nclass Own:\n    def __init__(self, given):\n        Batch(given)",
        "self.own = Own(self.params)\n\n\nclass Own(Batch):\n    pass",
        # Held under a further name in what comes before.
        "self.late()\n        if self.seed:\n            self.held = self.params\n\n"
        "    def late(self):\n        Batch(self.held)",
    ],
)
def test_what_other_code_may_read_is_unknown(more: str) -> None:
    possible, _ = keys(LAYER + f"        {more}\n")
    assert possible is None


@pytest.mark.parametrize(
    "more",
    [
        "Batch(self.params['batch'], seed=self.params.get('seed', 1))",
        "print(self.params)",
        "print('{}'.format(self.params))",
        "assert len(self.params) > int('batch' in self.params)",
        "self.own = Own(self.params)\n\n\nclass Own:\n    def __init__(self, given):\n        Batch(given['x'])",
        "Batch(self.seed)",
    ],
)
def test_one_value_or_code_of_the_module_is_no_other_code(more: str) -> None:
    possible, _ = keys(LAYER + f"        {more}\n")
    assert possible is not None


def test_a_long_chain_of_names_ends() -> None:
    chain = "".join(f"        a{i} = a{i + 1}\n" for i in range(100))
    possible, _ = keys(LAYER + chain + "        a100 = self.params\n")
    assert possible is None


def test_an_expression_that_goes_deep_is_followed() -> None:
    text = f"class A(caffe.Layer):\n    def setup(self, bottom, top):\n        x = {' + '.join(['1'] * 400)}\n"
    one = PythonModule("a.py", text + "        self.n = eval(self.param_str)['n']\n").find("A")
    assert one is not None
    assert one.possible_keys is not None
    assert "n" in one.possible_keys
