"""A net as it is written: its layers in the current format, each with its place in the text."""

from __future__ import annotations

import os
from bisect import bisect_left
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any, TypeVar

from caffelint.caffe.place import Given, Place, given, has, place
from caffelint.caffe.states import PHASES, TEST, TRAIN, State, has_data_of_training, is_called_for_tests
from caffelint.caffe.upgrade import upgrade_net
from caffelint.caffe.walk import Source
from caffelint.caffe.written import WrittenLayer
from caffelint.schema.messages import LayerParameter
from caffelint.schema.spelling import is_block_of
from caffelint.schema.tables import is_field, message_type
from caffelint.text.records import NamedTuple

if TYPE_CHECKING:
    from caffelint.caffe.built_net import BuiltNet
    from caffelint.caffe.layers import BuiltLayer
    from caffelint.caffe.refusal import Refusal
    from caffelint.caffe.refused import Refused
    from caffelint.caffe.shapes import Shape
    from caffelint.caffe.solver import NetUse, Solver
    from caffelint.project.dimensions import TopShapes
    from caffelint.project.mentions import NetRuns
    from caffelint.project.python_layers import PythonModule
    from caffelint.schema.bound import Bound
    from caffelint.schema.messages import NetParameter, NetStateRule
    from caffelint.schema.project import TakenCounts
    from caffelint.text.parser import Document
    from caffelint.text.tree import Field

Found = TypeVar("Found")

__all__ = ["PHASES", "TEST", "TRAIN", "Layer", "Net", "State"]

_MOST_BUILT, _LEAST_STATES = 1 << 16, 16
"""A net is built in no more states than have so many layers together; in so many states always."""


class WrittenFiller(NamedTuple):
    """A FillerParameter, and its path in the layer: ("convolution_param", "weight_filler")."""

    path: tuple[str, str]
    filler: Any


class Layer(WrittenLayer):
    """One layer of a net. `message` is its LayerParameter, upgraded to the current format."""

    __slots__ = ("_kind", "_phases", "net")

    def __init__(self, net: Net, message: LayerParameter, index: int):
        super().__init__(message, index)
        self.net = net
        self._phases: tuple[str, ...] | None = None
        self._kind: BuiltLayer | None = None

    @property
    def taken(self) -> TakenCounts | None:  # type: ignore[override]
        caffe = self.net.bound.caffe
        return caffe.registered.counts.get(self.type) if caffe else None

    @property
    def kind(self) -> BuiltLayer:
        """What is known of its type, asked of this layer alone: it has names of bottoms and tops, and no blobs."""
        if self._kind is None:
            phase = (self.phases or PHASES)[0]
            self._kind = _layer_class(self.type)(
                self.message, self.name, self.type, self.index, phase, list(self.bottoms), list(self.tops)
            )
        return self._kind

    @property
    def block(self) -> str:
        """The name of its type's own block, e.g. `pooling_param`; empty for a type without."""
        return _layer_class(self.type).block_of(self.message)

    @property
    def has_block_of_its_own(self) -> bool:
        """Does its text give a block that is named after its type, and that no known Caffe has?"""
        names = [field.name for field in self.node.fields] if self.node else []
        return any(is_block_of(name, self.type) and not is_field(name) for name in names)

    @property
    def node(self) -> Field | None:
        """The block in the text; None for a layer that Caffe's upgrade adds."""
        return self.net.bound.node(self.message)

    def at(self, *path: str | int) -> Place:
        """The place of a field of the layer, as in `at("pooling_param", "stride")`; else of the nearest block."""
        return place(self.net.document, self.node, path, self.name)

    def param(self, block: str) -> Any:
        """The message of that name, e.g. `pooling_param`, with Caffe's defaults where it is not written."""
        return getattr(self.message, block)

    def has(self, *path: str) -> bool:
        """Has a field a value, in the text or by Caffe's upgrade, e.g. `has("convolution_param", "bias_filler")`?"""
        return has(self.message, path)

    def given(self, *path: str) -> Given:
        """What the text gives of a field: a value, nothing, or something that could not be read."""
        return given(self.message, self.node, path)

    @property
    def phases(self) -> tuple[str, ...]:
        """The phases that this layer can be part of, whatever the stages and the level (net.cpp, StateMeetsRule)."""
        if self._phases is None:
            self._phases = _phases(self.message) if self.is_conditional else PHASES
        return self._phases

    def maker(self, bottom: int, phase: str) -> Source | None:
        """What makes a bottom in a phase, as the text has it: the nearest layer above with a top of that name."""
        if bottom >= len(self.bottoms):
            return None
        name = self.bottoms[bottom]
        made = self.net.makers(name, phase)
        above = bisect_left(made, self.index, key=_index)
        return Source(made[above - 1], made[above - 1].tops.index(name)) if above else None

    @property
    def has_frozen_weights(self) -> bool:
        """Are its weights, the first of its parameters, never changed?"""
        specs: Any = self.message.param
        return bool(specs) and specs[0].lr_mult == 0

    def fillers(self) -> Iterator[WrittenFiller]:
        """The fillers that its text gives, that of the weights first."""
        fillers = _layer_class(self.type).fillers
        if fillers:
            block = self.block
            given = getattr(self.message, block)
            for name in fillers:
                if given.HasField(name):
                    yield WrittenFiller((block, name), getattr(given, name))

    @property
    def depends_on_stage(self) -> bool:
        """Does it hang on a stage or a level whether the layer is part of the net?"""
        return self.is_conditional and any(map(_asks_for_more, (*self.message.include, *self.message.exclude)))

    @property
    def in_place(self) -> bool:
        return bool(self.tops) and self.tops[0] in self.bottoms

    def __repr__(self) -> str:
        return f"Layer({self.name!r}, {self.type!r})"


