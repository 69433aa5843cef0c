from __future__ import annotations

from collections.abc import Iterator

from caffelint.lint import LIKELY, TRAIN, WARNING, Finding, Invalid, Net, NetRule, Related, quoted, title, titles
from caffelint.lint.built import Blob, BuiltLayer

_NET = (
    'layer {{ name: "data" type: "HDF5Data" top: "left" top: "right" top: "label" }}'
    ' layer {{ name: "hush" type: "Silence" bottom: "left" }}'
    ' layer {{ name: "fc" type: "InnerProduct" bottom: "{}" top: "fc" inner_product_param {{ num_output: 9 }} }}'
    ' layer {{ name: "loss" type: "SoftmaxWithLoss" bottom: "fc" bottom: "label" top: "loss" }}'
)


class SilencedAndRead(NetRule):
    """A Silence discards a blob that another layer learns from, while nothing reads another one of the same data.

    ## Why is this bad?
    Silence is there for blobs that a net does not need. Where it is given the one that the net is trained on, and the
    other one is left over, the two were mistaken for one another: the net learns from the wrong stream.

    ## Example
    ```
    layer { name: "data" type: "HDF5Data" top: "left" top: "right" top: "label" }
    layer { name: "hush" type: "Silence" bottom: "left" }
    layer { name: "conv" type: "Convolution" bottom: "left" top: "conv" }
    ```
    Use instead:
    ```
    layer { name: "data" type: "HDF5Data" top: "left" top: "right" top: "label" }
    layer { name: "hush" type: "Silence" bottom: "left" }
    layer { name: "conv" type: "Convolution" bottom: "right" top: "conv" }
    ```

    ## References
    - silence_layer.cpp; lferrer/iccv2017, models/third_person_classifier.prototxt
    """

    code = "G049"
    name = "silenced-and-read"
    severity = WARNING
    certainty = LIKELY
    layer_types = ("Silence",)
    VALID = [_NET.format("right"), _NET.format("left").replace(' top: "right"', "")]
    INVALID = [
        Invalid(
            _NET.format("left"),
            span='bottom: "left"',
            message='InnerProduct "fc" reads "left", which Silence "hush" discards as not needed, while nothing reads'
            ' "right" of HDF5Data "data"; did you mean that?',
        ),
    ]

    def check(self, net: Net) -> Iterator[Finding]:
        for one in net.states():
            if one.phase == TRAIN:
                for hush in one.layers:
                    for blob in hush.bottoms if hush.type == "Silence" else ():
                        yield from self._mistaken(net, hush, blob.original)
                return

    def _mistaken(self, net: Net, hush: BuiltLayer, blob: Blob) -> Iterator[Finding]:
        maker = blob.producer
        read = [(layer, at) for layer, at in blob.readers if layer.type != "Silence" and layer.index is not None]
        if maker is None or not read or hush.index is None:
            return
        left = [top for top in maker.tops if not top.readers and top.name != blob.name]
        if len(left) == 1:
            layers = [net.layers[layer.index or 0] for layer, _ in read]
            yield self.finding(
                layers[0].at("bottom", read[0][1]),
                f"{titles(layers)} read{'s' * (len(layers) == 1)} {quoted(blob.name)}, which {title(hush)} discards as"
                f" not needed, while nothing reads {quoted(left[0].name)} of {title(maker)}; did you mean that?",
                phases=(TRAIN,),
                related=(Related("it is discarded here", net.layers[hush.index].at("bottom")),),
                layers=layers,
            )
