from __future__ import annotations

from collections.abc import Iterator, Sequence

from caffelint.lint import LIKELY, WARNING, Finding, Invalid, Layer, Net, NetRule, title

from ._other_blob import other_blob


class LossGivenBlobTwice(NetRule):
    """A loss gets the blob that it judges a second time, as what it judges that by.

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
    Only the first bottom is looked for among the others: a SmoothL1Loss often gets one blob for both of its weights,
    and a loss of a project's own may take the labels as weights, too. One with a single blob for both of its bottoms
    is left alone: it may judge that blob alone, where its base class asks for two.

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
        _DATA + ' layer { name: "loss" type: "OwnLoss" bottom: "data" bottom: "label" bottom: "label" }',
        # Pairs within a batch.
        _DATA + ' layer { name: "l" type: "OwnLoss" bottom: "data" bottom: "label" bottom: "data" bottom: "label" }',
        _DATA + ' layer { name: "loss" type: "BinaryCodeLoss" bottom: "data" bottom: "data" }',
        # Of no weight: it stands for a Silence.
        _DATA + ' layer { name: "none" type: "EuclideanLoss" bottom: "data" bottom: "data" loss_weight: 0 }',
        # In no phase.
        _DATA + ' layer { name: "loss" type: "EuclideanLoss" bottom: "data" bottom: "data" exclude { phase: TRAIN }'
        " exclude { phase: TEST } }",
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

    def check(self, net: Net) -> Iterator[Finding]:
        for layers in net.by_type.values():
            if layers[0].kind.looks_like_a_loss or layers[0].kind.looks_like_a_measure:
                for layer in layers:
                    yield from self._check(layer)

    def _check(self, layer: Layer) -> Iterator[Finding]:
        first, *others = layer.bottoms or [""]
        if first not in others or not layer.phases or _repeats(layer.bottoms) or _is_off(layer):
            return
        if not layer.kind.known and others == [first]:  # a LossLayer wants two bottoms, though it may read but one
            return
        second = 1 + others.index(first)
        yield self.finding(
            layer.at("bottom", second if len(others) == 1 else 0),
            f'{title(layer)}: bottoms 0 and {second} are both "{first}", so it compares the blob with itself; give it'
            f" another one{other_blob(layer)}",
        )


def _is_off(layer: Layer) -> bool:
    """Is it written to be of no weight? So some let a layer read a blob that nothing else does."""
    weights = layer.message.loss_weight
    return bool(weights) and not any(weights)


def _repeats(bottoms: Sequence[str]) -> bool:
    """Is the second half the first one again? The loss compares the items of a batch with each other then."""
    half = len(bottoms) // 2
    return len(bottoms) > 2 and list(bottoms[:half]) == list(bottoms[half:])
