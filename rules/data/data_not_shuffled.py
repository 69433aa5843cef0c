from __future__ import annotations

import os
from collections.abc import Iterator

from caffelint.lint import (
    INFO,
    LIKELY,
    TRAIN,
    UNSAFE,
    WARNING,
    Finding,
    Invalid,
    Layer,
    LayerRule,
    Net,
    fix,
    title,
    write,
)
from caffelint.lint.disk import BY_CLASS, MIXED, found_from, order_of_list, starts

from ._layers import makers, source_of


class DataNotShuffled(LayerRule):
    """Training reads a list of images in the order of the file, without shuffling.

    ## Why is this bad?
    ImageData shuffles only with `shuffle: true`. A list that was written class by class gives batches of a single
    class: the loss goes up and down within each epoch, and the net learns to answer the class of the last batches.

    ## Example
    ```
    image_data_param { source: "train.txt" batch_size: 64 }
    ```
    Use instead:
    ```
    image_data_param { source: "train.txt" batch_size: 64 shuffle: true }
    ```

    ## Known problems
    A list that was shuffled when it was written is fine. The severity is only info where the list is not in the
    repository; of one that is there, nothing is said if its labels are mixed, and it is a warning if it has one class
    after the other.

    ## Fix safety
    Unsafe: training reads its images in a different order.

    ## References
    - image_data_layer.cpp, DataLayerSetUp; BVLC/caffe issues 1445 and 2343
    """

    code = "D006"
    name = "data-not-shuffled"
    severity = INFO
    certainty = LIKELY
    layer_types = ("ImageData",)
    VALID = [
        'layer { name: "data" type: "ImageData" image_data_param { source: "train.txt" shuffle: true }'
        " include { phase: TRAIN } }",
        'layer { name: "data" type: "ImageData" image_data_param { source: "test.txt" } include { phase: TEST } }',
        # Two lists, read line by line in step.
        'layer { name: "a" type: "ImageData" top: "a" image_data_param { source: "a.txt" } include { phase: TRAIN } }'
        ' layer { name: "b" type: "ImageData" top: "b" image_data_param { source: "b.txt" } include { phase: TRAIN } }',
        # No training.
        'layer { name: "data" type: "ImageData" image_data_param { source: "images.txt" } }',
        # A net for features: it has a loss, but nothing says that it is trained.
        'layer { name: "data" type: "ImageData" top: "data" top: "label" image_data_param { source: "images.txt" } }'
        ' layer { name: "fc" type: "InnerProduct" bottom: "data" top: "fc" }'
        ' layer { name: "loss" type: "SoftmaxWithLoss" bottom: "fc" bottom: "label" }',
    ]
    INVALID = [
        Invalid(
            'layer { type: "ImageData" top: "d" image_data_param { source: "train.txt" } include { phase: TRAIN } }',
            span="image_data_param",
            message='ImageData layer: training reads "train.txt" from top to bottom in each epoch, so each batch of a'
            " sorted list holds one class; set shuffle: true unless the list is already shuffled",
            fixed=(
                'layer { type: "ImageData" top: "d" image_data_param { source: "train.txt" shuffle: true } '
                "include { phase: TRAIN } }"
            ),
        ),
    ]

    def check(self, layer: Layer) -> Iterator[Finding]:
        if layer.message.image_data_param.shuffle or TRAIN not in layer.phases:
            return
        _, source = source_of(layer)
        if source and "shuf" not in source and layer.net.is_trained and not layer.net.once(_in_step):
            orders = {order_of_list(path, layer.net.path) for path in _lists(layer, source)}
            if orders == {MIXED}:
                return
            is_sorted = orders == {BY_CLASS}
            yield self.finding(
                layer.at("image_data_param", "shuffle"),
                f'{title(layer)}: training reads "{source}" from top to bottom in each epoch, '
                + (
                    "and it lists one class after the other, so each batch holds one class or few; set shuffle: true"
                    if is_sorted
                    else "so each batch of a sorted list holds one class; set shuffle: true unless the list is already"
                    " shuffled"
                ),
                severity=WARNING if is_sorted else None,
                fixes=fix("set shuffle: true", UNSAFE, write(layer, "image_data_param", "shuffle", value="true")),
            )


def _lists(layer: Layer, source: str) -> Iterator[str]:
    """The files that a source may be."""
    if not os.path.isabs(source):
        for folder in found_from(source, [*dict.fromkeys(starts(layer.net.path))]):
            yield os.path.join(folder, source)


def _in_step(net: Net) -> bool:
    """Whether data layers read in step with each other, which shuffling one of them would prevent."""
    return sum(source_of(layer)[1] != "" for layers in makers(net, TRAIN).values() for layer in layers) > 1
