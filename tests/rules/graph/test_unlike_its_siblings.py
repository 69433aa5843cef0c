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
