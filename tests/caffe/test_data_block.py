"""Where a layer says what it reads and how much at once; which fields there are is what Caffe's own schema says."""

from __future__ import annotations

import pytest

from caffelint.caffe.layers import REGISTRY
from caffelint.lint.file import load
from caffelint.schema import LayerParameter


@pytest.mark.parametrize(
    ("layer", "block", "source", "size"),
    [
        ('type: "Data" data_param { source: "a" batch_size: 8 }', "data_param", "a", 8),
        ('type: "Data" image_data_param { source: "a" batch_size: 8 }', "data_param", "", 0),  # another layer's block
        ('type: "MemoryData" memory_data_param { batch_size: 3 }', "memory_data_param", "", 3),
        ('type: "HDF5Data" hdf5_data_param { source: "a.txt" batch_size: 4 }', "hdf5_data_param", "a.txt", 4),
        # Forks: of a known type, of one that reads another's block, and of one that nobody knows.
        ('type: "AnnotatedData" data_param { source: "a" batch_size: 8 }', "data_param", "a", 8),
        ('type: "VideoData" image_data_param { source: "a" batch_size: 8 }', "image_data_param", "a", 8),
        ('type: "OurOwnData" image_data_param { source: "a" batch_size: 8 }', "image_data_param", "a", 8),
        # The file of a loss is no data.
        ('type: "InfogainLoss" infogain_loss_param { source: "H" }', "", "", 0),
        ('type: "Convolution" convolution_param { num_output: 8 }', "", "", 0),
        ('type: "Python" python_param { module: "a" }', "", "", 0),
    ],
)
def test_data_block(layer: str, block: str, source: str, size: int) -> None:
    net = load(f'layer {{ name: "a" top: "a" {layer} }}'.encode(), kind="net").net
    assert net is not None
    kind = net.layers[0].kind
    assert (kind.data_block, kind.data_source, kind.batch_size) == (block, source, size)


def test_every_block_with_a_batch_size_has_its_reader() -> None:
    blocks = LayerParameter.DESCRIPTOR.fields
    sized = {one.name for one in blocks if one.message_type and "batch_size" in one.message_type.fields_by_name}
    read = {kind.block for kind in REGISTRY.values() if kind.is_data}
    bvlc = {one.name for one in blocks if one.number < 10_000}
    assert sized & bvlc == {one for one in read & sized if one in bvlc}
