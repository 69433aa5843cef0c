from __future__ import annotations

from collections.abc import Iterator

from caffelint.lint import DISPLAY, INFO, Finding, Invalid, Layer, Net, NetRule, fix, remove, titles
from caffelint.lint.built import types_that


class NeedsGpu(NetRule):
    """A net needs a Caffe that was built for a GPU.

    ## Why is this bad?
    `engine: CUDNN` stops a Caffe without cuDNN with "unknown engine", and STOCHASTIC pooling stops Caffe at the first
    forward pass on a CPU with "Not Implemented Yet". Without `engine`, Caffe uses cuDNN if it has it.

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
            message='Convolution "c": engine: CUDNN needs a Caffe built with cuDNN (others stop at load); remove it to'
            " let Caffe choose",
        ),
        Invalid(
            'layer { name: "p" type: "Pooling" bottom: "a" top: "b" pooling_param { pool: STOCHASTIC kernel_size: 2'
            " } }",
            span="pool: STOCHASTIC",
            message='Pooling "p": pool: STOCHASTIC has no CPU version, so Caffe stops at the first forward pass on a'
            " CPU; train on a GPU, or set pool: MAX",
        ),
    ]

    def check(self, net: Net) -> Iterator[Finding]:
        engines: list[Layer] = []
        pools: list[Layer] = []
        for layer, param in net.blocks_of(self.layer_types):
            if param.engine == param.CUDNN:
                engines.append(layer)
            if layer.type == "Pooling" and param.pool == param.STOCHASTIC:
                pools.append(layer)
        for layers, field, message in (
            (
                engines,
                "engine",
                "engine: CUDNN needs a Caffe built with cuDNN (others stop at load); remove it to let Caffe choose",
            ),
            (
                pools,
                "pool",
                "pool: STOCHASTIC has no CPU version, so Caffe stops at the first forward pass on a CPU;"
                " train on a GPU, or set pool: MAX",
            ),
        ):
            if layers:
                yield self.finding(
                    layers[0].at(layers[0].kind.block, field),
                    f"{titles(layers)}: {message}",
                    fixes=fix("remove engine", DISPLAY, *(remove(layer, layer.kind.block, field) for layer in layers))
                    if field == "engine"
                    else (),
                    layers=layers,
                )
