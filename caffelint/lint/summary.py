"""What Caffe would build of a net file: the shapes, parameters and memory of each phase, or why it would not."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import prod
from typing import TYPE_CHECKING, Any

from caffelint.caffe.net import PHASES
from caffelint.caffe.refusal import OF_EVERY_CAFFE
from caffelint.caffe.states import State
from caffelint.lint.file import load, loaded
from caffelint.schema.bound import BVLC
from caffelint.schema.messages import NetParameter
from caffelint.text.records import NamedTuple

if TYPE_CHECKING:
    from caffelint.caffe.built_net import BuiltNet
    from caffelint.caffe.layers import BuiltLayer
    from caffelint.caffe.shapes import PartialShape
    from caffelint.caffe.solver import Solver
    from caffelint.caffe.states import SolverNet
    from caffelint.lint.file import File
    from caffelint.schema.project import ProjectCaffe
    from caffelint.text.tree import Problem

_BYTES = 4

UNREADABLE = "Failed to parse"
"""What Caffe says of a text that it cannot read."""


class LayerRow(NamedTuple):
    """One layer of a built net; None where something is unknown. `memory` is in bytes, for the data of its tops.

    `image`: batch, channels, height and width as far as a data layer's text gives them, if its shape is not known.
    """

    name: str
    type: str
    bottoms: tuple[str, ...]
    tops: tuple[str, ...]
    shapes: tuple[tuple[int, ...] | None, ...]
    params: tuple[tuple[int, ...], ...] | None
    multiply_adds: int | None
    memory: int | None
    inserted: bool
    image: PartialShape | None = None

    @property
    def parameters(self) -> int | None:
        """How many numbers the layer learns or keeps."""
        return None if self.params is None else sum(prod(shape) for shape in self.params)


class Error(NamedTuple):
    """Why Caffe does not load a net: in our words, and in Caffe's."""

    layer: str | None
    message: str
    caffe: str


class Summary(NamedTuple):
    """A net file in one phase.

    loads: None where that hangs on something unknown. notes: a line for each data source that gave no shape, and for
    what BVLC's Caffe refuses of a net of another one.
    """

    file: str
    phase: str
    loads: bool | None
    error: Error | None
    layers: tuple[LayerRow, ...]
    blobs: Mapping[str, tuple[int, ...] | None]
    outputs: tuple[str, ...]
    data_memory: int | None
    notes: tuple[str, ...] = ()

    @property
    def inputs(self) -> list[str]:
        """What layers without bottoms make, as far as the net could be built."""
        return [top for layer in self.layers if not layer.bottoms for top in layer.tops]

    @property
    def parameters(self) -> int | None:
        """Numbers in all parameters; None where a layer's are unknown."""
        counts = [layer.parameters for layer in self.layers]
        return None if None in counts else sum(count for count in counts if count is not None)

    @property
    def multiply_adds(self) -> int | None:
        counts = [layer.multiply_adds for layer in self.layers]
        return None if None in counts else sum(count for count in counts if count is not None)

    def as_json(self) -> dict[str, Any]:
        """The line of `caffelint summary --format json` (docs/json.md)."""
        parameters = self.parameters
        return {
            "file": self.file,
            "phase": self.phase,
            "loads": self.loads,
            "error": self.error._asdict() if self.error else None,
            "blobs": {name: list(shape) if shape is not None else None for name, shape in self.blobs.items()},
            "params": {layer.name: [list(shape) for shape in layer.params] for layer in self.layers if layer.params},
            "outputs": list(self.outputs),
            "memory": {
                "data": self.data_memory,
                "params": None if parameters is None else _BYTES * parameters,
            },
            "notes": list(self.notes),
        }


def summarize(
    data: bytes,
    path: str,
    phases: Sequence[str] = ("TRAIN", "TEST"),
    *,
    stages: Iterable[str] = (),
    level: int | None = None,
    of_solver: tuple[Solver, SolverNet] | None = None,
    input_shapes: Mapping[str, Sequence[int]] | None = None,
    dialect: str | None = None,
    read_data: bool = False,
    roots: Sequence[str] = (),
    assume: bool = False,
    caffe: ProjectCaffe | None = None,
) -> Iterator[Summary]:
    """The summary of a net's file in each of the phases; none if the file is not a net.

    stages, level: besides those of the net itself. of_solver: in the state that a solver builds it in, if that has one
    of the phases; the file is the solver's own for a net inside of it.
    input_shapes: by top, in place of what the layer says. read_data: look into the sources of data layers for shapes
    that the text does not tell; `roots` are further folders to look for them in. assume: take a likely shape for the
    data that is still unknown then, and say so in a note. caffe: the one of the file's project, if that is to read it.
    """
    file = loaded(data, path, dialect, caffe)
    net = file.net
    if of_solver is not None and file.solver:
        named = of_solver[1].field, of_solver[1].position
        net = next((use.net for use in file.solver.inline_nets if (use.field, use.position) == named), None)
    if net is None and (file.kind != "other" or not file.problems):
        return
    # That a fork has a field is no fault of the text; the build knows what follows from it.
    problems = [problem for problem in file.problems if problem.kind != "fork-field" or file.knows_caffe]
    error = _text_error(file, problems)
    if error is None and net is not None and net.refusals:
        error = Error(net.refusals[0].layer, net.refusals[0].message, net.refusals[0].caffe)
    states = _states(net.message if net else NetParameter(), phases, stages, level, of_solver)
    if error is not None or net is None:
        for state in states:
            yield Summary(path, state.phase, False, error, (), {}, (), None)
        return
    from caffelint.caffe.build import build

    net.input_shapes = given = {name: tuple(shape) for name, shape in (input_shapes or {}).items()}
    builds = {state: built for built in net.build(states, dialect) for state in built.states}
    for state in states:
        built = builds[state]
        notes: list[str] = []
        read: dict[str, tuple[int, ...]] = {}
        loads = built.loads
        if read_data and not built.is_known:
            from caffelint.lint.source_shapes import source_shapes

            read, notes, *_ = source_shapes(built, path, roots)
            if read:
                built = build(net.message, *state, input_shapes=read | given, dialect=dialect)
                loads = built.loads
        if assume and loads is None:
            likely = build(net.message, *state, input_shapes=read | given, dialect=dialect, assume_inputs=True)
            if likely.assumed and not likely.refusals:
                notes += _assumed(likely, state.phase)
                built = likely
        plain = dialect in BVLC or (net.bound.is_plain and not built.is_fork)
        unknown = bool(problems) and dialect is None
        summary = _summary(path, state.phase, built, plain, unknown=unknown, notes=notes)
        yield summary._replace(loads=loads) if built.assumed else summary


