from __future__ import annotations

from collections.abc import Iterator

from caffelint.lint import LIKELY, TRAIN, WARNING, Finding, Invalid, Layer, LayerRule, title


class LossGivenBlobTwice(LayerRule):
    """A loss gets one blob both for what it judges and for what it judges that by.

    ## Why is this bad?
    A loss compares its first bottom with others. Of a blob and itself a EuclideanLoss is always 0, and any other loss
    learns something that is not meant, while the blob that should be there gets no gradient. Caffe checks the
    shapes only.

    ## Example
    ```
    layer { name: "loss" type: "EuclideanLoss" bottom: "score" bottom: "score" }
    ```
    Use instead:
    ```
    layer { name: "loss" type: "EuclideanLoss" bottom: "score" bottom: "target" }
    ```

    ## Known problems
    Bottoms after the second one may be equal: a SmoothL1Loss often gets one blob for both of its weights.

    ## References
    - net.cpp, AppendBottom
    """

    code = "O019"
    name = "loss-given-blob-twice"
    severity = WARNING
    certainty = LIKELY
    _DATA = 'layer { name: "data" type: "Data" top: "data" top: "label" }'
    VALID = [
        _DATA + ' layer { name: "loss" type: "SmoothL1Loss" bottom: "a" bottom: "b" bottom: "w" bottom: "w" }',
        # Twice the blob.
        _DATA + ' layer { name: "sum" type: "Eltwise" bottom: "data" bottom: "data" top: "sum" }',
    ]
    INVALID = [
        Invalid(
            _DATA + ' layer { name: "loss" type: "EuclideanLoss" bottom: "data" bottom: "data" }',
            span='bottom: "data"',
            message='EuclideanLoss "loss": bottoms 0 and 1 are both "data", so it compares the blob with itself; give'
            ' it another one, such as "label", which no layer reads',
        ),
        Invalid(
            _DATA + ' layer { name: "loss1" type: "SoftmaxWithLoss" bottom: "data" bottom: "label" }'
            ' layer { name: "loss2" type: "DoubtLoss" bottom: "doubt" bottom: "label" bottom: "doubt" }',
            span='bottom: "doubt"',
            message='DoubtLoss "loss2": bottoms 0 and 2 are both "doubt", so it compares the blob with itself; give it'
            ' another one, such as "data", which SoftmaxWithLoss "loss1" compares with "label"',
        ),
    ]

    def check(self, layer: Layer) -> Iterator[Finding]:
        bottoms = list(layer.bottoms)
        if len(set(bottoms)) == len(bottoms) or not (layer.kind.looks_like_a_loss or layer.type == "Accuracy"):
            return
        twice = next(
            ((i, bottoms.index(name, i + 1)) for i, name in enumerate(bottoms[:2]) if name in bottoms[i + 1 :]), None
        )
        if twice is not None:
            yield self.finding(
                layer.at("bottom", twice[1] if len(bottoms) == len(twice) else twice[0]),
                f'{title(layer)}: bottoms {twice[0]} and {twice[1]} are both "{bottoms[twice[0]]}", so it compares the'
                f" blob with itself; give it another one{_other(layer)}",
            )


def _other(layer: Layer) -> str:
    """A blob that may be meant: one that nothing reads, else what another loss compares with the same blob."""
    phase = (layer.phases or (TRAIN,))[0]
    layers = layer.net.in_phase(phase)
    read = {name for one in layers for name in one.bottoms}
    unread = [top for one in layers[: layers.index(layer)] for top in one.tops if top not in read]
    if len(unread) == 1:
        return f', such as "{unread[0]}", which no layer reads'
    own = set(layer.bottoms)
    for one in layers:
        if one is not layer and one.kind.looks_like_a_loss and len(one.bottoms) > 1 and one.bottoms[0] not in own:
            same = next((name for name in one.bottoms[1:] if name in own), None)
            if same is not None:
                return f', such as "{one.bottoms[0]}", which {title(one)} compares with "{same}"'
    return ""
