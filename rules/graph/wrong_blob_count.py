from __future__ import annotations

from collections.abc import Iterator

from caffelint.lint import ERROR, INFO, LIKELY, Finding, Invalid, Kind, Layer, RefusalRule, Refused

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

    def report(self, refused: Refused) -> Iterator[Finding]:
        for finding in super().report(refused):
            if not _is_sure(refused):
                if _are_all_wide(refused) or _have_another_input(refused):
                    finding.severity, finding.certainty = INFO, LIKELY
                    finding.evidence += "; so many layers alike may be for a fork that takes them"
                elif all(map(_scores_more, refused.layers)):
                    finding.severity, finding.certainty = INFO, LIKELY
                    finding.evidence += "; so many scores, each with a name, may be for a fork that gives them"
            yield finding


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


def _scores_more(layer: Layer) -> bool:
    """Whether an Accuracy makes more scores than BVLC's, each under a name of its own."""
    return layer.type == "Accuracy" and len(set(layer.tops)) == len(layer.tops) >= _MANY


def _is_wide(layer: Layer) -> bool:
    """Whether it makes a top of each of several bottoms."""
    return len(layer.bottoms) == len(layer.tops) > 1