def _assumed(built: BuiltNet, phase: str) -> Iterator[str]:
    """What was taken for the shapes that nothing tells, and how to give others."""
    from caffelint.lint.source_shapes import reads

    readable = {blob.name for blob in built.inputs if blob.maker is not None and reads(blob.maker.type)}
    for name, shape in built.assumed.items():
        dims = "x".join(map(str, shape))
        other = f"give --phase {phase.lower()} --input-shape {name}=... for another shape"
        look = ", or --read-data" if name in readable else ""
        yield f'the shape of "{name}" is not in the text and taken as {dims}; {other}{look}'


def _states(
    message: NetParameter,
    phases: Sequence[str],
    stages: Iterable[str],
    level: int | None,
    of_solver: tuple[Solver, SolverNet] | None,
) -> list[State]:
    """The states of a net that are asked for, as the arguments of `summarize` tell them."""
    if of_solver is None:
        found = [State(phase).merged(message.state)._replace(phase=phase) for phase in phases]
    else:
        solver, one = of_solver
        found = [state for state in [one.state(solver.message, message)] if state.phase in phases]
    more = frozenset(stages)
    return [State(own.phase, own.stages | more, own.level if level is None else level) for own in found]


def only_phase(data: bytes, path: str) -> str | None:
    """The phase that a net is made for, where it has layers for that one alone and none for the other; else None."""
    net = load(data, path).net
    phases = {layer.phases for layer in net.layers} if net else set()
    own = [phase for phase in PHASES if (phase,) in phases]
    return own[0] if len(own) == 1 else None


def _text_error(file: File, problems: Sequence[Problem]) -> Error | None:
    """The first thing in the text that keeps every Caffe, or the one of the dialect, from reading the file."""
    for problem in sorted(problems, key=lambda problem: problem.start):
        if problem.certain:
            line = file.document.source.position(problem.start).line
            return Error(file.layer_at(problem.start) or None, f"line {line}: {problem.message}", UNREADABLE)
    return None


def _summary(path: str, phase: str, built: BuiltNet, plain: bool, unknown: bool, notes: list[str]) -> Summary:
    """`plain`: it is for BVLC's Caffe; of others only the names of blobs are sure to be judged alike."""
    refusals = [refusal for refusal in built.refusals if plain or refusal.kind in OF_EVERY_CAFFE]
    loads = built.loads
    error = None
    if refusals:
        error = Error(refusals[0].layer, refusals[0].message, refusals[0].caffe)
    elif built.refusals or unknown:
        loads = None
        notes = [*notes, *(f'BVLC\'s Caffe refuses layer "{r.layer}": {r.message}' for r in built.refusals[:1])]
    blobs = {name: tuple(blob.shape) if blob.shape is not None else None for name, blob in built.blobs.items()}
    rows = tuple(_row(layer) for layer in built.layers)
    return Summary(path, phase, loads, error, rows, blobs, tuple(built.outputs), built.memory, tuple(notes))


def _row(layer: BuiltLayer) -> LayerRow:
    from caffelint.caffe.layers.data import DataLayer

    shapes = tuple(tuple(blob.shape) if blob.shape is not None else None for blob in layer.tops)
    known = layer.params is not None and None not in shapes
    return LayerRow(
        layer.name,
        layer.type,
        tuple(blob.original.name for blob in layer.bottoms),
        tuple(blob.name for blob in layer.tops),
        shapes,
        None if layer.params is None else tuple(tuple(param.shape) for param in layer.params),
        layer.multiply_adds() if known else None,
        sum(_BYTES * prod(shape) for shape in shapes if shape is not None) if known else None,
        layer.index is None,
        layer.partial_image() if isinstance(layer, DataLayer) and shapes and shapes[0] is None else None,
    )
