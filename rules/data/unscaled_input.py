from __future__ import annotations

from collections.abc import Iterator

from caffelint.lint import LIKELY, TRAIN, WARNING, Finding, Invalid, Layer, LayerRule, title

from ._layers import source_of, transforms_unlike_bvlc

_NET = (
    'layer { name: "data" type: "Data" top: "data" top: "label" data_param { source: "train_lmdb" } %s}'
    ' layer { name: "conv1" type: "Convolution" bottom: "data" top: "conv1" } %s'
    ' layer { name: "loss" type: "SoftmaxWithLoss" bottom: "conv1" bottom: "label" }'
)


class UnscaledInput(LayerRule):
    """Pixels from 0 to 255 go into the first layer as they are: no mean is subtracted, nothing scales or normalises.

    ## Why is this bad?
    Inputs that are large and all positive give large activations and gradients in the first layers: a base_lr that
    works elsewhere makes the loss nan, and the net tends to answer a single class. CIFAR and ImageNet nets lose some
    accuracy without a mean, if they train at all.

    ## Example
    ```
    layer { name: "data" type: "ImageData" top: "data" top: "label" image_data_param { source: "train.txt" } }
    layer { name: "conv1" type: "Convolution" bottom: "data" top: "conv1" }
    ```
    Use instead:
    ```
    layer {
      name: "data" type: "ImageData" top: "data" top: "label" image_data_param { source: "train.txt" }
      transform_param { mean_value: 104 mean_value: 117 mean_value: 123 }
    }
    layer { name: "conv1" type: "Convolution" bottom: "data" top: "conv1" }
    ```

    ## Known problems
    A database may hold data that is already normalised, and small weights can make up for large inputs. The rule stays
    in preview until scales are computed rather than guessed.

    ## References
    - data_transformer.cpp, Transform; BVLC/caffe issues 2373 and 5940
    """

    code = "D001"
    name = "unscaled-input"
    severity = WARNING
    certainty = LIKELY
    preview = True
    risks_nan = True
    # What reads bytes without a scale of its own, as WindowData has; MemoryData is given anything.
    layer_types = ("Data", "ImageData")
    VALID = [
        _NET % ("transform_param { scale: 0.00390625 } ", ""),
        _NET % ('transform_param { mean_file: "mean.binaryproto" } ', ""),
        _NET % ("", 'layer { name: "bn" type: "BatchNorm" bottom: "conv1" top: "conv1" }'),
        # Scaled by a separate layer.
        'layer { name: "data" type: "Data" top: "data" top: "label" data_param { source: "train_lmdb" } }'
        ' layer { name: "scale" type: "Power" bottom: "data" top: "scaled" power_param { scale: 0.0039 } }'
        ' layer { name: "fc" type: "InnerProduct" bottom: "scaled" top: "fc" }'
        ' layer { name: "loss" type: "SoftmaxWithLoss" bottom: "fc" bottom: "label" }',
    ]
    INVALID = [
        Invalid(
            _NET % ("", ""),
            span='type: "Data"',
            message='Convolution "conv1" gets the values of "train_lmdb" as they are: no mean is subtracted, and'
            " nothing scales or normalises them, so training may diverge; subtract a mean, or set scale:"
            " 0.00390625",
        ),
    ]

    def check(self, layer: Layer) -> Iterator[Finding]:
        transform = layer.message.transform_param
        if transform.HasField("scale") or transform.HasField("mean_file") or len(transform.mean_value):
            return
        _, source = source_of(layer)
        if not source or not layer.tops or TRAIN not in layer.phases or transforms_unlike_bvlc(layer) or _is_odd(layer):
            return
        readers = []
        for other in layer.net.layers:
            if other.kind.normalises:
                return
            if layer.tops[0] in other.bottoms and TRAIN in other.phases:
                readers.append(other)
        if readers and all(reader.kind.shaped_by for reader in readers) and layer.net.role == "train":
            yield self.finding(
                layer.at("transform_param") if layer.has("transform_param") else layer.at("type"),
                f'{title(readers[0])} gets the values of "{source}" as they are: no mean is subtracted, and nothing'
                " scales or normalises them, so training may diverge; subtract a mean, or set scale: 0.00390625",
                evidence="pixels are read as values from 0 to 255",
            )


def _is_odd(layer: Layer) -> bool:
    """Whether the layer has a field that no Caffe knows, which may be a scale."""
    node = layer.node
    if node is None:
        return True
    return any(node.start <= problem.start < node.end for problem in layer.net.bound.problems)
