"""Layers that normalise: LRN, BatchNorm, MVN."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf

from caffelint.caffe.layers.base import CORRUPTS, EXACT, ONE, PARAMS, BuiltLayer, register
from caffelint.caffe.layers.pooling import need_four_axes
from caffelint.caffe.refusal import Kind
from caffelint.caffe.shapes import Shape, as_int, canonical_axis, count, divide, legacy, like, new_blob, no_data
from caffelint.caffe.values import SIGNED, UNKNOWN, Hazard, Values

WITHIN_CHANNEL = 1


@register
class LRN(BuiltLayer):
    repeats = True
    fork_fields_change = PARAMS
    types = ("LRN",)
    computes_by = ("local_size", "alpha", "beta", "k", "norm_region")
    nickname = "norm"
    keeps_channels = keeps_pixels = True
    block = "lrn_param"
    bottom_counts = ONE
    top_counts = ONE
    has_engine = True
    reads_bottom = True

    @property
    def reads_top(self) -> bool:  # type: ignore[override]
        return bool(self.parameters.norm_region != WITHIN_CHANNEL)

    def lost_in_place(self, largest: float) -> float:
        """Across channels it overwrites the gradient that it gets; within them it reads its output for its input
        (lrn_layer.cpp, CrossChannelBackward_cpu and WithinChannelBackward; run on Caffe 1.0)."""
        p = self.parameters
        return float(2 * abs(p.alpha * p.beta) * largest**2) if p.norm_region == WITHIN_CHANNEL else 1.0

    def check(self) -> None:
        size = self.parameters.local_size
        # In C++ what is left of a negative number is negative: -1 % 2 is -1.
        if as_int(size) < 0 or size % 2 != 1:
            raise self.refuse(
                Kind.EVEN_LOCAL_SIZE,
                f"local_size is {size}; it must be odd",
                "LRN only supports odd values for local_size",
                "lrn_layer.cpp LayerSetUp",
                "local_size",
            )

    def set_up(self, bottoms: Sequence[Shape]) -> Sequence[Shape | None]:
        self.check()
        need_four_axes(self.type, bottoms[0], "lrn_layer.cpp Reshape")
        return [like(bottoms[0])]

    def set_up_unknown(self, bottoms: Sequence[Shape | None]) -> Sequence[Shape | None]:
        self.check()
        return [None]

    def values(self, bottoms: Sequence[Values]) -> Sequence[Values]:
        p = self.parameters
        low, high, zeros, signed = bottoms[0]
        if p.alpha < 0 or p.k <= 0:
            return [UNKNOWN]
        if p.beta < 0 or p.k < 1:
            # The divisor may be below 1.
            return [Values(0 if low >= 0 else -inf, 0 if high <= 0 else inf, zeros, signed)]
        return [Values(min(low, 0), max(high, 0), zeros, signed)]

    def hazard(self, values: Values) -> Hazard:
        return Hazard.SUM_OF_SQUARES


@register
class BatchNorm(BuiltLayer):
    fork_fields_change = PARAMS
    types = ("BatchNorm",)
    nickname = "bn"
    block = "batch_norm_param"
    computes_by = ("eps",)
    normalises = keeps_statistics = keeps_channels = keeps_pixels = True
    bottom_counts = ONE
    top_counts = ONE
    in_place = EXACT
    refuses_early = True
    source = "batch_norm_layer.cpp"

    @property
    def has_parameters(self) -> bool:
        return True

    @property
    def param_count(self) -> int:
        return 3

    @property
    def learns(self) -> bool:
        """Its parameters are statistics."""
        return False

    def default_lr_mult(self, param: int) -> float:
        return 0.0

    @property
    def uses_global_stats(self) -> bool:
        p = self.parameters
        return bool(p.use_global_stats) if p.HasField("use_global_stats") else self.phase == "TEST"

    @property
    def makes_zeros(self) -> bool:
        """Is each value the mean of all that it is normalised by (Forward_cpu)?"""
        shape = self.bottoms[0].shape
        return not self.uses_global_stats and shape is not None and bool(shape) and shape[0] * count(shape[2:]) == 1

    def check_params(self) -> None:
        """Mean, variance and factor are no weights: their rate has to be 0 (LayerSetUp)."""
        for index, param in enumerate(self.message.param[:3]):
            if param.lr_mult != 0:
                raise self.refuse(
                    Kind.STATISTIC_WITH_RATE,
                    f"lr_mult is {param.lr_mult:g}, but statistics are not learned; set lr_mult: 0",
                    "Cannot configure batch normalization statistics as layer parameters.",
                    f"{self.source} LayerSetUp",
                    ("param", index, "lr_mult"),
                )

    def set_up(self, bottoms: Sequence[Shape]) -> Sequence[Shape | None]:
        shape = bottoms[0]
        channels = 1 if len(shape) == 1 else shape[canonical_axis(shape, 1, ("bottom", 0))]
        self.param_shapes = [(channels,), (channels,), (1,)]
        if channels == 0:
            raise no_data("the mean", f"{self.source} LayerSetUp", ("bottom", 0))
        self.check_params()
        canonical_axis(shape, 1, ("bottom", 0))
        top = like(shape)
        pixels = divide(count(shape), as_int(channels * shape[0]), "the batch size", ("bottom", 0))
        if pixels == 0:
            raise no_data("the bottom", f"{self.source} Reshape", ("bottom", 0))
        return [top]

    def set_up_unknown(self, bottoms: Sequence[Shape | None]) -> Sequence[Shape | None]:
        self.check_params()
        self.param_shapes = None
        return [None]

    def hazard(self, values: Values) -> Hazard | None:
        return Hazard.STATISTICS if self.parameters.use_global_stats else None

    def values(self, bottoms: Sequence[Values]) -> Sequence[Values]:
        return [SIGNED] * len(self.tops)


@register
class MVN(BuiltLayer):
    fork_fields_change = PARAMS
    types = ("MVN",)
    normalises = keeps_channels = keeps_pixels = True
    block = "mvn_param"
    computes_by = ("normalize_variance", "across_channels", "eps")
    bottom_counts = ONE
    top_counts = ONE
    reads_bottom = True
    reads_top = True
    in_place = CORRUPTS

    def set_up(self, bottoms: Sequence[Shape]) -> Sequence[Shape | None]:
        num, channels, height, width = legacy(bottoms[0], ("bottom", 0))
        top = new_blob((num, channels, height, width))
        summed = height * width * (channels if self.parameters.across_channels else 1)
        if summed == 0:
            raise no_data("the bottom", "mvn_layer.cpp Reshape", ("bottom", 0))
        return [top]

    def values(self, bottoms: Sequence[Values]) -> Sequence[Values]:
        return [SIGNED] * len(self.tops)


@register
class Normalize(BuiltLayer):
    """L2 norm along the channels, then a learned scale: SSD and its descendants."""

    types = ("Normalize",)
    block = "norm_param"
    computes_by = ("across_spatial", "channel_shared", "eps")
    fork = True
    bottom_counts = ONE
    top_counts = ONE
    normalises = keeps_channels = keeps_pixels = True
    reads_bottom = True
    reads_top = True

    @property
    def has_parameters(self) -> bool | None:
        return True if self.message.HasField("norm_param") else None

    def set_up(self, bottoms: Sequence[Shape]) -> Sequence[Shape | None]:
        shape = bottoms[0]
        if not self.message.HasField("norm_param") or len(shape) < 2:
            # Other forks have a Normalize of the same name that learns nothing.
            self.param_shapes = None
        else:
            self.param_shapes = [() if self.parameters.channel_shared else (shape[1],)]
        return [like(shape)]

    def hazard(self, values: Values) -> Hazard:
        return Hazard.LENGTH


@register
class BN(BuiltLayer):
    """Batch normalisation with scale and shift: SegNet keeps two parameters, PSPNet four."""

    types = ("BN",)
    block = "bn_param"
    fork = True
    bottom_counts = ONE
    top_counts = ONE
    in_place = EXACT
    normalises = keeps_statistics = keeps_channels = keeps_pixels = True

    @property
    def has_parameters(self) -> bool:
        return True

    def set_up(self, bottoms: Sequence[Shape]) -> Sequence[Shape | None]:
        self.param_shapes = None
        return [like(bottoms[0])]


@register
class ForkNorm(BuiltLayer):
    """Normalisers of forks; what they learn differs between these."""

    types = ("CuDNNBatchNorm", "GroupNorm", "InstanceNorm", "LayerNorm")
    fork = True
    bottom_counts = ONE
    normalises = keeps_channels = keeps_pixels = True

    def set_up(self, bottoms: Sequence[Shape]) -> Sequence[Shape | None]:
        self.param_shapes = None
        return [like(bottoms[0]), *[None] * len(self.tops)][: len(self.tops)]

    @property
    def has_parameters(self) -> bool | None:
        return True if self.type == "CuDNNBatchNorm" else None
