from __future__ import annotations

from collections.abc import Iterator

from caffelint.lint import (
    ERROR,
    LIKELY,
    TEST,
    UNSAFE,
    WARNING,
    Finding,
    Fix,
    Invalid,
    Kind,
    Layer,
    Net,
    RefusalRule,
    Refused,
    fix,
    quoted,
    write,
)

from ._parts import has_net_for_tests, is_whole

_FAR, _NEAR = 100, 10
_MOST_FAR = 50
"""So many wrong names of a net are compared with names far away, and all others with those nearby."""


class UnknownBottom(RefusalRule):
    """No layer above makes a bottom.

    ## Why is this bad?
    Caffe builds a net from the start of the file to its end, and aborts at the first bottom that does not
    exist yet. The usual reasons are a typo in the name, layers in the wrong order, and a layer that only one phase
    has: a data layer for TRAIN only ends the run when the test net is built.

    ## Example
    ```
    layer { name: "data" type: "Input" top: "data" }
    layer { name: "relu" type: "ReLU" bottom: "dta" top: "relu" }
    ```
    Use instead:
    ```
    layer { name: "data" type: "Input" top: "data" }
    layer { name: "relu" type: "ReLU" bottom: "data" top: "relu" }
    ```

    ## Known problems
    Without a solver it is not known which phases are built. A blob that is missing in only one phase is then reported
    if the net has data for that phase, or if the phase is TEST and nothing trains the net. If the net only has other
    layers for that phase, the finding is likely, not certain. A net that lacks the data of TEST is not reported if a
    net for that is beside it, `test.prototxt` beside `train.prototxt`. A file without any data or input is a piece of a
    net, and is not reported.

    ## Fix safety
    Unsafe: the similar name is a guess, though Caffe refuses the net as it is.

    ## References
    - insert_splits.cpp, InsertSplits; net.cpp, AppendBottom
    """

    code = "G001"
    name = "unknown-bottom"
    severity = ERROR
    claims = (Kind.UNKNOWN_BOTTOM, Kind.BOTTOM_MADE_BELOW, Kind.BOTTOM_LEFT_OUT, Kind.BOTTOM_USED_UP)
    VALID = [
        'layer { name: "data" type: "Input" top: "data" }'
        ' layer { name: "relu" type: "ReLU" bottom: "data" top: "relu" }',
        'layer { name: "w" type: "Parameter" top: "w" } layer { type: "Eltwise" bottom: "w" bottom: "last" top: "y" }',
        'layer { name: "data" type: "Data" top: "data" include { phase: TEST } }'
        ' layer { name: "relu" type: "ReLU" bottom: "data" top: "relu" }',
        # The blob depends on a stage that is not known here.
        'layer { name: "data" type: "Input" top: "data" include { stage: "deploy" } }'
        ' layer { name: "relu" type: "ReLU" bottom: "data" top: "relu" }',
    ]
    INVALID = [
        Invalid(
            'layer { name: "data" type: "Input" top: "data" }'
            ' layer { name: "relu" type: "ReLU" bottom: "dta" top: "relu" }',
            span='bottom: "dta"',
            message='ReLU "relu": bottom "dta" is not made by any layer above; did you mean "data"?',
            fixed=(
                'layer { name: "data" type: "Input" top: "data" } layer { name: "relu" type: "ReLU" bottom: '
                '"data" top: "relu" }'
            ),
        ),
        Invalid(
            'layer { name: "pool2" type: "Input" top: "pool2" }'
            ' layer { name: "relu" type: "ReLU" bottom: "pool3" top: "relu" }',
            span='bottom: "pool3"',
            message='ReLU "relu": bottom "pool3" is not made by any layer above; correct the name, or add a layer that'
            " makes it",
        ),
        Invalid(
            'layer { name: "in" type: "Input" top: "ip1_a" top: "ip1_b" }'
            ' layer { name: "sum" type: "ReLU" bottom: "ip1" top: "relu" }',
            span='bottom: "ip1"',
            message='ReLU "sum": bottom "ip1" is not made by any layer above; correct the name, or add a layer that'
            " makes it",
        ),
        Invalid(
            'layer { name: "data" type: "Input" top: "data" }'
            ' layer { name: "top1" type: "Accuracy" bottom: "data" bottom: "label" include { phase: TEST } }',
            span='bottom: "label"',
            message='Accuracy "top1": bottom "label" is not made by any layer above; correct the name, or add a layer'
            " that makes it",
        ),
        Invalid(
            'layer { name: "relu" type: "ReLU" bottom: "data" top: "relu" }'
            ' layer { name: "tanh" type: "TanH" bottom: "data" top: "tanh" }'
            ' layer { name: "data" type: "Input" top: "data" }',
            span='bottom: "data"',
            message='layers "relu", "tanh": bottom "data" is not made by any layer above, since layer "data", which'
            " makes it, comes later",
        ),
        Invalid(
            {
                "solver.prototxt": 'net: "net.prototxt" test_iter: 10',
                "net.prototxt": 'layer { name: "data" type: "Data" top: "data" include { phase: TRAIN } }'
                ' layer { name: "relu" type: "ReLU" bottom: "data" top: "relu" }',
            },
            span='bottom: "data"',
            message='ReLU "relu": bottom "data" is not made by any layer above, since layer "data" makes it only in'
            ' TRAIN; add a layer that makes it in TEST, or remove include { phase: TRAIN } from "data"',
        ),
        Invalid(
            'layer { name: "data" type: "Data" top: "data" top: "label" include { phase: TRAIN } }'
            ' layer { name: "ip" type: "InnerProduct" bottom: "data" top: "ip" }'
            ' layer { name: "top1" type: "Accuracy" bottom: "ip" bottom: "label" include { phase: TEST } }',
            span='bottom: "data"',
            message='InnerProduct "ip": bottom "data" is not made by any layer above, since layer "data" makes it only'
            ' in TRAIN; add a layer that makes it in TEST, or remove include { phase: TRAIN } from "data"',
        ),
    ]

    def report(self, refused: Refused) -> Iterator[Finding]:
        net = refused.net
        if not net.solvers and (not is_whole(net) or refused.phases == (TEST,) and has_net_for_tests(net)):
            return
        if refused is not _first_of_its_cause(refused):
            return
        certainty = _certainty(net, refused)
        if certainty:
            meant = _meant(net, refused)
            if refused.refusal.values["blob"] in net.message.input:
                advice = "the input of that name has no shape; add input_shape"
            else:
                advice = f'did you mean "{meant}"?' if meant else "correct the name, or add a layer that makes it"
            yield self.finding(
                refused.place,
                self.message(refused) + ("" if "maker" in refused.refusal.values else f"; {advice}"),
                evidence=self.evidence(refused),
                phases=refused.phases,
                severity=WARNING if certainty == LIKELY else ERROR,
                certainty=certainty,
                fixes=_fixes(refused, meant) if meant else (),
            )


