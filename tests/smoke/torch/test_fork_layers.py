"""Types of forks in torch, against their definition written out value by value; no real Caffe has them all."""

from __future__ import annotations

from math import ceil, floor, log, sqrt
from typing import Any

import pytest
import torch
from google.protobuf import text_format

from caffelint.caffe.build import build
from caffelint.schema.messages import NetParameter
from caffelint.smoke.torch.forks import in_caffes_words
from caffelint.smoke.torch.net import TorchNet, not_runnable

Tensor = torch.Tensor


def net_of(layer: str, bottoms: list[Tensor], tops: int = 1) -> TorchNet:
    net = NetParameter()
    for number, bottom in enumerate(bottoms):
        made = net.layer.add(name=f"in{number}", type="Parameter", top=[f"x{number}"])
        made.parameter_param.shape.dim.extend(bottom.shape)
    text_format.Merge(f'layer {{ name: "tested" {layer} }}', net)
    net.layer[-1].bottom.extend(f"x{number}" for number in range(len(bottoms)))
    net.layer[-1].top.extend(f"y{number}" for number in range(tops))
    if "Loss" not in layer:
        net.layer[-1].loss_weight.extend([1] * tops)
    built = build(net, "TRAIN")
    assert not built.refusals
    assert not not_runnable(built)
    made = TorchNet(built)
    with torch.no_grad():
        for number, bottom in enumerate(bottoms):
            made.layer_params[f"in{number}"][0].copy_(bottom)
    return made


def run(layer: str, *bottoms: Tensor) -> Tensor:
    net = net_of(layer, list(bottoms))
    net.forward()
    net.backward()
    return net.blob("y0")


def values(*shape: int) -> Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(5))


def test_permute_and_shuffle() -> None:
    x = values(2, 6, 3, 4)
    assert torch.equal(run('type: "Permute" permute_param { order: 0 order: 2 order: 3 order: 1 }', x), x.movedim(1, 3))
    order = [0, 3, 1, 4, 2, 5]
    assert torch.equal(run('type: "ShuffleChannel" shuffle_channel_param { group: 2 }', x), x[:, order])


def test_normalize() -> None:
    x = values(2, 3, 2, 2)
    top = run('type: "Normalize" norm_param { across_spatial: false channel_shared: false }', x)
    assert torch.allclose(top.square().sum(1), torch.ones(2, 2, 2))
    top = run('type: "Normalize" norm_param { scale_filler { type: "constant" value: 20 } }', x)
    assert torch.allclose(top.flatten(1).norm(dim=1), torch.full((2,), 20.0))


def test_reorg_is_darknets() -> None:
    batch, channels, height, width, stride = 2, 8, 4, 6, 2
    x = values(batch, channels, height, width)
    fewer = channels // stride**2
    flat, expected = x.flatten(1), torch.empty(batch, x[0].numel())
    for k in range(channels):
        for j in range(height):
            for i in range(width):
                wide = i * stride + k // fewer % stride
                tall = j * stride + k // fewer // stride
                source = wide + width * stride * (tall + height * stride * (k % fewer))
                expected[:, i + width * (j + height * k)] = flat[:, source]
    top = run('type: "Reorg" reorg_param { stride: 2 }', x)
    assert top.shape == (2, 32, 2, 3)
    assert torch.equal(top.flatten(1), expected)


def test_upsample_puts_values_back_where_the_pooling_took_them() -> None:
    x = values(2, 3, 6, 4)
    net = NetParameter()
    net.layer.add(name="in", type="Parameter", top=["x"]).parameter_param.shape.dim.extend(x.shape)
    text_format.Merge(
        'layer { name: "pool" type: "Pooling" bottom: "x" top: "pool" top: "mask" '
        "pooling_param { kernel_size: 2 stride: 2 } }"
        'layer { name: "up" type: "Upsample" bottom: "pool" bottom: "mask" top: "up" upsample_param { scale: 2 } }',
        net,
    )
    made = TorchNet(build(net, "TRAIN"))
    with torch.no_grad():
        made.layer_params["in"][0].copy_(x)
    made.forward()
    kept = x == x.unfold(2, 2, 2).unfold(3, 2, 2).amax((4, 5)).repeat_interleave(2, 2).repeat_interleave(2, 3)
    assert torch.equal(made.blob("up"), torch.where(kept, x, 0))


def test_upsample_without_a_mask_and_interp() -> None:
    x = values(1, 2, 3, 3)
    top = run('type: "Upsample" upsample_param { scale: 2 }', x)
    assert torch.equal(top, x.repeat_interleave(2, 2).repeat_interleave(2, 3))
    top = run('type: "Interp" interp_param { zoom_factor: 2 }', x)
    assert top.shape == (1, 2, 5, 5)
    assert torch.equal(top[..., ::2, ::2], x)
    assert torch.allclose(top[..., 0, 1], (x[..., 0, 0] + x[..., 0, 1]) / 2)


