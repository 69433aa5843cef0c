from __future__ import annotations

from collections.abc import Iterator

from caffelint.lint import INFO, TRAIN, UNSAFE, Finding, Invalid, Layer, LayerRule, fix, remove, title
from caffelint.lint.built import types_that


class ShuffleInTesting(LayerRule):
    """Testing reads its data in a different order each time.

    ## Why is this bad?
    Outputs cannot be matched to the lines of the list. Where test_iter covers only part of the set, each test sees a
    different part, so the accuracies of two tests cannot be compared.

    ## Example
    ```
    layer {
      name: "data" type: "ImageData" include { phase: TEST }
      image_data_param { source: "val.txt" batch_size: 50 shuffle: true }
    }
    ```
    Use instead:
    ```
    layer {
      name: "data" type: "ImageData" include { phase: TEST }
      image_data_param { source: "val.txt" batch_size: 50 }
    }
    ```

    ## Fix safety
    Unsafe: testing then reads the list in its own order.

    ## References
    - image_data_layer.cpp, load_batch; chuckcho/video-caffe commit bdd24fe
    """

    code = "D016"
    name = "shuffle-in-testing"
    severity = INFO
    layer_types = types_that(lambda kind: kind.has_setting("shuffle"))
    VALID = [
        'layer { name: "d" type: "ImageData" image_data_param { shuffle: true } include { phase: TRAIN } }',
        'layer { name: "d" type: "ImageData" image_data_param { source: "val.txt" } include { phase: TEST } }',
        'layer { name: "d" type: "ImageData" image_data_param { shuffle: true } }',
    ]
    INVALID = [
        Invalid(
            'layer { name: "d" type: "ImageData" include { phase: TEST }'
            ' image_data_param { source: "a" shuffle: true } }',
            span="shuffle: true",
            message='ImageData "d": testing reads its data in a different order each time; remove shuffle',
            fixed='layer { name: "d" type: "ImageData" include { phase: TEST } image_data_param { source: "a" } }',
        ),
    ]

    def check(self, layer: Layer) -> Iterator[Finding]:
        block = layer.kind.block
        if getattr(layer.message, block).shuffle and TRAIN not in layer.phases:
            yield self.finding(
                layer.at(block, "shuffle"),
                f"{title(layer)}: testing reads its data in a different order each time; remove shuffle",
                fixes=fix("remove shuffle", UNSAFE, remove(layer, block, "shuffle"))
                if layer.has(block, "source")
                else (),
            )
