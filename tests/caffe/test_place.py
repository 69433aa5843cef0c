"""What a text gives of a field: a value, nothing, or something that could not be read."""

from __future__ import annotations

import pytest

from caffelint.caffe.net import Net
from caffelint.caffe.place import Given, is_commented_out
from caffelint.caffe.solver import Solver
from caffelint.schema.bind import bind
from caffelint.schema.messages import NetParameter, SolverParameter
from caffelint.text.parser import parse

VALUE, NOTHING, UNREADABLE = Given.VALUE, Given.NOTHING, Given.UNREADABLE


@pytest.mark.parametrize(
    ("text", "field", "expected"),
    [
        ("max_iter: 100", "max_iter", VALUE),
        ("max_iter: 0", "max_iter", VALUE),
        ("base_lr: 0.1", "max_iter", NOTHING),
        ("max_iter: ITERATIONS", "max_iter", UNREADABLE),
        ("max_iter: {{ n }}", "max_iter", UNREADABLE),
        ("max_iter: 99999999999", "max_iter", UNREADABLE),
        ('lr_policy: ""', "lr_policy", VALUE),
        ("solver_mode: TPU", "solver_mode", UNREADABLE),
        ("test_iter: 1 test_iter: 2", "test_iter", VALUE),
        ("test_iter: 1 test_iter: N", "test_iter", UNREADABLE),
        ("test_iter: N", "test_iter", UNREADABLE),
        ("test_iter: [1, 2]", "test_iter", VALUE),
        ("max_iter: 100", "test_iter", NOTHING),
        ("solver_type: ADAM", "type", VALUE),
    ],
)
def test_of_a_solver(text: str, field: str, expected: Given) -> None:
    solver = Solver(bind(parse(text.encode(), "solver.prototxt"), SolverParameter()))
    assert solver.given(field) is expected
    assert solver.has(field) is (expected is VALUE or "test_iter: 1" in text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('layer { type: "Data" data_param { batch_size: 4 } }', VALUE),
        ('layer { type: "Data" data_param { batch_size: %d } }', UNREADABLE),
        ('layer { type: "Data" data_param { source: "a" } }', NOTHING),
        ('layer { type: "Data" }', NOTHING),
        ("layers { type: DATA data_param { batch_size: BATCH } }", UNREADABLE),
        ('layers { layer { type: "data" batchsize: 4 } }', VALUE),
    ],
)
def test_of_a_layer(text: str, expected: Given) -> None:
    net = Net(bind(parse(text.encode(), "net.prototxt"), NetParameter()))
    assert net.layers[0].given("data_param", "batch_size") is expected


@pytest.mark.parametrize(
    ("text", "is_out"),
    [
        ("base_lr: 1\n# gamma: 0.5", True),
        ("base_lr: 1 # gamma: 0.5 # a drop", True),
        ("base_lr: 1\n## gamma:0.5", True),
        ("base_lr: 1\n# gamma: the factor of each drop", False),
        ("base_lr: 1\n# no gamma: 0.5", False),
        ("net_param { # gamma: 0.5\n }", False),
        ("gamma: 0.5", False),
    ],
)
def test_a_field_in_a_comment(text: str, is_out: bool) -> None:
    solver = Solver(bind(parse(text.encode()), SolverParameter()))
    assert solver.is_commented_out("gamma") == is_out


def test_a_field_in_a_comment_is_of_its_block() -> None:
    text = 'layer { name: "a" type: "Data"\n# name: "c"\ndata_param {\n# batch_size: 4\n} }\n# type: "b"'
    (layer,) = Net(bind(parse(text.encode()), NetParameter())).layers
    document = layer.net.document
    assert is_commented_out(document, layer.node, ("name",))
    assert is_commented_out(document, layer.node, ("data_param", "batch_size"))
    assert not is_commented_out(document, layer.node, ("batch_size",))
    assert not is_commented_out(document, layer.node, ("type",))
    assert not is_commented_out(document, layer.node, ("transform_param", "scale"))
    assert is_commented_out(document, document.root, ("type",))
