"""One array that is shuffled without the other one that is read with the same index."""

from __future__ import annotations

from pathlib import Path

import pytest

import caffelint
from caffelint.lint.config import Config

NET = """
layer { name: "data" type: "Python" top: "data" top: "label" python_param { module: "m" layer: "Data" } }
layer { name: "fc" type: "InnerProduct" bottom: "data" top: "fc" }
layer { name: "loss" type: "SoftmaxWithLoss" bottom: "fc" bottom: "label" }
"""
MODULE = """import caffe
import numpy as np

class Data(caffe.Layer):
    def setup(self, bottom, top):
        self.x, self.y = load()
        self.n = len(self.y)
    def again(self):
        %s
    def forward(self, bottom, top):
        top[0].data[...] = self.x[self.at]
        top[1].data[...] = self.y[%s]
"""
SHUFFLE = "np.random.shuffle(self.x)"


@pytest.mark.parametrize(
    ("body", "index", "told"),
    [
        (SHUFFLE, "self.at", True),
        (SHUFFLE, "self.other", False),
        (SHUFFLE + "; np.random.shuffle(self.y)", "self.at", True),
        (SHUFFLE + "; self.y = sort(self.x, self.y)", "self.at", False),
        ("sort(self.y); " + SHUFFLE, "self.at", False),
        (
            "state = np.random.get_state(); " + SHUFFLE + "; np.random.set_state(state); np.random.shuffle(self.y)",
            "self.at",
            False,
        ),
        ("pass", "self.at", False),
    ],
)
def test_labels_that_stay(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, body: str, index: str, told: bool) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "net.prototxt").write_text(NET)
    (tmp_path / "m.py").write_text(MODULE % (body.replace("; ", "\n        "), index))
    config = Config()
    config.cache, config.select = False, ["python-shuffled-apart"]
    found = [one.message for one in caffelint.check(["."], config).findings]
    assert bool(found) == told
    assert (
        not told or "shuffles self.x and not self.y (m.py:9)" in found[0] or "each in an order of its own" in found[0]
    )


def test_what_a_local_name_stands_for_is_followed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "net.prototxt").write_text(NET)
    drawn = "self.x = self.x[np.random.permutation(self.n)]"
    module = MODULE % (f"{drawn}\n        {drawn.replace('x', 'y').replace('yp', 'xp')}", "self.at")
    (tmp_path / "m.py").write_text(
        module.replace(
            "top[0].data[...] = self.x[self.at]", "image = self.x[self.at] / 9\n        top[0].data[...] = image.T"
        )
    )
    config = Config()
    config.cache = False
    found = [one.message for one in caffelint.check(["net.prototxt"], config).findings if one.code == "Y013"]
    assert len(found) == 1
    assert "shuffles self.x and self.y each in an order of its own" in found[0]
