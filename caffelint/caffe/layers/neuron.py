"""Layers that work on one value at a time: one bottom, one top of the same shape."""

from __future__ import annotations

import math
from collections.abc import Sequence
from math import inf

from caffelint.caffe.layers.base import CORRUPTS, EXACT, NOTHING, ONE, REFUSED, BuiltLayer, register
from caffelint.caffe.refusal import Kind, Refusal
from caffelint.caffe.shapes import Shape, count, legacy, like, no_data, text
from caffelint.caffe.values import Hazard, Values, exactly

_LARGEST = 1e38
"""Of a float, about."""


class Neuron(BuiltLayer):
    """neuron_layer.cpp: the top has the shape of the bottom."""

    fork_fields_change = NOTHING
    bottom_counts = ONE
    top_counts = ONE
    in_place: str = EXACT
    keeps_channels = keeps_pixels = True
    refuses_early = True

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
    keeps_sign = True
    in_place = REFUSED
    reads_bottom = True

    def check(self) -> None:
        if self.runs_in_place:
            raise no_in_place(self, "absval_layer.cpp LayerSetUp")

    def values(self, bottoms: Sequence[Values]) -> Sequence[Values]:
        low, high, zeros, _ = bottoms[0]
        nearest = 0.0 if low <= 0 <= high else min(abs(low), abs(high))
        return [Values(nearest, max(abs(low), abs(high)), zeros)]


@register
class BNLL(Neuron):
    types = ("BNLL",)
    is_activation = True
    reads_bottom = True
    in_place = CORRUPTS
    # bnll_layer.cpp, Backward_cpu: exp(x) / (1 + exp(x)), of its own output 0.5 to 1 in place of 0 to 1.
    trains_corrupted = True

    def values(self, bottoms: Sequence[Values]) -> Sequence[Values]:
        return [Values(0, max(bottoms[0].high, 0) + 1)]


@register
class Clip(Neuron):
    types = ("Clip",)
    is_activation = True
    block = "clip_param"
    reads_bottom = True
    in_place = CORRUPTS

    def check(self) -> None:
        if self.message.HasField("clip_param"):
            for name in ("min", "max"):
                if not self.parameters.HasField(name):
                    raise self.refuse(
                        Kind.MISSING_FIELD,
                        f"{name} of clip_param is missing; set it",
                        f"Message missing required fields: layer[{self.index}].clip_param.{name}",
                        "upgrade_proto.cpp ReadNetParamsFromTextFileOrDie",
                    )

    def values(self, bottoms: Sequence[Values]) -> Sequence[Values]:
        p = self.parameters
        low, high = p.min, p.max
        if low > high:
            return [Values(high, low)]
        # What is nan becomes the lower end.
        most = min(max(bottoms[0].high, low), high)
        zeros = bottoms[0].zeros and low <= 0 <= high or bottoms[0].signed and 0 in (low, high)
        return [Values(low, most, zeros, bottoms[0].signed and low < 0 < high)]


@register
class Dropout(Neuron):
    types = ("Dropout",)
    nickname = "drop"
    block = "dropout_param"
    hands_on = keeps_sign = True

    @property
    def draws_at_random(self) -> bool:
        return self.phase == "TRAIN"

    def values(self, bottoms: Sequence[Values]) -> Sequence[Values]:
        ratio = self.parameters.dropout_ratio
        if self.phase == "TEST" or not 0 < ratio < 1:
            return [bottoms[0]]
        kept = bottoms[0].shifted(1 / (1 - ratio), 0)
        return [kept.or_else(exactly(0))]


@register
class ELU(Neuron):
    types = ("ELU",)
    computes_by = ("alpha",)
    is_activation = rectifies = keeps_sign = True
    block = "elu_param"
    reads_bottom = True
    reads_top = True
    # elu_layer.cpp, Backward_cpu: alpha + top below 0; of what Dropout doubled, less than 0 for a top below -alpha / 2.
    trains_corrupted = True

    @property
    def in_place(self) -> str:  # type: ignore[override]
        return CORRUPTS if self.parameters.alpha < 0 else EXACT

    def values(self, bottoms: Sequence[Values]) -> Sequence[Values]:
        low, high, zeros, signed = bottoms[0]
        alpha = self.parameters.alpha
        if low >= 0:
            return [bottoms[0]]
        return [Values(min(-alpha, 0.0), max(high, -alpha, 0.0), zeros, signed and alpha > 0)]


