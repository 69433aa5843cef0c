"""Layer types that no Caffe 1.0 has: shapes from their sources and from papers' nets."""

from __future__ import annotations

from typing import Any

import pytest
from google.protobuf import text_format

from caffelint.caffe.build import build
from caffelint.caffe.layers import BVLC_TYPES, REGISTRY
from caffelint.schema.messages import NetParameter


def top_shape(layer: str, *bottoms: tuple[int, ...]) -> Any:
    net = NetParameter()
    for number, shape in enumerate(bottoms):
        first = net.layer.add(name=f"in{number}", type="Input", top=[f"x{number}"])
        first.input_param.shape.add().dim.extend(shape)
    text_format.Merge(f'layer {{ name: "l" top: "y" {layer} }}', net)
    net.layer[-1].bottom.extend(f"x{number}" for number in range(len(bottoms)))
    built = build(net, "TRAIN")
    assert not built.refusals
    return built.blobs["y"].shape


@pytest.mark.parametrize(
    ("layer", "bottoms", "expected"),
    [
        ('type: "Permute" permute_param { order: 0 order: 2 order: 3 order: 1 }', [(1, 8, 5, 6)], (1, 5, 6, 8)),
        ('type: "Permute" permute_param { order: 1 }', [(1, 8, 5)], (8, 1, 5)),
        # SSD300: conv4_3 has 4 boxes on each of 38 x 38 pixels, fc7 has 6 on 19 x 19.
        (
            'type: "PriorBox" prior_box_param { min_size: 30 max_size: 60 aspect_ratio: 2 flip: true }',
            [(1, 512, 38, 38), (1, 3, 300, 300)],
            (1, 2, 38 * 38 * 4 * 4),
        ),
        (
            'type: "PriorBox" prior_box_param { min_size: 60 max_size: 111 aspect_ratio: 2 aspect_ratio: 3 }',
            [(1, 1024, 19, 19), (1, 3, 300, 300)],
            (1, 2, 19 * 19 * 6 * 4),
        ),
        (
            'type: "ROIPooling" roi_pooling_param { pooled_h: 7 pooled_w: 7 }',
            [(1, 512, 38, 50), (300, 5)],
            (300, 512, 7, 7),
        ),
        (
            'type: "PSROIPooling" psroi_pooling_param { spatial_scale: 1 output_dim: 21 group_size: 7 }',
            [(1, 1029, 38, 50), (300, 5)],
            (300, 21, 7, 7),
        ),
        (
            'type: "Normalize" norm_param { across_spatial: false channel_shared: false }',
            [(1, 512, 38, 38)],
            (1, 512, 38, 38),
        ),
        ('type: "Reorg" reorg_param { stride: 2 }', [(1, 64, 26, 26)], (1, 256, 13, 13)),
        ('type: "Reorg" reorg_param { stride: 2 reverse: true }', [(1, 256, 13, 13)], (1, 64, 26, 26)),
        ('type: "Upsample" upsample_param { scale: 2 }', [(1, 64, 13, 13)], (1, 64, 26, 26)),
        (
            'type: "Upsample" upsample_param { scale: 2 upsample_w: 45 upsample_h: 60 }',
            [(1, 64, 30, 23)] * 2,
            (1, 64, 60, 45),
        ),
        ('type: "Upsample"', [(1, 64, 13, 13)], None),
        ('type: "Interp" interp_param { zoom_factor: 8 }', [(1, 21, 41, 41)], (1, 21, 321, 321)),
        ('type: "Interp" interp_param { shrink_factor: 2 }', [(1, 3, 321, 321)], (1, 3, 161, 161)),
        ('type: "Interp" interp_param { height: 33 width: 65 }', [(1, 3, 9, 9)], (1, 3, 33, 65)),
        (
            'type: "Deconvolution3D" convolution3d_param { num_output: 64 kernel_size: 4 kernel_depth: 4 pad: 1'
            " temporal_pad: 1 stride: 2 temporal_stride: 2 }",
            [(1, 256, 2, 14, 14)],
            (1, 64, 4, 28, 28),
        ),
        ('type: "Squeeze" squeeze_param { axis: 1 axis: -2 }', [(8, 1, 1, 1001)], (8, 1001)),
        ('type: "Squeeze"', [(8, 1, 1, 1001)], (8, 1001)),
        ('type: "Squeeze" squeeze_param { axis: 3 }', [(8, 1, 1, 1001)], None),
        (
            'type: "Proposal" proposal_param { feat_stride: 16 post_nms_topn: 300 }',
            [(2, 18, 38, 50), (2, 36, 38, 50), (2, 3)],
            (600, 5),
        ),
        ('type: "Proposal" proposal_param { nms_num: 300 }', [(1, 18, 38, 50), (1, 36, 38, 50)], None),
        ('type: "Axpy"', [(2, 8, 1, 1), (2, 8, 4, 4), (2, 8, 4, 4)], (2, 8, 4, 4)),
        ('type: "ReLU6"', [(2, 8, 4)], (2, 8, 4)),
        ('type: "SmoothL1Loss"', [(2, 8, 4), (2, 8, 4)], ()),
        (
            'type: "DepthwiseConvolution" convolution_param { num_output: 8 group: 8 kernel_size: 3 pad: 1 stride: 2 }',
            [(1, 8, 112, 112)],
            (1, 8, 56, 56),
        ),
        ('type: "ConvolutionDepthwise" convolution_param { kernel_size: 3 }', [(1, 8, 9, 9)], (1, 8, 7, 7)),
        # C3D: conv1a keeps 16 frames of 112 x 112, pool1 halves the sides alone.
        (
            'type: "Convolution3D" '
            "convolution3d_param { num_output: 64 kernel_size: 3 kernel_depth: 3 pad: 1 temporal_pad: 1 }",
            [(1, 3, 16, 112, 112)],
            (1, 64, 16, 112, 112),
        ),
        (
            'type: "Pooling3D" pooling3d_param { kernel_size: 2 kernel_depth: 1 stride: 2 temporal_stride: 1 }',
            [(1, 64, 16, 112, 112)],
            (1, 64, 16, 56, 56),
        ),
        # C3D 1.0, which has no blocks of its own for them; where both are there, C3D 1.1 reads its own.
        (
            'type: "Convolution3D" convolution_param { num_output: 64 kernel_size: 3 kernel_depth: 3 pad: 1'
            " temporal_pad: 1 }",
            [(1, 3, 16, 112, 112)],
            (1, 64, 16, 112, 112),
        ),
        (
            'type: "Deconvolution3D" convolution_param { num_output: 64 kernel_size: 4 kernel_depth: 4 pad: 1'
            " temporal_pad: 1 stride: 2 temporal_stride: 2 }",
            [(1, 256, 2, 14, 14)],
            (1, 64, 4, 28, 28),
        ),
        (
            'type: "Pooling3D" pooling_param { kernel_size: 2 kernel_depth: 1 stride: 2 temporal_stride: 1 }',
            [(1, 64, 16, 112, 112)],
            (1, 64, 16, 56, 56),
        ),
        (
            'type: "Convolution3D" convolution_param { num_output: 7 }'
            " convolution3d_param { num_output: 64 kernel_size: 3 kernel_depth: 3 pad: 1 temporal_pad: 1 }",
            [(1, 3, 16, 112, 112)],
            (1, 64, 16, 112, 112),
        ),
        # A field of a fork, which pads each side by itself: what comes out is the fork's to say.
        ('type: "Convolution" convolution_param { num_output: 4 kernel_size: 3 pad_l: 1 }', [(1, 3, 8, 8)], None),
        ('type: "BatchNorm" batch_norm_param { scale_bias: true }', [(1, 3, 8, 8)], (1, 3, 8, 8)),
    ],
)
def test_shapes(layer: str, bottoms: list[tuple[int, ...]], expected: Any) -> None:
    assert top_shape(layer, *bottoms) == expected


def test_every_type_of_caffe_is_known() -> None:
    assert len(BVLC_TYPES) == 61
    assert {"Python", *REGISTRY} >= BVLC_TYPES


def test_a_great_many_aspect_ratios_take_no_time() -> None:
    ratios = " ".join(f"aspect_ratio: {number + 0.5}" for number in range(100_000))
    layer = f'type: "PriorBox" prior_box_param {{ min_size: 30 {ratios} }}'
    assert top_shape(layer, (1, 512, 38, 38), (1, 3, 300, 300)) is None