def test_axpy_and_smooth_l1() -> None:
    gate, x, y = values(2, 3, 1, 1), values(2, 3, 2, 2), values(2, 3, 2, 2) + 1
    assert torch.allclose(run('type: "Axpy"', gate, x, y), gate * x + y)
    inside, outside = values(2, 3, 2, 2).abs(), values(2, 3, 2, 2).abs()
    expected = 0.0
    for a, b, i, o in zip(x.flatten(), y.flatten(), inside.flatten(), outside.flatten(), strict=True):
        apart = abs(float(i * (a - b)))
        expected += float(o) * (0.5 * (3 * apart) ** 2 if apart < 1 / 9 else apart - 0.5 / 9) / 2
    net = net_of('type: "SmoothL1Loss" smooth_l1_loss_param { sigma: 3 }', [x, y, inside, outside])
    net.forward()
    assert float(net.loss) == pytest.approx(expected)


def test_prior_boxes_of_ssd() -> None:
    layer = (
        'type: "PriorBox" prior_box_param { min_size: 30 max_size: 60 aspect_ratio: 2 '
        "variance: 0.1 variance: 0.1 variance: 0.2 variance: 0.2 step: 8 }"
    )
    top = run(layer, values(1, 1, 3, 2), values(1, 3, 24, 16))
    boxes, variances = top[0].view(2, 3, 2, 4, 4)
    assert torch.equal(variances[1, 1, 2], torch.tensor([0.1, 0.1, 0.2, 0.2]))
    sizes = [(30, 30), (sqrt(1800), sqrt(1800)), (30 * sqrt(2), 30 / sqrt(2)), (30 / sqrt(2), 30 * sqrt(2))]
    for number, (wide, tall) in enumerate(sizes):
        x, y = 1.5 * 8, 2.5 * 8
        expected = [(x - wide / 2) / 16, (y - tall / 2) / 24, (x + wide / 2) / 16, (y + tall / 2) / 24]
        assert boxes[2, 1, number].tolist() == pytest.approx(expected)


REGIONS = torch.tensor([[0.0, 0, 0, 31, 31], [1, 8, 16, 40, 27], [0, 20, 4, 20, 4], [1, -20, -9, 90, 90]])


def test_roi_pooling() -> None:
    x = values(2, 3, 6, 7)
    top = run('type: "ROIPooling" roi_pooling_param { pooled_h: 3 pooled_w: 2 spatial_scale: 0.125 }', x, REGIONS)
    for number, region in enumerate(REGIONS.tolist()):
        left, upper, right, lower = (floor(abs(side) * 0.125 + 0.5) * (1 if side >= 0 else -1) for side in region[1:])
        tall, wide = max(lower - upper + 1, 1) / 3, max(right - left + 1, 1) / 2
        for i in range(3):
            for j in range(2):
                rows = [min(max(edge + upper, 0), 6) for edge in (floor(i * tall), ceil((i + 1) * tall))]
                columns = [min(max(edge + left, 0), 7) for edge in (floor(j * wide), ceil((j + 1) * wide))]
                part = x[int(region[0]), :, rows[0] : rows[1], columns[0] : columns[1]]
                expected = part.amax((1, 2)) if part.numel() else torch.zeros(3)
                assert torch.equal(top[number, :, i, j], expected), (number, i, j)


def test_position_sensitive_pooling() -> None:
    x = values(2, 2 * 9, 6, 7)
    layer = 'type: "PSROIPooling" psroi_pooling_param { spatial_scale: 0.125 output_dim: 2 group_size: 3 }'
    top = run(layer, x, REGIONS)
    for number, region in enumerate(REGIONS.tolist()):
        left, upper = (round(side) * 0.125 for side in region[1:3])
        right, lower = ((round(side) + 1) * 0.125 for side in region[3:])
        tall, wide = max(lower - upper, 0.1) / 3, max(right - left, 0.1) / 3
        for channel in range(2):
            for i in range(3):
                for j in range(3):
                    rows = [min(max(edge, 0), 6) for edge in (floor(i * tall + upper), ceil((i + 1) * tall + upper))]
                    columns = [min(max(edge, 0), 7) for edge in (floor(j * wide + left), ceil((j + 1) * wide + left))]
                    part = x[int(region[0]), channel * 9 + i * 3 + j, rows[0] : rows[1], columns[0] : columns[1]]
                    expected = float(part.mean()) if part.numel() else 0.0
                    assert float(top[number, channel, i, j]) == pytest.approx(expected, abs=1e-5)


