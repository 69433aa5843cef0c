"""Checks go into any net's text in its own style, and come out again to the byte."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path
from types import FrameType
from typing import Any

import pytest
import training_nets as nets
from hypothesis import given
from hypothesis import strategies as st

import caffelint
from caffelint.fix.finite import PatchError, insert_checks, remove_checks
from caffelint.fix.finite.spots import spots
from caffelint.fix.finite.suspects import suspects
from caffelint.lint.examples import texts_of
from caffelint.lint.file import load
from caffelint.lint.registry import all_rules

ROOT = Path(__file__).parents[3]
WHERE = ["suspects", "losses", "all"]


def _texts() -> Iterator[tuple[str, bytes]]:
    """The fixtures and the examples of all rules, each with a name."""
    for path in sorted((ROOT / "fixtures").glob("*/*/*.prototxt")):
        yield str(path.relative_to(ROOT)), path.read_bytes()
    for info in all_rules():
        for number, example in enumerate(texts_of(info.load())):
            parts = {"": example} if isinstance(example, str) else example
            for name, part in parts.items():
                yield f"{info.name} {number} {name}", part.encode("utf-8", "surrogateescape")


def _losses(data: bytes) -> list[str]:
    net = load(data).net
    return [layer.name for layer in net.layers if layer.name and "Loss" in layer.type] if net else []


def test_nothing_but_checks_goes_in_and_all_of_them_come_out() -> None:
    patched = 0
    for name, data in _texts():
        assert remove_checks(data) == data
        for where in (*WHERE, _losses(data)):
            try:
                found = insert_checks(data, where)
            except PatchError:
                continue
            assert remove_checks(found.data) == data, name
            assert insert_checks(found.data, where) == found, name
            before, after = load(data), load(found.data)
            assert before.net is not None, name
            assert after.net is not None, name
            names = {check.name for check in found.checks}
            assert len(names) == len(found.checks)
            kept = [layer for layer in after.net.layers if layer.name not in names]
            assert [layer.name for layer in kept] == [layer.name for layer in before.net.layers], name
            if where in WHERE:
                assert [layer.message for layer in kept] == [layer.message for layer in before.net.layers], name
            patched += bool(found.checks)
    assert patched > 1000


def test_what_was_changed_elsewhere_in_between_stays() -> None:
    for net in nets.ALL.values():
        patched = insert_checks(net.encode(), ["all", *_losses(net.encode())]).data
        changed = patched.replace(b"xavier", b"msra").replace(b"layer {", b"# note\nlayer {", 1) + b"# end\n"
        wanted = net.encode().replace(b"xavier", b"msra").replace(b"layer {", b"# note\nlayer {", 1) + b"# end\n"
        assert remove_checks(changed) == wanted


def test_checks_with_changed_settings_come_out_too() -> None:
    patched = insert_checks(nets.LENET.encode(), "all").data
    assert remove_checks(patched.replace(b'"by": "caffelint"', b'"by": "caffelint", "action": "warn"')) == (
        nets.LENET.encode()
    )


def test_a_check_that_a_person_wrote_stays() -> None:
    own = nets.SIAMESE + (
        'layer { name: "check" type: "Python" bottom: "feat" top: "feat" python_param {'
        ' module: "check_finite_layer" layer: "checkFiniteLayer" param_str: "prefix-check" } }\n'
    )
    assert remove_checks(own.encode()) == own.encode()


_LINES = """layer {
  name: "ip"
  type: "InnerProduct"
  bottom: "data"
  top: "ip"
  include { phase: TRAIN }
}"""
_CHECK = """layer {
  name: "check_finite_ip"
  type: "Python"
  bottom: "ip"
  top: "ip"
  include { phase: TRAIN }
  python_param {
    module: "check_finite_layer"
    layer: "checkFiniteLayer"
    param_str: '{"by": "caffelint", "blob": "ip", "made_by": ["ip"]}'
  }
}"""


def _one_line(text: str) -> str:
    return re.sub(r"\n *", " ", text)


def _tight(text: str) -> str:
    return _one_line(text).replace(": ", ":").replace("{ ", "{").replace(" }", "}").replace(" {", "{")


@pytest.mark.parametrize(
    ("style", "between"),
    [
        (lambda text: text, "\n"),
        (lambda text: text, "\n\n"),
        (lambda text: text.replace("  ", "\t"), "\n"),
        (lambda text: text.replace("  ", "      "), "\n"),
        (lambda text: text.replace("\n", "\r\n"), "\r\n"),
        (lambda text: text.replace("layer {", "layer{"), "\n"),
        (lambda text: text.replace("layer {", "layer\n{"), "\n"),
        (lambda text: text.replace("layer {", "layer: {"), "\n"),
        (lambda text: "   " + text.replace("\n", "\n   "), "\n"),
        (_one_line, "\n"),
        (_one_line, " "),
    ],
)
def test_a_check_is_written_like_its_neighbour(style: object, between: str) -> None:
    assert callable(style)
    last = style(_LINES.replace('"ip"', '"last"'))
    before = style(_LINES) + between + last
    found = insert_checks(before.encode(), ["ip"])
    assert found.data.decode() == style(_LINES) + between + style(_CHECK) + between + last


def test_the_order_is_producer_followers_check_and_the_rest_of_a_line_stays() -> None:
    net = (
        'layer { name: "a" type: "ReLU" top: "x" bottom: "y" }  # why\n'
        'layer { name: "b" type: "Dropout" top: "x" bottom: "x" }; # so\n\n# the end\n'
        'layer { name: "c" type: "ReLU" top: "z" bottom: "x" }'
    )
    found = insert_checks(net.encode(), ["a"]).data.decode()
    assert found.startswith(net[: net.index("\n\n# the")] + '\n\nlayer { name: "check_finite_x" type: "Python"')
    assert '"made_by": ["a", "b"], "read_by": ["c"]' in found
    assert found.endswith(net[net.index("\n\n# the") :])


def test_a_reader_of_another_phase_stands_before_no_check() -> None:
    """In TEST the in-place layer is not there, and a check behind the reader would be refused by Caffe."""
    net = (
        'layer { name: "a" type: "ReLU" top: "x" bottom: "y" }\n'
        'layer { name: "r" type: "ReLU" top: "z" bottom: "x" include { phase: TEST } }\n'
        'layer { name: "d" type: "Dropout" top: "x" bottom: "x" include { phase: TRAIN } }\n'
    )
    after = load(insert_checks(net.encode(), ["a"]).data).net
    assert after is not None
    names = [layer.name for layer in after.layers]
    assert names == ["a", "check_finite_x", "r", "d"]


@pytest.mark.parametrize(
    ("net", "why"),
    [
        ('layer { name: "l" type: "EuclideanLoss" bottom: "a" bottom: "b" top: "x" }', "it is a loss"),
        ('layer { name: "l" type: "Power" bottom: "a" top: "x" loss_weight: 0.1 }', "it is a loss"),
        ('layer { name: "l" type: "SmoothL1Loss" bottom: "a" bottom: "b" top: "x" }', "loss"),
        ('layer { name: "l" type: "NoSuchLoss" bottom: "a" top: "x" }', "it may be a loss"),
        ('layer { name: "l" type: "Python" bottom: "a" top: "x" }', "it may be a loss"),
        (
            'layer { name: "l" type: "Power" bottom: "a" top: "x" }'
            ' layer { name: "m" type: "ReLU" bottom: "x" top: "x" loss_weight: 1 }',
            'layer "m" works on it in place and makes it a loss',
        ),
        ('layer { name: "l" type: "Slice" bottom: "a" top: "x" top: "a2" }', "no layer reads it"),
    ],
)
def test_a_loss_is_never_read_as_it_is(net: str, why: str) -> None:
    for where in WHERE:
        found = insert_checks(net.encode(), where)
        assert "x" not in {check.blob for check in found.checks}
        if where == "all":
            assert any('blob "x"' in line and why in line for line in found.left_out), found.left_out


@pytest.mark.parametrize(
    ("loss", "zeroed", "weight"),
    [
        ("", "loss_weight: 0 ", "1"),
        ("loss_weight: 0.50 ", "loss_weight: 0 ", "0.50"),
    ],
)
def test_a_named_loss_hands_its_weight_to_the_check(loss: str, zeroed: str, weight: str) -> None:
    net = 'layer { name: "l" type: "HingeLoss" bottom: "a" bottom: "b" %stop: "x" }\n'
    found = insert_checks((net % loss).encode(), ["l"])
    lines = found.data.decode().splitlines()
    assert lines[0] == (net % zeroed).rstrip()
    assert f'top: "x" loss_weight: {weight} python_param' in lines[1]
    assert remove_checks(found.data) == (net % loss).encode()


@pytest.mark.parametrize(
    ("net", "why"),
    [
        (
            'layer { name: "l" type: "HingeLoss" bottom: "a" bottom: "b" top: "x" }\n'
            'layer { name: "r" type: "Power" bottom: "x" top: "y" }',
            'layer "r" reads this loss, and without a loss_weight Caffe drops the backward pass of such a loss',
        ),
        (
            'layer { name: "l" type: "Slice" bottom: "a" top: "x" top: "y" loss_weight: 1 loss_weight: 2 }',
            "its layer has a weight for several tops, and Caffe forgets the others",
        ),
        ('layer { name: "l" type: "HingeLoss" bottom: "a" bottom: "b" top: "x" top: "y" }', "write the loss_weight of"),
    ],
)
def test_a_weight_stays_where_its_move_would_change_training(net: str, why: str) -> None:
    """Each found by training on a real Caffe, which treats such nets otherwise with a check in between."""
    found = insert_checks(net.encode(), ["l"])
    assert found.data == net.encode()
    assert why in found.left_out[0]


def test_a_reader_in_tests_alone_is_no_hindrance() -> None:
    net = (
        'layer { name: "l" type: "HingeLoss" bottom: "a" bottom: "b" top: "x" }\n'
        'layer { name: "r" type: "Power" bottom: "x" top: "y" include { phase: TEST } }'
    )
    assert [check.blob for check in insert_checks(net.encode(), ["l"]).checks] == ["x"]


def test_each_loss_of_one_name_gets_its_own_weight_back() -> None:
    net = "".join(
        f'layer {{ name: "l" type: "HingeLoss" bottom: "a" bottom: "b" top: "x" {weight}'
        f"include {{ phase: {phase} }} }}\n"
        for weight, phase in (("loss_weight: 2 ", "TRAIN"), ("loss_weight: 3.0 ", "TEST"))
    )
    found = insert_checks(net.encode(), ["l"])
    assert [check.name for check in found.checks] == ["check_finite_x", "check_finite_x_2"]
    assert found.data.count(b"loss_weight: 0") == 2
    assert remove_checks(found.data) == net.encode()


def test_names_never_clash() -> None:
    net = (
        'layer { name: "check_finite_x" type: "Power" top: "x" bottom: "y" }'
        ' layer { name: "check_finite_x_2" type: "ReLU" top: "x" bottom: "x" }'
    )
    assert [check.name for check in insert_checks(net.encode(), ["check_finite_x"]).checks] == ["check_finite_x_3"]


def test_inputs_of_the_net_are_checked() -> None:
    net = (
        'input: "data"\ninput_dim: 1\ninput_dim: 3\ninput_dim: 4\ninput_dim: 4\n\n'
        'layer { name: "r" type: "ReLU" bottom: "data" top: "r" }\n'
    )
    found = insert_checks(net.encode(), "suspects")
    assert [check.blob for check in found.checks] == ["data"]
    after = load(found.data).net
    assert after is not None
    assert [layer.name for layer in after.layers] == ["input", "check_finite_data", "r"]


def test_a_check_after_the_inputs_is_written_like_the_first_layer_that_is_a_block() -> None:
    net = 'input: "data" input_dim: 1\nlayer: 3\nlayer < name: "r" type: "ReLU" bottom: "data" top: "r" >\n'
    assert "layer < name: " in insert_checks(net.encode(), "all").data.decode().split("layer: 3")[0]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('layers { name: "a" type: RELU bottom: "x" top: "y" }', "this is the old format"),
        ('layer { name: "a" type: "ReLU bottom: "x" }', "line 1: "),
        ('net: "a.prototxt" base_lr: 1', "this is a solver"),
        ("", "not a net"),
    ],
)
def test_what_cannot_be_patched_is_reported_in_a_line(text: str, message: str) -> None:
    with pytest.raises(PatchError, match=re.escape(message)):
        insert_checks(text.encode(), "all")


def test_an_unknown_layer_is_reported_with_the_one_that_was_meant() -> None:
    with pytest.raises(PatchError, match='no layer "conv"; did you mean conv1'):
        insert_checks(nets.LENET.encode(), ["conv"])


def test_strange_names_survive() -> None:
    net = (
        """layer { name: 'it\\'s' type: 'Power' bottom: 'y' top: "b\\"\\\\ü" }\n"""
        """layer { name: "\u4e2d" type: "ReLU" bottom: "b\\"\\\\ü" top: "z" }"""
    )
    for data in (net.encode(), net.encode("latin-1", "replace")):
        found = insert_checks(data, "all")
        assert [check.blob for check in found.checks][1:] == ["z"]
        after = load(found.data).net
        assert after is not None
        assert after.layers[1].bottoms == after.layers[0].tops
        assert remove_checks(found.data) == data


