from __future__ import annotations

from collections.abc import Iterator, Sequence

from caffelint.lint import LIKELY, PHASES, WARNING, Finding, Invalid, Layer, LayerRule, Net, title


class LossGivenBlobTwice(LayerRule):
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
    and a loss of a project's own may take the labels as weights, too.

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

    def check(self, layer: Layer) -> Iterator[Finding]:
        first, *others = layer.bottoms or [""]
        if first not in others or not (layer.kind.looks_like_a_loss or layer.kind.looks_like_a_measure):
            return
        if not layer.phases or _repeats(layer.bottoms):
            return
        second = 1 + others.index(first)
        yield self.finding(
            layer.at("bottom", second if len(others) == 1 else 0),
            f'{title(layer)}: bottoms 0 and {second} are both "{first}", so it compares the blob with itself; give it'
            f" another one{_other(layer)}",
        )


def _repeats(bottoms: Sequence[str]) -> bool:
    """Is the second half the first one again? The loss compares the items of a batch with each other then."""
    half = len(bottoms) // 2
    return len(bottoms) > 2 and list(bottoms[:half]) == list(bottoms[half:])


def _other(layer: Layer) -> str:
    """A blob that may be meant: one that nothing reads, else what another loss compares with the same blob."""
    unread = [top for index, top in layer.net.once(_unread)[layer.phases[0]][:2] if index < layer.index]
    if len(unread) == 1:
        return f', such as "{unread[0]}", which no layer reads'
    for name in layer.bottoms:
        one = layer.net.once(_compared)[layer.phases[0]].get(name)
        if one is not None and one.bottoms[0] not in layer.bottoms:
            return f', such as "{one.bottoms[0]}", which {title(one)} compares with "{name}"'
    return ""


def _unread(net: Net) -> dict[str, list[tuple[int, str]]]:
    """The tops of each phase that no layer reads, but for losses and measures, each with the number of its layer."""
    found = {}
    for phase in PHASES:
        layers = net.in_phase(phase)
        read = {name for one in layers for name in one.bottoms}
        others = [one for one in layers if not (one.kind.looks_like_a_loss or one.kind.looks_like_a_measure)]
        found[phase] = [(one.index, top) for one in others for top in one.tops if top not in read]
    return found


def _compared(net: Net) -> dict[str, dict[str, Layer]]:
    """Of each blob that a loss compares its first bottom with, the first such loss in each phase."""
    found: dict[str, dict[str, Layer]] = {}
    for phase in PHASES:
        of_phase = found.setdefault(phase, {})
        for one in net.in_phase(phase):
            if one.kind.looks_like_a_loss and len(one.bottoms) > 1 and one.bottoms[0] not in one.bottoms[1:]:
                for name in one.bottoms[1:]:
                    of_phase.setdefault(name, one)
    return found
