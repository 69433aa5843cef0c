"""The net that Caffe would build from a message, or why it would not: net.cpp Init, insert_splits.cpp.

The first refusal is the one that Caffe itself would end with; the build goes on past it, so that one run tells all.
What cannot be known (a type that is not known here, the contents of a data file) is None, and so is what follows.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from caffelint.caffe.layers import BVLC_TYPES, REGISTRY, Layer, UnknownLayer
from caffelint.caffe.net_parts import Blob, Param
from caffelint.caffe.refusal import Refusal
from caffelint.caffe.shapes import Shape, count, text

PHASES = ("TRAIN", "TEST")
PERMISSIVE = 1
FIRST_FORK_NUMBER = 10_000
AUTOMATIC = "(automatic)"


class BuiltNet:
    """What Caffe makes of a net in one state.

    layers: in Caffe's order, the splits that it inserts included (their `index` is None).
    blobs: last version of each blob by name, in Caffe's order. outputs: names of the blobs that nothing reads, sorted.
    excluded: the LayerParameter messages that this state leaves out, with their places in the net.
    refusals: Caffe's own first. memory: bytes that Caffe logs as "Memory required for data", None where unknown.
    """

    def __init__(self, message: Any, phase: str, stages: frozenset[str], level: int) -> None:
        self.message = message
        self.name: str = message.name
        self.phase = phase
        self.stages = stages
        self.level = level
        self.layers: list[Layer] = []
        self.blobs: dict[str, Blob] = {}
        self.outputs: list[str] = []
        self.excluded: list[tuple[int, Any]] = []
        self.refusals: list[Refusal] = []
        self.memory: int | None = None

    @property
    def loads(self) -> bool | None:
        """Would Caffe load it? None where that hangs on something unknown. Data files are taken to be there."""
        if self.refusals:
            return False
        return True if self.is_known else None

    @property
    def is_known(self) -> bool:
        """Is nothing in it unknown: no shape, no parameter, no type?"""
        return self.memory is not None and all(layer.known and layer.params is not None for layer in self.layers)


def build(
    net: Any,
    phase: int | str,
    stages: Iterable[str] = (),
    level: int = 0,
    *,
    input_shapes: Mapping[str, Shape] | None = None,
    dialect: str | None = None,
) -> BuiltNet:
    """Build a NetParameter in current format (see `upgrade_net`) in a state, as `caffe.Net(file, phase, ...)` does.

    phase: "TRAIN" or "TEST", or its number; the net's own state.stage count beside `stages`.
    input_shapes: shapes of tops of layers that have no bottoms, in place of what the layer says.
    dialect: "bvlc" for Caffe 1.0 without GPU exactly: types, fields and engines that it lacks are refused. Without
    it they are unknown.
    """
    phase_name = phase if isinstance(phase, str) else PHASES[phase]
    built = BuiltNet(net, phase_name, frozenset([*net.state.stage, *stages]), level)
    _Build(built, input_shapes or {}, dialect == "bvlc").run()
    return built


class _Node:
    """A layer before it is made: names as they are after splits."""

    __slots__ = ("bottoms", "index", "loss_weights", "message", "name", "sources", "tops", "type")

    def __init__(self, index: int | None, message: Any, name: str, layer_type: str) -> None:
        self.index = index
        self.message = message
        self.name = name
        self.type = layer_type
        self.bottoms: list[str] = []
        self.tops: list[str] = []
        self.sources: list[int] = []
        self.loss_weights: list[float] = []


class _Build:
    def __init__(self, built: BuiltNet, input_shapes: Mapping[str, Shape], strict: bool) -> None:
        self.built = built
        self.input_shapes = input_shapes
        self.strict = strict
        self.available: set[str] = set()
        self.owners: dict[str, Param] = {}
        self.memory: int | None = 0

    def run(self) -> None:
        built = self.built
        if self.strict:
            self.refuse_fork_fields(built.message)
        for node in self.insert_splits(self.filter()):
            self.add_layer(node)
        find_gradient_flow(built)
        built.outputs = sorted(self.available, key=str.encode)
        built.memory = self.memory

    def refuse(self, refusal: Refusal, name: str | None, index: int | None) -> None:
        refusal.layer = name
        refusal.index = index
        refusal.follows = bool(self.built.refusals)
        self.built.refusals.append(refusal)

    def refuse_fork_fields(self, message: Any) -> None:
        """A field that Caffe 1.0 does not have ends the parsing of the file."""
        for index, layer in enumerate(message.layer):
            found = _fork_field(layer, "")
            if found is not None:
                path, owner = found
                name = path.rpartition(".")[2]
                self.refuse(
                    Refusal(
                        f"Caffe 1.0 has no field {name} here",
                        f'Message type "{owner}" has no field named "{name}"',
                        "upgrade_proto.cpp ReadNetParamsFromTextFileOrDie",
                        path,
                    ),
                    layer.name,
                    index,
                )

    def filter(self) -> list[_Node]:
        """The layers that the state keeps (FilterNet)."""
        built = self.built
        kept = []
        for index, message in enumerate(built.message.layer):
            include, exclude = message.include, message.exclude
            if include or exclude:
                if include and exclude:
                    self.refuse(
                        Refusal(
                            "include and exclude are both given; keep one kind",
                            "Specify either include rules or exclude rules; not both.",
                            "net.cpp FilterNet",
                            "exclude[0]",
                        ),
                        message.name,
                        index,
                    )
                rules = include or exclude
                if any(self.meets(rule) for rule in rules) != bool(include):
                    built.excluded.append((index, message))
                    continue
            kept.append(_Node(index, message, message.name, message.type))
        return kept

    def meets(self, rule: Any) -> bool:
        """Does the state meet an include or exclude rule (StateMeetsRule)?"""
        built = self.built
        if rule.HasField("phase") and PHASES[rule.phase] != built.phase:
            return False
        if rule.HasField("min_level") and built.level < rule.min_level:
            return False
        if rule.HasField("max_level") and built.level > rule.max_level:
            return False
        return built.stages.issuperset(rule.stage) and built.stages.isdisjoint(rule.not_stage)

    def insert_splits(self, nodes: list[_Node]) -> list[_Node]:
        """A Split behind each top with several readers, a loss counted as one (InsertSplits)."""
        last_maker: dict[str, int] = {}
        readers: list[int] = []
        losses: dict[int, float] = {}
        for node in nodes:
            message = node.message
            node.bottoms = list(message.bottom)
            node.tops = list(message.top)
            for index, name in enumerate(node.bottoms):
                top = last_maker.get(name, -1)
                node.sources.append(top)
                if top < 0:
                    self.refuse_unknown_bottom(node, index, nodes)
                else:
                    readers[top] += 1
            first = len(readers)
            for name in node.tops:
                last_maker[name] = len(readers)
                readers.append(0)
            weights = node.loss_weights = list(message.loss_weight)
            for index, weight in enumerate(weights[: len(node.tops)]):
                top = last_maker[node.tops[index]]
                losses[top] = weight
                if weight:
                    readers[top] += 1
            node.sources.append(first)
        return self._with_splits(nodes, readers, losses) if any(number > 1 for number in readers) else nodes

    def _with_splits(self, nodes: list[_Node], readers: list[int], losses: dict[int, float]) -> list[_Node]:
        result = []
        made: dict[int, str] = {}
        used: dict[int, int] = {}
        for node in nodes:
            result.append(node)
            first = node.sources.pop()
            for index, top in enumerate(node.sources):
                if top >= 0 and readers[top] > 1:
                    number = used.get(top, 0)
                    used[top] = number + 1
                    node.bottoms[index] = f"{made[top]}_split_{number}"
            for index, name in enumerate(node.tops):
                top = first + index
                if readers[top] < 2:
                    continue
                made[top] = f"{name}_{node.name}_{index}"
                split = _Node(None, None, f"{made[top]}_split", "Split")
                split.bottoms = [name]
                split.tops = [f"{made[top]}_split_{number}" for number in range(readers[top])]
                weight = losses.get(top)
                if weight:
                    split.loss_weights = [weight] + [0.0] * (readers[top] - 1)
                    node.loss_weights = []
                    used[top] = used.get(top, 0) + 1
                result.append(split)
        return result

    def refuse_unknown_bottom(self, node: _Node, bottom: int, nodes: list[_Node]) -> None:
        name = node.bottoms[bottom]
        below = next((other.name for other in nodes if name in other.message.top), None)
        left_out = next((message.name for _, message in self.built.excluded if name in message.top), None)
        why = (
            f'; layer "{below}", further down, does'
            if below is not None
            else f'; layer "{left_out}" does, but {self.built.phase} leaves it out'
            if left_out is not None
            else ""
        )
        self.refuse(
            Refusal(
                f'no layer above makes "{name}"{why}',
                f"Unknown bottom blob '{name}' (layer '{node.name}', bottom index {bottom})",
                "insert_splits.cpp InsertSplits",
                f"bottom[{bottom}]",
            ),
            node.name,
            node.index,
        )

    def add_layer(self, node: _Node) -> None:
        """One turn of the loop of Net::Init."""
        built = self.built
        message = node.message
        phase = built.phase
        if message is not None and message.HasField("phase"):
            phase = PHASES[message.phase]
        layer_class = REGISTRY.get(node.type, UnknownLayer)
        if self.strict and node.type not in BVLC_TYPES:
            layer_class = UnknownLayer
        layer = layer_class(message, node.name, node.type, node.index, phase)
        layer.given_loss_weights = node.loss_weights
        built.layers.append(layer)
        problems = len(built.refusals)
        propagate = list(message.propagate_down) if message is not None else []
        if propagate and len(propagate) != len(node.bottoms):
            self.refuse(
                Refusal(
                    f"propagate_down is given {len(propagate)} times for {len(node.bottoms)} bottoms",
                    "propagate_down param must be specified either 0 or bottom_size times",
                    "net.cpp Init",
                    "propagate_down",
                ),
                node.name,
                node.index,
            )
            propagate = []
        if self.strict:
            self.check_factory(layer)
        self.append_bottoms(layer, node, propagate)
        self.append_tops(layer, node)
        shapes: Sequence[Shape | None] = ()
        try:
            layer.check_counts(len(layer.bottoms), len(layer.tops))
            bottom_shapes = [blob.shape for blob in layer.bottoms]
            if None in bottom_shapes or (message is not None and message.blobs):
                shapes = layer.set_up_unknown(bottom_shapes)
            else:
                shapes = layer.set_up(bottom_shapes)  # type: ignore[arg-type]
            for blob, shape in zip(layer.tops, shapes):
                blob.shape = shape
            if not layer.bottoms and self.input_shapes:
                for blob in layer.tops:
                    blob.shape = self.input_shapes.get(blob.name, blob.shape)
            self.set_loss_weights(layer)
        except Refusal as refusal:
            self.refuse(refusal, node.name, node.index)
            if not layer.loss_weights:
                layer.loss_weights = (node.loss_weights or layer.default_loss_weights() + [0.0] * len(layer.tops))[
                    : len(layer.tops)
                ]
        if len(built.refusals) > problems:
            layer.param_shapes = None
        self.add_memory(layer)
        need_backward = any(blob.need_backward for blob in layer.bottoms)
        layer.need_backward = self.append_params(layer, need_backward)
        if layer.need_backward:
            for blob in layer.tops:
                blob.need_backward = True

    def check_factory(self, layer: Layer) -> None:
        """CreateLayer: the type must be registered, and its engine built in."""
        if layer.type not in BVLC_TYPES:
            self.refuse(
                Refusal(
                    f'Caffe 1.0 has no layer type "{layer.type}"' if layer.type else "the layer has no type",
                    f"Unknown layer type: {layer.type} (known types:",
                    "layer_factory.hpp CreateLayer",
                    "type",
                ),
                layer.name,
                layer.index,
            )
            return
        try:
            layer.check_engine()
        except Refusal as refusal:
            self.refuse(refusal, layer.name, layer.index)

    def append_bottoms(self, layer: Layer, node: _Node, propagate: list[bool]) -> None:
        blobs = self.built.blobs
        for index, name in enumerate(node.bottoms):
            blob = blobs.get(name)
            if blob is None or name not in self.available:
                if blob is not None or node.message is None or name not in self._missing(node):
                    self.refuse(
                        Refusal(
                            f'"{name}" is not there to be read: an earlier layer used it up',
                            f"Unknown bottom blob '{name}' (layer '{node.name}', bottom index {index})",
                            "net.cpp AppendBottom",
                            f"bottom[{index}]",
                        ),
                        node.name,
                        node.index,
                    )
                blob = blob or Blob(name, None, 0)
            self.available.discard(name)
            blob.consumers.append((layer, index))
            layer.bottoms.append(blob)
            layer.propagate_down.append(propagate[index] if propagate else blob.need_backward)

    def _missing(self, node: _Node) -> list[str]:
        """Bottoms that are refused already because nothing makes them."""
        return [name for name, source in zip(node.bottoms, node.sources) if source < 0]

    def append_tops(self, layer: Layer, node: _Node) -> None:
        blobs = self.built.blobs
        bottoms = node.bottoms
        for index, name in enumerate(node.tops):
            blob = blobs.get(name)
            if blob is not None and index < len(bottoms) and bottoms[index] == name:
                new = Blob(name, layer, index, blob)
                new.need_backward = blob.need_backward
            else:
                if blob is not None:
                    self.refuse_second_maker(node, index, blob)
                new = Blob(name, layer, index)
            blobs[name] = new
            layer.tops.append(new)
            self.available.add(name)
        if layer.auto_tops:
            for index in range(len(node.tops), layer.wanted_tops().least):
                new = Blob(AUTOMATIC, layer, index)
                blobs[AUTOMATIC] = new
                layer.tops.append(new)

    def refuse_second_maker(self, node: _Node, top: int, blob: Blob) -> None:
        name = node.tops[top]
        maker = f' by layer "{blob.producer.name}"' if blob.producer is not None else ""
        message = f'"{name}" is made{maker} already'
        if node.message is not None and name in node.message.bottom:
            place = list(node.message.bottom).index(name)
            message = (
                f'"{name}" cannot be overwritten in place: other layers read it too'
                if place == top
                else f'"{name}" is bottom {place} but top {top}; in place they must have the same number'
            )
        self.refuse(
            Refusal(message, f"Top blob '{name}' produced by multiple sources.", "net.cpp AppendTop", f"top[{top}]"),
            node.name,
            node.index,
        )

    def set_loss_weights(self, layer: Layer) -> None:
        """SetLossWeights of layer.hpp."""
        weights = layer.given_loss_weights or layer.default_loss_weights()
        if not weights:
            layer.loss_weights = [0.0] * len(layer.tops)
            return
        if len(weights) != len(layer.tops):
            raise Refusal(
                f"loss_weight is given {len(layer.given_loss_weights)} times for {len(layer.tops)} tops",
                "loss_weight must be unspecified or specified once per top blob.",
                "layer.hpp SetLossWeights",
                f"loss_weight[{len(layer.tops)}]" if len(layer.given_loss_weights) > len(layer.tops) else None,
            )
        layer.loss_weights = weights
        for index, (blob, weight) in enumerate(zip(layer.tops, weights)):
            if weight and blob.shape is not None and count(blob.shape) == 0:
                raise Refusal(
                    "a top without elements cannot be a loss",
                    "Check failed: diff_",
                    "layer.hpp SetLossWeights",
                    f"top[{index}]",
                )

    def add_memory(self, layer: Layer) -> None:
        for blob in layer.tops:
            shape = blob.shape
            if shape is None or self.memory is None:
                self.memory = None
                return
            self.memory += 4 * count(shape)

    def append_params(self, layer: Layer, need_backward: bool) -> bool:
        """Make the layer's Params; does the layer need backward?"""
        shapes = layer.param_shapes
        if shapes is None:
            layer.params = None
            specs = list(layer.message.param) if layer.message is not None else []
            return need_backward or not specs or any(spec.lr_mult for spec in specs)
        if not shapes and (layer.message is None or not layer.message.param):
            return need_backward
        specs = list(layer.message.param)
        if len(specs) > len(shapes):
            self.refuse(
                Refusal(
                    f"{len(specs)} param blocks are given; the layer has {len(shapes)}"
                    f" parameter{'' if len(shapes) == 1 else 's'}",
                    f"Too many params specified for layer {layer.name}",
                    "net.cpp Init",
                    f"param[{len(shapes)}]",
                ),
                layer.name,
                layer.index,
            )
        params = layer.params = []
        for index, shape in enumerate(shapes):
            if index < len(specs):
                spec = specs[index]
                param = Param(layer, index, shape, spec.name, spec.lr_mult, spec.decay_mult)
                need_backward = need_backward or param.lr_mult != 0
                if param.name:
                    self.share(param, spec)
            else:
                # Net::Init takes the default rate here even of a BatchNorm, whose own default is 0.
                need_backward = True
                param = Param(layer, index, shape, "", layer.default_lr_mult(index), 1.0)
            params.append(param)
        return need_backward

    def share(self, param: Param, spec: Any) -> None:
        """AppendParam: the first parameter of a name owns the blob, later ones share it."""
        owner = self.owners.setdefault(param.name, param)
        given_lr, given_decay = spec.HasField("lr_mult"), spec.HasField("decay_mult")
        if owner is param:
            param.given_lr, param.given_decay = given_lr, given_decay
            return
        param.owner = owner
        layer = param.layer
        field = f"param[{param.index}]"
        try:
            check_shared_shape(param, owner, spec.share_mode == PERMISSIVE, field)
            if given_lr:
                if owner.given_lr and owner.lr_mult != param.lr_mult:
                    raise _mismatch(param, "lr_mult", owner.lr_mult, param.lr_mult)
                owner.given_lr, owner.lr_mult = True, param.lr_mult
            if given_decay:
                if owner.given_decay and owner.decay_mult != param.decay_mult:
                    raise _mismatch(param, "decay_mult", owner.decay_mult, param.decay_mult)
                owner.given_decay, owner.decay_mult = True, param.decay_mult
        except Refusal as refusal:
            self.refuse(refusal, layer.name, layer.index)


