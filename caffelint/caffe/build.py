"""The net that Caffe would build from a message, or why it would not: net.cpp Init, insert_splits.cpp.

The first refusal is the one that Caffe itself would end with; the build goes on past it, so that one run reports all.
What cannot be known (a type that is not known here, the contents of a data file) is None, and so is what follows.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from caffelint.caffe.any_bottom import own_refusal
from caffelint.caffe.backward import find_gradient_flow
from caffelint.caffe.built_net import BuiltNet, memory_of
from caffelint.caffe.fork_fields import fork_field, has_fork_fields
from caffelint.caffe.layers import BVLC_TYPES, REGISTRY, BuiltLayer, UnknownLayer
from caffelint.caffe.layers.data import DataLayer
from caffelint.caffe.layers.python import NO_SHAPES, FiniteCheck, PythonShapes, is_finite_check, shape_tops
from caffelint.caffe.loss_weights import set_loss_weights
from caffelint.caffe.net_parts import Blob, Param
from caffelint.caffe.partly import Partly, image_of, partly, whole
from caffelint.caffe.refusal import Kind, Refusal
from caffelint.caffe.set_up import set_up
from caffelint.caffe.shapes import Shape, count, no_data, plural
from caffelint.caffe.shared_params import share
from caffelint.caffe.splits import insert_splits, makers
from caffelint.caffe.states import State, phase_name
from caffelint.caffe.written import WrittenLayer
from caffelint.schema.bound import BVLC

AUTOMATIC = "(automatic)"


def build(
    net: Any,
    phase: int | str,
    stages: Iterable[str] = (),
    level: int = 0,
    *,
    input_shapes: Mapping[str, Shape] | None = None,
    assume_inputs: bool = False,
    dialect: str | None = None,
    python: type[BuiltLayer] | None = None,
) -> BuiltNet:
    """Build a NetParameter in current format (see `upgrade_net`) in a state, as `caffe.Net(file, phase, ...)` does.

    phase: "TRAIN" or "TEST", or its number; the net's own state.stage count beside `stages`.
    input_shapes: shapes of tops of layers that have no bottoms, in place of what the layer says.
    assume_inputs: take the likely shape of a data layer's top where the text does not tell it whole; what was assumed
    is kept in `assumed`, and what follows from it is likely, not certain.
    dialect: one of `BVLC` for Caffe 1.0 without GPU exactly: what it lacks is refused; without it, unknown.
    python: what answers for Python layers, whose code is not known otherwise.
    """
    name = phase if isinstance(phase, str) else phase_name(phase)
    state = State(name, frozenset([*net.state.stage, *stages]), level)
    built = BuiltNet(net, [WrittenLayer(message, index) for index, message in enumerate(net.layer)], (state,))
    _Build(built, input_shapes or {}, assume_inputs, dialect in BVLC, python).run(until_refused=False)
    return built


def build_alike(
    net: Any,
    layers: Sequence[WrittenLayer],
    states: Sequence[State],
    *,
    input_shapes: Mapping[str, Shape] | None = None,
    assume_inputs: bool = False,
    dialect: str | None = None,
    until_refused: bool = False,
    python_shapes: PythonShapes = NO_SHAPES,
) -> BuiltNet:
    """One build of a net, with all of its layers, for several states, which keep the same layers.

    Options as in `build`. until_refused: end with the first refusal, as Caffe does.
    """
    built = BuiltNet(net, layers, states)
    _Build(built, input_shapes or {}, assume_inputs, dialect in BVLC, None, python_shapes).run(until_refused)
    return built


class _Build:
    def __init__(
        self,
        built: BuiltNet,
        input_shapes: Mapping[str, Shape],
        assume_inputs: bool,
        strict: bool,
        python: type[BuiltLayer] | None = None,
        told: PythonShapes = NO_SHAPES,
    ) -> None:
        self.built, self.told = built, told
        self.input_shapes = input_shapes
        self.assume_inputs = assume_inputs
        self.strict = strict
        self.python = python
        self.available: dict[str, Blob] = {}
        self.missing: set[str] = set()
        self.makers: dict[str, str] | None = None
        self.makers_left_out: dict[str, str] = {}
        self.data_makers: Counter[str] | None = None
        self.written_files: set[str] = set()
        self.owners: dict[str, Param] = {}

    def run(self, until_refused: bool) -> None:
        built = self.built
        if self.strict:
            self.refuse_fork_fields(built.message)
        built.layers = self.with_splits(self.filter())
        for layer in built.layers:
            self.add_layer(layer)
            if until_refused and built.refusals:
                return
        find_gradient_flow(built)
        if self.strict and not built.refusals:
            self.refuse_empty_blobs()
        built.outputs = sorted(self.available, key=str.encode)
        built.memory = memory_of(built.layers)

    def refuse(self, layer: BuiltLayer, refusal: Refusal) -> None:
        if layer.index is None and layer.bottoms and layer.bottoms[0].producer is not None:
            layer = layer.bottoms[0].producer
        self.refuse_at(layer.name, layer.index, refusal)

    def refuse_at(self, name: str, index: int | None, refusal: Refusal) -> None:
        refusal.layer = name
        refusal.index = index
        refusal.follows = bool(self.built.refusals)
        refusal.__traceback__ = None  # it holds the build
        self.built.refusals.append(refusal)

    def refuse_fork_fields(self, message: Any) -> None:
        """A field that Caffe 1.0 does not have ends the parsing of the file."""
        for index, layer in enumerate(message.layer):
            found = fork_field(layer, ())
            if found is not None:
                path, owner = found
                name = path[-1]
                self.refuse_at(
                    layer.name,
                    index,
                    Refusal(
                        Kind.FORK_FIELD,
                        f"Caffe 1.0 does not know the field {name}",
                        f'Message type "{owner}" has no field named "{name}"',
                        "upgrade_proto.cpp ReadNetParamsFromTextFileOrDie",
                        path,
                    ),
                )

    def refuse_empty_blobs(self) -> None:
        """A blob without elements loads, but ends the process at the first look at its data."""
        for layer in self.built.layers:
            for index, blob in enumerate(layer.tops):
                if blob.shape is not None and count(blob.shape) == 0:
                    self.refuse(layer, no_data(f'top "{blob.name}"', "blob.cpp cpu_data", ("top", index)))
                    return

    def filter(self) -> list[BuiltLayer]:
        """The layers that the state keeps (FilterNet)."""
        built = self.built
        phase, state = built.phase, built.state
        kept = []
        for written in built.written:
            message, index = written.message, written.index
            if written.is_conditional:
                if message.include and message.exclude:
                    self.refuse_at(
                        written.name,
                        index,
                        Refusal(
                            Kind.INCLUDE_AND_EXCLUDE,
                            "include and exclude are both set; keep one kind",
                            "Specify either include rules or exclude rules; not both.",
                            "net.cpp FilterNet",
                            ("exclude", 0),
                        ),
                    )
                if not state.keeps(written):
                    built.excluded.append((index, message))
                    continue
            layer_type = written.type
            layer_class = REGISTRY.get(layer_type, UnknownLayer)
            if layer_class.fork and self.strict:
                layer_class = UnknownLayer
            if layer_type == "Python":
                layer_class = self.python or (FiniteCheck if is_finite_check(message) else UnknownLayer)
            bottoms, tops = list(written.bottoms), list(written.tops)
            if written.taken:
                layer_class = layer_class.that_takes(written.taken, len(bottoms), len(tops))
            layer = layer_class(message, written.name, layer_type, index, phase, bottoms, tops)
            layer.given_loss_weights = written.loss_weights
            if message.HasField("phase"):
                layer.phase = phase_name(message.phase)
            kept.append(layer)
        return kept

    def with_splits(self, layers: list[BuiltLayer]) -> list[BuiltLayer]:
        phase = self.built.phase
        return insert_splits(layers, phase, lambda layer, bottom: self.refuse_unknown_bottom(layer, bottom, layers))

    def left_out(self, maker: str, blob: str) -> str:
        """What to do about a layer that makes a blob, but not in the phases of this net."""
        built = self.built
        here = " and ".join(built.phases)
        message = next(one for _, one in built.excluded if one.name == maker and blob in one.top)
        rule = message.include[0] if len(message.include) == 1 else None
        if rule is None or [field.name for field, _ in rule.ListFields()] != ["phase"] or len(built.phases) != 1:
            return f'; layer "{maker}" makes it, but {here} {"leaves" if len(built.phases) == 1 else "leave"} it out'
        phase = "TEST" if here == "TRAIN" else "TRAIN"
        remedy = f'add a layer that makes it in {here}, or remove include {{ phase: {phase} }} from "{maker}"'
        return f', since layer "{maker}" makes it only in {phase}; {remedy}'

    def refuse_unknown_bottom(self, layer: BuiltLayer, bottom: int, layers: list[BuiltLayer]) -> None:
        """Who makes each blob is listed once: a net of nothing but such bottoms takes no longer than another."""
        built = self.built
        name = layer.bottom_names[bottom]
        if self.makers is None:
            self.makers = makers((one.name, one.bottom_names, one.top_names) for one in layers)
            self.makers_left_out = makers((one.name, one.bottom, one.top) for _, one in built.excluded)
        kind, why, values = Kind.UNKNOWN_BOTTOM, "", {"blob": name}
        if name in self.makers:
            kind, values["maker"] = Kind.BOTTOM_MADE_BELOW, self.makers[name]
            why = f', since layer "{self.makers[name]}", which makes it, comes later'
        elif name in self.makers_left_out:
            kind, values["maker"] = Kind.BOTTOM_LEFT_OUT, self.makers_left_out[name]
            why = self.left_out(self.makers_left_out[name], name)
        self.missing.add(name)
        self.refuse(
            layer,
            Refusal(
                kind,
                f'bottom "{name}" is not made by any layer above{why}',
                f"Unknown bottom blob '{name}' (layer '{layer.name}', bottom index {bottom})",
                "insert_splits.cpp InsertSplits",
                ("bottom", bottom),
                **values,
            ),
        )

    def add_layer(self, layer: BuiltLayer) -> None:
        """One turn of the loop of Net::Init."""
        refusals = len(self.built.refusals)
        message = layer.message
        propagate: Sequence[bool] = message.propagate_down if message is not None else ()
        if propagate and len(propagate) != len(layer.bottom_names):
            self.refuse_propagate_down(layer)
            propagate = ()
        if self.strict:
            layer.strict = True
            self.check_factory(layer)
        need_backward = self.append_bottoms(layer, propagate)
        self.append_tops(layer)
        bottom_shapes = tuple([blob.shape for blob in layer.bottoms])
        some = partly(layer) if None in bottom_shapes else None
        try:
            shapes = set_up(layer, bottom_shapes)
            for blob, shape in zip(layer.tops, shapes, strict=False):
                blob.shape = shape
            if some is not None:
                some.tell(layer)
            if some is None and None in bottom_shapes and (own := own_refusal(layer)) is not None:
                raise own
            if self.told:
                shape_tops(layer, self.told, bottom_shapes)
            if not layer.bottoms:
                self.set_input_shapes(layer)
                if layer.is_data and layer.tops and layer.tops[0].shape is None:
                    layer.tops[0].partial = image_of(layer)
            if layer.written_file:
                self.open_file(layer)
            if layer.given_loss_weights or layer.is_loss:
                set_loss_weights(layer)
        except Refusal as refusal:
            if self.strict or not has_fork_fields(message):
                self.refuse(layer, refusal)
            layer.param_shapes = None
            if not layer.bottoms:  # a fork may set it up
                for blob in layer.tops:
                    blob.shape = self.input_shapes.get(blob.name, blob.shape)
        if len(self.built.refusals) > refusals:
            layer.param_shapes = None
        if self.append_params(layer, need_backward, some):
            layer.need_backward = True
            for blob in layer.tops:
                blob.need_backward = True

    def refuse_propagate_down(self, layer: BuiltLayer) -> None:
        given, wanted = len(layer.message.propagate_down), len(layer.bottom_names)
        self.refuse(
            layer,
            Refusal(
                Kind.PROPAGATE_DOWN_COUNT,
                f"propagate_down is set {plural(given, 'time')} for {plural(wanted, 'bottom')};"
                " set it for each bottom, or not at all",
                "propagate_down param must be specified either 0 or bottom_size times",
                "net.cpp Init",
                "propagate_down",
                given=given,
                wanted=wanted,
            ),
        )

    def open_file(self, layer: BuiltLayer) -> None:
        """HDF5 opens a file for writing once."""
        name = layer.written_file
        if name in self.written_files:
            raise layer.refuse(
                Kind.FILE_WRITTEN_TWICE,
                f'file_name "{name}" is already written by a layer above; give it another name',
                "Failed to open HDF5 file",
                "hdf5_output_layer.cpp LayerSetUp",
                "file_name",
            )
        self.written_files.add(name)

    def set_input_shapes(self, layer: BuiltLayer) -> None:
        """Shapes that the caller gave, or that are assumed, in place of unknown ones."""
        if self.input_shapes:
            batches = {blob.shape[0] for blob in layer.tops if blob.shape} if self.is_one_of_several(layer) else set()
            for blob in layer.tops:
                given = self.input_shapes.get(blob.name)
                if given is not None:
                    own_batch = len(batches) == 1 and (blob.shape is not None or len(given) > 1)
                    blob.shape = (*batches, *given[1:]) if own_batch else given
        if self.assume_inputs and isinstance(layer, DataLayer):
            for blob, shape in zip(layer.tops, layer.likely_shapes(), strict=False):
                if blob.shape is None and shape is not None:
                    blob.shape = self.built.assumed[blob.name] = shape

    def is_one_of_several(self, layer: BuiltLayer) -> bool:
        """Do data layers of both phases make its blob? One shape is given for both, and each has its own batch."""
        if not isinstance(layer, DataLayer) or not layer.tops:
            return False
        if self.data_makers is None:
            data = [set(written.tops) for written in self.built.written if not written.bottoms]
            self.data_makers = Counter(top for tops in data for top in tops)
        return self.data_makers[layer.tops[0].name] > 1

    def check_factory(self, layer: BuiltLayer) -> None:
        """CreateLayer: the type must be registered, and its engine built in."""
        try:
            if layer.type not in BVLC_TYPES:
                raise Refusal(
                    Kind.UNKNOWN_TYPE,
                    f'Caffe 1.0 does not know the layer type "{layer.type}"' if layer.type else "type is missing",
                    f"Unknown layer type: {layer.type} (known types:",
                    "layer_factory.hpp CreateLayer",
                    "type",
                    type=layer.type,
                )
            if layer.has_engine:
                layer.check_engine()
        except Refusal as refusal:
            self.refuse(layer, refusal)

    def append_bottoms(self, layer: BuiltLayer, propagate: Sequence[bool]) -> bool:
        """Hand the layer its bottoms; does any of them need backward (AppendBottom)?"""
        need_backward = False
        bottoms, flow = layer.bottoms, layer.propagate_down
        for index, name in enumerate(layer.bottom_names):
            blob = self.available.pop(name, None) or self.unavailable(layer, index)
            blob.consumers.append((layer, index))
            bottoms.append(blob)
            flow.append(blob.need_backward)
            if blob.need_backward:
                need_backward = True
        if propagate:
            layer.propagate_down = list(propagate)
        return need_backward

    def unavailable(self, layer: BuiltLayer, bottom: int) -> Blob:
        """A stand-in for a missing bottom; also a refusal, unless the missing bottom has been refused already."""
        name = layer.bottom_names[bottom]
        blob = self.built.blobs.get(name)
        if blob is not None or name not in self.missing:
            self.refuse(
                layer,
                Refusal(
                    Kind.BOTTOM_USED_UP,
                    f'bottom "{name}" has already been used up by a layer above',
                    f"Unknown bottom blob '{name}' (layer '{layer.name}', bottom index {bottom})",
                    "net.cpp AppendBottom",
                    ("bottom", bottom),
                    blob=name,
                ),
            )
        return blob or Blob(name, None, 0)

    def append_tops(self, layer: BuiltLayer) -> None:
        """Make the layer's tops (AppendTop), and those that a loss gets by itself."""
        blobs = self.built.blobs
        bottoms = layer.bottom_names
        tops = layer.tops
        for index, name in enumerate(layer.top_names):
            blob = blobs.get(name)
            if blob is None:
                new = Blob(name, layer, index)
            elif index < len(bottoms) and bottoms[index] == name:
                new = Blob(name, layer, index, blob)
                new.need_backward = blob.need_backward
            else:
                self.refuse_second_maker(layer, index, blob)
                new = Blob(name, layer, index)
            blobs[name] = self.available[name] = new
            tops.append(new)
        if layer.auto_tops:
            for index in range(len(layer.top_names), layer.wanted_tops().least):
                new = blobs[AUTOMATIC] = Blob(AUTOMATIC, layer, index)
                layer.tops.append(new)

    def refuse_second_maker(self, layer: BuiltLayer, top: int, blob: Blob) -> None:
        name = layer.top_names[top]
        given = list(layer.message.bottom) if layer.message is not None else []
        values: dict[str, Any] = {"blob": name}
        if name not in given:
            maker = f' by layer "{blob.producer.name}"' if blob.producer is not None else ""
            two = blob.producer is not None and blob.producer.is_data and layer.is_data
            remedy = "add include { phase: ... } to each" if two else "give it another name"
            kind = Kind.DUPLICATE_TOP
            message = f'top "{name}" is already made{maker}; {remedy}'
            values["top"], values["is_maker"] = top, blob.producer is layer
        elif given.index(name) == top:
            kind = Kind.OVERWRITES_SHARED_BLOB
            message = (
                f'"{name}" cannot be overwritten in place, since other layers read it too; give the top another name'
            )
        else:
            kind, values["bottom"], values["top"] = Kind.IN_PLACE_NUMBER, given.index(name), top
            number = given.index(name)
            message = f'"{name}" is bottom {number} but top {top}; in place both must have the same index'
        caffe = f"Top blob '{name}' produced by multiple sources."
        self.refuse(layer, Refusal(kind, message, caffe, "net.cpp AppendTop", ("top", top), **values))

    def append_params(self, layer: BuiltLayer, need_backward: bool, some: Partly | None) -> bool:
        """Make the layer's Params; does the layer need backward?"""
        shapes = layer.param_shapes
        specs = layer.message.param if layer.message is not None else ()
        number = layer.param_count if shapes is None else len(shapes)
        if number is not None and len(specs) > number:
            if not self.strict and has_fork_fields(layer.message):
                layer.params = None
                return True
            self.refuse_params(layer, len(specs), number)
        if shapes is None:
            layer.params = None
            for index, (spec, sizes) in enumerate(zip(specs, some.params if some else (), strict=False)):
                shape = whole(sizes)
                if spec.name and shape is not None:
                    self.share(Param(layer, index, shape, spec.name, spec.lr_mult, spec.decay_mult), spec)
            return need_backward or any(spec.lr_mult for spec in specs) or not specs and bool(layer.bottoms)
        if not shapes and not specs:
            return need_backward
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
                need_backward, param = True, Param(layer, index, shape, "", layer.default_lr_mult(index), 1.0)
            params.append(param)
        return need_backward

    def refuse_params(self, layer: BuiltLayer, given: int, wanted: int) -> None:
        message = f"{plural(given, 'param block')} for {plural(wanted, 'parameter')}; remove {given - wanted}"
        caffe = f"Too many params specified for layer {layer.name}"
        values = {"given": given, "wanted": wanted}
        self.refuse(layer, Refusal(Kind.PARAM_COUNT, message, caffe, "net.cpp Init", ("param", wanted), **values))

    def share(self, param: Param, spec: Any) -> None:
        """AppendParam: the first parameter of a name owns the blob, later ones share it."""
        try:
            share(param, self.owners.setdefault(param.name, param), spec)
        except Refusal as refusal:
            self.refuse(param.layer, refusal)
