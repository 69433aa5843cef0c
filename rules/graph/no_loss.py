from __future__ import annotations

from collections.abc import Iterator

from caffelint.lint import (
    CERTAIN,
    ERROR,
    INFO,
    LIKELY,
    TRAIN,
    WARNING,
    Finding,
    Invalid,
    Net,
    NetRule,
    Solver,
    file_name,
    title,
)
from caffelint.lint.built import BuiltLayer, BuiltNet, types_that


class NoLoss(NetRule):
    """A solver trains a net that has no loss.

    ## Why is this bad?
    Without a loss there is no gradient: Caffe runs the net forward until `max_iter`, prints "does not need backward
    computation" for every layer, and saves the weights that it started with. The usual reasons are a deploy net named
    by mistake, a Softmax where a SoftmaxWithLoss is meant, and a loss that only the TEST phase includes.

    ## Example
    ```
    layer { name: "loss" type: "SoftmaxWithLoss" bottom: "ip" bottom: "label" top: "loss" include { phase: TEST } }
    ```
    Use instead:
    ```
    layer { name: "loss" type: "SoftmaxWithLoss" bottom: "ip" bottom: "label" top: "loss" }
    ```

    ## Known problems
    Where no solver names the net, only labels of TRAIN that no layer reads tell that it is one to train, as a warning.
    Silent where a Python layer or one of an unknown type that reads something could be
    the loss, and where the script that runs the solver sets gradients itself, as when a discriminator trains a
    generator. It is likely, and an info, where the net has inputs alone: a program gives it data, and maybe gradients,
    or only wants its initial weights.

    ## References
    - net.cpp, Init
    """

    code = "G006"
    name = "no-loss"
    severity = ERROR
    _DATA = 'layer { name: "data" type: "Data" top: "data" top: "label" } '
    _LOSS = 'layer { name: "loss" type: "SoftmaxWithLoss" bottom: "data" bottom: "label" top: "loss"%s }'
    _TRAIN = 'layer { name: "data" type: "Data" top: "data" top: "label" include { phase: TRAIN } } '
    _FC = 'layer { name: "fc" type: "InnerProduct" bottom: "data" top: "fc" } '
    _OWN = 'layer { name: "data" type: "Python" top: "data" python_param { module: "m" layer: "L" } } '
    VALID = [
        # It shows how its data layer works.
        {"solver.prototxt": 'net: "net.prototxt"', "net.prototxt": _OWN},
        {"solver.prototxt": 'net: "net.prototxt"', "net.prototxt": _DATA + _LOSS % ""},
        {"net.prototxt": _DATA + _FC},
        {"net.prototxt": _TRAIN + _FC + _LOSS % ""},
        # suspicious-loss-weight reports it.
        {"solver.prototxt": 'net: "net.prototxt"', "net.prototxt": _DATA + _LOSS % " loss_weight: 0"},
        {"solver.prototxt": 'test_net: "net.prototxt" test_iter: 1', "net.prototxt": _DATA},
    ]
    INVALID = [
        Invalid(
            {"net.prototxt": _TRAIN + _FC},
            span="layer",
            message="the net has no loss in TRAIN, so nothing learns; add a loss layer",
        ),
        # A Python layer that reads nothing is no loss.
        Invalid(
            {
                "solver.prototxt": 'net: "net.prototxt"',
                "net.prototxt": _OWN + 'layer { name: "fc" type: "InnerProduct" bottom: "data" top: "fc" }',
            },
            span="layer",
            message='the net that "solver.prototxt" trains has no loss in TRAIN, so nothing learns; add a loss layer',
        ),
        Invalid(
            {"solver.prototxt": 'net: "net.prototxt"', "net.prototxt": _DATA},
            span="layer",
            message='the net that "solver.prototxt" trains has no loss in TRAIN, so nothing learns; add a loss layer',
        ),
        Invalid(
            {"solver.prototxt": 'net: "net.prototxt"', "net.prototxt": _DATA + _LOSS % " include { phase: TEST }"},
            span="phase: TEST",
            message='the net that "solver.prototxt" trains has no loss in TRAIN, since SoftmaxWithLoss "loss" is left'
            " out; include it in TRAIN",
        ),
        Invalid(
            {
                "solver.prototxt": 'net: "net.prototxt"',
                "net.prototxt": _DATA + 'layer { name: "relu" type: "ReLU" bottom: "data" top: "relu" }'
                ' layer { name: "loss" type: "Softmax" bottom: "relu" top: "loss" }',
            },
            span='type: "Softmax"',
            message='the net that "solver.prototxt" trains has no loss in TRAIN, since Softmax "loss" computes none;'
            " write SoftmaxWithLoss, with the labels as its second bottom",
        ),
        Invalid(
            {
                "solver.prototxt": 'train_net: "a_test.prototxt" test_net: "a_train.prototxt" test_iter: 9',
                "a_test.prototxt": _DATA + 'layer { name: "relu" type: "ReLU" bottom: "data" top: "relu" }',
                "a_train.prototxt": _DATA + 'layer { name: "l" type: "EuclideanLoss" bottom: "data" bottom: "label" }',
            },
            span="layer",
            message='the net that "solver.prototxt" trains has no loss in TRAIN, but "a_train.prototxt", which it'
            " tests, has one; swap train_net and test_net",
        ),
    ]

    def check(self, net: Net) -> Iterator[Finding]:
        trained = [solver for solver in net.solvers for use in solver.uses_of(net) if use.trains]
        if any(solver.runs and (solver.runs.diffs or solver.runs.customs.drives) for solver in trained):
            return
        # A script that knows the name of a blob may set its gradient wherever the solver is named.
        given = {name for solver in trained if solver.runs for name in solver.runs.gradients}
        if given and any(top in given for layer in net.layers for top in layer.tops):
            return
        if net.document.is_damaged or not net.layers or not trained and not _is_to_train(net):
            return
        for one in net.states():
            if one.phase != TRAIN:
                continue
            # A loss that is refused has no weight yet; what reads nothing is none, whatever its type.
            if not one.is_wired or any(
                not layer.known and layer.bottoms or any(layer.loss_weights) for layer in one.layers
            ):
                return
            place, why = net.at("layer"), "so nothing learns; add a loss layer"
            inside = {layer.index for layer in one.layers}
            left_out = False
            for layer in net.layers:
                if layer.kind.looks_like_a_loss:
                    if layer.index not in inside:
                        left_out = True
                        place = layer.at("include", 0, "phase") if layer.message.include else layer.at("exclude")
                        why = f"since {title(layer)} is left out; include it in TRAIN"
                    elif layer.message.loss_weight:
                        return
            if not left_out and (end := _end(one)) is not None and end.index is not None:
                layer = net.layers[end.index]
                place = layer.at("type")
                why = f"since {title(layer)} computes none; write {_loss(end)}, with the labels as its second bottom"
            if trained and (other := _swapped(trained[0], net)):
                place = net.at("layer")
                why = f'but "{file_name(other.path)}", which it tests, has one; swap train_net and test_net'
            # What gives the data may give the gradients too, or only want initial weights written.
            by_code = not any(layer.is_data for layer in one.layers)
            if by_code and any(_brings_data(layer) for layer in one.layers):
                if not any(layer.has_weights for layer in one.layers):
                    return  # it shows how a Python layer of data works
                by_code = False
            who = f'the net that "{trained[0].path}" trains' if trained else "the net"
            # One of data layers alone has nothing to learn: it tries these.
            by_code = by_code or all(layer.kind.is_data or layer.type == "Silence" for layer in net.layers)
            yield self.finding(
                place,
                f"{who} has no loss in TRAIN, {why}",
                phases=(TRAIN,),
                severity=INFO if by_code else ERROR if trained else WARNING,
                certainty=LIKELY if by_code or not trained else CERTAIN,
            )
            return


