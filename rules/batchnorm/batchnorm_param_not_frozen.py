from __future__ import annotations

from caffelint.lint import ERROR, SAFE, Fix, Invalid, Kind, RefusalRule, Refused, fix, write


class BatchnormParamNotFrozen(RefusalRule):
    """A `param` block gives a BatchNorm's statistics a learning rate.

    ## Why is this bad?
    The three blobs of a BatchNorm are running statistics, not parameters to learn. Caffe aborts if one or two
    `param` blocks have an `lr_mult` other than 0, and 1 is the default. Three blocks are an older form, which Caffe
    rewrites to 0.

    ## Example
    ```
    layer { name: "bn" type: "BatchNorm" bottom: "conv" top: "conv" param { lr_mult: 1 } }
    ```
    Use instead:
    ```
    layer { name: "bn" type: "BatchNorm" bottom: "conv" top: "conv" }
    ```

    ## Known problems
    The rule is silent about nets that use layers or fields of a fork, whose BatchNorm may learn.

    ## Fix safety
    Safe: Caffe refuses the net anyway, and accepts no rate but 0.

    ## References
    - batch_norm_layer.cpp, LayerSetUp; upgrade_proto.cpp, UpgradeNetBatchNorm
    """

    code = "B007"
    name = "batchnorm-param-not-frozen"
    severity = ERROR
    claims = (Kind.STATISTIC_WITH_RATE,)
    layer_types = ("BatchNorm",)
    _NET = (
        'layer { name: "data" type: "Input" top: "data" input_param { shape { dim: 4 dim: 3 } } }'
        ' layer { name: "bn" type: "BatchNorm" bottom: "data" top: "bn"%s }'
    )
    VALID = [_NET % "", _NET % " param { lr_mult: 0 }", _NET % (" param { lr_mult: 1 }" * 3)]
    INVALID = [
        Invalid(
            _NET % " param { lr_mult: 1 }",
            span="lr_mult: 1",
            message='BatchNorm "bn": lr_mult is 1, but statistics are not learned; set lr_mult: 0',
            fixed=_NET % " param { lr_mult: 0 }",
        ),
        Invalid(
            _NET % " param { decay_mult: 0 }",
            span="param",
            message='BatchNorm "bn": lr_mult is 1, but statistics are not learned; set lr_mult: 0',
            fixed=_NET % " param { decay_mult: 0 lr_mult: 0 }",
        ),
    ]

    def fixes(self, refused: Refused) -> tuple[Fix, ...]:
        return fix(
            "set lr_mult: 0",
            SAFE,
            *(
                write(layer, "param", index, "lr_mult", value="0")
                for layer in refused.layers
                for index, spec in enumerate(layer.message.param)
                if spec.lr_mult != 0
            ),
        )