def _first_of_its_cause(refused: Refused) -> Refused:
    """That a phase lacks the data layers of the other is one cause; so is that it lacks one other layer."""
    maker = refused.refusal.values.get("maker")
    if maker is None:
        return refused
    brings = {layer.name for layer in refused.net.layers if layer.kind.is_data}
    alike = brings if maker in brings else {maker}
    same = (one for one in refused.net.refused() if one.refusal.kind is refused.refusal.kind)
    return next(one for one in same if one.refusal.values.get("maker") in alike and one.phases == refused.phases)


def _fixes(refused: Refused, meant: str) -> tuple[Fix, ...]:
    wrong = refused.refusal.values["blob"]
    edits = [
        write(layer, "bottom", index, value=quoted(meant))
        for layer in refused.layers
        for index in refused.net.once(_readings).get((layer.index, wrong), ())
    ]
    return fix(f'set bottom: "{meant}"', UNSAFE, *edits)


def _certainty(net: Net, refused: Refused) -> str | None:
    """None where the net may be meant for a state other than those that were built."""
    if net.solvers:
        return "certain"
    if refused.refusal.values["blob"] in net.once(_made_by_stage):
        return None
    if not refused.phases:
        return "certain"
    phase = refused.phases[0]
    if phase == TEST and net.role == "deploy":
        return "certain"  # nothing trains it
    alone = [layer for layer in net.conditional if layer.phases == (phase,)]
    if any(layer.kind.is_data or layer.type == "Input" for layer in alone):
        return "certain"
    return LIKELY if alone else None


def _made_by_stage(net: Net) -> frozenset[str]:
    return frozenset(top for layer in net.conditional if layer.depends_on_stage for top in layer.tops)


def _meant(net: Net, refused: Refused) -> str:
    if not refused.layers or "maker" in refused.refusal.values:
        return ""
    from difflib import SequenceMatcher, get_close_matches

    layer = refused.layers[0]
    is_early = any(one is refused for one in refused.net.once(_early))
    made = _made_near(layer, _FAR if is_early else _NEAR)
    wrong = refused.refusal.values["blob"]
    close = get_close_matches(wrong, made, n=2, cutoff=0.75)
    if len({SequenceMatcher(None, name, wrong).ratio() for name in close}) < len(close):
        return ""  # two that are equally near
    return close[0] if close and not _differ_in_number(wrong, close[0]) else ""


def _early(net: Net) -> tuple[Refused, ...]:
    return tuple(one for one in net.refused() if one.refusal.kind in UnknownBottom.claims)[:_MOST_FAR]


def _made_near(layer: Layer, near: int) -> tuple[str, ...]:
    """Tops of layers above one.

    A name mostly means an input of the net or a blob nearby; comparing it with thousands would take long.
    """
    layers, readings = layer.net.layers, layer.net.once(_readings)
    above = [*layers[: min(layer.index, near)], *layers[max(layer.index - near, near) : layer.index]]
    return tuple(dict.fromkeys(top for other in above for top in other.tops if (layer.index, top) not in readings))


def _readings(net: Net) -> dict[tuple[int, str], list[int]]:
    """The numbers of the bottoms that have a name, by the index of their layer and that name."""
    found: dict[tuple[int, str], list[int]] = {}
    for layer in net.layers:
        for number, name in enumerate(layer.bottoms):
            found.setdefault((layer.index, name), []).append(number)
    return found


def _differ_in_number(one: str, other: str) -> bool:
    """`pool3` is not a typo of `pool2`."""
    differing = [(a, b) for a, b in zip(one, other, strict=False) if a != b]
    return len(one) == len(other) and all(a.isdigit() and b.isdigit() for a, b in differing)
