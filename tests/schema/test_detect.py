"""Nets, solvers and others are told apart by their top-level names."""

from __future__ import annotations

import pytest

from caffelint.schema.detect import _OF_MYCAFFE, detect
from caffelint.schema.messages import DataParameter, NetParameter
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
        ("num_hidden: 500 epochs: 20 batch_size: 20 momentum: 0.9 learning_rate: 0.1", "other", ""),
        ("momentum: 0.9 gamma: 0.1 epochs: 20", "solver", ""),
        ("solver_mode: ANNEALING mode: EXPM node: 1 edge: 2 eig: 3 model { }", "other", ""),
        ("base_lr: 0.1 vstep_lr: 0.1 vstep_size: 9 epochs: 20", "solver", ""),
        ("momentum: 0.9 momentm2: 0.1 weight_decy: 0", "solver", ""),
        ('name: "lenet" op { type: "Conv" } external_input: "data"', "other", "a Caffe2 net"),
        ("max_iter: 3 snapshot_include_weights: True snapshot_include_state: False", "other", "a MyCaffe file"),
        (
            "layer { data_param { backend: IMAGEDB enable_random_selection: True } }",
            "other",
            "a MyCaffe file",
        ),
        ("max_iter: 3 snapshot_include_weights: True # no snapshot_include_state", "solver", ""),
        ("layer { data_param { backend: IMAGEDB } }", "net", ""),
        ('layer { name: "color_order" top: "IMAGEDB" transform_param { color_order: RGB } }', "net", ""),
        ("", "other", ""),
        ("# nothing", "other", ""),
    ],
)
def test_detect(text: str, kind: str, seems: str) -> None:
    assert detect(parse(text.encode())) == (kind, seems)


def test_a_dialect_is_asked_for() -> None:
    text = b"max_iter: 3 snapshot_include_weights: True snapshot_include_state: False"
    assert detect(parse(text), "ssd").kind == "solver"


def test_no_fork_has_what_tells_mycaffe() -> None:
    file = NetParameter.DESCRIPTOR.file
    names = {field for message in file.message_types_by_name.values() for field in message.fields_by_name}
    names |= set(DataParameter.DESCRIPTOR.enum_values_by_name)
    assert len(names) > 1000
    assert not names & _OF_MYCAFFE
