"""Layers of forks, against layers of BVLC that do the same, and against numpy."""

from __future__ import annotations

import math

import numpy
import pytest

from caffelint.caffe.states import State
from caffelint.lint.file import load
from caffelint.numerics.start import Start, start

_NET = (
    'layer {{ name: "data" type: "DummyData" top: "x" top: "label" dummy_data_param {{'
    " shape {{ dim: 16 dim: 8 dim: 10 dim: 10 }} shape {{ dim: 16 dim: 1 }}"
    ' data_filler {{ type: "gaussian" mean: 0.5 std: 2 }} data_filler {{ type: "constant" }} }} }}\n'
    'layer {{ name: "c" type: "Convolution" bottom: "x" top: "c" convolution_param {{ num_output: 32 kernel_size: 3'
    ' weight_filler {{ type: "xavier" }} }} }}\n'
    "{middle}"
    'layer {{ name: "fc" type: "InnerProduct" bottom: "m" top: "fc" inner_product_param {{ num_output: 1'
    ' weight_filler {{ type: "xavier" }} }} }}\n'
    'layer {{ name: "loss" type: "{loss}" bottom: "fc" bottom: "label" top: "loss" loss_weight: 1 }}'
)


def _start(middle: str, loss: str = "EuclideanLoss") -> Start:
    net = load(_NET.format(middle=middle, loss=loss).encode(), "net.prototxt").net
    assert net is not None
    return start(net.likely(State("TRAIN")))


def _size(found: Start, name: str) -> float:
    return next(one.size for blob, one in found.signals.items() if blob.name == name and one is not None)


def test_bn_is_batch_normalisation() -> None:
    one = _start('layer { name: "m" type: "BN" bottom: "c" top: "m" bn_param { } }\n')
    other = _start('layer { name: "m" type: "BatchNorm" bottom: "c" top: "m" }\n')
    assert [round(size, 4) for param, size in one.learned.items() if param.layer.has_weights] == pytest.approx(
        [round(size, 4) for param, size in other.learned.items() if param.layer.has_weights], rel=1e-3
    )


@pytest.mark.parametrize(("across", "values"), [("false", 32), ("true", 32 * 8 * 8)])
def test_what_is_normalised_has_the_length_of_the_scale(across: str, values: int) -> None:
    param = f'norm_param {{ across_spatial: {across} scale_filler {{ type: "constant" value: 20 }} }}'
    found = _start(f'layer {{ name: "m" type: "Normalize" bottom: "c" top: "m" {param} }}\n')
    assert _size(found, "m") == pytest.approx(20 / math.sqrt(values))


def test_resizing_gives_all_gradients_on() -> None:
    found = _start('layer { name: "m" type: "Interp" bottom: "c" top: "m" interp_param { height: 16 width: 16 } }\n')
    sums = {blob.name: one.mean * math.prod(blob.shape or ()) for blob, one in found.gradients.items() if one}
    assert sums["c"] == pytest.approx(sums["m"])


@pytest.mark.parametrize("kind", ["L1Loss", "SmoothL1Loss"])
def test_a_distance_by_drawing(kind: str) -> None:
    found = _start('layer { name: "m" type: "ReLU" bottom: "c" top: "m" }\n', kind)
    away = numpy.random.default_rng(1).normal(0, 1, 100_000) * _size(found, "fc")
    slope = numpy.clip(away, -1, 1) if kind == "SmoothL1Loss" else numpy.sign(away)
    near = numpy.abs(away) < 1
    value = numpy.where(near, away**2 / 2, numpy.abs(away) - 0.5) if kind == "SmoothL1Loss" else numpy.abs(away)
    gradient = next(one.size for blob, one in found.gradients.items() if blob.name == "fc" and one is not None)
    assert gradient == pytest.approx(math.sqrt((slope**2).mean()) / 16, rel=0.05)
    assert next(iter(found.losses.values())).value == pytest.approx(value.mean(), rel=0.05)
