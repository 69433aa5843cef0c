from __future__ import annotations

from collections.abc import Iterator

from caffelint.lint import (
    ERROR,
    INFO,
    LIKELY,
    Finding,
    Fix,
    Invalid,
    Kind,
    Layer,
    Net,
    RefusalRule,
    Refused,
    quoted,
    titles,
)

from ._left_over import compares_without_labels, plain_ending, remedy

_MANY = 3
_PAIR = 2


class WrongBlobCount(RefusalRule):
    """A layer has more or fewer bottoms or tops than its type takes.

    ## Why is this bad?
    Caffe checks the counts when it builds the layer, and aborts. The usual reasons are a loss without its
    label and a layer without its top.

    ## Example
    ```
    layer { name: "loss" type: "SoftmaxWithLoss" bottom: "ip" top: "loss" }
    ```
    Use instead:
    ```
    layer { name: "loss" type: "SoftmaxWithLoss" bottom: "ip" bottom: "label" top: "loss" }
    ```

    ## Known problems
    Silent about nets with layers or fields of a fork: forks have given BVLC's layers more bottoms and tops.

    ## References
    - layer.hpp, CheckBlobCounts
    """

    code = "G003"
    name = "wrong-blob-count"
    severity = ERROR
    claims = (
        Kind.BOTTOM_COUNT,
        Kind.TOP_COUNT,
    )
    _PER_PHASE = (
        'layer {{ name: "data" type: "Data" top: "data" top: "label" top: "{0}" include {{ phase: {1} }}'
        ' data_param {{ source: "{1}" batch_size: 8 }} }} '
    )
    VALID = [
        'layer { name: "data" type: "Input" top: "ip" top: "label" }'
        ' layer { name: "loss" type: "SoftmaxWithLoss" bottom: "ip" bottom: "label" }',
    ]
    _DATA = 'input: "a" input_dim: 1 input: "b" input_dim: 1'
    _RELU = ' layer { name: "%s" type: "ReLU" bottom: "a" bottom: "b" top: "%sa" top: "%sb" }'
    INVALID = [
        Invalid(
            _DATA + _RELU % ("r1", "r1", "r1") + _RELU % ("r2", "r2", "r2") + _RELU % ("r3", "r3", "r3"),
            span='bottom: "b"',
            message='ReLU "r1", "r2", "r3": 2 bottoms are given but ReLU takes 1; remove 1 bottom',
        ),
        Invalid(
            'layer { name: "data" type: "Data" top: "data" top: "label" }'
            ' layer { name: "top1" type: "Accuracy" bottom: "data" top: "top1" }',
            span='bottom: "data"',
            message='Accuracy "top1": 1 bottom is given but Accuracy takes 2; add bottom: "label", the labels',
        ),
        # An info, as no layer reads the identities.
        Invalid(
            _PER_PHASE.format("id", "TRAIN") + _PER_PHASE.format("id", "TEST"),
            span='top: "id"',
            message='Data "data": 3 tops are given but Data produces at most 2; remove 1 top',
        ),
        Invalid(
            {
                "deploy.prototxt": 'layer { name: "data" type: "Input" top: "ip" }'
                ' layer { name: "loss" type: "SoftmaxWithLoss" bottom: "ip" top: "loss" }'
            },
            span='bottom: "ip"',
            message='SoftmaxWithLoss "loss": 1 bottom is given but SoftmaxWithLoss takes 2; a deploy net has no labels,'
            ' so write type: "Softmax"',
            fixed={
                "deploy.prototxt": 'layer { name: "data" type: "Input" top: "ip" }'
                ' layer { name: "loss" type: "Softmax" bottom: "ip" top: "loss" }'
            },
        ),
        # An info.
        Invalid(
            'input: "ip" input_dim: 1 input_dim: 9 input: "label" input_dim: 1 input_dim: 1 layer { name: "accuracy"'
            ' type: "Accuracy" bottom: "ip" bottom: "label" top: "accuracy" top: "recall" top: "precision" }',
            span='top: "precision"',
            message='Accuracy "accuracy": 3 tops are given but Accuracy produces at most 2; remove 1 top',
        ),
        Invalid(
            'layer { name: "data" type: "Input" top: "ip" }'
            ' layer { name: "loss" type: "SoftmaxWithLoss" bottom: "ip" top: "loss" }'
            ' layer { name: "relu" type: "ReLU" bottom: "ip" }',
            span=('bottom: "ip"', 'type: "ReLU"'),
            message=(
                'SoftmaxWithLoss "loss": 1 bottom is given but SoftmaxWithLoss takes 2; add 1 bottom',
                'ReLU "relu": 0 tops are given but ReLU produces 1; add 1 top',
            ),
        ),
    ]

    def message(self, refused: Refused) -> str:
        advice = remedy(refused.layers) if compares_without_labels(refused) else ""
        if not advice and (labels := _labels_for(refused)):
            advice = f"add bottom: {quoted(labels)}, the labels"
        if not advice:
            return super().message(refused)
        kind = refused.layers[0].kind
        return f"{titles(refused.layers)}: 1 bottom is given but {kind.type} takes {kind.bottom_counts.least}; {advice}"

    def fixes(self, refused: Refused) -> tuple[Fix, ...]:
        return plain_ending(refused.layers) if compares_without_labels(refused) else ()

    def report(self, refused: Refused) -> Iterator[Finding]:
        for finding in super().report(refused):
            if not _is_sure(refused):
                if _are_all_wide(refused) or _have_another_input(refused):
                    finding.severity, finding.certainty = INFO, LIKELY
                    finding.evidence += "; so many layers alike may be for a fork that takes them"
                elif all(map(_gives_more, refused.layers)):
                    finding.severity, finding.certainty = INFO, LIKELY
                    finding.evidence += "; data layers that all have it may be for a fork that gives it"
                elif all(map(_scores_more, refused.layers)):
                    finding.severity, finding.certainty = INFO, LIKELY
                    finding.evidence += "; so many scores, each with a name, may be for a fork that gives them"
            yield finding


