"""A convolution without its pad is the cause where maps then do not fit."""

from __future__ import annotations

from caffelint import check_text

_DATA = 'layer {{ name: "data" type: "Data" top: "x0" data_param {{ source: "a" batch_size: 2 }} {} }}\n'
_BLOCK = (
    'layer {{ name: "a{0}" type: "Convolution" bottom: "x{0}" top: "a{0}"'
    " convolution_param {{ num_output: 3 kernel_size: 3 {1} }} }}\n"
    'layer {{ name: "sum{0}" type: "Eltwise" bottom: "x{0}" bottom: "a{0}" top: "x{2}" }}\n'
)


def _net(without: int, transform: str = "") -> str:
    blocks = "".join(_BLOCK.format(at, "" if at == without else "pad: 1", at + 1) for at in range(7))
    return _DATA.format(transform) + blocks


def test_the_pad_that_is_missing_is_named_where_maps_do_not_fit() -> None:
    for transform in ("", "transform_param { crop_size: 32 mean_value: [1, 2, 3] }"):
        findings = check_text(_net(3, transform)).findings
        (odd,) = (one for one in findings if one.name == "unlike-its-siblings")
        assert (odd.severity, odd.layer) == ("warning", "a3")
        assert odd.message.endswith('have 1, and maps do not fit at Eltwise "sum3"; set pad: 1')
    assert not [one for one in check_text(_net(99)).findings if one.name in ("unlike-its-siblings", "refused-by-caffe")]


_STACK = 'layer { name: "data" type: "Input" top: "p0" input_param { shape { dim: 1 dim: 3 dim: 32 dim: 32 } } }\n'
_STAGE = (
    'layer {{ name: "c{0}" type: "Convolution" bottom: "p{0}" top: "c{0}"'
    " convolution_param {{ num_output: 3 kernel_size: {1} }} }}\n"
    'layer {{ name: "pool{0}" type: "Pooling" bottom: "c{0}" top: "p{2}"'
    " pooling_param {{ kernel_size: {3} stride: {3} }} }}\n"
)


def _stack(kernels: dict[int, str]) -> list[str]:
    """What is said of seven convolutions, of which the first three are followed by a pooling that halves maps."""
    stages = (_STAGE.format(at, kernels.get(at, "3 pad: 1"), at + 1, 2 if at < 3 else 1) for at in range(7))
    findings = check_text(_STACK + "".join(stages)).findings
    return [one.message for one in findings if one.name == "unlike-its-siblings"]


def test_the_first_pad_is_missed_where_maps_could_be_halved_evenly_with_it() -> None:
    assert _stack({}) == []
    (message,) = _stack({0: "3"})
    assert message.startswith(
        'Convolution "c0" has pad 0, but 6 other convolutions with kernel_size 3 and stride 1 have'
    )
    assert _stack({0: "5"}) == []


def test_a_kernel_that_makes_a_map_larger_by_one_is_told() -> None:
    (message,) = _stack({4: "2 pad: 1"})
    assert message.startswith('Convolution "c4" has kernel_size 2, but 6 other convolutions with pad 1 have 3')
    assert _stack({2: "2 pad: 1", 4: "2 pad: 1"}) == []
