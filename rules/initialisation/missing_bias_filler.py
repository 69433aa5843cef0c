from __future__ import annotations

from collections.abc import Iterator

from caffelint.lint import INFO, UNSAFE, Finding, Invalid, Net, NetRule, fix, listed, write

from ._fillers import WEIGHTED


class MissingBiasFiller(NetRule):
    """Layers without a `bias_filler` start with all biases 0.

    ## Why is this bad?
    It is not, in Caffe 1.0: the default is the constant 0, which is what most nets write out, and a run shows that such
    biases learn like any other. Threads on nan losses name the missing filler as a cause all the same, so this is here
    to say what the default is.

    ## Example
    ```
    convolution_param { num_output: 20 kernel_size: 5 weight_filler { type: "xavier" } }
    ```
    Use instead, to have it in writing:
    ```
    convolution_param { num_output: 20 kernel_size: 5 weight_filler { type: "xavier" } bias_filler { value: 0 } }
    ```

    ## Fix safety
    Unsafe, though nothing changes where the default is 0 as in Caffe 1.0: it touches every layer, so it is there
    for those who ask for it.

    ## References
    - caffe.proto, FillerParameter; run on Caffe 1.0: bias 0, its gradient not 0
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
        # C3D, which has no block of its own for it.
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
            message="1 layer has no bias_filler: fc; its biases start at 0, Caffe's default",
            fixed=_NET % ' bias_filler { type: "constant" value: 0 }',
        ),
    ]

    def check(self, net: Net) -> Iterator[Finding]:
        found = []
        for layer in net.layers:
            block = layer.kind.block if layer.kind.has_weights else ""
            # Caffe refuses a layer without it; in C3D a Convolution3D takes all from convolution_param.
            if block and layer.has(block):
                param = getattr(layer.message, block)
                if not param.HasField("bias_filler") and getattr(param, "bias_term", True):
                    found.append(layer)
        if not found or net.role != "train":
            return
        many = len(found) > 1
        yield self.finding(
            found[0].at(found[0].kind.block),
            f"{len(found)} layer{'s have' if many else ' has'} no bias_filler: {listed([one.name for one in found])};"
            f" {'their' if many else 'its'} biases start at 0, Caffe's default",
            evidence="harmless in Caffe 1.0, where it was run; reported as a cause of nan losses in the field",
            fixes=fix(
                "fill biases with 0",
                UNSAFE,
                *(
                    write(one, one.kind.block, "bias_filler", value=[("type", '"constant"'), ("value", "0")])
                    for one in found
                ),
            ),
        )