def _labels_for(refused: Refused) -> str:
    """The second top of all data layers, where losses and Accuracies have scores alone; else empty."""
    if not all(layer.kind.plain_form is not None and len(layer.bottoms) == 1 for layer in refused.layers):
        return ""
    if refused.net.bound.caffe is not None:
        return ""  # whose loss may take more
    data = [layer for layer in refused.net.layers if not layer.bottoms and len(layer.tops) > 1]
    labels = {layer.tops[1] for layer in data}
    return labels.pop() if len(labels) == 1 else ""


def _is_sure(refused: Refused) -> bool:
    """Is the Caffe given, and of a project's does the class of the layer say how many bottoms it takes?"""
    bound = refused.net.bound
    if bound.caffe is None:
        return bound.knows_caffe
    layer = refused.layers[0]
    counts = bound.caffe.registered.counts.get(layer.type)
    return counts is not None and 0 <= counts.most_bottoms < len(layer.bottoms)


def _are_all_wide(refused: Refused) -> bool:
    """Whether these layers, and enough in the net, make a top of each of several bottoms."""
    if not all(map(_is_wide, refused.layers)):
        return False
    return sum(len(one.layers) for one in refused.net.refused() if all(map(_is_wide, one.layers))) >= _MANY


def _have_another_input(refused: Refused) -> bool:
    """Whether several layers all read one more blob than their type takes, and make one."""
    return len(refused.layers) >= _MANY and all(
        len(layer.bottoms) == _PAIR and len(layer.tops) == 1 for layer in refused.layers
    )


def _gives_more(layer: Layer) -> bool:
    """Whether each of several data layers of its type has the same tops, of which only what takes more reads the last.

    Labels for several losses, which people give a Data layer by mistake, are read by these.
    """
    most = layer.kind.top_counts.most
    if not layer.kind.is_data or most is None or layer.type not in layer.net.once(_types_alike):
        return False
    return layer.net.once(_read_as_usual).isdisjoint(layer.tops[most:])


def _types_alike(net: Net) -> set[str]:
    """The types of which each of several layers has the same tops."""
    each = net.by_type.items()
    return {type_ for type_, same in each if len(same) >= _PAIR and len({tuple(one.tops) for one in same}) == 1}


def _read_as_usual(net: Net) -> set[str]:
    """The blobs that known layers read as bottoms that their type has in BVLC's Caffe."""
    known = (one for one in net.layers if one.kind.known)
    return {name for one in known for name in one.bottoms[: one.kind.bottom_counts.most]}


def _scores_more(layer: Layer) -> bool:
    """Whether an Accuracy makes more scores than BVLC's, each under a name of its own."""
    return layer.type == "Accuracy" and len(set(layer.tops)) == len(layer.tops) >= _MANY


def _is_wide(layer: Layer) -> bool:
    """Whether it makes a top of each of several bottoms."""
    return len(layer.bottoms) == len(layer.tops) > 1