SUSPECTS = {
    'type: "Log"': True,
    'type: "Log" log_param { shift: 1 }': False,
    'type: "Exp"': True,
    'type: "Power" power_param { power: -1 }': True,
    'type: "Power" power_param { power: 0.5 }': True,
    'type: "Power" power_param { power: 0.5 shift: 0.1 }': False,
    'type: "Power" power_param { power: 2 }': False,
    'type: "LRN"': True,
    'type: "BatchNorm" batch_norm_param { use_global_stats: true }': True,
    'type: "BatchNorm"': False,
    'type: "TanH"': False,
}


@pytest.mark.parametrize("layer", SUSPECTS)
def test_suspects_are_what_the_graph_knows_to_be_risky(layer: str) -> None:
    net = (
        'layer { name: "data" type: "Input" top: "data" input_param { shape { dim: 2 dim: 3 dim: 5 dim: 5 } } }\n'
        'layer { name: "conv" type: "Convolution" bottom: "data" top: "conv"'
        ' convolution_param { num_output: 2 kernel_size: 3 weight_filler { type: "xavier" } } }\n'
        'layer { name: "relu" type: "ReLU" bottom: "conv" top: "conv" }\n'
        f'layer {{ name: "it" {layer} bottom: "conv" top: "it" }}\n'
        'layer { name: "next" type: "ReLU" bottom: "it" top: "next" }\n'
    )
    blobs = {check.blob for check in insert_checks(net.encode(), "suspects").checks}
    assert ("it" in blobs) is SUSPECTS[layer]
    assert "data" in blobs
    assert "next" not in blobs
    found = insert_checks(net.encode(), "suspects", findings={"next": "a-rule"})
    assert found.checks[0].blob in ("it", "next")
    assert "a-rule" in found.checks[0].reason


