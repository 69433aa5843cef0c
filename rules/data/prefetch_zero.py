from __future__ import annotations

from collections.abc import Iterator

from caffelint.lint import ERROR, SAFE, Finding, Invalid, Layer, LayerRule, fix, remove


class PrefetchZero(LayerRule):
    """`data_param.prefetch: 0` leaves no batch to read into, and Caffe waits for ever.

    ## Why is this bad?
    The number of batches that are read ahead is the number of batches there are. With none the first forward pass
    waits for data that never comes: no error, no output, no end.

    ## Example
    ```
    data_param { source: "train_lmdb" backend: LMDB batch_size: 64 prefetch: 0 }
    ```
    Use instead:
    ```
    data_param { source: "train_lmdb" backend: LMDB batch_size: 64 prefetch: 4 }
    ```

    ## Fix safety
    Safe: Caffe waits for ever as it stands, and 4 batches, the default, are what all others read ahead.

    ## References
    - base_data_layer.cpp, BasePrefetchingDataLayer and Forward_cpu
    """

    code = "D012"
    name = "prefetch-zero"
    severity = ERROR
    layer_types = ("Data", "ImageData", "WindowData", "AnnotatedData")
    VALID = [
        'layer { name: "data" type: "Data" data_param { source: "a" batch_size: 64 prefetch: 1 } }',
        'layer { name: "data" type: "Data" data_param { source: "a" batch_size: 64 } }',
    ]
    INVALID = [
        Invalid(
            'layer { name: "data" type: "Data" data_param { source: "a" batch_size: 64 prefetch: 0 } }',
            span="prefetch: 0",
            message="prefetch 0 leaves no batch to read into: the first forward pass waits for ever; 4 is the default",
            fixed='layer { name: "data" type: "Data" data_param { source: "a" batch_size: 64 } }',
        ),
    ]

    def check(self, layer: Layer) -> Iterator[Finding]:
        if layer.message.data_param.prefetch == 0:
            yield self.finding(
                layer.at("data_param", "prefetch"),
                "prefetch 0 leaves no batch to read into: the first forward pass waits for ever; 4 is the default",
                fixes=fix("remove prefetch", SAFE, remove(layer, "data_param", "prefetch")),
            )
