from __future__ import annotations

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
    listed,
    title,
    titles,
)

from ._compared import HIDDEN_SIGMOID, activations_after, differences, layers_in, parameters_of
from ._twins import before, stands_for


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
    _ON = 'layer { name: "on" type: "InnerProduct" bottom: "fc" top: "on" } '
    _RELU = 'layer { name: "act" type: "ReLU" bottom: "fc" top: "fc" } '
    _LOSS = 'layer { name: "loss" type: "%s" bottom: "fc" bottom: "data" }'
    _POOL = 'layer { name: "pool" type: "Pooling" bottom: "a" top: "b" pooling_param { pool: %s kernel_size: 2 } }'
    _NAMED = 'layer { name: "fc" type: "InnerProduct" bottom: "data" top: "fc" param { name: "w" } } '
    VALID = [
        {"solver.prototxt": _SOLVER, "train.prototxt": _FC + _RELU, "test.prototxt": _FC + _RELU},
        # A second head with the weights of the first.
        {"solver.prototxt": _SOLVER, "train.prototxt": _NAMED, "test.prototxt": _NAMED + _NAMED.replace('"fc"', '"b"')},
        {
            "solver.prototxt": _SOLVER,
            "train.prototxt": _FC + _LOSS % HIDDEN_SIGMOID,
            "test.prototxt": _FC + _LOSS % HIDDEN_SIGMOID,
        },
    ]
    INVALID = [
        Invalid(
            {
                "solver.prototxt": _SOLVER,
                "train.prototxt": _FC.replace('name: "fc"', 'name: "fc_one"'),
                "test.prototxt": _FC.replace('name: "fc"', 'name: "fc_1_one"'),
            },
            span='name: "fc_1_one"',
            message='InnerProduct "fc_1_one": the training net lacks it, so testing uses initial weights; set name:'
            ' "fc_one", as in the training net',
        ),
        Invalid(
            {
                "solver.prototxt": _SOLVER,
                "train.prototxt": _FC + _ON,
                "test.prototxt": _FC + _ON.replace('name: "on"', 'name: "ip4"'),
            },
            span='name: "ip4"',
            message='InnerProduct "ip4": the training net lacks it, so testing uses initial weights; set name: "on",'
            " as in the training net",
        ),
        Invalid(
            {
                "solver.prototxt": _SOLVER,
                "train.prototxt": _FC.replace('name: "fc"', 'name: "a"') + _ON.replace('name: "on"', 'name: "b"'),
                "test.prototxt": _FC + _ON,
            },
            span='name: "fc"',
            message='InnerProduct "fc", "on": the training net lacks them, so testing uses initial weights; name them'
            ' "a" and "b", as in the training net',
        ),
        Invalid(
            {"solver.prototxt": _SOLVER, "train.prototxt": _POOL % "MAX", "test.prototxt": _POOL % "AVE"},
            span="pool: AVE",
            message='Pooling "pool": pool is AVE here and MAX in the training net, but the net was trained with the'
            " latter; set it as in training",
        ),
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
            message='InnerProduct "fc2": the training net lacks it, so testing uses initial weights; use the names of'
            " the training net, or remove it",
        ),
        Invalid(
            {
                "solver.prototxt": _SOLVER,
                "train.prototxt": _RELU + _FC.replace('"fc"', '"ip"').replace("data", "wide"),
                "test.prototxt": _FC.replace('name: "fc"', '# name: "ip"\n name: "fc"'),
            },
            span='name: "fc"',
            message='InnerProduct "fc": the training net lacks it, so testing uses initial weights; put back name: "ip"'
            ' (line 1) and bottom: "wide", as in the training net',
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
        if train is None or train.document.breaks_off:
            return
        for use in solver.nets:
            if use.tests and use.net.path != train.path and not use.net.document.breaks_off:
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
                    phases=(TEST,),
                )
        learning = [layer for layer in test.in_phase(TEST) if layer.kind.has_parameters]
        new = [layer for layer in learning if layer.name not in trained and not _shares_all(layer, test, trained)]
        if new:
            them = "it" if len(new) == 1 else "them"
            names = {layer.name for layer in learning}
            left = [layer for layer in trained.values() if layer.name not in names]
            twins = [stands_for(layer, left) for layer in new]
            remedy = f"use the names of the training net, or remove {them}"
            if all(twins) and len(set(twins)) == len(twins):
                meant = listed([f'"{name}"' for name in twins])
                remedy = f"{'set name:' if len(new) == 1 else 'name them'} {meant}, as in the training net"
            elif len(new) == 1 and (was := before(new[0], {layer.name: layer for layer in left})):
                remedy = f"put back {was}, as in the training net"
            yield self.finding(
                new[0].at("name"),
                f"{titles(new)}: the training net lacks {them}, so testing uses initial weights; {remedy}",
                layers=new,
                phases=(TEST,),
            )
        for layer in learning:
            twin = trained.get(layer.name)
            if twin is None:
                continue
            here, there = activations_after(layer, TEST), activations_after(twin, TRAIN)
            if here is not None and there is not None and here != there and not said & set(layer.tops):
                yield self.finding(
                    layer.at("name"),
                    f"{title(layer)} is followed by {', '.join(here) or 'no activation'} in the test net but by"
                    f" {', '.join(there) or 'no activation'} in the training net, so the scores are not those of the"
                    " trained net; make the two nets equal",
                    related=(Related("the layer in the training net", twin.at("name")),),
                    phases=(TEST,),
                )
        tested, theirs = layers_in(test, TEST), layers_in(train, TRAIN)
        for difference in differences(tested, theirs, parameters_of(tested), [parameters_of(theirs)]):
            layer = difference.found[0][0]
            yield self.finding(
                layer.at(*difference.path),
                difference.message("the training net"),
                related=(Related("the layer in the training net", theirs[layer.name].at("name")),),
                phases=(TEST,),
            )


def _shares_all(layer: Layer, test: Net, trained: dict[str, Layer]) -> bool:
    """Are all its parameters, by their names, also those of layers of the test net that are trained?"""
    names = [spec.name for spec in layer.message.param]
    known = {spec.name for other in test.layers if other.name in trained for spec in other.message.param}
    return bool(names) and all(name and name in known for name in names)


def _compared(train: Net) -> list[Net]:
    """The test nets that a training net was compared with."""
    return []
