from __future__ import annotations

import math
from collections.abc import Iterator

from caffelint.lint import LIKELY, WARNING, Cause, Finding, Invalid
from caffelint.smoke.rule import BuiltLayer, Run, SmokeRule, Tested

from ._evidence import evidence
from ._example import CALM, NET, losses, project
from ._loss import begins, chance, ends
from ._numbers import number

_TIMES, _OTHER_DATA = 1.3, 3.0
_SAME = "scale, mean and crop of transform_param, and the sources, have to be of one kind in both phases"
_NORMED = NET.replace(
    'type: "Log" bottom: "fc" top: "log"',
    'type: "BatchNorm" bottom: "fc" top: "log" batch_norm_param { use_global_stats: false }',
)
_TESTS = 'net: "n.prototxt"\nbase_lr: 0.1 lr_policy: "fixed" test_iter: 1 test_interval: 100\n'


class TrainTestDisagree(SmokeRule):
    """The TEST net, with the weights that were trained, does much worse than the TRAIN net did.

    ## Why is this bad?
    What is tested is not what was trained. A BatchNorm that takes the statistics of the TEST batch itself
    (use_global_stats: false) gives answers that hang on who else is in the batch, and with one image alone none at all.
    Data that is scaled, or its mean taken off, in one phase alone is of another kind in the other.

    ## Known problems
    Moving averages need some hundred iterations: a BatchNorm that uses them in TEST is not judged here. Nor is a
    net that has learnt its few made-up images by heart, and sees others in TEST.

    ## References
    - batch_norm_layer.cpp, LayerSetUp: use_global_stats is true in TEST unless it is set
    """

    code = "X110"
    name = "train-test-disagree"
    severity = WARNING
    certainty = LIKELY
    VALID = [
        project(*losses(*CALM), Tested(1, 1, 2.1, {}, True), solver=_TESTS),
        project(*losses(*CALM), Tested(1, 1, 4.1, {}, True), solver=_TESTS),
    ]
    INVALID = [
        Invalid(
            project(*losses(*CALM), Tested(1, 1, 4.0, {}, True), net=_NORMED, solver=_TESTS),
            span="use_global_stats: false",
            message='the TEST net has a loss of 4, the TRAIN net had 2.1: "log" (BatchNorm) takes the statistics of'
            " the TEST batch itself; leave use_global_stats out",
        ),
        Invalid(
            project(*losses(*CALM), Tested(1, 1, 90.0, {}, True), solver=_TESTS),
            span="layer",
            message="the TEST net has a loss of 90, the TRAIN net had 2.31 before it was trained and 2.1 after: what"
            " it reads is of another kind",
        ),
    ]

    def check(self, run: Run) -> Iterator[Finding]:
        trained = ends(run)
        if not math.isfinite(trained) or not math.isfinite(run.iterations[-1].loss):
            return
        for event in run.all(Tested):
            if not 0 <= event.net < len(run.built):
                continue
            normed = [layer for layer in run.built[event.net].layers if layer.type in ("BatchNorm", "BN")]
            own = [layer for layer in normed if _takes_own(layer)]
            if own and event.loss > _TIMES * trained > 0:
                what = f"the TEST net has a loss of {number(event.loss)}, the TRAIN net had {number(trained)}"
                why = f'"{own[0].name}" (BatchNorm) takes the statistics of the TEST batch itself; leave'
                why += " use_global_stats out"
                known = run.known([own[0].name])
                yield self.finding(
                    run.place(own[0].name, event.net, "batch_norm_param", "use_global_stats"),
                    f"{what}: {why}",
                    evidence=evidence(known=known),
                    cause=Cause("statistics", what, why, LIKELY, known=known),
                )
            elif (
                not normed
                and (event.same_batch or not run.synthetic)
                and event.loss > _OTHER_DATA * max(begins(run), trained, chance(run) or 0) > 0
            ):
                name = next((layer.name for layer in run.built[event.net].layers if not layer.bottoms), "")
                what = f"the TEST net has a loss of {number(event.loss)}, the TRAIN net had {number(begins(run))}"
                what += f" before it was trained and {number(trained)} after"
                why = "what it reads is of another kind"
                known = run.known([name])
                yield self.finding(
                    run.place(name, event.net),
                    f"{what}: {why}",
                    evidence=evidence(_SAME, known=known),
                    cause=Cause("phases", what, f"{why}; {_SAME}", LIKELY, known=known),
                )


def _takes_own(layer: BuiltLayer) -> bool:
    if layer.type != "BatchNorm":
        return False
    parameters = layer.parameters
    return bool(parameters.HasField("use_global_stats") and not parameters.use_global_stats)
