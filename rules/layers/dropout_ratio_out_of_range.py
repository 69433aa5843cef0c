from __future__ import annotations

from collections.abc import Iterator

from caffelint.lint import ERROR, TRAIN, UNSAFE, Finding, Invalid, Layer, LayerRule, fix, title, write


class DropoutRatioOutOfRange(LayerRule):
    """`dropout_ratio` is below 0, or 1 or more.

    ## Why is this bad?
    A Dropout multiplies what it keeps by 1 / (1 - ratio). At 1 it keeps nothing and multiplies by infinity: 0 * inf is
    nan, from the first iteration. Above 1 or below 0, Caffe stops when it draws the first mask. A release build checks
    nothing before that.

    ## Example
    ```
    dropout_param { dropout_ratio: 50 }
    ```
    Use instead:
    ```
    dropout_param { dropout_ratio: 0.5 }
    ```

    ## Fix safety
    Unsafe: a ratio from 2 to 99 is taken as a percentage. Other ratios have no fix.

    ## References
    - dropout_layer.cpp, LayerSetUp (DCHECK) and Forward_cpu; run on Caffe 1.0
    """

    code = "L006"
    name = "dropout-ratio-out-of-range"
    severity = ERROR
    risks_nan = True
    layer_types = ("Dropout",)
    VALID = [
        'layer { name: "drop" type: "Dropout" bottom: "a" top: "a" dropout_param { dropout_ratio: 0.5 } }',
        'layer { name: "drop" type: "Dropout" bottom: "a" top: "a" dropout_param { dropout_ratio: 0 } }',
        'layer { name: "drop" type: "Dropout" bottom: "a" top: "a" }',
    ]
    INVALID = [
        Invalid(
            'layer { name: "drop" type: "Dropout" bottom: "a" top: "a" dropout_param { dropout_ratio: 1 } }',
            span="dropout_ratio: 1",
            message='Dropout "drop": dropout_ratio 1 drops everything and multiplies by 1/0, so the output is nan in'
            " TRAIN; set a ratio of at least 0 and below 1",
        ),
        Invalid(
            'layer { name: "drop" type: "Dropout" bottom: "a" top: "a" dropout_param { dropout_ratio: 50 } }',
            span="dropout_ratio: 50",
            message='Dropout "drop": dropout_ratio 50 is not a fraction, so Caffe stops at the first forward pass of'
            " TRAIN; set a ratio of at least 0 and below 1",
            fixed='layer { name: "drop" type: "Dropout" bottom: "a" top: "a" dropout_param { dropout_ratio: 0.5 } }',
        ),
    ]

    def check(self, layer: Layer) -> Iterator[Finding]:
        ratio = layer.message.dropout_param.dropout_ratio
        if 0 <= ratio < 1 or TRAIN not in layer.phases:
            return
        what = (
            "drops everything and multiplies by 1/0, so the output is nan in TRAIN"
            if ratio == 1
            else "is not a fraction, so Caffe stops at the first forward pass of TRAIN"
        )
        yield self.finding(
            layer.at("dropout_param", "dropout_ratio"),
            f"{title(layer)}: dropout_ratio {ratio:g} {what}; set a ratio of at least 0 and below 1",
            fixes=fix(
                f"set dropout_ratio: {ratio / 100:g}",
                UNSAFE,
                write(layer, "dropout_param", "dropout_ratio", value=f"{ratio / 100:g}"),
            )
            if 2 <= ratio < 100
            else (),
        )
