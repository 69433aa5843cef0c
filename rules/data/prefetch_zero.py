from __future__ import annotations

from collections.abc import Iterator

from caffelint.lint import ERROR, SAFE, Finding, Invalid, Layer, LayerRule, fix, remove, title

from ._layers import IMAGE_READERS


class PrefetchZero(LayerRule):
    """With `prefetch: 0` in data_param there is no batch to read into, so Caffe waits forever.

    ## Why is this bad?
    Caffe has as many batches as it reads ahead. With none, the first forward pass waits for data that never comes: no
    error, no output, no end.

    ## Example
    ```
    data_param { source: "train_lmdb" backend: LMDB batch_size: 64 prefetch: 0 }
    ```
    Use instead:
    ```
    data_param { source: "train_lmdb" backend: LMDB batch_size: 64 prefetch: 4 }
    ```

    ## Fix safety
    Safe: Caffe waits forever as it is, and 4 batches, the default, is what other data layers read ahead.

    ## References
    - base_data_layer.cpp, BasePrefetchingDataLayer and Forward_cpu
    """

    code = "D012"
    name = "prefetch-zero"
    severity = ERROR
    layer_types = IMAGE_READERS
    VALID = [
        'layer { name: "data" type: "Data" data_param { source: "a" batch_size: 64 prefetch: 1 } }',
        'layer { name: "data" type: "Data" data_param { source: "a" batch_size: 64 } }',
    ]
    INVALID = [
        Invalid(
            'layer { name: "data" type: "Data" data_param { source: "a" batch_size: 64 prefetch: 0 } }',
            span="prefetch: 0",
            message='Data "data": prefetch 0 leaves no batch to read into, so the first forward pass waits forever;'
            " remove it (the default is 4)",
            fixed='layer { name: "data" type: "Data" data_param { source: "a" batch_size: 64 } }',
        ),
    ]

    def check(self, layer: Layer) -> Iterator[Finding]:
        if layer.message.data_param.prefetch == 0:
            yield self.finding(
                layer.at("data_param", "prefetch"),
                f"{title(layer)}: prefetch 0 leaves no batch to read into, so the first forward pass waits forever;"
                " remove it (the default is 4)",
                fixes=fix("remove prefetch", SAFE, remove(layer, "data_param", "prefetch")),
            )
