"""A net that runs: the layers of a built net in torch, with Caffe's forward, backward and parameters."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any, cast

import torch

from caffelint.smoke.torch.base import Fill, LayerError, TorchLayer
from caffelint.smoke.torch.steps import plan
from caffelint.smoke.torch.types import REGISTRY, not_runnable

if TYPE_CHECKING:
    from torch import Tensor

    from caffelint.caffe.built_net import BuiltNet
    from caffelint.caffe.layers import BuiltLayer

__all__ = ["LayerError", "Parameter", "TorchNet", "Watch", "not_runnable"]

Watch = Callable[["BuiltLayer", int, "Tensor"], None]
"""Called with a layer, the number of one of its tops, and that top's data or gradient."""


class Parameter:
    """One of the net's learnable parameters (Caffe's Net::learnable_params): a blob that is shared comes once.

    data: in Caffe's shape; `data.grad` adds up over backward passes, and is None where none has reached it.
    layer, index: the layer that owns it, and its place there. name: of its `param` block, "" without.
    lr_mult, decay_mult: what the solver multiplies its rate and decay by. users: all layers that read it, owner first.
    """

    __slots__ = ("data", "decay_mult", "index", "layer", "lr_mult", "name", "users")

    def __init__(
        self, data: Tensor, layer: BuiltLayer, index: int, name: str, lr_mult: float, decay_mult: float
    ) -> None:
        self.data = data
        self.layer = layer
        self.index = index
        self.name = name
        self.lr_mult = lr_mult
        self.decay_mult = decay_mult
        self.users = [layer]

    def __repr__(self) -> str:
        return f"<Parameter {self.index} of {self.layer.name!r}, {tuple(self.data.shape)}>"


