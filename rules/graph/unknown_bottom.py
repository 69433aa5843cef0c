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
    Net,
    RefusalRule,
    Refused,
    fix,
    quoted,
    title,
    write,
)

from ._meant import meant_or_lacking, readings, unread_like
from ._parts import is_only_trained, is_whole
from ._stages import filled_in, made_by_stage
from ._trained_by_name import is_fed_in_training


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
    net for that is beside it, `test.prototxt` beside `train.prototxt`, or if TEST is only fed from outside and a loss
    has no labels in it. A file without any data or input is a piece of a net, and is not reported.

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
            'layer { name: "pool2" type: "Input" top: "pool2" } layer { name: "q" type: "Silence" bottom: "pool2" }'
            ' layer { name: "relu" type: "ReLU" bottom: "pool3" top: "r" }',
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
        # The layer just above makes a blob that nobody reads, in place or not.
        Invalid(
            'layer { name: "data" type: "Input" top: "data" } layer { name: "c" type: "Split" bottom: "data" top: "c" }'
            ' layer { name: "r" type: "ReLU" bottom: "c" top: "c" }'
            ' layer { name: "ip" type: "InnerProduct" bottom: "relu1" top: "ip" }',
            span='bottom: "relu1"',
            message='InnerProduct "ip": bottom "relu1" is not made by any layer above; did you mean "c", which nothing'
            " reads?",
        ),
        Invalid(
            'layer { name: "data" type: "Input" top: "data" }'
            ' layer { name: "ip" type: "InnerProduct" bottom: "data" top: "loss" }'
            ' layer { name: "loss" type: "SigmoidCrossEntropyLoss" bottom: "ip" bottom: "data" top: "loss" }',
            span=['bottom: "ip"'],
            message=[
                'SigmoidCrossEntropyLoss "loss": bottom "ip" is not made by any layer above; layer "ip" has top'
                ' "loss"; set top: "ip" there'
            ],
        ),
        # One name that nobody makes, and one that nobody reads.
        Invalid(
            'layer { name: "in" type: "HDF5Data" top: "data" top: "label" }'
            ' layer { name: "p" type: "Power" bottom: "label" top: "label2" }'
            ' layer { name: "fc" type: "InnerProduct" bottom: "features" top: "fc" }'
            ' layer { name: "loss" type: "EuclideanLoss" bottom: "fc" bottom: "label2" top: "loss" }',
            span='bottom: "features"',
            message='InnerProduct "fc": bottom "features" is not made by any layer above; did you mean "data", which'
            " nothing reads?",
        ),
        Invalid(
            {
                "deploy.prototxt": 'layer { name: "data" type: "Input" top: "data" }'
                ' layer { name: "loss" type: "SoftmaxWithLoss" bottom: "data" bottom: "label" top: "loss" }'
            },
            span='bottom: "label"',
            message='SoftmaxWithLoss "loss": bottom "label" is not made by any layer above; a deploy net has no labels,'
            ' so write type: "Softmax" and remove bottom "label"',
        ),
        # net.cpp makes an Input of those inputs alone that have a shape.
        Invalid(
            'input: "data" layer { name: "ip" type: "InnerProduct" bottom: "data" top: "ip" }',
            span='bottom: "data"',
            message='InnerProduct "ip": bottom "data" is not made by any layer above; the input of that name has no'
            " shape; add input_shape",
        ),
    ]

    def report(self, refused: Refused) -> Iterator[Finding]:
        net = refused.net
        if not net.solvers and (not net.once(is_whole) or refused.phases == (TEST,) and is_only_trained(net)):
            return
        if id(refused) not in net.once(_first_of_causes):
            return
        certainty = _certainty(net, refused)
        if certainty:
            name, advice = meant_or_lacking(net, refused)
            yield self.finding(
                refused.place,
                self.message(refused) + ("" if "maker" in refused.refusal.values else f"; {advice}"),
                evidence="; ".join(filter(None, [self.evidence(refused), _misnamed(refused)])),
                phases=refused.phases,
                severity=WARNING if certainty == LIKELY else ERROR,
                certainty=certainty,
                fixes=_fixes(refused, name) if name else (),
            )


def _misnamed(refused: Refused) -> str:
    """Where the phase has a layer whose name for the blob is a slip."""
    if "maker" not in refused.refusal.values or len(refused.phases) != 1:
        return ""
    wrong, (phase,) = refused.refusal.values["blob"], refused.phases
    found = unread_like(refused.net, phase, wrong)
    return f'in {phase} nothing reads top "{found[1]}" of {title(found[0])}: was "{wrong}" meant?' if found else ""


def _first_of_causes(net: Net) -> frozenset[int]:
    """Ids, one a cause: that a phase lacks the data layers of the other is one, and that it lacks one other layer."""
    brings = {layer.name for layer in net.layers if layer.kind.is_data}
    first: dict[object, int] = {}
    for one in net.refused():
        maker = one.refusal.values.get("maker")
        cause = id(one) if maker is None else (one.refusal.kind, maker in brings or maker, one.phases)
        first.setdefault(cause, id(one))
    return frozenset(first.values())


def _fixes(refused: Refused, meant: str) -> tuple[Fix, ...]:
    wrong = refused.refusal.values["blob"]
    edits = [
        write(layer, "bottom", index, value=quoted(meant))
        for layer in refused.layers
        for index in refused.net.once(readings).get((layer.index, wrong), ())
    ]
    return fix(f'set bottom: "{meant}"', UNSAFE, *edits)


def _certainty(net: Net, refused: Refused) -> str | None:
    """None where the net may be meant for a state other than those that were built."""
    blob = refused.refusal.values["blob"]
    if blob in net.once(filled_in):
        return None  # such as DIGITS, which fills in the source and sets the stage
    if net.solvers:
        return "certain"
    if blob in net.once(made_by_stage):
        return None
    if not refused.phases:
        return "certain"
    phase = refused.phases[0]
    if phase == TEST and (net.role == "deploy" or net.is_only_tested):
        return LIKELY if is_fed_in_training(net) else "certain"  # nothing trains it
    alone = [layer for layer in net.conditional if layer.phases == (phase,)]
    if any(layer.kind.is_data or layer.type == "Input" for layer in alone):
        return "certain"
    return LIKELY if alone else None
