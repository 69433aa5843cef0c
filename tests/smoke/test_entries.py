"""What is switched on in the param_str of a Python layer, and spoils the data that it brings, is found by trial."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from project_files import write

from caffelint.smoke.session import Session
from caffelint.smoke.verdict import verdict

_LAYER = """import ast
import json

import caffe
import numpy as np


class Feed(caffe.Layer):
    def setup(self, bottom, top):
        text = self.param_str
        self.params = json.loads(text) if '"' in text else ast.literal_eval(text)
        self.random = np.random.RandomState(self.params["seed"])
        self.read = np.random.RandomState(self.params["seed"]).uniform(-1, 1, (400, 8))
        self.asked = self.read[:, :2].copy()
        self.at = 0

    def reshape(self, bottom, top):
        top[0].reshape(20, 8)
        top[1].reshape(20, 2)

    def forward(self, bottom, top):
        take = np.arange(self.at, self.at + 20) % 400
        self.at += 20
        read, asked = self.read[take], self.asked[take]
        if self.params.get("mirror") and self.random.rand() < 0.5:
            read = read[:, ::-1]
            asked = ASKED
        if self.params.get("shuffle"):
            asked = asked[self.random.permutation(20)]
        top[0].data[...], top[1].data[...] = read, asked

    def backward(self, top, propagate_down, bottom):
        pass
"""
_NET = """layer { name: "feed" type: "Python" top: "read" top: "asked" include { phase: TRAIN }
  python_param { module: "feeds" layer: "Feed" param_str: 'PARAMS' } }
layer { name: "feed" type: "Python" top: "read" top: "asked" include { phase: TEST }
  python_param { module: "feeds" layer: "Feed" param_str: '{"seed": 2}' } }
layer { name: "out" type: "InnerProduct" bottom: "read" top: "out"
  inner_product_param { num_output: 2 weight_filler { type: "xavier" } } }
layer { name: "loss" type: "EuclideanLoss" bottom: "out" bottom: "asked" top: "loss" }
"""
_SOLVER = """net: "net.prototxt" base_lr: 0.2 momentum: 0.9 lr_policy: "fixed" max_iter: 1000 snapshot_prefix: "s"
test_iter: 20 test_interval: 100
"""
_WRONG, _RIGHT = "asked", "read[:, :2]"


def _said(folder: Path, params: str, asked: str, smoke: Callable[..., Session], engine: str) -> str:
    (folder / "feeds.py").write_text(_LAYER.replace("ASKED", asked))
    session = smoke(write(folder, _NET.replace("'PARAMS'", params), _SOLVER), engine)
    assert session.run is not None
    return verdict(session.run, session.report.findings)


@pytest.mark.parametrize("engine", ["caffe", "torch"])
@pytest.mark.parametrize(
    ("params", "entry", "off"),
    [
        ("""'{"seed": 1, "flag": true, "mirror": true}'""", "mirror", '"mirror": false'),
        ('''"{'mirror': True, 'seed': 1}"''', "mirror", "'mirror': False"),
        ("""'{"seed": 1, "shuffle": true}'""", "shuffle", '"shuffle": false'),
    ],
)
def test_an_entry_that_spoils_the_data(
    params: str, entry: str, off: str, engine: str, in_engine: Callable[..., Session], tmp_path: Path
) -> None:
    said = _said(tmp_path, params, _WRONG, in_engine, engine)
    assert f'does not go with the data that Python "feed" brings with "{entry}" in its param_str; with {off} at' in said


@pytest.mark.parametrize("engine", ["caffe", "torch"])
def test_an_entry_that_spoils_nothing(engine: str, in_engine: Callable[..., Session], tmp_path: Path) -> None:
    said = _said(tmp_path, """'{"seed": 1, "mirror": true}'""", _RIGHT, in_engine, engine)
    assert "param_str" not in said
    assert said.startswith("it trains: ")
