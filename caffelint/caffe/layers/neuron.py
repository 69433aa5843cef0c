"""Layers that work on one value at a time: one bottom, one top of the same shape."""

from __future__ import annotations

import math
from collections.abc import Sequence

from caffelint.caffe.layers.base import CORRUPTS, EXACT, NOTHING, ONE, REFUSED, Layer, register
from caffelint.caffe.refusal import Refusal
from caffelint.caffe.shapes import Shape, count, legacy, like, no_data, text


class Neuron(Layer):
    """neuron_layer.cpp: the top has the shape of the bottom."""

    fork_fields_change = NOTHING
    bottom_counts = ONE
    top_counts = ONE
    in_place: str = EXACT

    def check(self) -> None:
        """Raise the refusals that depend on parameters alone."""

    def set_up(self, bottoms: Sequence[Shape]) -> Sequence[Shape | None]:
        self.check()
        return [like(bottoms[0])]

    def set_up_unknown(self, bottoms: Sequence[Shape | None]) -> Sequence[Shape | None]:
        self.check()
        return [None]


@register
class AbsVal(Neuron):
    types = ("AbsVal",)
    in_place = REFUSED
    reads_bottom = True

    def check(self) -> None:
        if self.runs_in_place:
            raise no_in_place(self, "absval_layer.cpp LayerSetUp")


@register
class BNLL(Neuron):
    types = ("BNLL",)
    reads_bottom = True
    in_place = CORRUPTS


@register
class Clip(Neuron):
    types = ("Clip",)
    block = "clip_param"
    reads_bottom = True
    in_place = CORRUPTS


@register
class Dropout(Neuron):
    types = ("Dropout",)
    block = "dropout_param"


@register
class ELU(Neuron):
    types = ("ELU",)
    block = "elu_param"
    reads_bottom = True
    reads_top = True

    @property
    def in_place(self) -> str:  # type: ignore[override]
        return CORRUPTS if self.parameters.alpha < 0 else EXACT


@register
class Exp(Neuron):
    types = ("Exp",)
    block = "exp_param"
    reads_top = True

    def check(self) -> None:
        _check_base(self, self.parameters.base, "exp_layer.cpp LayerSetUp")


@register
class Log(Neuron):
    types = ("Log",)
    block = "log_param"
    reads_bottom = True
    in_place = CORRUPTS

    def check(self) -> None:
        base = self.parameters.base
        _check_base(self, base, "log_layer.cpp LayerSetUp")
        if base == 1:
            raise self.refuse(
                "a logarithm has no base 1", "Inf result: 1/log(base)", "log_layer.cpp LayerSetUp", "base"
            )


def _check_base(layer: Layer, base: float, function: str) -> None:
    if base == -1:
        return
    if not base > 0:
        raise layer.refuse(
            f"base must be above 0, or -1 for e; it is {base:g}", "base must be strictly positive.", function, "base"
        )
    if math.isinf(base):
        raise layer.refuse("base is infinite", "Inf result: log(base)", function, "base")


@register
class Power(Neuron):
    types = ("Power",)
    block = "power_param"
    in_place = CORRUPTS

    @property
    def reads_bottom(self) -> bool:  # type: ignore[override]
        power = self.parameters.power
        return bool(power * self.parameters.scale and power != 1)

    @property
    def reads_top(self) -> bool:  # type: ignore[override]
        return self.reads_bottom and self.parameters.power != 2


@register
class PReLU(Neuron):
    types = ("PReLU",)
    block = "prelu_param"
    reads_bottom = True

    def set_up(self, bottoms: Sequence[Shape]) -> Sequence[Shape | None]:
        shape = bottoms[0]
        function = "prelu_layer.cpp LayerSetUp"
        if len(shape) < 2:
            raise self.refuse(
                f"PReLU needs a bottom with at least 2 axes, not {len(shape)} ({text(shape)})",
                "Number of axes of bottom blob must be >=2.",
                function,
                "bottom[0]",
            )
        parameters = self.parameters
        slopes = () if parameters.channel_shared else (legacy(shape, "bottom[0]")[1],)
        if not slopes:
            legacy(shape, "bottom[0]")
        if parameters.HasField("filler"):
            self.fill(parameters.filler, slopes, "prelu_param.filler")
        elif 0 in slopes:
            raise no_data("the slope parameter", "filler.hpp", "bottom[0]")
        self.param_shapes = [slopes]
        if count(shape, 1) == 0:
            raise no_data("the bottom", function, "bottom[0]")
        return [like(shape)]

    def set_up_unknown(self, bottoms: Sequence[Shape | None]) -> Sequence[Shape | None]:
        self.param_shapes = [()] if self.parameters.channel_shared else None
        return [None]


@register
class ReLU(Neuron):
    types = ("ReLU",)
    block = "relu_param"
    has_engine = True
    reads_bottom = True

    @property
    def in_place(self) -> str:  # type: ignore[override]
        return CORRUPTS if self.parameters.negative_slope < 0 else EXACT


@register
class Sigmoid(Neuron):
    types = ("Sigmoid",)
    block = "sigmoid_param"
    has_engine = True
    reads_top = True


@register
class Swish(Neuron):
    types = ("Swish",)
    block = "swish_param"
    reads_top = True


@register
class TanH(Neuron):
    types = ("TanH",)
    block = "tanh_param"
    has_engine = True
    reads_top = True


@register
class Threshold(Neuron):
    types = ("Threshold",)
    block = "threshold_param"
    has_backward = False


def no_in_place(layer: Layer, function: str) -> Refusal:
    """The refusal of the types that check for an in-place top."""
    return Refusal(
        f"{layer.type} cannot run in place; give its top another name than its bottom",
        f"{layer.type} Layer does not allow in-place computation.",
        function,
        "top[0]",
    )


@register
class ForkNeuron(Neuron):
    """Activations that only forks have; whether they may run in place is theirs to say."""

    types = ("ReLU6", "HardSwish", "HardSigmoid", "Mish", "SeLu", "SELU", "GELU", "SymmetricRectify")
    fork = True
    reads_bottom = True
