from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from caffelint.lint import LIKELY, WARNING, Finding, Invalid, Layer, Net, NetRule, titles
from caffelint.lint.built import Blob

from ._coordinates import Position
from ._strides import feat_strides, stride_of


class FeatStrideUnlikeMap(NetRule):
    """A Python layer is told another stride than that of the map that it reads.

    ## Why is this bad?
    Anchors are laid on the image every `feat_stride` pixels, one for each pixel of the map. With 16 for a map of stride
    8 they are at twice the place of what their pixel has seen, half of them outside of the image, and the net learns
    boxes of other objects. Caffe cannot notice.

    ## Example
    A map after three poolings of stride 2:
    ```
    python_param { module: "rpn.proposal_layer" layer: "ProposalLayer" param_str: "'feat_stride': 16" }
    ```
    Use instead:
    ```
    python_param { module: "rpn.proposal_layer" layer: "ProposalLayer" param_str: "'feat_stride': 8" }
    ```

    ## References
    - lib/rpn/proposal_layer.py, forward (rbgirshick/py-faster-rcnn)
    - murphypei/faster-rcnn-pedestrian-detection@49b35614
    """

    code = "L023"
    name = "feat-stride-unlike-map"
    severity = WARNING
    certainty = LIKELY
    layer_types = ("Python",)
    _NET = (
        'layer {{ name: "data" type: "Input" top: "data" input_param {{ shape {{ dim: 1 dim: 3 dim: 64 dim: 64 }} }} }}'
        ' layer {{ name: "conv" type: "Convolution" bottom: "data" top: "conv"'
        " convolution_param {{ num_output: 8 kernel_size: 3 pad: 1 stride: {} }} }}"
        ' layer {{ name: "rpn" type: "Python" bottom: "conv" bottom: "data" top: "a" python_param {{'
        ' module: "rpn.anchors" layer: "Anchors" param_str: "\'feat_stride\': {}" }} }}'
    )
    VALID = [_NET.format(8, 8), _NET.format(8, 16).replace("Convolution", "Own"), _NET.format(1, 16)]
    INVALID = [
        Invalid(
            _NET.format(8, 16),
            span="param_str: \"'feat_stride': 16\"",
            message='Python "rpn": feat_stride is 16 but "conv" has a stride of 8, so boxes are laid on other places'
            " than the map shows; set feat_stride: 8",
        )
    ]

    def check(self, net: Net) -> Iterator[Finding]:
        found: dict[tuple[int, Fraction], list[tuple[Layer, str]]] = {}
        for one in net.states():
            known: dict[Blob, Position | None] = {}
            for layer in one.layers:
                if layer.index is None or layer.type != "Python":
                    continue
                mine = net.layers[layer.index]
                told = feat_strides(mine)
                strides = [stride_of(blob, known) for blob in layer.bottoms] if len(told) == 1 else []
                seen = [(stride, at) for at, stride in enumerate(strides) if stride is not None]
                if seen and told[0] not in strides:
                    stride, at = seen[0]
                    found.setdefault((told[0], stride), []).append((mine, mine.bottoms[at]))
        for (told_, stride), places in found.items():
            name = places[0][1]
            layers = list(dict.fromkeys(layer for layer, _ in places))
            yield self.finding(
                layers[0].at("python_param", "param_str"),
                f'{titles(layers)}: feat_stride is {told_} but "{name}" has a stride of {float(stride):g}, so boxes are'
                f" laid on other places than the map shows; set feat_stride: {float(stride):g}",
                layers=layers,
            )
