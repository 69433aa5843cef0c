"""Positions against a plain count of which pixels a kernel sees."""

from __future__ import annotations

from fractions import Fraction

import pytest

from caffelint.caffe.build import build
from caffelint.lint.file import load
from caffelint.rules.layers._coordinates import Position, position

DATA = 'layer { name: "d" type: "Input" top: "x0" input_param { shape { dim: 1 dim: 1 dim: 40 dim: 40 } } }'


def found_after(*steps: tuple[str, int, int, int]) -> Position | None:
    text = DATA
    for number, (type_, kernel, stride, pad) in enumerate(steps):
        block = "pooling_param" if type_ == "Pooling" else "convolution_param"
        outputs = "" if type_ == "Pooling" else "num_output: 1"
        text += (
            f'layer {{ name: "l{number}" type: "{type_}" bottom: "x{number}" top: "x{number + 1}"'
            f" {block} {{ {outputs} kernel_size: {kernel} stride: {stride} pad: {pad} }} }}"
        )
    net = load(text.encode()).net
    assert net is not None
    return position(build(net.message, "TEST").blobs[f"x{len(steps)}"], {})


def axis_of(*steps: tuple[str, int, int, int]) -> tuple[Fraction, Fraction]:
    found = found_after(*steps)
    assert found is not None
    assert found.rows == found.columns
    return found.rows


def middle_seen(pixel: int, *steps: tuple[str, int, int, int]) -> Fraction:
    """The middle of all pixels of the input that a pixel of the output is made from."""
    first = last = Fraction(pixel)
    for _, kernel, stride, pad in reversed(steps):
        first, last = first * stride - pad, last * stride - pad + kernel - 1
    return (first + last) / 2


@pytest.mark.parametrize(
    "steps",
    [
        (("Convolution", 3, 1, 1),),
        (("Convolution", 7, 2, 3), ("Pooling", 3, 2, 0)),
        (("Convolution", 3, 1, 10), ("Pooling", 2, 2, 0), ("Convolution", 5, 3, 2)),
    ],
)
def test_a_pixel_lies_in_the_middle_of_what_it_sees(steps: tuple[tuple[str, int, int, int], ...]) -> None:
    scale, shift = axis_of(*steps)
    for pixel in (0, 1, 7):
        assert scale * pixel + shift == middle_seen(pixel, *steps)


def test_numbers_do_not_grow_with_the_layers() -> None:
    assert found_after(("Pooling", 1, 1 << 30, 0)) is not None
    assert found_after(*[("Pooling", 1, 1 << 30, 0)] * 3) is None


@pytest.mark.parametrize("window", [(2, 2, 0), (4, 2, 1), (16, 8, 4), (3, 1, 0)])
def test_a_deconvolution_undoes_the_convolution_of_its_kernel(window: tuple[int, int, int]) -> None:
    assert axis_of(("Convolution", *window), ("Deconvolution", *window)) == (1, 0)


def test_the_offset_of_fcn_32s() -> None:
    """Five poolings behind a pad of 100, a kernel of 7, then a stride of 32: the published net crops from 19 on."""
    pools = [("Pooling", 2, 2, 0)] * 5
    scale, shift = axis_of(("Convolution", 3, 1, 100), *pools, ("Convolution", 7, 1, 0), ("Deconvolution", 64, 32, 0))
    assert (scale, -shift) == (1, 19)
