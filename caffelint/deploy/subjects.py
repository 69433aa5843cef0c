"""What conditions can ask of a layer and of a net; docs/deploy.md lists the names."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any

from caffelint.caffe.layers.pooling import pooled_size
from caffelint.caffe.place import has
from caffelint.caffe.states import TEST
from caffelint.caffe.windows import DILATION, KERNEL, PAD, STRIDE, sides
from caffelint.schema.enums import enum_name

if TYPE_CHECKING:
    from caffelint.caffe.built_net import BuiltNet
    from caffelint.caffe.layers import BuiltLayer
    from caffelint.caffe.net import Net


class LayerSubject:
    """A layer of a built net. A name that is none of its own is a field of its type's block, with Caffe's default."""

    def __init__(self, layer: BuiltLayer, built: BuiltNet) -> None:
        self.layer = layer
        self.built = built

    def value(self, name: str) -> Any:
        own = _OF_LAYERS.get(name)
        return own(self) if own is not None else self._field(name)

    def _field(self, name: str) -> Any:
        block = self.layer.block_of(self.layer.message)
        parameters = getattr(self.layer.message, block) if block else None
        field = parameters.DESCRIPTOR.fields_by_name.get(name) if parameters is not None else None
        if field is None:
            raise KeyError(f"{name} of {self.layer.type}")
        value = getattr(parameters, name)
        if field.enum_type is not None:
            return enum_name(parameters, name)
        return list(value) if not isinstance(value, (str, bytes, int, float)) and hasattr(value, "__len__") else value

    def given(self, field: str) -> bool:
        block = self.layer.block_of(self.layer.message)
        known = bool(block) and field in getattr(self.layer.message, block).DESCRIPTOR.fields_by_name
        return known and has(self.layer.message, (block, field))

    @cached_property
    def shapes(self) -> list[list[int] | None]:
        """The shapes of the bottoms."""
        return [list(blob.shape) if blob.shape is not None else None for blob in self.layer.bottoms]

    @property
    def shape(self) -> list[int] | None:
        """The shape of the first bottom."""
        return self.shapes[0] if self.shapes else None

    @cached_property
    def readers(self) -> list[str]:
        """The types that read its first top."""
        return [reader.type for reader, _ in self.layer.tops[0].readers] if self.layer.tops else []

    @property
    def next_type(self) -> str:
        """The type of the layer that Caffe builds after it, "" for the last one."""
        after = self.built.followers.get(self.layer)
        return after.type if after else ""

    def canonical(self, axis: int) -> int | None:
        shape = self.shape
        if axis >= 0:
            return axis
        return axis + len(shape) if shape is not None else None

    def window(self, name: str) -> list[int] | None:
        block = self.layer.block_of(self.layer.message)
        parameters = getattr(self.layer.message, block)
        if name == KERNEL and getattr(parameters, "global_pooling", False):
            return None
        values = list(sides(parameters, name))
        return values if len(values) == 2 else None

    @cached_property
    def dropping(self) -> list[bool] | None:
        """Does Caffe leave out a last window of a padded pooling that would start in the padding, by axis?"""
        shape = self.shape
        kernel, stride, pad = (self.window(name) for name in (KERNEL, STRIDE, PAD))
        if shape is None or kernel is None or stride is None or pad is None:
            return [False, False] if self.value("global_pooling") else None
        if not any(pad) or 0 in stride:
            return [False, False]
        floor = self.value("round_mode") == "FLOOR"
        return [
            pooled_size(*side, padded=True, floor=floor) < pooled_size(*side, padded=False, floor=floor)
            for side in zip(shape[2:], kernel, stride, pad, strict=False)
        ]

    @property
    def drops_window(self) -> bool | None:
        return None if self.dropping is None else any(self.dropping)

    @property
    def drops_unpadded(self) -> bool | None:
        """Does it leave one out along an axis without padding, since the other has some?"""
        pad = self.window(PAD)
        if self.dropping is None or pad is None:
            return None if self.dropping is None else False
        return any(gone and not p for gone, p in zip(self.dropping, pad, strict=False))

    @cached_property
    def empty_window(self) -> bool | None:
        """Does a last window of a pooling without padding begin beyond the map?"""
        out = self.value("out")
        shape = self.shape
        stride, pad = self.window(STRIDE), self.window(PAD)
        if shape is None or out is None or stride is None or pad is None:
            return False if self.value("global_pooling") else None
        starts = [(n - 1) * s - p for n, s, p in zip(out[2:], stride, pad, strict=False)]
        return any(start >= size for start, size in zip(starts, shape[2:], strict=False))

    @cached_property
    def exceeds_map(self) -> bool | None:
        """Is the window of a pooling larger than the padded map? Caffe rounds up to one window then."""
        shape = self.shape
        kernel, pad = self.window(KERNEL), self.window(PAD)
        if shape is None or kernel is None or pad is None:
            return False if self.value("global_pooling") else None
        return any(size + 2 * p < k for size, k, p in zip(shape[2:], kernel, pad, strict=False))

    @cached_property
    def reaches_out(self) -> bool | None:
        """Does a last window of a pooling reach over the padded border?"""
        shape = self.shape
        kernel, stride, pad = (self.window(name) for name in (KERNEL, STRIDE, PAD))
        if shape is None or kernel is None or stride is None or pad is None:
            return False if self.value("global_pooling") else None
        return any(s and (size + 2 * p - k) % s for size, k, s, p in zip(shape[2:], kernel, stride, pad, strict=False))


_OF_LAYERS: Mapping[str, Callable[[LayerSubject], Any]] = {
    "type": lambda self: self.layer.type,
    "bottoms": lambda self: len(self.layer.bottoms),
    "tops": lambda self: len(self.layer.tops),
    "shapes": lambda self: None if None in self.shapes else self.shapes,
    "shape": lambda self: self.shape,
    "axes": lambda self: len(self.shape) if self.shape is not None else None,
    "out": lambda self: list(shape) if self.layer.tops and (shape := self.layer.tops[0].shape) is not None else None,
    "from_front": lambda self: self.canonical(self.value("axis")),
    "kernels": lambda self: self.window(KERNEL),
    "strides": lambda self: self.window(STRIDE),
    "pads": lambda self: self.window(PAD),
    "dilations": lambda self: self.window(DILATION),
    "drops_window": lambda self: self.drops_window,
    "drops_unpadded": lambda self: self.drops_unpadded,
    "reaches_out": lambda self: self.reaches_out,
    "exceeds_map": lambda self: self.exceeds_map,
    "empty_window": lambda self: self.empty_window,
    "dims": lambda self: list(self.layer.message.reshape_param.shape.dim),
    "rest_of_dims": lambda self: list(self.layer.message.reshape_param.shape.dim)[1:],
    "in_place": lambda self: bool(self.layer.tops) and self.layer.top_names[0] in self.layer.bottom_names,
    "makers": lambda self: [blob.maker.type if blob.maker else "" for blob in self.layer.bottoms],
    "readers": lambda self: self.readers,
    "python_layer": lambda self: self.layer.message.python_param.layer,
    "next_type": lambda self: self.next_type,
    "unread_tops": lambda self: sum(not blob.readers for blob in self.layer.tops),
    "only_silenced": lambda self: any(
        blob.readers and all(reader.type == "Silence" for reader, _ in blob.readers) for blob in self.layer.tops
    ),
}


class NetSubject:
    """A net, with what Caffe builds of it for TEST."""

    def __init__(self, net: Net, built: BuiltNet) -> None:
        self.net = net
        self.built = built

    def value(self, name: str) -> Any:
        return _OF_NETS[name](self)

    def given(self, field: str) -> bool:
        return has(self.net.written, (field,))

    @cached_property
    def reading_inputs(self) -> list[str]:
        """For each layer that reads an `input` of the net as it is given, its name."""
        found: list[str] = []
        given = set(self.net.written.input)
        for layer in self.net.written.layer:
            found += [name for name in layer.bottom if name in given]
            given -= set(layer.top)
        return found

    @property
    def unread_inputs(self) -> int:
        """How many inputs outside of layers no layer reads."""
        return len(set(self.net.written.input).difference(*(layer.bottoms for layer in self.net.layers)))

    @property
    def doubled_inputs(self) -> int:
        layers = self.net.written.layer
        return sum(
            any(one in layer.top and one not in layer.bottom for layer in layers) for one in self.net.written.input
        )

    @property
    def excluded(self) -> int:
        """How many layers of the text Caffe leaves out for TEST, but for those that would do nothing then."""
        kept = {one.index for one in self.built.layers}
        return sum(layer.index not in kept and layer.type != "Dropout" for layer in self.net.layers)

    @cached_property
    def overruled(self) -> bool:
        """Does a layer that Caffe leaves out for TEST write a blob after one that it keeps? Dropout does nothing."""
        kept = {layer.index for layer in self.built.layers}
        written: set[str] = set()
        for layer in self.net.layers:
            if layer.index in kept:
                written.update(layer.tops)
            elif layer.type != "Dropout" and not written.isdisjoint(layer.tops):
                return True
        return False

    @cached_property
    def rival_makers(self) -> bool:
        """Do two layers make one blob, of which Caffe builds one for TEST?"""
        kept = {layer.index for layer in self.built.layers}
        made: dict[str, list[int]] = {}
        for layer in self.net.layers:
            for top in layer.tops:
                if top not in layer.bottoms:
                    made.setdefault(top, []).append(layer.index)
        return any(len(makers) > 1 and any(one not in kept for one in makers) for makers in made.values())


_OF_NETS: Mapping[str, Callable[[NetSubject], Any]] = {
    "old_layers": lambda self: bool(self.net.written.layers),
    "oldest_layers": lambda self: any(one.HasField("layer") for one in self.net.written.layers),
    "inputs": lambda self: len(self.net.written.input),
    "unread_inputs": lambda self: self.unread_inputs,
    "types": lambda self: list(dict.fromkeys(layer.type for layer in self.built.layers)),
    "doubled_inputs": lambda self: self.doubled_inputs,
    "shared_inputs": lambda self: sum(self.reading_inputs.count(one) > 1 for one in self.net.written.input),
    "excluded": lambda self: self.excluded,
    "written_for_test": lambda self: sum(
        layer.message.HasField("phase") and enum_name(layer.message, "phase") == TEST for layer in self.net.layers
    ),
    "overruled": lambda self: self.overruled,
    "rival_makers": lambda self: self.rival_makers,
}