def test_multibox_loss() -> None:
    """Two images; the second has no object, so nothing of it counts."""
    priors = torch.tensor([[0.1, 0.1, 0.3, 0.3], [0.1, 0.1, 0.5, 0.5], [0.6, 0.6, 0.9, 0.9], [0.0, 0.6, 0.2, 0.9]])
    variances = torch.tensor([0.1, 0.1, 0.2, 0.2]).expand(4, 4)
    thing = [0.12, 0.1, 0.5, 0.46]
    objects = torch.tensor([[0.0, 2, 0, *thing, 0]]).view(1, 1, 1, 8)
    places, scores = values(2, 16), values(2, 12)
    layer = (
        'type: "MultiBoxLoss" propagate_down: true propagate_down: true propagate_down: false propagate_down: false '
        "multibox_loss_param { num_classes: 3 neg_pos_ratio: 2 code_type: CENTER_SIZE }"
    )
    net = net_of(layer, [places, scores, torch.stack([priors, variances]).view(1, 2, 16), objects])
    net.forward()
    net.backward()
    # The object lies on the second box; the two of the other three that look least like background are mined.
    wide, tall = thing[2] - thing[0], thing[3] - thing[1]
    wanted = [
        ((thing[0] + thing[2]) / 2 - 0.3) / 0.4 / 0.1,
        ((thing[1] + thing[3]) / 2 - 0.3) / 0.4 / 0.1,
        log(wide / 0.4) / 0.2,
        log(tall / 0.4) / 0.2,
    ]
    apart = [abs(float(a) - b) for a, b in zip(places[0, 4:8], wanted, strict=True)]
    expected = sum(0.5 * one * one if one < 1 else one - 0.5 for one in apart)
    chances = scores[0].view(4, 3).softmax(1)
    negatives = sorted((-log(float(chances[box, 0])) for box in (0, 2, 3)), reverse=True)
    expected += -log(float(chances[1, 2])) + sum(negatives[:2])
    assert float(net.loss) == pytest.approx(expected, rel=1e-5)
    gradients: list[Any] = [net.layer_params[f"in{number}"][0].grad for number in (0, 1)]
    assert gradients[0].view(2, 4, 4).abs().sum(-1).nonzero().tolist() == [[0, 1]]
    assert len(gradients[1].view(2, 4, 3).abs().sum(-1).nonzero()) == 3


@pytest.mark.parametrize(("convolution", "pooling"), [("convolution3d", "pooling3d"), ("convolution", "pooling")])
def test_layers_of_c3d(convolution: str, pooling: str) -> None:
    """C3D 1.1 has blocks of its own for them, C3D 1.0 takes all from those of Caffe's layers."""
    x = values(1, 2, 4, 5, 5)
    sizes = "num_output: 3 kernel_size: 3 kernel_depth: 2 pad: 1"
    net = net_of(f'type: "Convolution3D" {convolution}_param {{ {sizes} }}', [x])
    with torch.no_grad():
        net.layer_params["tested"][0].normal_()
    net.forward()
    weight = net.layer_params["tested"][0].detach()
    expected = float((x[0, :, 1:3, 0:3, 1:4] * weight[1]).sum())
    assert float(net.blob("y0")[0, 1, 1, 1, 2]) == pytest.approx(expected, rel=1e-4)
    sizes = "kernel_size: 2 kernel_depth: 1 stride: 2 temporal_stride: 1"
    top = run(f'type: "Pooling3D" {pooling}_param {{ {sizes} }}', x)
    assert top.shape == (1, 2, 4, 3, 3)
    assert float(top[0, 1, 2, 2, 2]) == float(x[0, 1, 2, 4, 4])


def test_deconvolution_of_c3d_and_squeeze() -> None:
    x = values(1, 2, 3, 4, 4)
    layer = 'type: "Deconvolution3D" convolution3d_param { num_output: 3 kernel_size: 2 kernel_depth: 1 stride: 2 }'
    net = net_of(layer, [x])
    weight = net.layer_params["tested"][0]
    assert weight.shape == (2, 3, 1, 2, 2)
    with torch.no_grad():
        weight.normal_()
    net.forward()
    top = net.blob("y0")
    assert top.shape == (1, 3, 3, 8, 8)
    assert float(top[0, 1, 2, 5, 2]) == pytest.approx(
        float((x[0, :, 2, 2, 1] * weight.detach()[:, 1, 0, 1, 0]).sum()), rel=1e-4
    )
    assert run('type: "Squeeze" squeeze_param { axis: 2 }', values(1, 3, 1)).shape == (1, 3)
    assert run('type: "Squeeze"', values(1, 3, 1)).shape == (3,)


