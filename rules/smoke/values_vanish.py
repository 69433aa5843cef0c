from __future__ import annotations

from collections.abc import Iterator

from caffelint.lint import LIKELY, WARNING, Cause, Finding, Invalid, title
from caffelint.smoke.rule import BLOB, DATA, DIFF, PARAM, Run, SmokeRule, Statistics

from ._evidence import worded
from ._example import CALM, losses, project
from ._numbers import extent

_MOST = 0.5
_INPUT = Statistics(-1, "data", BLOB, "data", DATA, 0, 2.5e-38, 1e-39, 5e-39, 0.1, 0.7)
_GRADIENT = Statistics(-1, "fc", PARAM, "0", DIFF, -3e-40, 2e-40, 0, 1e-40, 0, 1)


class ValuesVanish(SmokeRule):
    """Most values of an input or of a gradient are below the least normal float32, 1.2e-38.

    ## Why is this bad?
    Such denormal numbers have few digits left, and the next multiplication makes them 0: the net learns nothing from
    them. Many CPUs need a hundred times as long for each, so training also seems to hang. They come from a scale, a
    loss_weight or fillers that are far too small.

    ## References
    - IEEE 754, subnormal numbers; data_transformer.cpp, Transform; layer.hpp, SetLossWeights
    """

    code = "X119"
    name = "values-vanish"
    severity = WARNING
    VALID = [
        project(*losses(*CALM), _INPUT._replace(tiny=0.2), _GRADIENT._replace(tiny=0.3)),
        project(*losses(*CALM), _GRADIENT._replace(iteration=5)),
    ]
    INVALID = [
        Invalid(
            project(*losses(*CALM), _INPUT, _GRADIENT),
            span="layer",
            message='"data" holds 0 to 2.5e-38: 78% of its values but 0 are below 1.2e-38, the least normal float32,'
            " so next to nothing of them reaches the loss, and many CPUs need 100 times as long for them; scale it to"
            " about 1",
        ),
        Invalid(
            project(*losses(*CALM), _GRADIENT),
            span="layer",
            message='InnerProduct "fc": its gradient is -3e-40 to 2e-40: 100% of its values but 0 are below 1.2e-38,'
            " the least normal float32, so next to nothing of them changes a weight, and many CPUs need 100 times as"
            " long for them; raise loss_weight, or use fillers that keep the size of values",
        ),
    ]

    def check(self, run: Run) -> Iterator[Finding]:
        measured = [one for one in run.all(Statistics) if one.iteration < 0 and one.tiny > _MOST * (1 - one.zeros)]
        slow = "and many CPUs need 100 times as long for them"
        for one in measured:
            layer = run.layer(one.layer)
            if layer is None or layer.bottoms or (one.kind, one.part) != (BLOB, DATA):
                continue
            what = f'"{one.name}" holds {extent(one.min, one.max)}'
            why = f"{_share(one)}, so next to nothing of them reaches the loss, {slow}; scale it to about 1"
            place = run.place(layer.name, 0, "transform_param", "scale")
            yield worded(self, place, Cause("input-scale", what, why, LIKELY))
            return
        for one in measured:
            layer = run.layer(one.layer)
            if layer is None or (one.kind, one.part) != (PARAM, DIFF):
                continue
            what = f"{title(layer)}: its gradient is {extent(one.min, one.max)}"
            why = f"{_share(one)}, so next to nothing of them changes a weight, {slow}; raise loss_weight, or use"
            why += " fillers that keep the size of values"
            yield worded(self, run.place(layer.name), Cause("loss-weight", what, why, LIKELY))
            return


def _share(one: Statistics) -> str:
    percent = 100 * min(1.0, one.tiny / (1 - one.zeros))
    return f"{percent:.0f}% of its values but 0 are below 1.2e-38, the least normal float32"
