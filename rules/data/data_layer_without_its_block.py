from __future__ import annotations

from collections.abc import Iterator

from caffelint.lint import ERROR, LIKELY, UNSAFE, WARNING, Finding, Given, Invalid, Layer, LayerRule, fix, quoted, write
from caffelint.lint.built import layer_class

from ._layers import READERS

_BLOCKS = tuple(layer_class(type_).block for type_ in READERS)
_OTHERS = (*_BLOCKS, "input_param", "memory_data_param", "dummy_data_param")
_TYPE = dict(zip(_BLOCKS, READERS, strict=True))
_TYPE.update(input_param="Input", memory_data_param="MemoryData", dummy_data_param="DummyData")

_TAKEN_FOR_ITS_OWN = frozenset(_BLOCKS)
"""Blocks of other data layers: what they say is lost, which unused-parameter-block tells."""

_PHRASE = {
    "Data": "Failed to open leveldb",
    "ImageData": "File is empty",
    "WindowData": "Failed to open window file",
    "HDF5Data": "Failed to open source file",
}


class DataLayerWithoutItsBlock(LayerRule):
    """A data layer has no block of its own (`data_param` of a Data layer, ...), or no `source` in it.

    ## Why is this bad?
    The layer does not know what to read. It tries to open a file of no name, and Caffe ends its process. Often there
    is a block, but that of another layer type, which nobody reads.

    ## Example
    ```
    layer { name: "data" type: "Data" top: "data" image_data_param { source: "train.txt" batch_size: 64 } }
    ```
    Use instead:
    ```
    layer {
      name: "data" type: "ImageData" top: "data"
      image_data_param { source: "train.txt" batch_size: 64 }
    }
    ```

    ## Known problems
    Some tools, DIGITS among them, fill in the source later; layers with a stage and no source get a warning.

    ## Fix safety
    Unsafe: the type is guessed from the block that is there, though Caffe refuses the layer as it stands.

    ## References
    - DataLayerSetUp of data_layer.cpp, image_data_layer.cpp and window_data_layer.cpp; hdf5_data_layer.cpp, LayerSetUp
    """

    code = "D015"
    name = "data-layer-without-its-block"
    severity = ERROR
    layer_types = READERS
    VALID = [
        'layer { name: "data" type: "Data" data_param { source: "a_lmdb" batch_size: 1 } }',
        'layers { name: "data" type: IMAGE_DATA image_data_param { source: "a.txt" } }',
        'layer { name: "data" type: "Input" input_param { shape { dim: 1 } } }',
        'layer { name: "data" type: "ImageData" data_param { source: "a.txt" batch_size: 1 } }',
    ]
    INVALID = [
        Invalid(
            'layer { name: "data" type: "Data" top: "data" }',
            span='type: "Data"',
            message="this Data layer has no data_param: no source, no batch_size",
        ),
        Invalid(
            'layer { name: "data" type: "Data" top: "data" input_param { shape { dim: 1 } } }',
            span='type: "Data"',
            message="this Data layer has no data_param, only an input_param, which it does not read;"
            ' type: "Input" was meant',
            fixed='layer { name: "data" type: "Input" top: "data" input_param { shape { dim: 1 } } }',
        ),
        Invalid(
            'layer { name: "data" type: "Data" top: "data" data_param { batch_size: 64 backend: LMDB } }',
            span="data_param",
            message="this Data layer has no source: set data_param.source",
        ),
        Invalid(
            'layer { name: "data" type: "Data" data_param { batch_size: 64 } include { stage: "train" } }',
            span="data_param",
            message="this Data layer has no source: set data_param.source",
        ),
    ]

    def check(self, layer: Layer) -> Iterator[Finding]:
        block = layer.kind.block
        evidence = f"Caffe ends with: {_PHRASE[layer.type]}"
        if not layer.message.HasField(block):
            other = next((name for name in _OTHERS if layer.message.HasField(name)), "")
            if other in _TAKEN_FOR_ITS_OWN:
                return
            yield self.finding(
                layer.at("type"),
                f"this {layer.type} layer has no {block}, only an {other}, which it does not read;"
                f' type: "{_TYPE[other]}" was meant'
                if other
                else f"this {layer.type} layer has no {block}: no source, no batch_size",
                evidence=evidence,
                fixes=fix(f"write {_TYPE[other]}", UNSAFE, write(layer, "type", value=quoted(_TYPE[other])))
                if other
                else (),
            )
        elif layer.given(block, "source") is Given.NOTHING:
            filled_in = any(rule.stage for rule in layer.message.include)
            yield self.finding(
                layer.at(block, "source"),
                f"this {layer.type} layer has no source: set {block}.source",
                evidence=evidence,
                severity=WARNING if filled_in else None,
                certainty=LIKELY if filled_in else None,
            )
