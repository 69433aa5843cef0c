"""Layers whose own block has no mirror, which those of images have."""

from __future__ import annotations

import pytest

import caffelint

_NET = (
    'layer {{ name: "train" type: "Data" top: "data" top: "label" include {{ phase: TRAIN }} }}\n'
    'layer {{ name: "data" type: "{0}" top: "data" top: "label" include {{ phase: TEST }}'
    " transform_param {{ mirror: true }} {1} }}\n"
    'layer {{ name: "fc" type: "InnerProduct" bottom: "data" top: "fc" inner_product_param {{ num_output: 3 }} }}\n'
    'layer {{ name: "loss" type: "SoftmaxWithLoss" bottom: "fc" bottom: "label" top: "loss" }}\n'
)


@pytest.mark.parametrize(
    ("layer_type", "block"),
    [
        ("MemoryData", "memory_data_param { batch_size: 4 channels: 3 height: 8 width: 8 }"),
        ("Data", 'data_param { source: "a" batch_size: 4 mirror: false }'),
        ("ImageData", 'image_data_param { source: "a" batch_size: 4 mirror: false }'),
        ("HDF5Data", 'hdf5_data_param { source: "a" batch_size: 4 }'),
        ("DummyData", "dummy_data_param { shape { dim: 4 } }"),
    ],
)
def test_each_type_of_data_layer(layer_type: str, block: str) -> None:
    report = caffelint.check_text(_NET.format(layer_type, block), kind="net")
    assert not report.failures
    said = [one.message for one in report.findings if one.name == "augmentation-in-testing"]
    assert any("mirror: false in" in one for one in said) == ("mirror" in block)
