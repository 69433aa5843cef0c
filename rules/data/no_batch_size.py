from __future__ import annotations

from collections.abc import Iterator

from caffelint.lint import ERROR, Finding, Given, Invalid, Kind, Layer, LayerRule

from ._layers import READERS

_PHRASE = {"ImageData": "Positive batch size required"}


class NoBatchSize(LayerRule):
    """A data layer has no `batch_size`, or one of 0.

    ## Why is this bad?
    It is 0 where it is not set (1 for ImageData), and Caffe ends its process, for most layers without a word on the
    batch size: "Check failed: data_".

    ## Example
    ```
    data_param { source: "train_lmdb" backend: LMDB }
    ```
    Use instead:
    ```
    data_param { source: "train_lmdb" backend: LMDB batch_size: 64 }
    ```

    ## References
    - data_layer.cpp, hdf5_data_layer.cpp, window_data_layer.cpp and image_data_layer.cpp, LayerSetUp; syncedmem.cpp
    """

    code = "D007"
    name = "no-batch-size"
    severity = ERROR
    claims = (Kind.MISSING_BATCH_SIZE,)
    layer_types = READERS
    VALID = [
        'layer { name: "data" type: "Data" data_param { source: "a" batch_size: 1 } }',
        # 1 by default.
        'layer { name: "data" type: "ImageData" image_data_param { source: "a.txt" } }',
        'layers { name: "data" type: DATA data_param { source: "a" batch_size: 32 } }',
        'layer { name: "data" type: "Data" data_param { source: "a" batch_size: $BATCH } }',
    ]
    INVALID = [
        Invalid(
            'layer { name: "data" type: "Data" data_param { source: "a" backend: LMDB } }',
            span="data_param",
            message="batch_size is not set, which makes it 0: Caffe ends without saying why; set data_param.batch_size",
        ),
        Invalid(
            'layer { name: "data" type: "ImageData" image_data_param { source: "a.txt" batch_size: 0 } }',
            span="batch_size: 0",
            message="batch_size is 0, and must be 1 or more",
        ),
    ]

    def check(self, layer: Layer) -> Iterator[Finding]:
        block = layer.kind.block
        if getattr(layer.message, block).batch_size or not layer.message.HasField(block):
            return
        if layer.has(block, "batch_size"):
            message = "batch_size is 0, and must be 1 or more"
        elif not layer.has(block, "source") or layer.given(block, "batch_size") is Given.UNREADABLE:
            return
        else:
            message = f"batch_size is not set, which makes it 0: Caffe ends without saying why; set {block}.batch_size"
        yield self.finding(
            layer.at(block, "batch_size"),
            message,
            evidence=f"Caffe ends with: {_PHRASE.get(layer.type, 'Check failed: data_')}",
        )
