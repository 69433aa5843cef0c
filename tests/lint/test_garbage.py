"""What is left of a file once it is checked: nothing that the garbage collector would have to look for."""

from __future__ import annotations

import gc

import pytest

import caffelint
from caffelint.caffe.layers import BuiltLayer

_LOSS = 'layer { name: "loss" type: "SoftmaxWithLoss" bottom: "fc" bottom: "label" top: "loss" }'
_FC = 'layer { name: "fc" type: "InnerProduct" bottom: "data" top: "fc" inner_product_param { num_output: 7 } }'
_PAIR = 'layer { name: "data" type: "HDF5Data" top: "data" top: "label" hdf5_data_param { source: "x" batch_size: 4 } }'
UNKNOWN_SHAPE = _PAIR + _FC + _LOSS
"""Its loss is tried with bottoms of several shapes, of which some are refused."""

_CONV = (
    'layer {{ name: "{0}" type: "Convolution" bottom: "data" top: "{0}"'
    " convolution_param {{ num_output: 4 kernel_size: {1} stride: 2 }} }}"
)
UNKNOWN_MAPS = (
    'layer { name: "data" type: "Data" top: "data" data_param { source: "x" batch_size: 4 } }'
    + _CONV.format("one", 1)
    + _CONV.format("three", 3)
    + 'layer { name: "sum" type: "Eltwise" bottom: "one" bottom: "three" top: "sum" }'
)
"""It is built with a likely size of the data, to see whether its maps ever fit."""


@pytest.mark.parametrize("text", [UNKNOWN_SHAPE, UNKNOWN_MAPS])
def test_nothing_of_a_file_goes_in_circles(text: str) -> None:
    caffelint.check_text(text)  # what is loaded with the first file stays
    gc.collect()
    kept = {id(one) for one in gc.get_objects() if isinstance(one, BuiltLayer)}  # of other tests
    gc.disable()
    try:
        caffelint.check_text(text)
        assert not [one for one in gc.get_objects() if isinstance(one, BuiltLayer) and id(one) not in kept]
    finally:
        gc.enable()