def test_batch_normalisation_of_forks() -> None:
    x = values(4, 3, 5, 5) * 3 + 1
    for layer in (
        'type: "BN" bn_param { scale_filler { type: "constant" value: 1 } }',
        'type: "BN" bn_param { momentum: 0.9 slope_filler { type: "constant" value: 1 } }',
        'type: "BatchNorm" batch_norm_param { scale_bias: true }',
    ):
        top = run(layer, x)
        assert torch.allclose(top.mean((0, 2, 3)), torch.zeros(3), atol=1e-5)
        assert torch.allclose(top.var((0, 2, 3), correction=0), torch.ones(3), atol=1e-3)


def test_center_loss_moves_centers_by_the_mean() -> None:
    x = torch.tensor([[1.0, 0], [3, 0], [0, 2]])
    net = NetParameter()
    text_format.Merge(
        'layer { name: "in" type: "Parameter" top: "x" parameter_param { shape { dim: 3 dim: 2 } } }'
        'layer { name: "l" type: "Input" top: "label" input_param { shape { dim: 3 } } }'
        'layer { name: "tested" type: "CenterLoss" bottom: "x" bottom: "label" top: "loss" '
        "center_loss_param { num_output: 4 } }",
        net,
    )
    made = TorchNet(build(net, "TRAIN"))
    with torch.no_grad():
        made.layer_params["in"][0].copy_(x)
    made.forward({"label": torch.tensor([1.0, 1, 2])})
    made.backward()
    assert float(made.loss) == pytest.approx((1 + 9 + 4) / 6)
    centers: Any = made.layer_params["tested"][0].grad
    assert centers.tolist() == [[0, 0], [pytest.approx(-4 / 3), 0], [0, -1], [0, 0]]
    features: Any = made.layer_params["in"][0].grad
    assert torch.allclose(features, x / 3)


def forked(text: str) -> NetParameter:
    net = NetParameter()
    text_format.Merge(f'input: "x" input_shape {{ dim: 2 dim: 3 dim: 6 dim: 6 }} layer {{ name: "l" {text} }}', net)
    net.layer[0].bottom[:], net.layer[0].top[:] = ["x"], ["y"]
    return net


@pytest.mark.parametrize(
    ("theirs", "ours"),
    [
        (
            'type: "Convolution" convolution_param { num_output: 4 kernel_h: 3 kernel_w: 2 pad_t: 1 pad_b: 1 pad_l: 0'
            " pad_r: 0 cudnn_flavor: 1 relu: false }",
            'type: "Convolution" convolution_param { num_output: 4 kernel_h: 3 kernel_w: 2 pad_h: 1 pad_w: 0 }',
        ),
        (
            'type: "Pooling" pooling_param { kernel_size: 3 stride: 2 ceil_mode: false }',
            'type: "Pooling" pooling_param { kernel_size: 3 stride: 2 round_mode: FLOOR }',
        ),
        (
            'type: "BatchNorm" batch_norm_param { eps: 0.1 filler { value: 1 } bias_filler { value: 0 } }',
            'type: "BatchNorm" batch_norm_param { eps: 0.1 }',
        ),
        ('type: "BatchNorm" batch_norm_param { scale_bias: false }', 'type: "BatchNorm" batch_norm_param { }'),
    ],
)
def test_fields_of_forks_in_caffes_words(theirs: str, ours: str) -> None:
    assert in_caffes_words(forked(theirs)) == forked(ours)


@pytest.mark.parametrize(
    "text",
    [
        'type: "Convolution" convolution_param { num_output: 4 kernel_size: 3 pad_l: 1 pad_r: 2 }',
        'type: "Convolution" convolution_param { num_output: 4 kernel_size: 3 relu: true }',
        'type: "BatchNorm" batch_norm_param { engine: MKLDNN filler { value: 1 } }',
    ],
)
def test_fields_whose_effect_is_not_known_stay_and_are_named(text: str) -> None:
    net = forked(text)
    assert in_caffes_words(net) is net
    field = next(
        field.name
        for _, block in net.layer[0].ListFields()
        if hasattr(block, "ListFields")
        for field, _ in block.ListFields()
        if field.number >= 10_000
    )
    ((_, why),) = not_runnable(build(net, "TRAIN"))
    assert field in why


def test_an_average_of_what_lies_on_the_map() -> None:
    x = torch.randn(2, 3, 5, 5)
    top = run('type: "Pooling" pooling_param { pool: AVE_EXC_PAD kernel_size: 3 stride: 2 pad: 1 }', x)
    for row, column in ((0, 0), (0, 1), (1, 1), (2, 2)):
        rows, columns = (slice(max(0, 2 * at - 1), 2 * at + 2) for at in (row, column))
        assert torch.allclose(top[:, :, row, column], x[:, :, rows, columns].mean((2, 3)), atol=1e-6)
