"""Layers that run over time: bottoms are T x N x ..., T steps of N streams."""

from __future__ import annotations

from collections.abc import Sequence

from caffelint.caffe.layers.base import THREE, TWO, BuiltLayer, Counts, register
from caffelint.caffe.layers.expected import Expected
from caffelint.caffe.refusal import Kind, Refusal
from caffelint.caffe.shapes import Shape, as_int, canonical_axis, count, new_blob, no_data, plural, text


class Recurrent(BuiltLayer):
    """recurrent_layer.cpp: a net of its own, unrolled over T; its parameters are the layer's."""

    block = "recurrent_param"
    is_recurrent = has_weights = shares_gradient = True
    fillers = ("weight_filler", "bias_filler")
    computes_by = ("num_output",)
    # Its backward pass reads what its own net keeps, of which its tops are copies.
    reads_bottom = True
    hidden_blobs = 1
    gates = 1
    has_output_weights = False
    source = "recurrent_layer.cpp"

    @property
    def exposed(self) -> int:
        """How many hidden blobs come in as bottoms and go out as tops."""
        return self.hidden_blobs if self.parameters.expose_hidden else 0

    @property
    def param_count(self) -> int:
        """Weight and bias of the input, weight of the hidden state; that of a static bottom; the output's, of an RNN.

        recurrent_layer.cpp, LayerSetUp, and FillUnrolledNet of each.
        """
        return 3 + (len(self.bottom_names) > 2 + self.exposed) + 2 * self.has_output_weights

    def wanted_bottoms(self) -> Counts:
        return Counts(2 + self.exposed, 3 + self.exposed)

    def wanted_tops(self) -> Counts:
        tops = 1 + self.exposed
        return Counts(tops, tops, True)

    def allows_force_backward(self, bottom: int) -> bool:
        return bottom != 1

    def passes_gradient(self, bottom: int) -> bool:
        return bottom != 1

    def expects(self, bottom: int) -> Expected | None:
        return Expected(0, 1) if bottom == 1 else None

    def check(self) -> int:
        """num_output, or the Refusal without (FillUnrolledNet)."""
        outputs = as_int(self.parameters.num_output)
        if outputs <= 0:
            function = f"{type(self).__name__.lower()}_layer.cpp FillUnrolledNet"
            raise self.refuse_outputs(outputs, "num_output must be positive", function)
        return outputs

    def set_up(self, bottoms: Sequence[Shape]) -> Sequence[Shape | None]:
        x = bottoms[0]
        function = f"{self.source} LayerSetUp"
        if len(x) < 2:
            raise self.refuse(
                Kind.WRONG_AXES,
                f"bottom 0 is {text(x)}; it must be steps x streams x ...",
                "bottom[0] must have at least 2 axes -- (#timesteps, #streams, ...)",
                function,
                ("bottom", 0),
            )
        steps, streams = x[:2]
        if len(bottoms[1]) != 2:
            raise self.refuse(
                Kind.WRONG_AXES,
                f"bottom 1 is {text(bottoms[1])}; it must be steps x streams",
                "bottom[1] must have exactly 2 axes -- (#timesteps, #streams)",
                function,
                ("bottom", 1),
            )
        for axis, letter in enumerate("TN"):
            if x[axis] != bottoms[1][axis]:
                raise self.refuse(
                    Kind.SHAPES_DIFFER,
                    f"bottom 0 has {steps} steps of {streams} streams but bottom 1 is {text(bottoms[1])}",
                    f"Check failed: {letter}_ == bottom[1]->shape({axis})",
                    function,
                    ("bottom", 1),
                )
        static = bottoms[2] if len(bottoms) > 2 + self.exposed else None
        if static is not None and (not static or static[0] != streams):
            raise self.refuse(
                Kind.WRONG_SHAPE,
                f"the static bottom is {text(static)}; it must have one item for each of {plural(streams, 'stream')}",
                "Check failed: N_ == bottom[2]->shape(0)" if static else "Check failed: bottom[2]->num_axes() >= 1",
                function,
                ("bottom", 2),
            )
        outputs = self.check()
        self._make_params(x, static, steps, streams, outputs)
        hidden = (1, streams, outputs)
        first_hidden = len(bottoms) - self.exposed
        for index in range(first_hidden, len(bottoms)):
            if bottoms[index] != hidden:
                raise self.refuse(
                    Kind.SHAPES_DIFFER,
                    f"bottom {index} is {text(bottoms[index])} but a hidden state is {text(hidden)}",
                    f"shape mismatch - recur_input_blobs_[{index - first_hidden}]:",
                    f"{self.source} Reshape",
                    ("bottom", index),
                )
        return [new_blob((steps, streams, outputs), "the top"), *[hidden] * self.exposed]

    def _make_params(self, x: Shape, static: Shape | None, steps: int, streams: int, outputs: int) -> None:
        """Weights of the unrolled net, checked in the order in which it makes them."""
        p = self.parameters
        if steps == 0:
            raise Refusal(
                Kind.NO_ELEMENTS,
                "the first bottom has no time step",
                "Slice Layer produces at least 1 top blob(s) as output.",
                f"{self.source} LayerSetUp",
                ("bottom", 0),
            )
        rows = as_int(self.gates * outputs)
        weight, bias = (self.block, "weight_filler"), (self.block, "bias_filler")
        canonical_axis(x, 2, ("bottom", 0))
        shapes = [new_blob((rows, count(x, 2)), "the input weight"), (rows,)]
        self.fill(p.weight_filler, shapes[0], weight)
        self.fill(p.bias_filler, shapes[1], bias)
        if as_int(steps * streams) == 0:
            raise no_data("the first bottom", "inner_product_layer.cpp Reshape", ("bottom", 0))
        if static is not None:
            canonical_axis(static, 1, ("bottom", 2))
            shapes.append(new_blob((rows, count(static, 1)), "the static weight"))
            self.fill(p.weight_filler, shapes[-1], weight)
        recurrent = new_blob((rows, outputs), "the recurrent weight")
        self.fill(p.weight_filler, recurrent, weight)
        shapes.append(recurrent)
        if self.has_output_weights:
            self.fill(p.bias_filler, (outputs,), bias)
            shapes += [(outputs, outputs), (outputs,)]
        self.param_shapes = shapes

    def set_up_unknown(self, bottoms: Sequence[Shape | None]) -> Sequence[Shape | None]:
        outputs = self.check()
        self.param_shapes = None
        x = bottoms[0]
        if x is None or len(x) < 2:
            return [None] * len(self.tops)
        return [(*x[:2], outputs), *[(1, x[1], outputs)] * self.exposed]


