"""The nets that a page shows: each net of the project, in each state that keeps other layers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from heapq import heappop, heappush
from typing import TYPE_CHECKING, NamedTuple

from caffelint.caffe.states import PHASES, State

if TYPE_CHECKING:
    from caffelint.caffe.built_net import BuiltNet
    from caffelint.caffe.net import Layer, Net
    from caffelint.caffe.shapes import Shape
    from caffelint.lint.config import Config
    from caffelint.lint.file import File

_MOST_STAGES = 6
MOST, MOST_LAYERS = 100, 10_000
"""Views of a page, and their layers together, unless the first has more: a solver may hold as many nets as lines, each
finding is looked for in all, and each layer is drawn."""


class Span(NamedTuple):
    """The lines of a layer in the text, 1-based, the last included."""

    first: int
    last: int


class Places(NamedTuple):
    """The index of the layer that a line is of, the shortest where it is of several, and of the first of a name."""

    by_line: dict[int, int]
    by_name: dict[str, int]


class View(NamedTuple):
    """A net in one state, or in several that keep the same layers.

    title: `TRAIN`, `TEST, stage "deploy"`. is_run: does Caffe build it so for the solver, or, without a solver, with no
    stage? loads: of the net as it is; `built` may have shapes of data that are assumed. spans: by index of the layer.
    places: which layer lines and names mean. read: shapes by top, read from the data. notes: why others were not.
    """

    net: Net
    built: BuiltNet
    title: str
    is_run: bool
    loads: bool | None
    spans: dict[int, Span]
    places: Places
    read: Mapping[str, Shape]
    notes: Sequence[str]

    @property
    def layers(self) -> list[Layer]:
        return self.net.layers


class Views(NamedTuple):
    """is_cut: are there more than are shown?"""

    shown: list[View]
    is_cut: bool


def views(file: File, config: Config) -> Views:
    """Those of a net, or of all nets that a solver names.

    config: is the data read, and where may it be?
    """
    nets = file.solver.distinct_nets if file.solver else file.nets
    found: list[View] = []
    layers, is_cut = 0, False
    for view in (view for net in nets for view in _views(net, config)):
        layers += len(view.built.layers)
        is_cut = len(found) == MOST or (layers > MOST_LAYERS and bool(found))
        if is_cut:
            break
        found.append(view)
    if len(nets) > 1:
        found = [view._replace(title=f"{view.net.path}: {view.title}") for view in found]
    return Views(found, is_cut)


def _views(net: Net, config: Config) -> Iterator[View]:
    spans = {layer.index: span for layer in net.layers if (span := _span(layer)) is not None}
    places = _places(net, spans)
    run = [state for built in net.states() for state in built.states]
    own = [phase for phase in PHASES if any(layer.phases == (phase,) for layer in net.layers)]
    for built in net.build(dict.fromkeys([*run, *_other_states(net)])):
        states = [state for state in built.states if state in run]
        is_for_another = len(own) == 1 and own[0] not in built.phases and not net.solvers
        if (is_for_another or not states) and built.loads is False:
            continue
        loads, shown = built.loads, built
        read: Mapping[str, Shape] = {}
        notes: Sequence[str] = ()
        if loads is None:
            if config.read_data:
                from caffelint.lint.source_shapes import source_shapes

                confined = not config.is_asked("read_data")
                read, notes, *_ = source_shapes(built, net.path, config.roots, confined=confined, keep=config.cache)
            likely = net.likely(built.state, read)
            if not likely.refusals and (likely.assumed or read):
                shown = likely
                loads = None if likely.assumed else likely.loads
        title = _title(states or built.states)
        yield View(net, shown, title, bool(states), loads, spans, places, read, notes)


def _places(net: Net, spans: dict[int, Span]) -> Places:
    by_line: dict[int, int] = {}
    starts = sorted(spans.items(), key=lambda one: one[1].first, reverse=True)
    open_: list[tuple[int, int, int]] = []  # length, index and last line, of those on a line and some that have ended
    last_line = max((span.last for span in spans.values()), default=0)
    for line in range(starts[-1][1].first if starts else 1, last_line + 1):
        while starts and starts[-1][1].first == line:
            index, (first, last) = starts.pop()
            heappush(open_, (last - first, index, last))
        while open_ and open_[0][2] < line:
            heappop(open_)
        if open_:
            by_line[line] = open_[0][1]
    by_name: dict[str, int] = {}
    for layer in net.layers:
        by_name.setdefault(layer.name, layer.index)
    return Places(by_line, by_name)


def _title(states: Sequence[State]) -> str:
    """By phase, or by stages too where there are any."""
    names: dict[str, None] = {}
    for state in states:
        stages = ", ".join(f'"{stage}"' for stage in sorted(state.stages))
        level = f", level {state.level}" if state.level else ""
        names[state.phase + (f", stage {stages}" if stages else "") + level] = None
    return " and ".join(names)


def _other_states(net: Net) -> list[State]:
    """Each phase with each stage that a layer asks for."""
    stages: dict[str, None] = {}
    for layer in net.conditional:
        for rule in (*layer.include, *layer.exclude):
            stages |= dict.fromkeys(sorted(rule.stages | rule.not_stages))
    given = [State(phase).merged(net.message.state)._replace(phase=phase) for phase in PHASES]
    more = [state._replace(stages=state.stages | {stage}) for stage in list(stages)[:_MOST_STAGES] for state in given]
    return [*given, *more]


def _span(layer: Layer) -> Span | None:
    node = layer.node
    if node is None or node is layer.net.document.root:  # Caffe's upgrade has made it
        return None
    source = layer.net.document.source
    return Span(source.position(node.start).line, source.position(max(node.start, node.end - 1)).line)
