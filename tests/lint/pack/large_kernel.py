from __future__ import annotations

from collections.abc import Iterator

from caffelint.lint import LIKELY, WARNING, Finding, Invalid, Layer, LayerRule, Option
from caffelint.lint.built import types_that

NET = (
    'layer { name: "conv" type: "Convolution" bottom: "a" top: "b"'
    " convolution_param { num_output: 2 kernel_size: %d } }"
)


class LargeKernel(LayerRule):
    """A kernel that our accelerator runs slowly.

    ## Why is this bad?
    It has units for small kernels alone.
    """

    code = "H201"
    name = "large-kernel"
    severity = WARNING
    certainty = LIKELY
    layer_types = types_that(lambda kind: kind.block == "convolution_param")
    OPTIONS = {"most": Option(7, "The largest kernel that is fast.")}
    VALID = [NET % 3]
    INVALID = [Invalid(NET % 11, span="kernel_size: 11", message="kernel_size 11 is larger than 7")]

    def check(self, layer: Layer) -> Iterator[Finding]:
        for size in layer.param("convolution_param").kernel_size:
            if size > self.options["most"]:
                message = f"kernel_size {size} is larger than {self.options['most']}"
                yield self.finding(layer.at("convolution_param", "kernel_size"), message)