@register
class LSTM(Recurrent):
    types = ("LSTM",)
    hidden_blobs = 2
    gates = 4


@register
class RNN(Recurrent):
    types = ("RNN",)
    has_output_weights = True


@register
class LSTMUnit(BuiltLayer):
    """One step of an LSTM: cell, gate inputs, continuation."""

    types = ("LSTMUnit",)
    is_recurrent = True
    bottom_counts = THREE
    top_counts = TWO
    reads_bottom = True
    reads_top = True

    def allows_force_backward(self, bottom: int) -> bool:
        return bottom != 2

    def passes_gradient(self, bottom: int) -> bool:
        return bottom != 2

    def set_up(self, bottoms: Sequence[Shape]) -> Sequence[Shape | None]:
        cell = bottoms[0]
        function = "lstm_unit_layer.cpp Reshape"
        streams = cell[canonical_axis(cell, 1, ("bottom", 0))]
        for index, shape in enumerate(bottoms):
            axes = 2 if index == 2 else 3
            for wrong, phrase in (
                (len(shape) != axes, f"Check failed: {axes} == bottom[i]->num_axes()"),
                (len(shape) == axes and shape[0] != 1, "Check failed: 1 == bottom[i]->shape(0)"),
                (len(shape) == axes and shape[1] != streams, "Check failed: num_instances == bottom[i]->shape(1)"),
            ):
                if wrong:
                    raise self.refuse(
                        Kind.WRONG_SHAPE,
                        f"bottom {index} is {text(shape)}; it must be 1x{streams}{'x...' if axes == 3 else ''}",
                        phrase,
                        function,
                        ("bottom", index),
                    )
        if as_int(4 * cell[2]) != bottoms[1][2]:
            raise self.refuse(
                Kind.WRONG_SHAPE,
                f"the gate inputs are {text(bottoms[1])}; they must have {4 * cell[2]} values, 4 for each of the cell's"
                f" {cell[2]}",
                "Check failed: 4 * hidden_dim_ == bottom[1]->shape(2)",
                function,
                ("bottom", 1),
            )
        return [new_blob(cell), new_blob(cell)]


@register
class ForkRecurrent(BuiltLayer):
    """Layers of forks that run over time, of whose parameters nothing is known here."""

    types = ("ClockworkRNN", "GRU", "Lstm")
    fork = True
    is_recurrent = True

    @property
    def has_parameters(self) -> bool | None:
        return None
