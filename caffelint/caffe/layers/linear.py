"""Layers that multiply by a matrix of weights."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from caffelint.caffe.layers.base import ONE, BuiltLayer, UnknownLayer, register
from caffelint.caffe.layers.expected import Expected
from caffelint.caffe.refusal import Kind
from caffelint.caffe.shapes import Shape, as_int, canonical_axis, count, new_blob, no_data
from caffelint.caffe.values import Values, weighted


class Matrix(BuiltLayer):
    """Weight and, with bias_term, bias; one bottom, one top."""

    repeats = True
    bottom_counts = ONE
    top_counts = ONE
    has_weights = True
    fillers = ("weight_filler", "bias_filler")
    reads_bottom = True

    @property
    def param_count(self) -> int | None:
        return 1 + bool(self.parameters.bias_term)

    def make_params(self, weight: Sequence[int], outputs: int) -> bool:
        """Check and fill weight and bias; is there a bias?"""
        p = self.parameters
        self.param_shapes = [new_blob(weight, "the weight")]
        self.fill(p.weight_filler, self.param_shapes[0], (self.block, "weight_filler"))
        bias: bool = p.bias_term
        if bias:
            self.param_shapes.append(new_blob((outputs,), "the bias"))
            self.fill(p.bias_filler, (outputs,), (self.block, "bias_filler"))
        return bias

    def values(self, bottoms: Sequence[Values]) -> Sequence[Values]:
        return [weighted(self, bottoms[0])]


@register
class InnerProduct(Matrix):
    types = ("InnerProduct",)
    block = "inner_product_param"
    is_linear = True
    computes_by = ("num_output", "bias_term", "axis", "transpose")
    shaped_by = ("num_output", "bias_term")
    nickname = "fc"

    def _check_outputs(self) -> int:
        p = self.parameters
        outputs = as_int(p.num_output)
        if outputs == 0:
            phrase = "blob->count()" if p.weight_filler.type in ("xavier", "msra", "uniform") else "data_"
            raise self.refuse_outputs(outputs, f"Check failed: {phrase}", "filler.hpp")
        return outputs

    def set_up(self, bottoms: Sequence[Shape]) -> Sequence[Shape | None]:
        shape = bottoms[0]
        p = self.parameters
        axis = canonical_axis(shape, p.axis, (self.block, "axis"))
        inputs = count(shape, axis)
        # A bilinear filler looks at the number of axes first, and never finds four.
        if inputs and p.weight_filler.type != "bilinear":
            self._check_outputs()
        outputs = as_int(p.num_output)
        bias = self.make_params((inputs, outputs) if p.transpose else (outputs, inputs), outputs)
        top = new_blob((*shape[:axis], outputs), "the top")
        if bias and count(shape, 0, axis) == 0:
            raise no_data("the bottom", "inner_product_layer.cpp Reshape", ("bottom", 0))
        return [top]

    def set_up_unknown(self, bottoms: Sequence[Shape | None]) -> Sequence[Shape | None]:
        self._check_outputs()
        self.param_shapes = None
        return [None]

    def multiply_adds(self) -> int:
        if not self.param_shapes or not self.tops or self.tops[0].shape is None:
            return 0
        inputs = self.param_shapes[0][0 if self.parameters.transpose else 1]
        return inputs * prod(self.tops[0].shape)


@register
class Embed(Matrix):
    types = ("Embed",)
    block = "embed_param"
    computes_by = ("num_output", "input_dim", "bias_term")
    has_backward = False

    def expects(self, bottom: int) -> Expected | None:
        return Expected(0, max(self.parameters.input_dim - 1, 0))

    def cuts_fractions(self, bottom: int) -> bool:
        """embed_layer.cpp, Forward_cpu: static_cast<int>."""
        return bottom == 0

    def _check_sizes(self) -> tuple[int, int]:
        p = self.parameters
        sizes = []
        for name in ("num_output", "input_dim"):
            size = as_int(getattr(p, name))
            if size <= 0:
                raise self.refuse(
                    Kind.VALUE_OUT_OF_RANGE if p.HasField(name) else Kind.MISSING_FIELD,
                    f"{name} is missing" if not p.HasField(name) else f"{name} is {size}; it must be larger than 0",
                    f"EmbedLayer {name} must be positive.",
                    "embed_layer.cpp LayerSetUp",
                    name,
                    **({} if p.HasField(name) else {"missing": name}),
                )
            sizes.append(size)
        return sizes[0], sizes[1]

    def set_up(self, bottoms: Sequence[Shape]) -> Sequence[Shape | None]:
        shape = bottoms[0]
        outputs, inputs = self._check_sizes()
        bias = self.make_params((inputs, outputs), outputs)
        top = new_blob((*shape, outputs), "the top")
        if bias and count(shape) == 0:
            raise no_data("the bottom", "embed_layer.cpp Reshape", ("bottom", 0))
        return [top]

    def set_up_unknown(self, bottoms: Sequence[Shape | None]) -> Sequence[Shape | None]:
        outputs, inputs = self._check_sizes()
        self.make_params((inputs, outputs), outputs)
        return [None]


@register
class MarginInnerProduct(UnknownLayer):
    """An InnerProduct that also takes the labels (SphereFace, Large-Margin Softmax); the rest of it is unknown."""

    types = ("LargeMarginInnerProduct", "MarginInnerProduct")
    fork = True

    def expects(self, bottom: int) -> Expected | None:
        outputs = next((block.num_output for _, block in self.message.ListFields() if hasattr(block, "num_output")), 0)
        return Expected(0, as_int(outputs) - 1) if bottom == 1 and outputs else None
