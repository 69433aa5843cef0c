"""What Python layers are told of the stride of a map is held against all maps that they read."""

from __future__ import annotations

import pytest

from caffelint import check_text

_CONV = (
    'layer {{ name: "{0}" type: "Convolution" bottom: "{1}" top: "{0}"'
    " convolution_param {{ num_output: 8 kernel_size: 3 pad: 1 stride: {2} }} }}\n"
)
_NET = (
    'layer { name: "data" type: "Input" top: "data" input_param { shape { dim: 1 dim: 3 dim: 64 dim: 64 } } }\n'
    + _CONV.format("conv1", "data", 8)
    + _CONV.format("conv2", "conv1", 2)
)
_PYTHON = (
    'layer {{ name: "{0}" type: "Python" {1} top: "{0}" python_param {{ module: "rpn" layer: "Rpn"'
    ' param_str: "{2}" }} }}\n'
)


def _found(*layers: tuple[str, str, str]) -> list[str]:
    text = _NET + "".join(_PYTHON.format(*layer) for layer in layers)
    return [one.message for one in check_text(text).findings if one.name == "feat-stride-unlike-map"]


def test_layers_of_one_map_are_one_finding() -> None:
    rpn = 'bottom: "conv1"'
    (message,) = _found(
        ("a", rpn, "'feat_stride': 16"), ("b", rpn, "'feat_stride': 16"), ("c", rpn, "'feat_stride': 8")
    )
    assert message.startswith('Python "a", "b": feat_stride is 16 but "conv1" has a stride of 8,')


@pytest.mark.parametrize(
    ("bottoms", "told"),
    [
        ('bottom: "conv1" bottom: "conv2"', "'feat_stride': 16"),
        ('bottom: "data"', "'feat_stride': 16"),
        ('bottom: "conv1"', "'feat_stride': 8, 'other': {'feat_stride': 16}"),
        ('bottom: "conv1"', "'feat_stride': [16, 32]"),
    ],
)
def test_a_layer_may_mean_another_map(bottoms: str, told: str) -> None:
    assert _found(("a", bottoms, told)) == []
