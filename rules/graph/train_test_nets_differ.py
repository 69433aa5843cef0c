from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator

from caffelint.lint import (
    LIKELY,
    TEST,
    TRAIN,
    WARNING,
    Finding,
    Invalid,
    Layer,
    Net,
    ProjectRule,
    Related,
    Solver,
    title,
)

HIDDEN_SIGMOID = "SigmoidCrossEntropyLoss"

_ADDED_TO_TEST = "Softmax"
"""Test nets have it where the loss of the training net contains its own."""


class TrainTestNetsDiffer(ProjectRule):
    """The separate test net of a solver differs from the net that it trains.

    ## Why is this bad?
    Caffe copies the weights of the training net to the test net by the name of the layer, and checks only that their
    number and shapes fit. If one of the two has an activation or a layer with weights that the other lacks, the test
    scores are those of a net that was never trained. A SigmoidCrossEntropyLoss contains its Sigmoid: with another loss
    in the test net it has to be added as a layer.

    ## Example
    ```
    train: layer { name: "loss" type: "SigmoidCrossEntropyLoss" bottom: "decode" bottom: "data" }
    test:  layer { name: "loss" type: "EuclideanLoss" bottom: "decode" bottom: "data" }
    ```
    Use instead:
    ```
    test:  layer { name: "sigmoid" type: "Sigmoid" bottom: "decode" top: "sigmoid" }
           layer { name: "loss" type: "EuclideanLoss" bottom: "sigmoid" bottom: "data" }
    ```

    ## References
    - net.cpp, ShareTrainedLayersWith; BVLC/caffe@24f7ec0
    """

    code = "G024"
    name = "train-test-nets-differ"
    severity = WARNING
    certainty = LIKELY
    _SOLVER = 'train_net: "train.prototxt" test_net: "test.prototxt" test_iter: 1'
    _FC = 'layer { name: "fc" type: "InnerProduct" bottom: "data" top: "fc" } '
    _RELU = 'layer { name: "act" type: "ReLU" bottom: "fc" top: "fc" } '
    _LOSS = 'layer { name: "loss" type: "%s" bottom: "fc" bottom: "data" }'
    VALID = [
        {"solver.prototxt": _SOLVER, "train.prototxt": _FC + _RELU, "test.prototxt": _FC + _RELU},
        {
            "solver.prototxt": _SOLVER,
            "train.prototxt": _FC + _LOSS % HIDDEN_SIGMOID,
            "test.prototxt": _FC + _LOSS % HIDDEN_SIGMOID,
        },
    ]
    INVALID = [
        Invalid(
            {"solver.prototxt": _SOLVER, "train.prototxt": _FC + _RELU, "test.prototxt": _FC},
            span='name: "fc"',
            message='InnerProduct "fc" is followed by no activation in the test net but by ReLU in the training net,'
            " so the scores are not those of the trained net; make the two nets equal",
        ),
        Invalid(
            {
                "solver.prototxt": _SOLVER,
                "train.prototxt": _FC,
                "test.prototxt": _FC + _FC.replace('"fc"', '"fc2"').replace("data", "fc"),
            },
            span='name: "fc2"',
            message='InnerProduct "fc2" is not in the training net, so it is tested with its initial weights; if that'
            " net has it under another name, use that name; otherwise remove it",
        ),
        Invalid(
            {
                "solver.prototxt": _SOLVER,
                "train.prototxt": _FC + _LOSS % HIDDEN_SIGMOID,
                "test.prototxt": _FC + _LOSS % "EuclideanLoss",
            },
            span='bottom: "fc"',
            message='EuclideanLoss "loss": bottom "fc" lacks the Sigmoid that the loss of the training net contains;'
            " add a Sigmoid before this layer",
        ),
    ]

    def check(self, solver: Solver) -> Iterator[Finding]:
        train = solver.train_net
        if train is None:
            return
        for use in solver.nets:
            if use.tests and use.net is not train and use.net.path != train.path:
                compared = train.once(_compared)  # many solvers may name the same two
                if use.net in compared:
                    continue
                compared.append(use.net)
                yield from self._compare(train, use.net)

    def _compare(self, train: Net, test: Net) -> Iterator[Finding]:
        trained = {layer.name: layer for layer in train.in_phase(TRAIN) if layer.kind.has_parameters}
        hidden = {layer.bottoms[0] for layer in train.in_phase(TRAIN) if layer.type == HIDDEN_SIGMOID and layer.bottoms}
        said = set()
        for layer in test.in_phase(TEST):
            if layer.type == "EuclideanLoss" and layer.bottoms and layer.bottoms[0] in hidden:
                said.add(layer.bottoms[0])
                yield self.finding(
                    layer.at("bottom"),
                    f'{title(layer)}: bottom "{layer.bottoms[0]}" lacks the Sigmoid that the loss of the training net'
                    " contains; add a Sigmoid before this layer",
                )
        for layer in test.in_phase(TEST):
            if not layer.kind.has_parameters:
                continue
            twin = trained.get(layer.name)
            if twin is None:
                yield self.finding(
                    layer.at("name"),
                    f"{title(layer)} is not in the training net, so it is tested with its initial weights; if that net"
                    " has it under another name, use that name; otherwise remove it",
                )
                continue
            here, there = _after(layer, TEST), _after(twin, TRAIN)
            if here is not None and there is not None and here != there and not said & set(layer.tops):
                yield self.finding(
                    layer.at("name"),
                    f"{title(layer)} is followed by {', '.join(here) or 'no activation'} in the test net but by"
                    f" {', '.join(there) or 'no activation'} in the training net, so the scores are not those of the"
                    " trained net; make the two nets equal",
                    related=(Related("the layer in the training net", twin.at("name")),),
                )


def _compared(train: Net) -> list[Net]:
    """The test nets that a training net was compared with."""
    return []


def _readers(net: Net) -> dict[str, dict[str, list[Layer]]]:
    """The layers that read a blob, in order, by phase."""
    found: dict[str, dict[str, list[Layer]]] = {TRAIN: {}, TEST: {}}
    for phase, readers in found.items():
        for layer in net.in_phase(phase):
            for blob in dict.fromkeys(layer.bottoms):
                readers.setdefault(blob, []).append(layer)
    return found


def _after(layer: Layer, phase: str) -> list[str] | None:
    """The activations between a layer and the next one with weights or a loss; None where the path forks."""
    found: list[str] = []
    reading = layer.net.once(_readers)[phase]
    last = layer
    while last.tops:
        readers = reading.get(last.tops[0], [])
        after = bisect_right(readers, last.index, key=lambda reader: reader.index)
        if after == len(readers):
            break
        other = readers[after]
        if len(other.bottoms) > 1 or other.type == _ADDED_TO_TEST or not other.kind.keeps_channels:
            # A reader with weights, or one that is not part of a chain, ends the path.
            found += ["Sigmoid"] * (other.type == HIDDEN_SIGMOID)
            return found if len(other.bottoms) < 3 else None
        if not (other.kind.hands_on or other.kind.is_linear):
            found.append(other.type)
        last = other
    return found