def _is_to_train(net: Net) -> bool:
    """Has a net without solver data for TRAIN alone, with labels that no layer reads, and something to learn?"""
    if net.solvers or not any(layer.kind.learns for layer in net.layers):
        return False
    read = {name for layer in net.layers for name in layer.bottoms}
    return any(
        layer.kind.is_data and len(layer.tops) > 1 and layer.phases == (TRAIN,) and layer.tops[-1] not in read
        for layer in net.layers
    )


def _brings_data(layer: BuiltLayer) -> bool:
    return bool(not layer.known and layer.tops and not layer.bottoms)


def _swapped(solver: Solver, net: Net) -> Net | None:
    """The net that the solver tests and that is one to train, by its name and its losses, where this one is not so."""
    tested = [use.net for use in solver.nets if use.field == "test_net"]
    if len(tested) != 1 or "train" in file_name(net.path) or "train" not in file_name(tested[0].path):
        return None
    has_loss = any(layer.kind.is_loss and TRAIN in layer.phases for layer in tested[0].layers)
    return tested[0] if has_loss else None


def _end(one: BuiltNet) -> BuiltLayer | None:
    """The layer that ends a net and computes what a loss has inside, as Softmax does; None if there is none."""
    ends = (layer for layer in one.layers if _loss(layer) and not any(blob.consumers for blob in layer.tops))
    return next(ends, None)


def _loss(layer: BuiltLayer) -> str:
    """The type of the loss that has the layer's type inside; empty if none has."""
    return next(iter(types_that(lambda kind: kind.plain_form == layer.type and kind.bottom_counts.exact)), "")
