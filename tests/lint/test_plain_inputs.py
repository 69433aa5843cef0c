"""What Caffe refuses of its own layers in a net that has layers of a fork, too."""

from __future__ import annotations

import pytest

import caffelint

INPUT = 'layer { name: "data" type: "Input" top: "data" input_param { shape { dim: 1 dim: 2 dim: %d dim: 8 } } }\n'
RESHAPE = 'layer { name: "r" type: "Reshape" bottom: "%s" top: "r" reshape_param { shape { dim: 5 dim: -1 } } }\n'
POOL = 'layer { name: "p" type: "Pooling" bottom: "data" top: "p" pooling_param { kernel_size: 2 stride: 2 } %s }\n'
OWN = 'layer { name: "own" type: "%s" bottom: "data" top: "own" %s }\n'
NOT_DIVISIBLE = ("refused-by-caffe", "warning", "likely")
SURPLUS = ("too-many-params", "warning", "likely")


def found(*layers: str, height: int = 8) -> list[tuple[str, str, str]]:
    report = caffelint.check_text(INPUT % height + "".join(layers))
    named = [(one.name, one.severity, one.certainty) for one in report.findings]
    return [one for one in named if one[0] in ("refused-by-caffe", "too-many-params")]


@pytest.mark.parametrize("own", ["MyOwn", "Normalize"])
def test_a_branch_without_a_layer_of_a_fork(own: str) -> None:
    assert found(OWN % (own, ""), RESHAPE % "data") == [NOT_DIVISIBLE]
    assert found(OWN % (own, ""), POOL % "", RESHAPE % "p") == [NOT_DIVISIBLE]


def test_what_follows_a_layer_of_a_fork() -> None:
    relu = 'layer { name: "relu" type: "ReLU" bottom: "own" top: "own" }\n'
    assert found(OWN % ("ReLU6", ""), relu, RESHAPE % "own") == []


def test_a_map_that_forks_make_otherwise() -> None:
    """A window that reaches over the border is left out by some."""
    assert found(OWN % ("MyOwn", ""), POOL % "", RESHAPE % "p", height=9) == []


def test_a_fork_that_has_changed_a_layer() -> None:
    pool = POOL.replace("stride: 2", "stride: 2 ceil_mode: false")
    assert found(OWN % ("MyOwn", ""), RESHAPE % "data", pool % "") == []
    pool = POOL.replace("stride: 2", "stride: 2 my_own: 3")
    assert found(OWN % ("MyOwn", ""), RESHAPE % "data", pool % "") == []
    # A block of a layer of its own changes no other.
    assert found(OWN % ("MyOwn", "my_own_param { x: 1 }"), RESHAPE % "data") == [NOT_DIVISIBLE]


def test_param_blocks_of_layers_without_parameters() -> None:
    """However their maps are rounded, and whatever they are computed from."""
    assert found(OWN % ("MyOwn", ""), POOL % "param { lr_mult: 1 }", height=9) == [SURPLUS]
    pool = POOL.replace('bottom: "data"', 'bottom: "own"')
    assert found(OWN % ("MyOwn", ""), pool % "param { lr_mult: 1 }") == [SURPLUS]
    assert found(OWN % ("MyOwn", "param { lr_mult: 1 }")) == []


def test_groups_of_outputs_hang_on_no_bottom() -> None:
    """Of what a fork's own layer makes, nothing is known, and no number of channels makes this right."""
    own = OWN % ("MyOwn", "my_own_param { x: 1 }")
    groups = 'layer { name: "c" type: "Convolution" bottom: "own" top: "c" convolution_param { %s kernel_size: 3 } }\n'
    assert found(own, groups % "num_output: 320 group: 512") == [NOT_DIVISIBLE]
    assert found(own, groups % "num_output: 512 group: 512") == []
