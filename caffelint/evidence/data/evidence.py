"""Data sets as rules see them: what each data layer is fed, and the nets built with the shapes of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from caffelint.caffe.refusal import Refusal
from caffelint.caffe.shapes import Shape, as_int, new_blob
from caffelint.caffe.solver import Solver
from caffelint.caffe.states import TRAIN
from caffelint.evidence.data.class_names import Names
from caffelint.evidence.data.gains import Matrix
from caffelint.evidence.data.label_maps import LabelMap
from caffelint.evidence.data.means import Mean
from caffelint.evidence.data.overlaps import Overlap
from caffelint.evidence.data.parts import LeftOut
from caffelint.evidence.data.scan import Scanned, Source
from caffelint.evidence.data.sources import Feed
from caffelint.evidence.data.values import IMAGE, SCALAR, Facts, Top
from caffelint.lint.data_source import Unreadable
from caffelint.lint.discover import relative
from caffelint.lint.file import File
from caffelint.lint.source_shapes import transformed


@dataclass
class DataEvidence:
    """file: the solver or net that was given, with the nets that it names. scanned: what each source holds."""

    file: File
    feeds: list[Feed]
    scanned: Mapping[Source, Scanned]
    overlaps: list[Overlap] = field(default_factory=list)
    means: Mapping[str, Mean] = field(default_factory=dict)
    label_maps: Mapping[str, LabelMap] = field(default_factory=dict)
    left_out: Mapping[Source, LeftOut] = field(default_factory=dict)
    class_names: Mapping[tuple[str, str], Names] = field(default_factory=dict)
    matrices: Mapping[str, Matrix] = field(default_factory=dict)

    @property
    def solver(self) -> Solver | None:
        return self.file.solver

    @property
    def read(self) -> Iterator[tuple[Feed, Facts]]:
        """The data layers whose sources were read, at least in part."""
        for feed in self.feeds:
            if feed.source is not None and not (found := self.scanned[feed.source]).error:
                yield feed, found.facts

    @property
    def is_sample(self) -> bool:
        return any(one.is_sample for one in self.scanned.values())


def shape_nets(found: Sequence[Feed], scanned: Mapping[Source, Scanned]) -> None:
    """Give the nets the shapes of the data; the data layers of the nets as built then are to be looked for anew."""
    shapes: dict[int, dict[str, Shape]] = {}
    for feed in found:
        if feed.source is not None and not scanned[feed.source].error:
            known = shapes.setdefault(id(feed.net), {})
            found_here = shapes_of(feed, scanned[feed.source].facts)
            shapes[id(feed.net)] = found_here | known if TRAIN not in feed.phases else known | found_here
    for net in {id(feed.net): feed.net for feed in found}.values():
        net.input_shapes = shapes.get(id(net), {}) | dict(net.input_shapes)


def shapes_of(feed: Feed, facts: Facts) -> dict[str, Shape]:
    """The shapes of a layer's tops as its first record gives them; those that are known, by top."""
    found: dict[str, Shape] = {}
    batch = as_int(feed.made.parameters.batch_size)
    for number, name in enumerate(feed.made.top_names):
        top = facts.tops.get(feed.key(number))
        first = first_shape(top) if top is not None else None
        if first is None:
            continue
        try:
            if feed.source is not None and feed.source.kind == "hdf5":
                found[name] = new_blob((batch, *first), name)
            elif number == 0:
                found[name] = transformed(feed.made, first, batch)
            elif feed.made.type != "AnnotatedData":
                found[name] = (batch,)
        except (Unreadable, Refusal):
            continue
    return found


def first_shape(top: Top) -> tuple[int, ...] | None:
    return next((shape_of(text) for text in top.shapes), None)


def shape_of(text: str) -> tuple[int, ...]:
    return tuple(int(side) for side in text.split("x")) if text != SCALAR else ()


def name_of(source: Source) -> str:
    """A source as people know it: below the working directory, its path from there."""
    return relative(source.path)


def images(read: Iterable[tuple[Feed, Facts]]) -> Iterator[tuple[Feed, Top]]:
    """The feeds whose first top is an image, with what was seen of it."""
    for feed, facts in read:
        if (top := facts.tops.get(IMAGE)) is not None:
            yield feed, top
