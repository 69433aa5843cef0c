from __future__ import annotations

from collections.abc import Iterator

from caffelint.lint import LIKELY, TEST, TRAIN, WARNING, Finding, Invalid, Layer, Net, ProjectRule, Related, Solver

HIDDEN_SIGMOID = "SigmoidCrossEntropyLoss"

_ADDED_TO_TEST = "Softmax"
"""Testing has it where the loss of the training net has its own inside."""


class TrainTestNetsDiffer(ProjectRule):
    """The separate net that a solver tests is not the one that it trains.

    ## Why is this bad?
    Caffe copies the weights of the training net to the test net by the name of the layer, and looks at nothing else.
    Where one of the two has an activation or a layer with weights that the other lacks, the test scores are those of
    a net that was never trained. A SigmoidCrossEntropyLoss has its Sigmoid inside: tested with another loss, it has to
    be written out.

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
            message="behind fc the test net has nothing and the training net ReLU: the net that is tested is not the"
            " one that"
            " is trained",
        ),
        Invalid(
            {
                "solver.prototxt": _SOLVER,
                "train.prototxt": _FC,
                "test.prototxt": _FC + _FC.replace('"fc"', '"fc2"').replace("data", "fc"),
            },
            span='name: "fc2"',
            message="the training net has no layer fc2: the test net tests it with its initial weights",
        ),
        Invalid(
            {
                "solver.prototxt": _SOLVER,
                "train.prototxt": _FC + _LOSS % HIDDEN_SIGMOID,
                "test.prototxt": _FC + _LOSS % "EuclideanLoss",
            },
            span='bottom: "fc"',
            message="fc is tested without the Sigmoid that the loss of the training net has inside; put a Sigmoid"
            " before"
            " the EuclideanLoss",
        ),
    ]

    def check(self, solver: Solver) -> Iterator[Finding]:
        train = solver.train_net
        if train is None:
            return
        for use in solver.nets:
            if use.tests and use.net is not train and use.net.path != train.path:
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
                    f"{layer.bottoms[0]} is tested without the Sigmoid that the loss of the training net has inside;"
                    " put a Sigmoid before the EuclideanLoss",
                )
        for layer in test.in_phase(TEST):
            if not layer.kind.has_parameters:
                continue
            twin = trained.get(layer.name)
            if twin is None:
                yield self.finding(
                    layer.at("name"),
                    f"the training net has no layer {layer.name}: the test net tests it with its initial weights",
                )
                continue
            here, there = _behind(layer, TEST), _behind(twin, TRAIN)
            if here is not None and there is not None and here != there and not said & set(layer.tops):
                yield self.finding(
                    layer.at("name"),
                    f"behind {layer.name} the test net has {', '.join(here) or 'nothing'} and the training net"
                    f" {', '.join(there) or 'nothing'}: the net that is tested is not the one that is trained",
                    related=(Related("the layer that is trained", twin.at("name")),),
                )


def _behind(layer: Layer, phase: str) -> list[str] | None:
    """The activations between a layer and the next one with weights or a loss; None where the way forks."""
    found: list[str] = []
    tops = set(layer.tops[:1])
    for other in layer.net.in_phase(phase):
        if other.index <= layer.index or not tops & set(other.bottoms):
            continue
        if len(other.bottoms) > 1 or other.type == _ADDED_TO_TEST or not other.kind.keeps_channels:
            # What reads it and has weights, or is no part of a chain, ends the way.
            found += ["Sigmoid"] * (other.type == HIDDEN_SIGMOID)
            return found if len(other.bottoms) < 3 else None
        if not (other.kind.hands_on or other.kind.is_linear):
            found.append(other.type)
        tops = set(other.tops[:1])
    return found
