from __future__ import annotations

from caffelint.lint import ERROR, SAFE, Fix, Invalid, Kind, Layer, RefusalRule, Refused, fix, remove


class PhaseRuleConflict(RefusalRule):
    """A layer has both `include` and `exclude` rules.

    ## Why is this bad?
    With `include` rules a layer is left out unless one of them matches, with `exclude` rules it is included unless one
    matches. With both kinds Caffe stops.

    ## Example
    ```
    layer { name: "top1" type: "Accuracy" include { phase: TEST } exclude { stage: "quick" } }
    ```
    Use instead:
    ```
    layer { name: "top1" type: "Accuracy" include { phase: TEST not_stage: "quick" } }
    ```

    ## Fix safety
    Safe where both kinds say the same, as in `include { phase: TEST } exclude { phase: TRAIN }`. Otherwise there is no
    fix.

    ## References
    - net.cpp, FilterNet
    """

    code = "G012"
    name = "phase-rule-conflict"
    severity = ERROR
    claims = (Kind.INCLUDE_AND_EXCLUDE,)
    VALID = ['layer { name: "data" type: "Input" top: "data" include { phase: TEST } include { phase: TRAIN } }']
    INVALID = [
        Invalid(
            'layer { name: "data" type: "Input" top: "data" include { phase: TEST } exclude { phase: TRAIN } }',
            span="exclude",
            message='Input "data": include and exclude are both set; keep one kind',
            fixed='layer { name: "data" type: "Input" top: "data" include { phase: TEST } }',
        ),
    ]

    def fixes(self, refused: Refused) -> tuple[Fix, ...]:
        """Remove the exclude rules where the include rules say the same."""
        if not all(_agree(layer) for layer in refused.layers):
            return ()
        return fix("remove exclude", SAFE, *(remove(layer, "exclude") for layer in refused.layers))


def _agree(layer: Layer) -> bool:
    rules = (*layer.message.include, *layer.message.exclude)
    if any(len(rule.ListFields()) != 1 or not rule.HasField("phase") for rule in rules):
        return False
    return {rule.phase for rule in layer.message.include}.isdisjoint(rule.phase for rule in layer.message.exclude)