def test_a_patched_net_is_judged_as_the_net_itself() -> None:
    """The checks are no cause of findings, and hide none."""
    for name, net in nets.variants().items():
        before = {(found.name, found.layer) for found in caffelint.check_text(net).findings}
        patched = insert_checks(net.encode(), ["all", *_losses(net.encode())]).data
        after = {(found.name, found.layer) for found in caffelint.check_text(patched).findings}
        assert after == before, name


_PIECES = [
    "layer { name: 'a' type: 'ReLU' bottom: 'a' top: 'b' }",
    "layer<\ttop:'c'\n>",
    *("#x", ";", " ", "\n", "\r\n", "\t", "}"),
]


@given(st.lists(st.sampled_from(_PIECES), max_size=12))
def test_any_layout_comes_back(pieces: list[str]) -> None:
    data = "".join(pieces).encode()
    refused = load(data).net is None or any(problem.certain for problem in load(data).document.problems)
    if refused:
        with pytest.raises(PatchError):
            insert_checks(data, "all")
    else:
        assert remove_checks(insert_checks(data, "all").data) == data


def test_many_suspects_take_no_longer_each_than_few() -> None:
    """In lines that are run, which unlike seconds are the same on every machine."""

    def lines(number: int) -> int:
        text = "".join(f'layer {{ name: "n{i}" type: "LRN" bottom: "b{i}" top: "b{i + 1}" }}' for i in range(number))
        net = load(text.encode()).net
        assert net is not None
        own, run = spots(net), [0]

        def count(frame: FrameType, event: str, argument: object) -> Any:
            run[0] += event == "line"
            return count if frame.f_code is suspects.__code__ else None

        before = sys.gettrace()
        sys.settrace(count)
        try:
            suspects(net, own)
        finally:
            sys.settrace(before)
        return run[0]

    assert lines(200) < 3 * lines(100)
