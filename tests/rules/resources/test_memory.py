"""The memory model against sums made by hand."""

from __future__ import annotations

from caffelint.caffe.build import build
from caffelint.lint.file import load
from caffelint.rules.resources._memory import Memory, memory

NET = b"""
layer { name: "data" type: "DummyData" top: "x" top: "y"
  dummy_data_param { shape { dim: 2 dim: 3 dim: 8 dim: 8 } shape { dim: 2 } } }
layer { name: "conv" type: "Convolution" bottom: "x" top: "conv" convolution_param { num_output: 5 kernel_size: 3 } }
layer { name: "relu" type: "ReLU" bottom: "conv" top: "conv" }
layer { name: "one" type: "Convolution" bottom: "conv" top: "one" convolution_param { num_output: 7 kernel_size: 1 } }
layer { name: "fc" type: "InnerProduct" bottom: "one" top: "fc" inner_product_param { num_output: 4 } }
layer { name: "loss" type: "SoftmaxWithLoss" bottom: "fc" bottom: "y" top: "loss" }
"""
DATA = 2 * 3 * 8 * 8 + 2
MADE = 2 * 5 * 6 * 6 + 2 * 7 * 6 * 6 + 2 * 4 + 1
PARAMETERS = (5 * 3 * 3 * 3 + 5) + (7 * 5 + 7) + (4 * 7 * 6 * 6 + 4)
COLUMN = 3 * 3 * 3 * 6 * 6


def of(text: bytes, phase: str) -> Memory | None:
    net = load(text).net
    assert net is not None
    return memory(build(net.message, phase, assume_inputs=True))


def test_each_blob_once_and_its_gradient_where_one_is_needed() -> None:
    assert of(NET, "TRAIN") == Memory(4 * (DATA + 2 * MADE), 4 * PARAMETERS, 4 * COLUMN)
    assert of(NET, "TEST") == Memory(4 * (DATA + MADE), 4 * PARAMETERS, 4 * COLUMN)


def test_a_view_takes_nothing_and_shared_parameters_are_there_once() -> None:
    viewed = NET.replace(b'bottom: "one" top: "fc"', b'bottom: "flat" top: "fc"')
    viewed += b'layer { name: "loss2" type: "SoftmaxWithLoss" bottom: "fc" bottom: "y" top: "loss2" }'
    flat = b'layer { name: "flat" type: "Flatten" bottom: "one" top: "flat" } layer { name: "fc"'
    found, plain = of(viewed.replace(b'layer { name: "fc"', flat), "TEST"), of(NET, "TEST")
    assert found is not None
    assert plain is not None
    assert found.images - plain.images == 4
    shared = NET.replace(b'top: "one"', b'top: "one" param { name: "w" } param { name: "b" }')
    twin = b'layer { name: "two" type: "Convolution" bottom: "conv" top: "two" param { name: "w" } param { name: "b" }'
    both = of(shared + twin + b"convolution_param { num_output: 7 kernel_size: 1 } }", "TEST")
    assert both is not None
    assert both.parameters == plain.parameters


def test_batches_read_ahead_count_and_unknown_sizes_give_none() -> None:
    data = (
        b'layer { name: "d" type: "Data" top: "x" top: "y" data_param { source: "a" batch_size: 2 }'
        b" transform_param { %s } }"
    )
    found = of(data % b"crop_size: 8", "TEST")
    assert found == Memory(4 * 5 * (2 * 3 * 8 * 8 + 2), 0, 0)
    assert of(data % b"", "TEST") is None