@register
class Exp(Neuron):
    types = ("Exp",)
    block = "exp_param"
    reads_top = True

    def check(self) -> None:
        _check_base(self, self.parameters.base, "exp_layer.cpp LayerSetUp")

    def values(self, bottoms: Sequence[Values]) -> Sequence[Values]:
        p = self.parameters
        return [bottoms[0].shifted(p.scale, p.shift).exponential(p.base)]

    def hazard(self, values: Values) -> Hazard | None:
        (top,) = self.values([values])
        return None if abs(top.high) < _LARGEST else Hazard.OVERFLOW


@register
class Log(Neuron):
    types = ("Log",)
    block = "log_param"
    reads_bottom = True
    in_place = CORRUPTS
    loses_gradient_in_place = True  # log_layer.cpp, Backward_cpu

    def check(self) -> None:
        base = self.parameters.base
        _check_base(self, base, "log_layer.cpp LayerSetUp")
        if base == 1:
            raise self.refuse(
                Kind.VALUE_OUT_OF_RANGE,
                "base is 1; a logarithm needs another base",
                "Inf result: 1/log(base)",
                "log_layer.cpp LayerSetUp",
                "base",
            )

    def values(self, bottoms: Sequence[Values]) -> Sequence[Values]:
        p = self.parameters
        return [bottoms[0].shifted(p.scale, p.shift).logarithm(p.base)]

    def hazard(self, values: Values) -> Hazard | None:
        p = self.parameters
        return None if values.shifted(p.scale, p.shift).low > 0 else Hazard.LOG


def _check_base(layer: BuiltLayer, base: float, function: str) -> None:
    if base == -1:
        return
    if not base > 0:
        raise layer.refuse(
            Kind.VALUE_OUT_OF_RANGE,
            f"base is {base:g}; it must be larger than 0, or -1 for e",
            "base must be strictly positive.",
            function,
            "base",
        )
    if math.isinf(base):
        raise layer.refuse(Kind.VALUE_OUT_OF_RANGE, "base is infinite", "Inf result: log(base)", function, "base")


@register
class Power(Neuron):
    types = ("Power",)
    block = "power_param"
    computes_by = ("power", "scale", "shift")
    adds = "shift"
    in_place = CORRUPTS
    # power_layer.cpp, Backward_cpu: bottom_diff is set to the slope, then multiplied by top_diff.
    loses_gradient_in_place = True

    @property
    def keeps_sign(self) -> bool:  # type: ignore[override]
        return bool(self.parameters.shift == 0 and self.parameters.scale > 0)

    @property
    def factor(self) -> float | None:
        return float(self.parameters.scale) if self.parameters.power == 1 else None

    @property
    def reads_bottom(self) -> bool:  # type: ignore[override]
        power = self.parameters.power
        return bool(power * self.parameters.scale and power != 1)

    @property
    def reads_top(self) -> bool:  # type: ignore[override]
        return self.reads_bottom and self.parameters.power != 2

    def values(self, bottoms: Sequence[Values]) -> Sequence[Values]:
        p = self.parameters
        return [bottoms[0].shifted(p.scale, p.shift).power(p.power)]

    def hazard(self, values: Values) -> Hazard | None:
        p = self.parameters
        base = values.shifted(p.scale, p.shift)
        if p.power < 0 and base.may_be_zero:
            return Hazard.NEGATIVE_POWER
        if p.power % 1 and base.low <= 0:
            return Hazard.ROOT if p.power < 1 else Hazard.FRACTIONAL_POWER
        return None


