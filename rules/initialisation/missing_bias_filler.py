from __future__ import annotations

from collections.abc import Iterator

from caffelint.lint import INFO, UNSAFE, Finding, Invalid, Net, NetRule, fix, titles, write

from ._fillers import WEIGHTED, blocks_with_weights


class MissingBiasFiller(NetRule):
    """Layers without a `bias_filler` start with all biases 0, as usual.

    ## Why is this bad?
    In Caffe 1.0 it is not: the default is the constant 0, which most nets write out, and a run shows that such biases
    learn like any others. Forum posts on nan losses often blame the missing filler, so this info says that it has no
    effect.

    ## Example
    ```
    convolution_param { num_output: 20 kernel_size: 5 weight_filler { type: "xavier" } }
    ```
    Use instead, to make it explicit:
    ```
    convolution_param { num_output: 20 kernel_size: 5 weight_filler { type: "xavier" } bias_filler { value: 0 } }
    ```

    ## Fix safety
    Unsafe because it touches every layer, so it is applied only on request. Nothing changes if the default is 0, as in
    Caffe 1.0.

    ## References
    - caffe.proto, FillerParameter; on Caffe 1.0, the bias is 0 and its gradient is not
    - Stack Overflow 33962226
    """

    code = "I002"
    name = "missing-bias-filler"
    severity = INFO
    layer_types = WEIGHTED
    _NET = (
        'layer { name: "data" type: "Data" top: "data" top: "label" include { phase: TRAIN } }'
        ' layer { name: "fc" type: "InnerProduct" bottom: "data" top: "fc" inner_product_param { num_output: 9%s } }'
        ' layer { name: "loss" type: "SoftmaxWithLoss" bottom: "fc" bottom: "label" top: "loss" }'
    )
    VALID = [
        _NET % " bias_filler { }",
        _NET % " bias_term: false",
        'layer { name: "fc" type: "InnerProduct" bottom: "data" top: "fc" inner_product_param { num_output: 9 } }',
        # C3D, which has no separate block for it.
        'layers { name: "data" type: DATA top: "data" top: "label" include { phase: TRAIN } }'
        ' layers { name: "c" type: CONVOLUTION3D bottom: "data" top: "c"'
        ' convolution_param { num_output: 9 weight_filler { type: "gaussian" std: 0.01 } bias_filler { } } }'
        ' layers { name: "d" type: CONVOLUTION3D bottom: "c" top: "d"'
        ' convolution_param { num_output: 9 weight_filler { type: "gaussian" std: 0.01 } bias_filler { } } }'
        ' layers { name: "loss" type: SOFTMAX_LOSS bottom: "d" bottom: "label" top: "loss" }',
    ]
    INVALID = [
        Invalid(
            _NET % "",
            span="inner_product_param",
            message='InnerProduct "fc": bias_filler is missing, so its biases start at 0, as usual; to write that out,'
            " add bias_filler { value: 0 }",
            fixed=_NET % ' bias_filler { type: "constant" value: 0 }',
        ),
    ]

    def check(self, net: Net) -> Iterator[Finding]:
        found = [
            layer
            for layer, block in net.once(blocks_with_weights)
            if not block.HasField("bias_filler") and getattr(block, "bias_term", True)
        ]
        if not found or net.role != "train":
            return
        yield self.finding(
            found[0].at(found[0].kind.block),
            f"{titles(found)}: bias_filler is missing, so {'its' if len(found) == 1 else 'their'} biases start at 0, as"
            " usual; to write that out, add bias_filler { value: 0 }",
            evidence="forum posts on nan losses often blame this; on Caffe 1.0 it has no effect",
            fixes=fix(
                "add bias_filler { value: 0 }",
                UNSAFE,
                *(
                    write(one, one.kind.block, "bias_filler", value=[("type", '"constant"'), ("value", "0")])
                    for one in found
                ),
            ),
            layers=found,
        )
