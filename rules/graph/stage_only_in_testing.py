from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from caffelint.lint import (
    LIKELY,
    UNSAFE,
    WARNING,
    Finding,
    Invalid,
    Layer,
    Net,
    ProjectRule,
    Related,
    Solver,
    fix,
    titles,
    write,
)

if TYPE_CHECKING:
    from caffelint.lint.built import State


class StageOnlyInTesting(ProjectRule):
    """A stage puts a layer in place into the net that is tested, but not into the one that is trained.

    ## Why is this bad?
    `test_state` is for the test nets only. Where a layer of its stage changes a blob in place, nothing else is missing
    without it: Caffe trains on the values before the layer, tests on those after it, and says nothing.

    ## Example
    ```
    solver:  test_state { stage: "norm" }
    net:     layer { type: "Power" bottom: "data" top: "data" power_param { scale: 0.004 } include { stage: "norm" } }
    ```
    Use instead:
    ```
    solver:  train_state { stage: "norm" }
             test_state { stage: "norm" }
    ```

    ## Known problems
    Nothing is said where a test net lacks the stage, as the two are compared then, where the stage would take a layer
    out of training, or bring one that draws at random, and where training has another layer in place instead.

    ## References
    - solver.cpp, InitTrainNet and InitTestNets; net.cpp, StateMeetsRule
    """

    code = "G060"
    name = "stage-only-in-testing"
    severity = WARNING
    certainty = LIKELY
    _SOLVER = 'net: "net.prototxt" test_iter: 1 test_interval: 1 test_state { stage: "norm" }'
    _NET = (
        'layer { name: "data" type: "Input" top: "data" input_param { shape { dim: 2 dim: 4 } } }'
        ' layer { name: "norm" type: "Power" bottom: "data" top: "data" power_param { scale: 0.1 }'
        ' include { stage: "norm" } }'
        ' layer { name: "fc" type: "InnerProduct" bottom: "data" top: "fc" inner_product_param { num_output: 2 } }'
    )
    _LOST = ' layer { name: "loss" type: "EuclideanLoss" bottom: "fc" bottom: "fc" top: "loss" exclude { stage: "norm"'
    VALID = [
        {"solver.prototxt": _SOLVER + ' train_state { stage: "norm" }', "net.prototxt": _NET},
        # Meant for testing.
        {"solver.prototxt": _SOLVER, "net.prototxt": _NET.replace("include {", "include { phase: TEST")},
        # The stage would take the loss out of training.
        {"solver.prototxt": _SOLVER, "net.prototxt": _NET + _LOST + " phase: TRAIN } }"},
        # Both are tested, to compare them.
        {"solver.prototxt": _SOLVER + " test_state {} test_iter: 1", "net.prototxt": _NET},
        # What only the test net has after the layer that all read.
        {
            "solver.prototxt": _SOLVER,
            "net.prototxt": _NET.replace('bottom: "data" top: "data"', 'bottom: "fc" top: "fc"'),
        },
        # Training has its own.
        {
            "solver.prototxt": _SOLVER,
            "net.prototxt": _NET.replace(
                ' layer { name: "fc"',
                ' layer { name: "own" type: "Power" bottom: "data" top: "data" power_param { scale: 0.2 }'
                ' include { phase: TRAIN } } layer { name: "fc"',
            ),
        },
    ]
    INVALID = [
        Invalid(
            {"solver.prototxt": _SOLVER, "net.prototxt": _NET},
            span='stage: "norm"',
            message='test_state: stage "norm" puts Power "norm" into the TEST net only, so the net is tested on other'
            ' values of "data" than it is trained on; add train_state { stage: "norm" }',
            fixed={"solver.prototxt": _SOLVER + ' train_state: { stage: "norm" }', "net.prototxt": _NET},
        ),
        Invalid(
            {"solver.prototxt": 'train_state { stage: "big" } ' + _SOLVER, "net.prototxt": _NET},
            span='stage: "norm"',
            message='test_state: stage "norm" puts Power "norm" into the TEST net only, so the net is tested on other'
            ' values of "data" than it is trained on; add stage: "norm" to train_state',
        ),
    ]

    def check(self, solver: Solver) -> Iterator[Finding]:
        trained = next(((net, state) for build, net, state in solver.builds if build.test is None), None)
        if trained is None or not trained[0].conditional:
            return
        net, state = trained
        tested = {build.test: one for build, other, one in solver.builds if build.test is not None and other is net}
        first = min(tested, default=None)
        if first is None or first >= len(solver.message.test_state):
            return
        for place, stage in enumerate(solver.message.test_state[first].stage):
            found = _missed(net, state, state._replace(stages=state.stages | {stage}), list(tested.values()))
            if found:
                change, edits = f'add stage: "{stage}" to train_state', None
                if not solver.message.HasField("train_state"):
                    new = f'{{ stage: "{stage}" }}'
                    change, edits = f"add train_state {new}", write(solver, "train_state", value=new)
                yield self.finding(
                    solver.at("test_state", first, "stage", place),
                    f'test_state: stage "{stage}" puts {titles(found)} into the TEST net only, so the net is tested on'
                    f' other values of "{found[0].tops[0]}" than it is trained on; {change}',
                    fixes=fix(change, UNSAFE, edits) if edits else (),
                    related=(Related("the layer of the stage", found[0].at("include")),),
                )


def _missed(net: Net, state: State, changed: State, tested: Sequence[State]) -> list[Layer]:
    """What another state of training adds, of that what changes a blob in place that training reads as well; empty if
    the state is worse in anything: takes a layer away, or adds what a test net lacks."""
    more = [layer for layer in net.conditional if changed.keeps(layer) and not state.keeps(layer)]
    if any(state.keeps(layer) and not changed.keeps(layer) for layer in net.conditional):
        return []
    if not all(one.keeps(layer) for one in tested for layer in more):
        return []
    kept = [layer for layer in net.layers if all(one.keeps(layer) for one in (state, *tested))]
    own = {layer.tops[0] for layer in net.conditional if layer.in_place and state.keeps(layer) and layer not in kept}
    return [
        layer
        for layer in more
        if layer.bottoms == layer.tops
        and layer.kind.known
        and not layer.kind.rearranges
        and layer.kind.draws_at_random is False
        and not own & set(layer.tops)
        and any(layer.tops[0] in one.bottoms for one in kept if one.index > layer.index)
    ]
