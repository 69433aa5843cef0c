from __future__ import annotations

from collections.abc import Iterator

from caffelint.lint import DISPLAY, INFO, Finding, Invalid, Layer, Net, NetRule, fix, listed, remove
from caffelint.lint.built import types_that

CUDNN, STOCHASTIC = 2, 2


class NeedsGpu(NetRule):
    """A net asks for what only a Caffe built with a GPU has.

    ## Why is this bad?
    `engine: CUDNN` ends a Caffe without cuDNN with "unknown engine", and STOCHASTIC pooling ends the first forward pass
    on a CPU with "Not Implemented Yet". With the engine left out Caffe takes cuDNN where it is there.

    ## Example
    ```
    convolution_param { num_output: 20 kernel_size: 5 engine: CUDNN }
    ```
    Use instead:
    ```
    convolution_param { num_output: 20 kernel_size: 5 }
    ```

    ## References
    - layer_factory.cpp, GetConvolutionLayer and others; pooling_layer.cpp, Forward_cpu
    """

    code = "L013"
    name = "needs-gpu"
    severity = INFO
    layer_types = types_that(lambda kind: kind.has_engine and not kind.fork)
    _CONV = 'layer { name: "c" type: "Convolution" bottom: "a" top: "b" convolution_param { engine: %s } }'
    VALID = [_CONV % "CAFFE", _CONV % "DEFAULT"]
    INVALID = [
        Invalid(
            _CONV % "CUDNN",
            span="engine: CUDNN",
            message="engine: CUDNN needs a Caffe built with cuDNN, and another one ends here (layer c)",
        ),
        Invalid(
            'layer { name: "p" type: "Pooling" bottom: "a" top: "b" pooling_param { pool: STOCHASTIC kernel_size: 2'
            " } }",
            span="pool: STOCHASTIC",
            message="STOCHASTIC pooling has no CPU version: Caffe ends at the first forward pass on a CPU (layer p)",
        ),
    ]

    def check(self, net: Net) -> Iterator[Finding]:
        engines: list[Layer] = []
        pools: list[Layer] = []
        for layer in net.layers:
            if layer.kind.has_engine and not layer.kind.fork:
                param = layer.kind.parameters
                if param.engine == CUDNN:
                    engines.append(layer)
                if layer.type == "Pooling" and param.pool == STOCHASTIC:
                    pools.append(layer)
        for layers, field, message in (
            (engines, "engine", "engine: CUDNN needs a Caffe built with cuDNN, and another one ends here"),
            (pools, "pool", "STOCHASTIC pooling has no CPU version: Caffe ends at the first forward pass on a CPU"),
        ):
            if layers:
                names = listed([layer.name for layer in layers])
                yield self.finding(
                    layers[0].at(layers[0].kind.block, field),
                    f"{message} (layer{'s' if len(layers) > 1 else ''} {names})",
                    fixes=fix(
                        "let Caffe choose", DISPLAY, *(remove(layer, layer.kind.block, field) for layer in layers)
                    )
                    if field == "engine"
                    else (),
                )