class TorchNet:
    """Runs a built net that Caffe would load and of which `not_runnable` says nothing.

    layers: in Caffe's order, without inserted splits: those cost nothing, their tops are their bottom.
    params: in Caffe's order. layer_params: those of each layer by its name, Caffe's net.params.
    losses: (blob name, weight) of the tops that are part of the loss.
    on_top: called in the forward pass for each top of each layer. on_gradient: called in the backward pass with the
    gradient of each top once it is whole, last layer first.
    every_version: are they called for each version of a blob that is written in place, or, which is faster, only for
    what Caffe holds at the end: the data of the last one and the gradient of the first?
    on_bottom, on_param: called in the backward pass with what a layer adds to the gradient of a bottom that several
    layers read, and of a parameter that several share: layer, number of the bottom or the parameter, that part.
    keep_gradients: are gradients of blobs kept, for `gradient`?
    keep_blobs: are all blobs kept in the backward pass, or only losses and outputs? Without them the memory that one
    pass frees is there for the next.
    gradient_scale: what all gradients of blobs and parameters are multiplied by.

    fill: fills parameters and DummyData, see `base.Fill`; without it that of `fillers.py`.
    gradients: can it run backward? Without it: is it a TRAIN net?
    """

    def __init__(
        self,
        built: BuiltNet,
        device: torch.device | str = "cpu",
        seed: int = 1,
        *,
        fill: Fill | None = None,
        gradients: bool | None = None,
    ) -> None:
        if fill is None:
            from caffelint.smoke.torch.fillers import fill as caffe_fill

            fill = caffe_fill
        self.built = built
        self.device = torch.device(device)
        self.generator = torch.Generator(self.device)
        self.generator.manual_seed(seed)
        self.has_gradients = built.phase == "TRAIN" if gradients is None else gradients
        self.on_top: Watch | None = None
        self.on_gradient: Watch | None = None
        self.every_version = True
        self.on_bottom: Watch | None = None
        self.on_param: Callable[[BuiltLayer, Parameter, Tensor], None] | None = None
        self.gradient_scale = 1.0
        self.keep_gradients = False
        self.keep_blobs = True
        self.params: list[Parameter] = []
        self.layer_params: dict[str, list[Tensor]] = {}
        self.layers: list[TorchLayer] = []
        owned: dict[int, Parameter] = {}
        for spec in built.layers:
            if spec.message is not None:
                layer = REGISTRY[spec.type](spec, self.device, self.generator, fill)
                self._make_params(layer, owned, fill)
                self.layers.append(layer)
        self._plan = plan(built, self.layers)
        self.losses = [(name, weight) for name, _, weight in self._plan.losses]
        self._values: list[Tensor | None] = [None] * self._plan.slots
        self._kept = {slot for _, slot, _ in self._plan.losses}
        self._slot_of_name = {blob.name: slot for blob, slot in self._plan.slot_of.items()}
        self._kept.update(self._slot_of_name[name] for name in built.outputs)
        self._gradients: dict[str, Tensor] = {}
        self.loss: Tensor = torch.zeros((), device=self.device)

    def _make_params(self, layer: TorchLayer, owned: dict[int, Parameter], fill: Fill) -> None:
        """Make or share a layer's parameters, and hand them to it (Net::AppendParam)."""
        spec = layer.spec
        shapes = layer.param_shapes(spec)
        if not shapes:
            return
        tensors = self.layer_params[spec.name] = []
        for index, (shape, filler) in enumerate(zip(shapes, layer.fillers(), strict=True)):
            known = spec.params[index] if spec.params else None
            given = spec.message.param[index] if index < len(spec.message.param) else None
            lr_mult = known.lr_mult if known else given.lr_mult if given else layer.default_lr_mult(index)
            # force_backward makes all parameters learn; one with a lr_mult of 0 then has a gradient that moves nothing.
            learns = (given.lr_mult if given else lr_mult) != 0 or self.built.message.force_backward
            learns = learns and index not in layer.statistics
            if known is not None and known.owner is not None:
                param = owned[id(known.owner)]
                param.users.append(spec)
            else:
                decay_mult = given.decay_mult if given else 1.0
                data = torch.empty(shape, device=self.device)
                fill_parameter(data, filler, self.generator, fill)
                param = Parameter(data, spec, index, given.name if given else "", lr_mult, decay_mult)
                if known is not None:
                    owned[id(known)] = param
                    param.decay_mult = known.decay_mult
                self.params.append(param)
            if learns and self.has_gradients:
                param.data.requires_grad_()
            data = param.data if learns else param.data.detach()
            # A shared parameter may have another shape in each layer, with share_mode PERMISSIVE.
            layer.params.append(data if data.shape == torch.Size(shape) else data.view(shape))
            tensors.append(param.data)

    def forward(self, inputs: Mapping[str, Tensor] | None = None) -> dict[str, Tensor]:
        """One forward pass; gives the blobs that nothing reads, and keeps the weighted sum of all losses in `loss`.

        inputs: tops of data layers by blob name; those of DummyData may be left out. Raises LayerError where a Caffe
        would abort, or read past the end of a blob.
        """
        given = inputs or {}
        values = self._values
        watched = self.on_top is not None or self.on_gradient is not None or self.keep_gradients
        whole = watched and (self.every_version or self.keep_gradients)
        steps = self._plan.steps if whole else self._plan.watched if watched else self._plan.fused
        self._gradients = {}
        with torch.set_grad_enabled(self.has_gradients):
            for layer, bottom_slots, top_slots, cut, records, wanted in steps:
                bottoms: list[Any] = [values[slot] for slot in bottom_slots]
                for index in cut:
                    bottoms[index] = bottoms[index].detach()
                # Torch overwrites no values that a gradient begins at, as those behind frozen layers.
                begins = any(bottom.is_leaf and bottom.requires_grad for bottom in bottoms)
                layer.in_place = layer.can_overwrite and not whole and not begins
                try:
                    if layer.takes_input:
                        tops = layer.read(given)
                    elif records and self.on_bottom is not None:
                        tops = self._forward_apart(layer, bottoms)
                    elif records:
                        tops = layer.forward(bottoms)
                    else:
                        with torch.no_grad():
                            tops = layer.forward(bottoms)
                except RuntimeError as error:
                    if "memory" in str(error):
                        raise
                    raise layer.error(str(error).partition("\n")[0]) from error
                if wanted and self.has_gradients:
                    tops = [
                        top.detach().requires_grad_() if index in wanted and not top.requires_grad else top
                        for index, top in enumerate(tops)
                    ]
                for slot, top in zip(top_slots, tops, strict=True):
                    values[slot] = top
                if watched:
                    self._watch(layer.writes, tops, whole)
            self._add_losses()
        return {name: self.blob(name) for name in self.built.outputs}

    def _watch(self, spec: BuiltLayer, tops: Any, whole: bool) -> None:
        for index, (blob, top) in enumerate(zip(spec.tops, tops, strict=True)):
            if self.on_top is not None and (whole or self.built.blobs.get(blob.name) is blob):
                self.on_top(spec, index, top.detach())
            if top.requires_grad and (self.on_gradient is not None or self.keep_gradients):
                if whole or blob.version == 0:
                    top.register_hook(_Hook(self, spec, index))

    def _forward_apart(self, layer: TorchLayer, bottoms: list[Any]) -> Any:
        """Forward on views of all that other layers read too, as a gradient comes to a view from this layer alone."""
        spec, own = layer.spec, layer.params
        for index, blob in enumerate(spec.bottoms):
            if blob.producer is not None and blob.producer.message is None:
                bottoms[index] = _view(bottoms[index], partial(_call, self.on_bottom, spec, index))
        shared = {param.data.data_ptr(): param for param in self.params if len(param.users) > 1}
        layer.params = [
            _view(data, partial(_call, self.on_param, spec, shared[data.data_ptr()]))
            if data.data_ptr() in shared
            else data
            for data in own
        ]
        try:
            return layer.forward(bottoms)
        finally:
            layer.params = own

    def _add_losses(self) -> None:
        """The weighted sum over all elements of all losses (Layer::Forward)."""
        total: Any = None
        for _, slot, weight in self._plan.losses:
            value: Any = self._values[slot]
            value = value.detach()
            value = (value.sum() if value.dim() else value) * weight
            total = value if total is None else total + value
        self.loss = torch.zeros((), device=self.device) if total is None else total

    def backward(self, only: str = "") -> None:
        """One backward pass from all losses, or from one alone; adds to the `grad` of the parameters' data."""
        roots = []
        for name, slot, weight in self._plan.losses:
            top = self._values[slot]
            if top is not None and top.requires_grad and only in ("", name):
                # Of numbers: to give torch the gradients of tensors has it import all of sympy first.
                factor = weight * self.gradient_scale
                roots.append(top if factor == 1 and not top.dim() else top.sum() * factor)
        if not self.keep_blobs:
            self._values = [value if slot in self._kept else None for slot, value in enumerate(self._values)]
        if roots:
            torch.autograd.backward(roots)

    def blob(self, name: str) -> Tensor:
        """Data of a blob after the forward pass, that of its last version; raises KeyError where there is none."""
        value = self._values[self._slot_of_name[name]]
        if value is None:
            raise KeyError(name)
        return value.detach()

    @property
    def blobs(self) -> dict[str, Tensor]:
        """Data of all blobs after the forward pass, by name, in Caffe's order; none that fused layers leave out."""
        slots = {name: self._slot_of_name[name] for name in self.built.blobs}
        return {name: self.blob(name) for name, slot in slots.items() if self._values[slot] is not None}

    def gradient(self, name: str) -> Tensor | None:
        """Gradient of a blob after the backward pass, what Caffe's diff holds: in place, that of the first version.

        None where none has flowed to it. `keep_gradients` must be set before the forward pass.
        """
        return self._gradients.get(name)

    def clear_gradients(self) -> None:
        """Net::ClearParamDiffs."""
        for param in self.params:
            param.data.grad = None

    def share_trained_layers(self, other: TorchNet) -> None:
        """Read the parameters of another net's layers of the same name from now on (Net::ShareTrainedLayersWith)."""
        for layer in self.layers:
            theirs = other.layer_params.get(layer.name)
            if theirs and layer.params:
                layer.params = [data.detach().view(own.shape) for data, own in zip(theirs, layer.params, strict=True)]
                self.layer_params[layer.name] = theirs