def check_shared_shape(param: Param, owner: Param, permissive: bool, field: str) -> None:
    same = count(param.shape) == count(owner.shape) if permissive else param.shape == owner.shape
    if not same:
        raise Refusal(
            f'parameter "{param.name}" is {text(param.shape)} here and {text(owner.shape)} in layer'
            f' "{owner.layer.name}", which owns it',
            f"Cannot share param '{param.name}' owned by layer '{owner.layer.name}' with layer '{param.layer.name}';"
            f" {'count' if permissive else 'shape'} mismatch.",
            "net.cpp AppendParam",
            f"{field}.name",
        )


def _mismatch(param: Param, name: str, owned: float, given: float) -> Refusal:
    return Refusal(
        f'parameter "{param.name}" has {name} {given:g} here and {owned:g} elsewhere; shared parameters need one value',
        f"Shared param '{param.name}' has mismatched {name}.",
        "net.cpp AppendParam",
        f"param[{param.index}].{name}",
    )


def find_gradient_flow(built: BuiltNet) -> None:
    """Clear need_backward and propagate_down where no loss asks for them (the second half of Net::Init)."""
    under_loss: set[str] = set()
    skipped: set[str] = set()
    for layer in reversed(built.layers):
        # A layer of unknown type may be a loss.
        contributes = not layer.known
        skip = True
        for blob, weight in zip(layer.tops, layer.loss_weights or [0.0] * len(layer.tops)):
            contributes = contributes or bool(weight) or blob.name in under_loss
            skip = skip and blob.name in skipped
        if layer.need_backward and skip and layer.known:
            layer.need_backward = False
            layer.propagate_down = [False] * len(layer.bottoms)
        if not contributes:
            layer.need_backward = False
            layer.propagate_down = [False] * len(layer.bottoms)
        for blob, propagates in zip(layer.bottoms, layer.propagate_down):
            if contributes:
                under_loss.add(blob.name)
            if not propagates:
                skipped.add(blob.name)
    if built.message.force_backward:
        for layer in built.layers:
            layer.need_backward = True
            layer.propagate_down = [
                flow or layer.allows_force_backward(index) for index, flow in enumerate(layer.propagate_down)
            ]


def _fork_field(message: Any, path: str) -> tuple[str, str] | None:
    """Path of the first field inside that Caffe 1.0 lacks, and the message type that lacks it."""
    for field, value in message.ListFields():
        here = f"{path}{field.name}"
        if field.number >= FIRST_FORK_NUMBER:
            return here, message.DESCRIPTOR.full_name
        if field.message_type is not None:
            for item in [value] if hasattr(value, "CopyFrom") else value:
                found = _fork_field(item, here + ".")
                if found is not None:
                    return found
    return None


