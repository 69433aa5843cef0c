"""Nets, solvers and others are told apart by their top-level names."""

from __future__ import annotations

import pytest

from caffelint.schema.detect import detect
from caffelint.text.parser import parse


@pytest.mark.parametrize(
    ("text", "kind", "seems"),
    [
        ('layer { name: "a" }', "net", ""),
        ('layers { name: "a" }', "net", ""),
        ('name: "net"', "net", ""),
        ('input: "data" input_dim: 1', "net", ""),
        ("base_lr: 0.1", "solver", ""),
        ('net: "a" max_iter: 3', "solver", ""),
        ("bsae_lr: 0.1 max_itr: 3", "solver", ""),
        ("net_param { layer { } }", "solver", ""),
        ("base_lr 0.1", "solver", ""),
        ("ir_version: 3 graph { }", "other", "an ONNX model"),
        ('item { name: "cat" }', "other", "a label map"),
        ("apples: 3", "other", ""),
        ("", "other", ""),
        ("# nothing", "other", ""),
    ],
)
def test_detect(text: str, kind: str, seems: str) -> None:
    assert detect(parse(text.encode())) == (kind, seems)
