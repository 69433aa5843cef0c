"""What every layer answers in torch, and the registry of types."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

import torch

if TYPE_CHECKING:
    from torch import Tensor

    from caffelint.caffe.layers import BuiltLayer
    from caffelint.caffe.shapes import Shape

Fill = Callable[["Tensor", Any, "torch.Generator"], None]
"""Fills a tensor in place as a FillerParameter says: `fill(tensor, filler, generator)`."""

FLT_MIN = 1.1754943508222875e-38
FLT_MAX = 3.4028234663852886e38


class LayerError(Exception):
    """A pass cannot go on at a layer, where a Caffe would abort or read what is not there: layer's name and why."""

    def __init__(self, layer: str, message: str) -> None:
        super().__init__(f'layer "{layer}": {message}')
        self.layer = layer
        self.message = message


class LabelOutside(LayerError):
    """A label is no class: Caffe does not look, and reads memory beside the scores from there on.

    blob: that of the labels; labels: those that are not ignored.
    """

    def __init__(self, layer: BuiltLayer, labels: Tensor, message: str) -> None:
        super().__init__(layer.name, message)
        self.blob = layer.bottoms[1]
        self.labels = labels


class TorchLayer:
    """One layer of a net that runs. A subclass has the name of its type.

    spec: the layer of the built net; writes: the one whose tops it gives, another where two layers run as one. p: its
    own parameter message. params: its parameters, one tensor for each, in Caffe's shapes and order; those that learn
    nothing here (lr_mult 0) are detached. train: is its phase TRAIN?
    can_overwrite: is its first bottom needed by nothing else? in_place: may it overwrite that in this pass?
    """

    # Does nothing but the layer's own top hold that memory, and does its backward not read it? Then a layer behind it
    # that runs in place may overwrite it.
    leaves_top: ClassVar[bool] = False

    # Can it overwrite its bottom?
    overwrites: ClassVar[bool] = False

    # Which parameters are counted rather than learned? No gradient flows to them, whatever their lr_mult.
    statistics: ClassVar[tuple[int, ...]] = ()

    # Does its forward pass change its parameters, whichever?
    changes_params: ClassVar[bool] = False

    # Does it take its tops from what the net is given?
    takes_input: ClassVar[bool] = False

    def __init__(self, spec: BuiltLayer, device: torch.device, generator: torch.Generator, fill: Fill) -> None:
        self.spec = spec
        self.writes = spec
        self.name = spec.name
        self.p: Any = spec.parameters if spec.block and spec.message is not None else None
        self.train = spec.phase == "TRAIN"
        self.device = device
        self.generator = generator
        self.fill = fill
        self.params: list[Tensor] = []
        self.can_overwrite = False
        self.in_place = False
        self.set_up()

    def set_up(self) -> None:
        """Read what does not change from pass to pass; the shapes of the bottoms are in `spec`."""

    @classmethod
    def why_not(cls, spec: BuiltLayer) -> str | None:
        """Why a layer of this type cannot run, None where it can. Called before it is made."""
        return None

    @classmethod
    def param_shapes(cls, spec: BuiltLayer) -> Sequence[Shape] | None:
        """Shapes of the parameters; None where they are not known."""
        return None if spec.params is None else [param.shape for param in spec.params]

    def fillers(self) -> Sequence[Any]:
        """For each parameter a FillerParameter, or the number that all of it starts with."""
        return [0.0] * len(self.spec.params or ())

    def forward(self, bottoms: list[Tensor]) -> Sequence[Tensor]:
        raise NotImplementedError

    def read(self, inputs: Mapping[str, Tensor]) -> Sequence[Tensor]:
        """The tops of a data layer, from what the net is given."""
        raise NotImplementedError

    def default_lr_mult(self, index: int) -> float:
        """lr_mult of a parameter whose layer the built net knows nothing of."""
        return 1.0

    def error(self, message: str) -> LayerError:
        return LayerError(self.name, message)


REGISTRY: dict[str, type[TorchLayer]] = {}


def register(layer_class: type[TorchLayer]) -> type[TorchLayer]:
    """Class decorator: make the class run layers of the type that it is named after."""
    REGISTRY[layer_class.__name__] = layer_class
    return layer_class


def apply(function: type[torch.autograd.Function], *arguments: Any) -> Any:
    """Run a function that has its own backward."""
    return function.apply(*arguments)  # type: ignore[no-untyped-call]


def axis_of(tensor: Tensor, axis: int) -> int:
    """`axis` counted from the front."""
    return axis + tensor.dim() if axis < 0 else axis
