"""Text becomes Caffe's messages, each of which knows where it stands; what is wrong does not stop it."""

from __future__ import annotations

import pytest

from caffelint.schema import NetParameter, SolverParameter
from caffelint.schema.bind import bind
from caffelint.schema.bound import Bound
from caffelint.text.parser import parse


def net(text: str, dialect: str | None = None) -> Bound:
    return bind(parse(text.encode()), NetParameter(), dialect)


def solver(text: str, dialect: str | None = None) -> Bound:
    return bind(parse(text.encode()), SolverParameter(), dialect)


def test_values_of_every_form() -> None:
    message = solver(
        "net: \"a\" 'b' max_iter: 0x10 base_lr: 1e-3 solver_mode: CPU test_iter: [1, 2] test_iter: 3 debug_info: t"
    ).message
    assert message.net == "ab"
    assert message.max_iter == 16
    assert message.base_lr == pytest.approx(0.001)
    assert message.solver_mode == SolverParameter.CPU
    assert list(message.test_iter) == [1, 2, 3]
    assert message.debug_info is True


def test_origin_leads_back_to_the_text() -> None:
    text = 'layer { name: "a" top: ["x", "y"] top: "z" }\nlayer { name: "b" }'
    bound = net(text)
    one, other = bound.message.layer

    def shown(span: tuple[int, int] | None) -> str | None:
        return None if span is None else bound.document.source.slice(*span)

    assert shown(bound.origin(other)) == 'layer { name: "b" }'
    assert shown(bound.origin(one, "name")) == 'name: "a"'
    assert shown(bound.origin(one, "top", 1)) == '"y"'
    assert shown(bound.origin(one, "top", 2)) == 'top: "z"'
    assert bound.origin(one, "top", 3) is None
    assert bound.origin(one, "bottom") is None
    assert shown(bound.origin(bound.message)) == text


def test_links_follow_an_upgrade() -> None:
    bound = net('layers { name: "a" }')
    old, new = bound.message.layers[0], NetParameter().layer.add()
    assert bound.node(new) is None
    bound.link(new, old)
    assert bound.node(new) is bound.node(old)


def test_what_is_right_is_read_around_what_is_wrong() -> None:
    bound = net('layer { name: "a" foo: 1 type: 3 bottom: "b" pooling_param { kernel_size: -1 stride: 2 } }')
    (layer,) = bound.message.layer
    assert (layer.name, list(layer.bottom), layer.pooling_param.stride) == ("a", ["b"], 2)
    assert not layer.pooling_param.HasField("kernel_size")


def test_what_was_meant_is_read() -> None:
    pooling = net('layer { pooling_param { pool: AVE stride: "5" kernel: 3 } }').message.layer[0].pooling_param
    assert (pooling.kernel_size, pooling.stride) == (3, 5)


def test_what_was_meant_does_not_displace_what_is_there() -> None:
    bound = net("layer { pooling_param { kernel: 3 kernel_size: 5 } }")
    assert bound.message.layer[0].pooling_param.kernel_size == 5
    assert [problem.kind for problem in bound.problems] == ["unknown-field"]


def test_layers_inside_of_layers_are_read_beside_them() -> None:
    bound = net(
        'layer { name: "a" layer { name: "b" relu_param { layer { name: "c" } } } bottom: "x" } layer { name: "d" }'
    )
    assert [layer.name for layer in bound.message.layer] == ["a", "b", "c", "d"]
    assert list(bound.message.layer[0].bottom) == ["x"]
    assert [problem.kind for problem in bound.problems] == ["syntax-error"] * 2


def test_v0_layers_are_no_mistake() -> None:
    bound = net('layers { layer { name: "a" type: "relu" } bottom: "x" top: "x" }')
    assert not bound.problems
    assert bound.message.layers[0].layer.name == "a"


def test_nets_inside_of_solvers() -> None:
    bound = solver('net_param { layer { name: "a" } layers { name: "b" } }')
    assert bound.message.net_param.layer[0].name == "a"
    assert [problem.kind for problem in bound.problems] == ["mixed-layer-formats"]


def test_forks_of_a_text_are_noted() -> None:
    bound = net('layer { type: "PriorBox" prior_box_param { min_size: 30 } }')
    assert {use.name for use in bound.fork_uses} == {"prior_box_param", "min_size"}
    assert all("ssd" in use.forks and "bvlc" not in use.forks for use in bound.fork_uses)
    assert [problem.kind for problem in bound.problems] == ["fork-field"]


@pytest.mark.parametrize(("dialect", "kinds"), [("bvlc", ["fork-field"]), ("ssd", []), ("segnet", ["fork-field"])])
def test_a_dialect_takes_its_own_fields(dialect: str, kinds: list[str]) -> None:
    bound = net("layer { prior_box_param { min_size: 30 } }", dialect)
    assert [problem.kind for problem in bound.problems] == kinds
    assert {use.name for use in bound.fork_uses} == {"prior_box_param", "min_size"}
    assert not bound.is_plain


def test_a_dialect_lacks_fields_of_newer_caffes() -> None:
    assert not net("layer { crop_param { axis: 1 } }", "bvlc").problems
    assert [problem.kind for problem in net("layer { crop_param { axis: 1 } }", "fastrcnn").problems] == ["fork-field"]


def test_a_field_that_some_forks_repeat() -> None:
    twice = "layer { pooling_param { stride: 2 stride: 2 } }"
    (doubtful,) = net(twice).problems
    assert not doubtful.certain
    (certain,) = net(twice, "bvlc").problems
    assert certain.certain
    assert not net(twice, "opencl").problems
    with_other_fork = net(twice + "layer { dense_image_data_param { } }").problems
    assert [problem.certain for problem in with_other_fork if problem.kind == "repeated-scalar"] == [True]


def test_the_parts_of_a_block_that_was_read_before_lead_back_to_the_text() -> None:
    layer = (
        'layer { name: "c" param { lr_mult: 1 } param { lr_mult: 2 } convolution_param { weight_filler { std: 1 } } }'
    )
    text = f"{layer} {layer}"
    assert net(text).message == net(text).message
    bound = net(text)
    second = bound.message.layer[1]
    at = text.rindex("param { lr_mult: 2 }")
    assert bound.origin(second.param[1]) == (at, at + len("param { lr_mult: 2 }"))
    at = text.rindex("std: 1")
    assert bound.origin(second.convolution_param.weight_filler, "std") == (at, at + len("std: 1"))


def test_links_follow_an_upgrade_of_a_block_that_was_read_before() -> None:
    text = 'layers { type: DATA data_param { source: "a" } transform_param { mirror: true } }'
    for _ in range(2):
        bound = net(text)
        new = NetParameter().layer.add()
        new.transform_param.mirror = True
        bound.link(new.transform_param, bound.message.layers[0].transform_param)
        at = text.index("mirror: true")
        assert bound.origin(new.transform_param, "mirror") == (at, at + len("mirror: true"))
