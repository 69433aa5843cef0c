from __future__ import annotations

from collections.abc import Iterator
from math import prod

from caffelint.lint import TEST, WARNING, Finding, Invalid, Layer, Net, NetRule, Place, Solver, listed, title
from caffelint.lint.built import BuiltLayer, BuiltNet

_FEW = 20
"""So many values may be a score that other layers compute."""


class NothingScoredInTesting(NetRule):
    """A solver tests a net that has neither a loss nor an Accuracy in TEST.

    ## Why is this bad?
    A test prints the mean of each value of each blob that no layer reads. Where these are scores of classes or
    coordinates of a whole batch, that is thousands of lines, and none says how good the net is. Mostly the loss has
    `include { phase: TRAIN }` that nothing asks for.

    ## Example
    ```
    layer { name: "loss" type: "EuclideanLoss" bottom: "fc" bottom: "label" top: "loss" include { phase: TRAIN } }
    ```
    Use instead:
    ```
    layer { name: "loss" type: "EuclideanLoss" bottom: "fc" bottom: "label" top: "loss" }
    ```
    or, in the solver, no `test_iter` and no `test_interval`.

    ## Known problems
    Silent where a layer of an unknown type, or a Python layer, gives an output, where one writes a file, and where
    test_interval is max_iter or more.

    ## References
    - solver.cpp, Test
    """

    code = "G031"
    name = "nothing-scored-in-testing"
    severity = WARNING
    _DATA = (
        'layer { name: "data" type: "Input" top: "data" top: "label"'
        " input_param { shape { dim: 64 dim: 8 } shape { dim: 64 dim: 9 } } }"
        ' layer { name: "fc" type: "InnerProduct" bottom: "data" top: "fc" inner_product_param { num_output: 9 } } '
    )
    _LOSS = 'layer { name: "loss" type: "EuclideanLoss" bottom: "fc" bottom: "label" top: "loss"%s }'
    _SOLVER = 'net: "net.prototxt" test_iter: 9 test_interval: 9'
    VALID = [
        {"solver.prototxt": _SOLVER, "net.prototxt": _DATA + _LOSS % ""},
        {"solver.prototxt": 'net: "net.prototxt"', "net.prototxt": _DATA + _LOSS % " include { phase: TRAIN }"},
        {
            "solver.prototxt": _SOLVER.replace("test_interval: 9", "test_interval: 999999 max_iter: 9000"),
            "net.prototxt": _DATA + _LOSS % " include { phase: TRAIN }",
        },
        {
            "solver.prototxt": _SOLVER,
            "net.prototxt": _DATA
            + _LOSS % " include { phase: TRAIN }"
            + ' layer { name: "score" type: "Python" bottom: "fc" bottom: "label" top: "score" }',
        },
    ]
    INVALID = [
        Invalid(
            {"solver.prototxt": _SOLVER, "net.prototxt": _DATA + _LOSS % " include { phase: TRAIN }"},
            span="phase: TRAIN",
            message='EuclideanLoss "loss" is left out of TEST, where nothing else tells how good the net is, so each'
            ' test prints the 1152 values of "fc" and "label" instead; include it in TEST',
        ),
    ]

    def check(self, net: Net) -> Iterator[Finding]:
        if not any(_tests_again(solver) and use.tests for solver in net.solvers for use in solver.uses_of(net)):
            return
        for one in net.states():
            if one.phase == TEST and TEST in one.phases and one.is_sound and not _tells(one):
                outputs = [one.blobs[name] for name in one.outputs]
                sizes = [prod(blob.shape) if blob.shape is not None else _FEW + 1 for blob in outputs]
                if sum(sizes) <= _FEW or any(blob.producer is None for blob in outputs):
                    continue
                place, who = _left_out(net, one)
                many = f"{sum(sizes)} values" if all(blob.shape is not None for blob in outputs) else "values"
                yield self.finding(
                    place,
                    f"{who}, so each test prints the {many} of {listed([_quoted(name) for name in one.outputs])}"
                    f" instead; {'include it in TEST' if 'left out' in who else 'add one'}",
                    phases=(TEST,),
                )
                return


def _tests_again(solver: Solver) -> bool:
    """Does a solver test while it trains? Who sets a test_interval beyond the end tests in another way."""
    message = solver.message
    return solver.tests and not 0 < message.max_iter <= message.test_interval


def _quoted(name: str) -> str:
    return f'"{name}"'


def _tells(one: BuiltNet) -> bool:
    """May a layer say how good the net is, or hand on what it predicts?"""
    return one.has_loss or not one.outputs or any(_may_tell(layer) for layer in one.layers)


def _may_tell(layer: BuiltLayer) -> bool:
    is_end = not any(top.consumers for top in layer.tops)
    judges = layer.is_loss or layer.type == "Accuracy" or layer.looks_like_a_loss or layer.looks_like_a_measure
    return bool(judges or layer.writes or (is_end and (not layer.known or layer.fork or layer.is_distance)))


def _left_out(net: Net, one: BuiltNet) -> tuple[Place, str]:
    """The place to blame, and what is wrong there."""
    inside = {layer.index for layer in one.layers}
    for layer in net.layers:
        judges = layer.kind.looks_like_a_loss or layer.type == "Accuracy"
        if judges and layer.index not in inside and all(blob in one.blobs for blob in layer.bottoms):
            who = f"{title(layer)} is left out of TEST, where nothing else tells how good the net is"
            return _rule(layer), who
    return net.at("layer"), "no layer is a loss or an Accuracy in TEST"


def _rule(layer: Layer) -> Place:
    return layer.at("include", 0, "phase") if layer.message.include else layer.at("exclude")