class _Hook:
    """Takes the gradient of a top."""

    __slots__ = ("index", "net", "spec")

    def __init__(self, net: TorchNet, spec: BuiltLayer, index: int) -> None:
        self.net = net
        self.spec = spec
        self.index = index

    def __call__(self, gradient: Tensor | None) -> None:
        net = self.net
        if gradient is None:
            # What torch knows to be 0.
            return
        if net.keep_gradients:
            # Versions of a blob share a name; backward comes to the first one last.
            net._gradients[self.spec.tops[self.index].name] = gradient
        if net.on_gradient is not None:
            net.on_gradient(self.spec, self.index, gradient)


def _view(tensor: Tensor, hook: Callable[[Tensor | None], None]) -> Tensor:
    if not tensor.requires_grad:
        return tensor
    view: Any = tensor.view_as(tensor)
    view.register_hook(hook)
    return cast("Tensor", view)


def _call(watch: Callable[..., None] | None, spec: BuiltLayer, which: Any, gradient: Tensor | None) -> None:
    if watch is not None and gradient is not None:
        watch(spec, which, gradient)


def fill_parameter(data: Tensor, filler: Any, generator: torch.Generator, fill: Fill) -> None:
    """Fill with a number, the values of a tensor, or as a FillerParameter says."""
    if isinstance(filler, (int, float)):
        data.fill_(filler)
    elif isinstance(filler, torch.Tensor):
        data.copy_(filler)
    else:
        fill(data, filler, generator)
