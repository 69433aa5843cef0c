from __future__ import annotations

from collections.abc import Iterator
from math import prod

from caffelint.lint import TEST, WARNING, Finding, Invalid, Layer, Net, NetRule, Place, Solver, listed, quoted, title
from caffelint.lint.built import BuiltNet

_NEVER = 1_000_000
"""Iterations between tests of a solver without max_iter, which a script steps."""
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
    Silent where a layer of an unknown type, or a Python layer, gives an output, where one writes a file, where one
    without weights, such as an Eltwise, computes something of what the net gives and of the labels, and where
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
        # The error of each item.
        {
            "solver.prototxt": _SOLVER,
            "net.prototxt": _DATA
            + _LOSS % " include { phase: TRAIN }"
            + ' layer { name: "off" type: "Eltwise" bottom: "fc" bottom: "label" top: "off"'
            " eltwise_param { coeff: 1 coeff: -1 } }",
        },
        # Of several test nets, another one judges.
        {
            "solver.prototxt": _SOLVER + ' test_iter: 9 test_state { } test_state { stage: "val" }',
            "net.prototxt": _DATA + _LOSS % ' include { phase: TRAIN } include { stage: "val" }',
        },
    ]
    INVALID = [
        Invalid(
            {"solver.prototxt": _SOLVER, "net.prototxt": _DATA + _LOSS % " include { phase: TRAIN }"},
            span="phase: TRAIN",
            message='EuclideanLoss "loss" is left out of TEST, where nothing else tells how good the net is, so each'
            ' test prints the 1152 values of "fc" and "label" instead; include it in TEST',
        ),
        Invalid(
            {
                "solver.prototxt": _SOLVER,
                "net.prototxt": _DATA + _LOSS % ' include { phase: TRAIN } include { stage: "val" }',
            },
            span="phase: TRAIN",
            message='EuclideanLoss "loss" is in TEST only in a stage or level that the solver does not set, so each'
            ' test prints the 1152 values of "fc" and "label" instead; set it in test_state of the solver',
        ),
    ]

    def check(self, net: Net) -> Iterator[Finding]:
        if not any(_tests_again(solver) and use.tests for solver in net.solvers for use in solver.uses_of(net)):
            return
        tests = [one for one in net.states() if any(state.phase == TEST for state in one.states)]
        for one in tests if not any(one.is_sound and one.may_be_scored for one in tests) else ():
            if one.phase == TEST and one.is_sound and one.outputs:
                outputs = [one.blobs[name] for name in one.outputs]
                sizes = [prod(blob.shape) if blob.shape is not None else _FEW + 1 for blob in outputs]
                if sum(sizes) <= _FEW or any(blob.producer is None for blob in outputs):
                    continue
                many = f"{sum(sizes)} values" if all(blob.shape is not None for blob in outputs) else "values"
                so = f"so each test prints the {many} of {listed([quoted(name) for name in one.outputs])} instead"
                left_out = _left_out(net, one)
                if left_out is None:
                    text = f"no layer is a loss or an Accuracy in TEST, {so}; add one"
                elif TEST in left_out.phases:
                    text = f"{title(left_out)} is in TEST only in a stage or level that the solver does not set, {so};"
                    text += " set it in test_state of the solver"
                else:
                    text = f"{title(left_out)} is left out of TEST, where nothing else tells how good the net is, {so};"
                    text += " include it in TEST"
                yield self.finding(_rule(left_out) if left_out else net.at("layer"), text, phases=(TEST,))
                return


def _tests_again(solver: Solver) -> bool:
    """Does a solver test while it trains? Who sets a test_interval beyond the end tests in another way."""
    message = solver.message
    return solver.tests and message.test_interval < (message.max_iter or _NEVER)


def _left_out(net: Net, one: BuiltNet) -> Layer | None:
    """A layer that could tell how good the net is, if it were there."""
    inside = {layer.index for layer in one.layers}
    outside = (layer for layer in net.layers if layer.index not in inside)
    judges = (layer for layer in outside if layer.kind.looks_like_a_loss or layer.kind.looks_like_a_measure)
    return next((layer for layer in judges if all(blob in one.blobs for blob in layer.bottoms)), None)


def _rule(layer: Layer) -> Place:
    if not layer.message.include:
        return layer.at("exclude")
    return layer.at("include", 0, "phase") if layer.message.include[0].HasField("phase") else layer.at("include")
