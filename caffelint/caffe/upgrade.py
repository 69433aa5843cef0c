"""What Caffe does with older formats before it looks at a net or a solver.

Generation 0 wraps each layer (`layers { layer { type: "conv" } bottom: .. }`), generation 1 names types by an enum
(`layers { type: CONVOLUTION }`), generation 2 is today's `layer { type: "Convolution" }`. As util/upgrade_proto.cpp
(UpgradeNetAsNeeded, UpgradeSolverAsNeeded) does it: the same messages come out, the same inputs are refused.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Protocol

from caffelint.caffe.old_formats import (
    NET_FIELDS_KEPT_FROM_V0,
    SOLVER_TYPES,
    TRANSFORM_FIELDS,
    TRANSFORMED_TYPES,
    V0_FIELDS,
    V0_KEPT_FIELDS,
    V0_TRANSFORM_FIELDS,
    V0_TYPES,
    V1_FORK_TYPES,
    V1_PARAM_FIELDS,
    V1_TYPES,
)
from caffelint.caffe.place import FieldPath
from caffelint.caffe.refusal import Kind, Refusal
from caffelint.schema.messages import (
    LayerParameter,
    NetParameter,
    PoolingParameter,
    SolverParameter,
    V0LayerParameter,
    V1LayerParameter,
)
from caffelint.schema.provenance import provenance

SOURCE = "util/upgrade_proto.cpp"


class Origins(Protocol):
    """Remembers from which text a message stems."""

    def link(self, new: Any, old: Any) -> None:
        """`new` comes from the place of `old` in the text, and its parts from the parts of the same name."""

    def word(self, message: Any, field: str) -> str:
        """The identifier that the text gives a field, also one of a Caffe that is not known here; or empty."""


def net_generation(net: Any) -> int:
    """0, 1 or 2: the oldest layer format that the net is written in (NetNeedsV0ToV1Upgrade, NetNeedsV1ToV2Upgrade)."""
    layers = net.layers
    if not layers:
        return 2
    return 0 if any(layer.HasField("layer") for layer in layers) else 1


def upgrade_net(net: Any, origins: Origins | None = None, refusals: list[Refusal] | None = None) -> Any:
    """The net in the current format; `net` itself where nothing in it is old, and never a change to it.

    What Caffe refuses on the way is added to `refusals` and the upgrade goes on as well as it can. A field that a V0
    layer of that type does not take is dropped, as Caffe does after an error line in its log.
    """
    work = _Upgrade(origins, refusals if refusals is not None else [])
    generation = net_generation(net)
    if generation == 0:
        net = work.v0_net(net)
    if generation < 2:
        net = work.v1_net(net)
    if net.input:
        net = work.net_inputs(net)
    if any(layer.type == "BatchNorm" and _has_old_statistics(layer) for layer in net.layer):
        net = work.batch_norm(net)
    return net


def upgrade_solver(solver: Any, origins: Origins | None = None, refusals: list[Refusal] | None = None) -> Any:
    """The solver with `type` in place of the old `solver_type`; `solver` itself where it is not old."""
    if not solver.HasField("solver_type"):
        return solver
    if solver.HasField("type") and refusals is not None:
        refusal = Refusal(
            Kind.SOLVER_TYPE_TWICE,
            f'both type: "{solver.type}" and the older solver_type are set; keep type',
            "cannot be both specified in solver proto text",
            f"{SOURCE} UpgradeSolverType",
            "solver_type",
        )
        refusal.at = solver
        refusals.append(refusal)
    new = SolverParameter()
    _Upgrade(origins, []).copy(new, solver)
    if not solver.HasField("type"):
        named = SolverParameter.SolverType.Name(solver.solver_type)
        new.type = SOLVER_TYPES.get(named, named)
    new.ClearField("solver_type")
    return new


class _Upgrade:
    """One upgrade: where origins and refusals go."""

    def __init__(self, origins: Origins | None, refusals: list[Refusal]) -> None:
        self.origins = origins
        self.refusals = refusals

    def refuse(
        self,
        at: Any,
        kind: Kind,
        message: str,
        caffe: str,
        function: str,
        field: FieldPath | str | None = None,
        **values: Any,
    ) -> None:
        refusal = Refusal(kind, message, caffe, f"{SOURCE} {function}", field, **values)
        refusal.at = at
        self.refusals.append(refusal)

    def link(self, new: Any, old: Any) -> None:
        if self.origins is not None:
            self.origins.link(new, old)

    def copy(self, new: Any, old: Any) -> None:
        """Make `new` equal to `old`, and stem from it."""
        new.CopyFrom(old)
        self.link(new, old)

    def copy_fields(self, new: Any, old: Any, names: Iterable[str]) -> None:
        """Copy those fields of `old` that are set into the fields of the same name of `new`."""
        wanted = set(names)
        for field, value in old.ListFields():
            if field.name in wanted:
                self.put(new, field.name, value)

    def put(self, message: Any, name: str, value: Any) -> None:
        """Set a field of any kind; a single value is appended where the field is repeated."""
        present = getattr(message, name)
        if hasattr(value, "CopyFrom"):
            self.copy(present, value)
        elif hasattr(present, "add"):
            for item in value:
                self.copy(present.add(), item)
        elif hasattr(present, "extend"):
            present.extend(value if hasattr(value, "append") else [value])
        else:
            setattr(message, name, value)

    def v0_net(self, net: Any) -> Any:
        """UpgradeV0Net: name, inputs and layers are kept, all else of the net is lost."""
        new = NetParameter()
        self.link(new, net)
        self.copy_fields(new, net, NET_FIELDS_KEPT_FROM_V0)
        producers: dict[str, Any] = dict.fromkeys(net.input)
        # Caffe stops with a fault of any layer's padding before it looks at the first layer's type.
        padded = []
        for connection in net.layers:
            padded.append((connection, self.padding_of(connection, producers)))
            for top in connection.top:
                producers[top] = connection
        for connection, pads in padded:
            if connection.layer.type != "padding":
                self.v0_layer(connection, pads, new.layers.add())
        return new

    def padding_of(self, connection: Any, producers: dict[str, Any]) -> dict[int, Any]:
        """UpgradeV0PaddingLayers: the padding layer below each bottom, by index, to be merged into this layer."""
        pads: dict[int, Any] = {}
        layer_type = connection.layer.type
        for index, bottom in enumerate(connection.bottom):
            if bottom not in producers:
                self.refuse(
                    connection,
                    Kind.UNKNOWN_BOTTOM,
                    f'bottom "{bottom}" is not made by any layer above',
                    f"Unknown blob input {bottom} to layer",
                    "UpgradeV0PaddingLayers",
                    ("bottom", index),
                    blob=bottom,
                )
                continue
            source = producers[bottom]
            if source is None or source.layer.type != "padding":
                continue
            if layer_type not in ("conv", "pool"):
                self.refuse(
                    connection,
                    Kind.PADDING_LAYER,
                    f'a padding layer feeds a "{layer_type}" layer; only conv and pool take padding',
                    f"Padding layer input to non-convolutional / non-pooling layer type {layer_type}",
                    "UpgradeV0PaddingLayers",
                    ("bottom", index),
                    blob=bottom,
                )
            elif len(connection.bottom) != 1:
                self.refuse(
                    connection,
                    Kind.PADDING_LAYER,
                    f"{len(connection.bottom)} bottoms are given, but a layer after a padding layer takes one",
                    "Conv Layer takes a single blob as input.",
                    "UpgradeV0PaddingLayers",
                    ("bottom", index),
                    blob=bottom,
                )
            elif len(source.bottom) != 1:
                self.refuse(
                    source,
                    Kind.PADDING_LAYER,
                    f"{len(source.bottom)} bottoms are given, but a padding layer takes one",
                    "Padding Layer takes a single blob as input.",
                    "UpgradeV0PaddingLayers",
                    blob=bottom,
                )
            elif len(source.top) != 1:
                self.refuse(
                    source,
                    Kind.PADDING_LAYER,
                    f"{len(source.top)} tops are given, but a padding layer makes one",
                    "Padding Layer produces a single blob as output.",
                    "UpgradeV0PaddingLayers",
                    blob=bottom,
                )
            else:
                pads[index] = source
        return pads

    def v0_layer(self, connection: Any, pads: dict[int, Any], new: Any) -> None:
        """UpgradeV0LayerParameter; of a connection without `layer` only bottoms and tops are kept."""
        self.link(new, connection)
        for index, bottom in enumerate(connection.bottom):
            new.bottom.append(pads[index].bottom[0] if index in pads else bottom)
        new.top.extend(connection.top)
        if not connection.HasField("layer"):
            return
        old = connection.layer
        if pads:
            padded = V0LayerParameter()
            self.copy(padded, old)
            for source in pads.values():
                padded.pad = source.layer.pad
            old = padded
        if old.HasField("type"):
            v1_type = V0_TYPES.get(old.type)
            if v1_type is None:
                self.refuse(
                    connection,
                    Kind.UNKNOWN_V0_TYPE,
                    f'type "{old.type}" is not a layer type of the oldest format',
                    f"Unknown layer name: {old.type}",
                    "UpgradeV0LayerType",
                    ("layer", "type"),
                    type=old.type,
                )
            else:
                new.type = V1LayerParameter.LayerType.Value(v1_type)
        for field, value in old.ListFields():
            name = field.name
            if name in V0_KEPT_FIELDS:
                self.put(new, name, value)
            elif name in V0_TRANSFORM_FIELDS:
                self.put(new.transform_param, V0_TRANSFORM_FIELDS[name], value)
                self.link(new.transform_param, connection.layer)
            elif old.type in V0_FIELDS.get(name, ()):
                block, target = V0_FIELDS[name][old.type]
                message = getattr(new, block) if block else new
                if name == "pool":
                    value = PoolingParameter.PoolMethod.Value(V0LayerParameter.PoolMethod.Name(value))
                self.put(message, target, value)
                if block:
                    self.link(message, connection.layer)

    def v1_net(self, net: Any) -> Any:
        """UpgradeV1Net, after UpgradeNetDataTransformation."""
        new = NetParameter()
        self.link(new, net)
        layers = net.layers
        if net.layer:
            self.refuse(
                layers[0],
                Kind.MIXED_FORMATS,
                "the net has both layer and layers blocks; write all of them as layer",
                "Refusing to upgrade inconsistent NetParameter input",
                "UpgradeV1Net",
            )
        self.copy_fields(new, net, {field.name for field, _ in net.ListFields()} - {"layers"})
        transforms = any(_has_old_transform(layer) for layer in layers)
        for index, old in enumerate(layers):
            self.v1_layer(old, index, transforms, new.layer.add())
        return new

    def v1_layer(self, old: Any, index: int, transforms: bool, new: Any) -> None:
        """UpgradeV1LayerParameter. A fork's field that both generations know under one name is kept as well."""
        self.link(new, old)
        for field, value in old.ListFields():
            name = field.name
            if name == "type":
                new.type = self.v1_type(old)
            elif name == "layer" or name in V1_PARAM_FIELDS:
                continue
            elif same_kind(field, LayerParameter.DESCRIPTOR.fields_by_name.get(name)):
                self.put(new, name, value)
        if not old.HasField("type") and self.origins is not None and (word := self.origins.word(old, "type")):
            # A fork's layer of 2014 is not the one to which BVLC gave the same name later, as `LSTM`.
            if "bvlc" not in provenance().layer_type(type_ := V1_FORK_TYPES.get(word, word)):
                new.type = type_
        for name, target in V1_PARAM_FIELDS.items():
            for place, value in enumerate(getattr(old, name)):
                while len(new.param) <= place:
                    self.link(new.param.add(), old)
                setattr(new.param[place], target, value)
        if transforms:
            block = TRANSFORMED_TYPES.get(V1LayerParameter.LayerType.Name(old.type))
            if block:
                self.move_transform(old, getattr(old, block), new, getattr(new, block))

    def v1_type(self, old: Any) -> str:
        enum_name = V1LayerParameter.LayerType.Name(old.type)
        known = V1_TYPES.get(enum_name)
        return known if known is not None else V1_FORK_TYPES.get(enum_name, enum_name)

    def move_transform(self, old: Any, old_data: Any, new: Any, new_data: Any) -> None:
        """UpgradeNetDataTransformation: scale, mean_file, crop_size and mirror go to transform_param."""
        new_data.SetInParent()
        new.transform_param.SetInParent()
        self.link(new.transform_param, old.transform_param if old.HasField("transform_param") else old_data)
        for name in TRANSFORM_FIELDS:
            if old_data.HasField(name):
                self.put(new.transform_param, name, getattr(old_data, name))
                new_data.ClearField(name)

    def net_inputs(self, net: Any) -> Any:
        """UpgradeNetInput: `input` with shapes becomes a first layer of type Input; `input` alone is dropped."""
        new = NetParameter()
        self.link(new, net)
        dims = net.input_dim
        shapes = net.input_shape
        if dims or shapes:
            layer = new.layer.add()
            self.link(layer, net)
            layer.name = "input"
            layer.type = "Input"
            layer.top.extend(net.input)
            self.link(layer.input_param, net)
            for index, name in enumerate(net.input):
                shape = layer.input_param.shape.add()
                self.link(shape, net)
                if index < len(shapes):
                    self.copy(shape, shapes[index])
                elif shapes:
                    self.refuse(
                        net,
                        Kind.INPUT_SHAPE_COUNT,
                        f'input "{name}" is number {index + 1}, but input_shape is set only {len(shapes)} times',
                        "",
                        "UpgradeNetInput",
                        "input_shape",
                    )
                else:
                    shape.dim.extend(dims[4 * index : 4 * index + 4])
                    if len(dims) < 4 * index + 4:
                        self.refuse(
                            net,
                            Kind.INPUT_SHAPE_COUNT,
                            f"{len(net.input)} input need {4 * len(net.input)} input_dim but {len(dims)} are set,"
                            " so Caffe reads past the end of the list",
                            "",
                            "UpgradeNetInput",
                            "input_dim",
                        )
                        break
        added = len(new.layer)
        new.MergeFrom(net)
        for layer, old in zip(new.layer[added:], net.layer, strict=True):
            self.link(layer, old)
        for name in ("input", "input_dim", "input_shape"):
            new.ClearField(name)
        return new

    def batch_norm(self, net: Any) -> Any:
        """UpgradeNetBatchNorm: three `param` blocks, as the first BatchNorm layer wanted them, are set to 0."""
        new = NetParameter()
        self.copy(new, net)
        for layer, old in zip(new.layer, net.layer, strict=True):
            self.link(layer, old)
            if layer.type == "BatchNorm" and _has_old_statistics(layer):
                for param in layer.param:
                    param.lr_mult = 0
                    param.decay_mult = 0
        return new


def _has_old_statistics(layer: Any) -> bool:
    """Has a BatchNorm layer three `param` blocks that are not set to 0 already, as most are?"""
    return len(layer.param) == 3 and any(param.lr_mult or param.decay_mult for param in layer.param)


def _has_old_transform(layer: Any) -> bool:
    block = TRANSFORMED_TYPES.get(V1LayerParameter.LayerType.Name(layer.type))
    if block is None or not layer.HasField(block):
        return False
    data = getattr(layer, block)
    return any(data.HasField(name) for name in TRANSFORM_FIELDS)


def same_kind(old: Any, new: Any) -> bool:
    """Whether the descriptor `new`, which may be None, is of a field that takes the values of `old`."""
    if new is None or old.type != new.type:
        return False
    return old.message_type is None or bool(old.message_type.full_name == new.message_type.full_name)