@lru_cache(maxsize=1024)
def _layer_class(layer_type: str) -> type[BuiltLayer]:
    """`layer_class`, which is imported with the first layer that asks: of a solver there is none."""
    from caffelint.caffe.layers import layer_class

    return layer_class(layer_type)


def _index(layer: Layer) -> int:
    return layer.index


def _phases(message: LayerParameter) -> tuple[str, ...]:
    include: Any = message.include
    exclude: Any = message.exclude
    found = []
    for number, phase in enumerate(PHASES):
        if include:
            if any(_may_meet(rule, number) for rule in include):
                found.append(phase)
        elif not any(_surely_meets(rule, number) for rule in exclude):
            found.append(phase)
    return tuple(found)


def _may_meet(rule: NetStateRule, phase: int) -> bool:
    return not rule.HasField("phase") or rule.phase == phase


def _surely_meets(rule: NetStateRule, phase: int) -> bool:
    return _may_meet(rule, phase) and not _asks_for_more(rule)


def _asks_for_more(rule: NetStateRule) -> bool:
    """Does a rule ask for more than a phase?"""
    return bool(rule.stage or rule.not_stage or rule.HasField("min_level") or rule.HasField("max_level"))


class Net:
    """A net as it is written.

    `message` is that of the file in current format, or that of a net inside of a solver. `solvers` are those that name
    it, `siblings` the nets beside a deploy net that may be its training net, likeliest first; `deployed` the other way
    round. `by_type` holds its layers by their type: what hangs on the type alone is asked once for all of them.
    """

    def __init__(self, bound: Bound, message: NetParameter | None = None):
        self.bound = bound
        self.refusals: list[Refusal] = []
        """What Caffe refuses before it builds: of a net in an older format, by its upgrade."""
        # A net inside of a solver is taken as it is: solver.cpp, InitTrainNet, copies it, and nothing upgrades it.
        self.message: NetParameter = upgrade_net(bound.message, bound, self.refusals) if message is None else message
        self.written: NetParameter = bound.message if message is None else message
        layers: Any = self.message.layer
        self.layers: list[Layer] = [Layer(self, layer, index) for index, layer in enumerate(layers)]
        self.by_type: dict[str, list[Layer]] = {}
        for layer in self.layers:
            self.by_type.setdefault(layer.type, []).append(layer)
        self.solvers: list[Solver] = []
        self.runs: NetRuns | None = None
        self.siblings: list[Net] = []
        self.deployed: list[Net] = []
        self.python_modules: dict[str, list[PythonModule]] = {}
        self.python_shapes: dict[int | None, TopShapes] = {}
        """What the project has of that name, for each module that a Python layer names."""
        self.measure: Callable[[], Mapping[str, Any]] = dict
        """The signals of its data by top (caffelint.numerics), as far as whoever checks it can measure them."""
        self._own_role: str | None = None
        self._input_shapes: Mapping[str, Shape] = {}
        self._built: dict[tuple[str | None, tuple[State, ...]], BuiltNet] = {}
        self._states: tuple[BuiltNet, ...] | None = None
        self._having: dict[str, list[Layer]] = {}
        self._makers: dict[str, list[Layer]] | None = None
        self._makers_in: dict[tuple[str, str], list[Layer]] = {}
        self._fillers: dict[str, list[tuple[Layer, WrittenFiller]]] | None = None
        self._refused: tuple[Refused, ...] | None = None
        self._likely: dict[tuple[State, tuple[tuple[str, Shape], ...]], BuiltNet] = {}
        self._found: dict[Callable[[Net], Any], Any] = {}

    @property
    def document(self) -> Document:
        return self.bound.document

    @property
    def path(self) -> str:
        return self.document.path

    @property
    def name(self) -> str:
        return self.message.name

    def at(self, *path: str | int) -> Place:
        return place(self.document, self.bound.node(self.written), path)

    def layers_of(self, types: Collection[str]) -> list[Layer]:
        """The layers of these types, in the order of the text."""
        found = [layer for type_, layers in self.by_type.items() if type_ in types for layer in layers]
        return sorted(found, key=_index)

    def layers_that(self, answer: Callable[[type[BuiltLayer]], bool | None]) -> list[Layer]:
        """The layers whose class gives that answer: `layers_that(lambda kind: kind.is_loss)`."""
        return self.layers_of([type_ for type_ in self.by_type if answer(_layer_class(type_))])

    def blocks_of(self, types: Collection[str]) -> list[tuple[Layer, Any]]:
        """The layers of these types that have a block of their own, such as `pooling_param`, each with it."""
        named = [(layer, layer.block) for layer in self.layers_of(types)]
        return [(layer, getattr(layer.message, block)) for layer, block in named if layer.message.HasField(block)]

    def layers_having(self, field: str) -> list[Layer]:
        """The layers that have a value of such a field, as a few have `loss_weight`: see `Layer.has`."""
        if field not in self._having:
            if message_type(LayerParameter.DESCRIPTOR).fields[field].repeated:
                self._having[field] = [layer for layer in self.layers if getattr(layer.message, field)]
            else:
                self._having[field] = [layer for layer in self.layers if layer.message.HasField(field)]
        return self._having[field]

    @property
    def conditional(self) -> list[Layer]:
        """The layers that are part of the net in some states alone (`Layer.is_conditional`)."""
        return [layer for layer in self.layers if layer.is_conditional]

    @property
    def fillers(self) -> Mapping[str, list[tuple[Layer, WrittenFiller]]]:
        """The fillers that the text gives, by their type: of each layer in the order of the text."""
        if self._fillers is None:
            self._fillers = {}
            for layer in self.layers_that(lambda kind: bool(kind.fillers)):
                for written in layer.fillers():
                    self._fillers.setdefault(written.filler.type, []).append((layer, written))
        return self._fillers

    def in_phase(self, phase: str) -> list[Layer]:
        """The layers that can be part of a phase."""
        return [layer for layer in self.layers if phase in layer.phases]

    def join(self, solver: Solver) -> None:
        """Let the net know a solver that names it, however often it does."""
        self.solvers += [] if self.solvers and self.solvers[-1] is solver else [solver]
        self._states = self._refused = None

    @property
    def input_shapes(self) -> Mapping[str, Shape]:
        """Shapes of tops that the text does not tell, by name: from the settings, or read from the data."""
        return self._input_shapes

    @input_shapes.setter
    def input_shapes(self, shapes: Mapping[str, Shape]) -> None:
        self._input_shapes = shapes
        self._built.clear()
        self._states = self._refused = None

    def release(self) -> None:
        """Undo the circles between the net and its parts, once nobody needs it any more: see `BuiltNet.release`."""
        for built in (*self._built.values(), *self._likely.values()):
            built.release()
        self._built.clear()  # each solver of the net releases it again
        self._likely.clear()
        self._refused = None
        self._found.clear()
        self._makers = None
        self._makers_in.clear()
        self._having.clear()
        self._fillers = None
        self.layers.clear()
        self.by_type.clear()
        self.solvers.clear()
        self.siblings.clear()
        self.deployed.clear()
        self.python_modules.clear()

    def once(self, find: Callable[[Net], Found]) -> Found:
        """What a function finds out about the net. It is called once, so rules that share a fact share the work."""
        if find not in self._found:
            self._found[find] = find(self)
        found: Found = self._found[find]
        return found

    def states(self) -> tuple[BuiltNet, ...]:
        """What Caffe builds of the net, in each state that its solvers build it in, TRAIN first; never empty.

        Without a solver these are both phases, with no stage but the net's own. One build covers all states that
        keep the same layers (see `BuiltNet.states`): shapes, parameters and refusals do not hang on the phase itself.
        """
        if self._states is None:
            self._states = self.build(self._wanted_states()[: self._most_states])
        return self._states

    def refused(self) -> tuple[Refused, ...]:
        """What Caffe refuses of the net, in the upgrade and in each of `states()`: each cause once."""
        if self._refused is None:
            from caffelint.caffe.refused import find_refused

            self._refused = find_refused(self)
        return self._refused

    def build(self, states: Iterable[State], dialect: str | None = None) -> tuple[BuiltNet, ...]:
        """What Caffe builds of the net in each of these states; one build for those that keep the same layers."""
        from caffelint.caffe.build import build_alike

        conditional = self.conditional
        alike: dict[tuple[bool, ...], list[State]] = {}
        for state in states:
            alike.setdefault(tuple([state.keeps(layer) for layer in conditional]), []).append(state)
        keys = [(dialect, tuple(group)) for group in alike.values()]
        for key in keys:
            if key not in self._built:
                self._built[key] = build_alike(
                    self.message,
                    self.layers,
                    key[1],
                    input_shapes=self.input_shapes,
                    dialect=dialect,
                    python_shapes=self.python_shapes,
                )
        return tuple(self._built[key] for key in keys)

    def likely(self, state: State, shapes: Mapping[str, Shape] | None = None) -> BuiltNet:
        """What Caffe builds with data of these shapes, and of likely ones where neither they nor the text say."""
        from caffelint.caffe.assumed import assumes
        from caffelint.caffe.build import build_alike

        state = state._replace(stages=state.stages.union(self.message.state.stage))
        built = next((one for one in self._states or () if one.state == state), None)
        if built is not None and not shapes and not assumes(built):
            return built
        given = {**self.input_shapes, **(shapes or {})}
        key = (state, tuple(given.items()))
        if key not in self._likely:
            self._likely[key] = build_alike(
                self.message,
                self.layers,
                (state,),
                input_shapes=given,
                assume_inputs=True,
                python_shapes=self.python_shapes,
            )
        return self._likely[key]

    @property
    def unbuilt(self) -> int:
        """How many of the states that its solvers build it in are left out of `states()`, which has an end."""
        return max(0, len(self._wanted_states()) - self._most_states)

    @property
    def _most_states(self) -> int:
        return max(_LEAST_STATES, _MOST_BUILT // max(1, len(self.layers) * bool(self.conditional)))

    def _wanted_states(self) -> list[State]:
        solvers = dict.fromkeys(self.solvers)
        found = [state for solver in solvers for state in solver.states_of(self)]
        if not found:
            return [State(phase).merged(self.message.state)._replace(phase=phase) for phase in PHASES]
        return sorted(dict.fromkeys(found), key=lambda state: state.phase == TEST)

    @cached_property
    def is_plain(self) -> bool:
        """Is the net for BVLC's Caffe, with nothing that only forks have and no fault that parsing meets?

        Then Caffe 1.0's own rules hold for it.
        """
        return not self.bound.problems and self.is_for_bvlc

    @property
    def has_bvlc_dialect(self) -> bool:
        """Is it checked against BVLC's Caffe, or, with no dialect, any? It may still use what only forks have."""
        return self.bound.has_bvlc_dialect

    @cached_property
    def is_for_bvlc(self) -> bool:
        """Is the net for BVLC's Caffe, by dialect, fields and types, whatever is wrong with its text?"""
        from caffelint.caffe.layers import BVLC_TYPES

        return self.bound.is_plain and self.by_type.keys() <= BVLC_TYPES

    def makers(self, blob: str, phase: str) -> list[Layer]:
        """The layers that make a blob in a phase, in the order of the text (see `Layer.maker`)."""
        if self._makers is None:
            self._makers = {}
            for layer in self.layers:
                for name in layer.tops:
                    self._makers.setdefault(name, []).append(layer)
        if (blob, phase) not in self._makers_in:
            self._makers_in[blob, phase] = [layer for layer in self._makers.get(blob, ()) if phase in layer.phases]
        return self._makers_in[blob, phase]

    @property
    def uses(self) -> list[NetUse]:
        """How its solvers name it."""
        return [use for solver in self.solvers for use in solver.uses_of(self)]

    @property
    def is_trained(self) -> bool:
        """Is the net built to be trained, by a solver or, without one, by its name and the data that it has?"""
        return self.may_be_trained and (bool(self.solvers) or self.once(has_data_of_training))

    @property
    def may_be_trained(self) -> bool:
        """Does a solver train it, or, without a solver, does it look so, and its name not like that of a test net?"""
        return self.role == "train" and not self.is_only_tested

    @property
    def is_only_tested(self) -> bool:
        """Do its solvers only test with it or, without a solver, does its name say so?"""
        if self.solvers:
            return not any(use.trains for use in self.uses)
        return is_called_for_tests(os.path.basename(self.path).lower())

    @property
    def role(self) -> str:
        """`train` (a solver names it, or it has a loss or TRAIN data), `deploy`, `fragment`, or `unknown`.

        Unknown where a layer that caffelint knows nothing of, or a Python layer, could be the loss.
        """
        if self.solvers:
            return "train"
        if self._own_role is None:
            self._own_role = self._role()
        return self._own_role

    def _role(self) -> str:
        from caffelint.schema.provenance import provenance

        doubtful = False
        weighted = {layer.type for layer in self.layers if layer.loss_weights and any(layer.loss_weights)}
        for type_, layers in self.by_type.items():
            if type_ == "Input":
                continue
            kind = layers[0].kind
            if kind.is_data:
                if any(TRAIN in layer.phases and _has_rules(layer) for layer in layers):
                    return "train"
                doubtful = doubtful or type_ == "DummyData"
            elif kind.looks_like_a_loss or type_ in weighted:
                return "train"
            elif type_ == "Python" or not (kind.known or provenance().layer_type(type_)):
                doubtful = True
        if doubtful:
            return "unknown"
        return "deploy" if "Input" in self.by_type else "fragment"


def _has_rules(layer: Layer) -> bool:
    """Does its text say in which states it is part of the net?"""
    return layer.node is not None and any(field.name in ("include", "exclude") for field in layer.node.fields)
