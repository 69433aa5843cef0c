from __future__ import annotations

from collections.abc import Iterator

from caffelint.lint import ERROR, Finding, Given, Invalid, Kind, Layer, LayerRule, title

from ._layers import READERS

_PHRASE = {"ImageData": "Positive batch size required"}


class NoBatchSize(LayerRule):
    """A data layer has no `batch_size`, or a `batch_size` of 0.

    ## Why is this bad?
    It defaults to 0 (1 for ImageData), and Caffe aborts, for most layers without mentioning the batch size: "Check
    failed: data_".

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
            message='Data "data": batch_size is missing and defaults to 0, so Caffe stops; set batch_size in'
            " data_param",
        ),
        Invalid(
            'layer { name: "data" type: "ImageData" image_data_param { source: "a.txt" batch_size: 0 } }',
            span="batch_size: 0",
            message='ImageData "data": batch_size is 0, so Caffe stops; set it to at least 1',
        ),
    ]

    def check(self, layer: Layer) -> Iterator[Finding]:
        block = layer.kind.block
        if getattr(layer.message, block).batch_size or not layer.message.HasField(block):
            return
        if layer.has(block, "batch_size"):
            message = f"{title(layer)}: batch_size is 0, so Caffe stops; set it to at least 1"
        elif not layer.has(block, "source") or layer.given(block, "batch_size") is Given.UNREADABLE:
            return
        else:
            message = (
                f"{title(layer)}: batch_size is missing and defaults to 0, so Caffe stops; set batch_size in {block}"
            )
        yield self.finding(
            layer.at(block, "batch_size"),
            message,
            evidence=f"Caffe stops with: {_PHRASE.get(layer.type, 'Check failed: data_')}",
        )
