"""Three-dimensional layers of C3D."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import torch.nn.functional as functional

from caffelint.caffe.layers.volume import Volume
from caffelint.smoke.torch.base import FLT_MAX, TorchLayer, register

if TYPE_CHECKING:
    from torch import Tensor

    from caffelint.caffe.layers import BuiltLayer
    from caffelint.caffe.shapes import Shape

UNKNOWN = "the shape of its bottom, or the size of its kernel, is not known before it runs"


def _sides(spec: BuiltLayer) -> tuple[list[int], list[int], list[int]]:
    """Kernel, stride and pad along length, height and width."""
    assert isinstance(spec, Volume)
    kernel, stride, pad = (list(numbers) for numbers in zip(*spec.sides(), strict=True))
    return kernel, stride, pad


@register
class Convolution3D(TorchLayer):
    leaves_top = True

    @classmethod
    def why_not(cls, spec: BuiltLayer) -> str | None:
        return None if spec.tops[0].shape is not None else UNKNOWN

    @classmethod
    def param_shapes(cls, spec: BuiltLayer) -> Sequence[Shape] | None:
        p = spec.parameters
        shape = spec.bottoms[0].shape
        if shape is None:
            return None
        first, second = cls.channels(shape[1], p.num_output)
        weight = (first, second // p.filter_group, *_sides(spec)[0])
        return [weight, (1, 1, 1, 1, p.num_output)] if p.bias_term else [weight]

    @staticmethod
    def channels(bottom: int, top: int) -> tuple[int, int]:
        """Along the first two axes of the weights, before they are divided into groups."""
        return top, bottom

    def fillers(self) -> Sequence[Any]:
        return [self.p.weight_filler, self.p.bias_filler][: 2 if self.p.bias_term else 1]

    def forward(self, bottoms: list[Tensor]) -> Sequence[Tensor]:
        _, stride, pad = _sides(self.spec)
        bias = self.params[1].flatten() if self.p.bias_term else None
        return [
            functional.conv3d(x, self.params[0], bias, stride, pad, groups=int(self.p.filter_group)) for x in bottoms
        ]


@register
class Deconvolution3D(Convolution3D):
    @staticmethod
    def channels(bottom: int, top: int) -> tuple[int, int]:
        return bottom, top

    def forward(self, bottoms: list[Tensor]) -> Sequence[Tensor]:
        _, stride, pad = _sides(self.spec)
        bias = self.params[1].flatten() if self.p.bias_term else None
        groups = int(self.p.filter_group)
        return [functional.conv_transpose3d(x, self.params[0], bias, stride, pad, 0, groups) for x in bottoms]


@register
class Pooling3D(TorchLayer):
    @classmethod
    def why_not(cls, spec: BuiltLayer) -> str | None:
        if spec.tops[0].shape is None:
            return UNKNOWN
        clipped = any(_pads(spec))
        if spec.parameters.pool > 1 or spec.parameters.pool == 1 and clipped:
            return "forks differ in what an average of a clipped window is"
        return None

    def forward(self, bottoms: list[Tensor]) -> Sequence[Tensor]:
        x = bottoms[0]
        kernel, stride, _ = _sides(self.spec)
        if self.p.pool == 1:
            return [functional.avg_pool3d(x, kernel, stride)]
        return [functional.max_pool3d(functional.pad(x, _pads(self.spec), value=-FLT_MAX), kernel, stride)]


def _pads(spec: BuiltLayer) -> list[int]:
    """How far the windows reach beyond a bottom, before and after it, in width, height and length."""
    kernel, stride, pad = _sides(spec)
    shape, number = (spec.bottoms[0].shape or ())[2:], (spec.tops[0].shape or ())[2:]
    reach = []
    for axis in (2, 1, 0):
        after = (number[axis] - 1) * stride[axis] + kernel[axis] - shape[axis] - pad[axis]
        reach += [pad[axis], max(after, 0)]
    return reach