@register
class PReLU(Neuron):
    types = ("PReLU",)
    block = "prelu_param"
    is_activation = rectifies = keeps_sign = True
    fillers = ("filler",)
    reads_bottom = True
    refuses_early = False

    @property
    def has_parameters(self) -> bool:
        return True

    @property
    def param_count(self) -> int:
        return 1

    def set_up(self, bottoms: Sequence[Shape]) -> Sequence[Shape | None]:
        shape = bottoms[0]
        function = "prelu_layer.cpp LayerSetUp"
        if len(shape) < 2:
            raise self.refuse(
                Kind.WRONG_AXES,
                f"the bottom is {text(shape)}; PReLU needs at least 2 axes",
                "Number of axes of bottom blob must be >=2.",
                function,
                ("bottom", 0),
            )
        parameters = self.parameters
        slopes = () if parameters.channel_shared else (legacy(shape, ("bottom", 0))[1],)
        if not slopes:
            legacy(shape, ("bottom", 0))
        if parameters.HasField("filler"):
            self.fill(parameters.filler, slopes, ("prelu_param", "filler"))
        elif 0 in slopes:
            raise no_data("the slope parameter", "filler.hpp", ("bottom", 0))
        self.param_shapes = [slopes]
        if count(shape, 1) == 0:
            raise no_data("the bottom", function, ("bottom", 0))
        return [like(shape)]

    def set_up_unknown(self, bottoms: Sequence[Shape | None]) -> Sequence[Shape | None]:
        self.param_shapes = [()] if self.parameters.channel_shared else None
        return [None]

    def values(self, bottoms: Sequence[Values]) -> Sequence[Values]:
        values = bottoms[0]
        return [values if values.low >= 0 else values._replace(low=-inf, high=inf)]


@register
class ReLU(Neuron):
    types = ("ReLU",)
    # Behind an in-place ReLU, the sign of what a BatchNorm wrote decides where gradients pass.
    trains_corrupted = True
    computes_by = ("negative_slope",)
    block = "relu_param"
    is_activation = rectifies = keeps_sign = True
    has_engine = True
    reads_bottom = True

    @property
    def in_place(self) -> str:  # type: ignore[override]
        return CORRUPTS if self.parameters.negative_slope < 0 else EXACT

    @property
    def flat_at_zero(self) -> bool:  # type: ignore[override]
        return not self.parameters.negative_slope

    def values(self, bottoms: Sequence[Values]) -> Sequence[Values]:
        low, high, zeros, signed = bottoms[0]
        slope = self.parameters.negative_slope
        if low >= 0:
            return [bottoms[0]]
        if slope:
            ends = (low * slope, max(high, 0), 0.0)
            return [Values(min(ends), max(ends), zeros, signed and slope > 0)]
        return [Values(0, max(high, 0), zeros or signed or high <= 0)]


@register
class Sigmoid(Neuron):
    types = ("Sigmoid",)
    is_activation = True
    block = "sigmoid_param"
    has_engine = True
    reads_top = True

    def values(self, bottoms: Sequence[Values]) -> Sequence[Values]:
        return [Values(0, 1)]


@register
class Swish(Neuron):
    types = ("Swish",)
    is_activation = keeps_sign = True
    block = "swish_param"
    reads_top = True


@register
class TanH(Neuron):
    types = ("TanH",)
    is_activation = keeps_sign = True
    block = "tanh_param"
    has_engine = True
    reads_top = True

    def values(self, bottoms: Sequence[Values]) -> Sequence[Values]:
        low, high, zeros, signed = bottoms[0]
        return [Values(math.tanh(low), math.tanh(high), zeros, signed)]


@register
class Threshold(Neuron):
    types = ("Threshold",)
    block = "threshold_param"
    has_backward = False

    def values(self, bottoms: Sequence[Values]) -> Sequence[Values]:
        return [Values(0, 1)]


def no_in_place(layer: BuiltLayer, function: str) -> Refusal:
    """The refusal of the types that check for an in-place top."""
    return Refusal(
        Kind.IN_PLACE,
        f"{layer.type} cannot work in place; give its top another name",
        f"{layer.type} Layer does not allow in-place computation.",
        function,
        ("top", 0),
    )


@register
class ForkNeuron(Neuron):
    """Activations that only forks have; whether they may run in place is theirs to say."""

    types = ("ReLU6", "HardSwish", "HardSigmoid", "Mish", "SeLu", "SELU", "GELU", "SymmetricRectify")
    fork = True
    is_activation = True
    keeps_sign = None
    reads_bottom = True
