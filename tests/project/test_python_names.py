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
    assert read == {"batch", "seed"}
    assert possible is not None
    assert {"batch", "seed", "root"} <= possible
    assert "split" not in possible


@pytest.mark.parametrize(
    "more",
    [
        "Batch(self.params)",
        "Batch(**self.params)",
        "Batch(options=self.params)",
        "self.__dict__.update(self.params)",
        "[setattr(self, key, value) for key, value in self.params.items()]",
    ],
)
def test_what_other_code_may_read_is_unknown(more: str) -> None:
    possible, _ = keys(LAYER + f"        {more}\n")
    assert possible is None
