"""What every layer type answers, and the registry of types.

A class of this package holds all that is known of one layer type. An instance is one layer of one built net: the
build makes it, hands it its bottoms, and asks it for the shapes of its tops. Caffe's order (layer.hpp SetUp) is kept:
engine, counts of bottoms and tops, set-up and shapes, loss weights.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any, ClassVar

from caffelint.caffe.fillers import UnknownFiller, check_name, fill
from caffelint.caffe.layers.expected import Expected
from caffelint.caffe.layers.registry import REGISTRY as REGISTRY
from caffelint.caffe.layers.registry import register as register
from caffelint.caffe.place import FieldPath
from caffelint.caffe.refusal import Kind, Refusal
from caffelint.caffe.shapes import Shape, plural
from caffelint.caffe.values import UNKNOWN, Hazard, Values
from caffelint.schema import LayerParameter
from caffelint.schema.tables import FIRST_FORK_NUMBER
from caffelint.text.records import NamedTuple

if TYPE_CHECKING:
    from caffelint.caffe.net_parts import Blob, Param
    from caffelint.caffe.windows import Window
    from caffelint.schema.project import TakenCounts


class Counts(NamedTuple):
    """How many bottoms or tops a type takes; `most` None is no limit. `exact` only changes Caffe's wording."""

    least: int = 0
    most: int | None = None
    exact: bool = False

    def fits(self, number: int) -> bool:
        return self.least <= number and (self.most is None or number <= self.most)


Wanted = Callable[["Blob"], Shape | None]
"""Gives the shape that suits the readers of a blob; None where they do not tell."""


ANY = Counts()
NONE, ONE, TWO, THREE = (Counts(number, number, True) for number in range(4))
AT_LEAST_ONE = Counts(1)
ONE_OR_TWO = Counts(1, 2)

# What an in-place layer (top 0 is bottom 0) does, seen on a real Caffe with the gradient compared to a separate top.
EXACT, REFUSED, CORRUPTS, DIES = "exact", "refused", "corrupts", "dies"
SHAPES, PARAMS, NOTHING = "shapes", "params", "nothing"

_OF_EVERY_LAYER = ("bottom", "top", "param", "loss_weight")  # what a refusal may blame beside the type's own fields


class BuiltLayer:
    """One layer of a built net; unregistered types use this class itself and know nothing of their shapes.

    Filled in by the build:
    message: the LayerParameter; None for a split that Caffe inserts. index: its place in the net's `layer` list.
    bottom_names, top_names: as Caffe has them, after splits. bottoms, tops: versions of blobs.
    params: None where unknown; param_shapes likewise.
    given_loss_weights: what the text gives, after splits. loss_weights: one for each top, or none at all.
    propagate_down: for each bottom, does a gradient flow to it? need_backward: does the layer run backward?
    strict: is it Caffe 1.0 without GPU, and no fork, that builds the net?
    settings: its parameters in wire format, equal for layers that are set alike; None until somebody compares them.
    """

    types: ClassVar[tuple[str, ...]] = ()
    block: str = ""  # of a layer, it may be another one than its type's: C3D changed its mind
    fork: ClassVar[bool] = False
    known: ClassVar[bool] = True

    # What a field that only forks have, in the type's own parameter message, can change.
    fork_fields_change: ClassVar[str] = SHAPES

    bottom_counts: ClassVar[Counts] = ANY
    top_counts: ClassVar[Counts] = ANY
    equal_counts: ClassVar[bool] = False
    auto_tops: ClassVar[bool] = False
    has_engine: ClassVar[bool] = False

    # What it is. A registered class says what is special about it; of an unknown type every answer is None.
    is_loss: ClassVar[bool | None] = False
    compares_records: ClassVar[bool | None] = False  # a loss that is told which of two are alike
    # Does it make blobs out of files or memory, not of what a program puts in (Input)?
    is_data: ClassVar[bool | None] = False
    lists_files: ClassVar[bool] = False  # is its source a list of files, whose records it mixes within each alone?
    # Does it read transform_param? Does it read batches ahead (base_data_layer.hpp, BasePrefetchingDataLayer)?
    transforms: ClassVar[bool | None] = False
    prefetches: ClassVar[bool | None] = False
    is_distance: ClassVar[bool | None] = False  # a loss that grows with the distance to targets of any value
    never_negative: ClassVar[bool | None] = False  # a loss that is never below 0, for valid input
    # The type that makes of scores what it compares to labels, "" where it takes them as they are; None: it does not.
    plain_form: ClassVar[str | None] = None
    reads_loss_param: ClassVar[bool] = False  # does it divide its sum as loss_param says?
    cannot_open: ClassVar[str] = ""  # what Caffe says as it stops where the file that it reads cannot be opened
    refused_block: ClassVar[str] = ""  # Caffe stops at it, and ignores others that the type does not read
    is_recurrent: ClassVar[bool | None] = False
    # A bend, without which two layers with weights would be no more than one.
    is_activation: ClassVar[bool | None] = False
    rectifies: ClassVar[bool | None] = False  # an activation that hands on what is above 0
    flat_at_zero: bool | None = False  # does it hand back no gradient where it reads 0?
    normalises: ClassVar[bool | None] = False  # does it take away the scale of what it reads?
    upsamples: ClassVar[bool | None] = False
    # Are the values of its tops those of its bottoms, moved about, left out or repeated?
    rearranges: ClassVar[bool | None] = False
    pools: ClassVar[bool | None] = False  # the largest or the mean of windows, each channel by itself
    compares_maps: ClassVar[bool | None] = False  # must its bottoms be maps of one size?
    writes: ClassVar[tuple[str, ...]] = ()  # the fields that name what it writes

    # What it learns. Weights have to differ from each other at the start; a learned factor or slope need not.
    has_weights: ClassVar[bool | None] = False
    # Weighted sums and a constant, all of them learned: it can scale and shift what it reads by itself.
    is_linear: ClassVar[bool | None] = False
    keeps_statistics: ClassVar[bool | None] = False  # a moving mean and variance, which no solver changes
    adds: ClassVar[str] = ""  # the field of its block that holds what it adds to all values: a number or a filler
    # The fields of its block that hold fillers, that of the weights first.
    fillers: ClassVar[tuple[str, ...]] = ()
    # The fields of its block, windows and fillers apart, that change what it computes; those that shape its weights.
    computes_by: ClassVar[tuple[str, ...]] = ()
    shaped_by: ClassVar[tuple[str, ...]] = ()
    # What people call such a layer; the type in small letters where there is no name.
    nickname: ClassVar[str] = ""

    # Does its first top have the values of its first bottom, in the same order, except that some may become 0?
    hands_on: ClassVar[bool | None] = False
    keeps_channels: bool | None = False  # as many channels?
    keeps_pixels: bool | None = False  # where those of the bottom are?
    shares_memory: bool | None = False  # the same memory (ShareData)?
    shares_gradient: bool = False  # its top's, by memory alone (ShareDiff in Reshape)?
    replaces_gradient: bool = False  # of its bottom, by other memory (ShareDiff in Backward)?
    # Above 0 where that is, and nowhere else where a gradient comes through?
    keeps_sign: bool | None = False

    # Backward: does it exist, and which data does it read?
    has_backward: ClassVar[bool] = True
    backward_on_cpu: ClassVar[bool] = (
        True  # does it exist there as well, in the Caffes that are known to have the type?
    )
    reads_bottom: bool | None = False
    reads_top: bool | None = False
    in_place: str | None = CORRUPTS
    loses_gradient_in_place: ClassVar[bool] = False  # is that from above overwritten before it is read?
    trains_corrupted: ClassVar[bool] = False  # do nets learn with the gradient of an output that was overwritten?

    # Does set_up depend on nothing but the parameter message, the bottoms' shapes and the number of tops?
    repeats: ClassVar[bool] = False
    # Does set_up refuse no field that set_up_unknown does not refuse already?
    refuses_early: ClassVar[bool] = False

    param_shapes: Sequence[Shape] | None = ()
    params: Sequence[Param] | None = ()
    given_loss_weights: Sequence[float] = ()
    loss_weights: Sequence[float] = ()
    need_backward = False
    strict = False
    settings: bytes | None = None

    written_file: str = ""  # that the layer opens to write to, "" if none

    def __init__(
        self,
        message: Any,
        name: str,
        layer_type: str,
        index: int | None,
        phase: str,
        bottom_names: list[str],
        top_names: list[str],
    ) -> None:
        self.message = message
        self.name = name
        self.type = layer_type
        self.index = index
        self.phase = phase
        self.bottom_names = bottom_names
        self.top_names = top_names
        self.bottoms: list[Blob] = []
        self.tops: list[Blob] = []
        self.propagate_down: list[bool] = []

    def __repr__(self) -> str:
        return f"<{self.type} {self.name!r}>"

    def top_title(self, index: int) -> str:
        """A top in a message; automatic ones have no name."""
        return f'top "{self.top_names[index]}"' if index < len(self.top_names) else f"top {index}"

    @property
    def parameters(self) -> Any:
        """The layer's own parameter message (`pooling_param` of a Pooling)."""
        return getattr(self.message, self.block)

    @classmethod
    def block_of(cls, message: Any) -> str:
        """The name of the block that a layer of this type reads."""
        return cls.block

    @property
    def has_parameters(self) -> bool | None:
        """Whether it has parameter blobs, from its text alone."""
        return self.has_weights

    @property
    def param_count(self) -> int | None:
        """How many parameter blobs it has, from its text alone; None where that does not tell."""
        return 0 if not self.fork and self.has_parameters is False else None

    @property
    def learns(self) -> bool | None:
        """Whether it has a parameter that the solver is to change, from its text alone."""
        if not self.has_parameters or self.message is None:
            return self.has_parameters
        specs = self.message.param
        return not specs or any(spec.lr_mult != 0 for spec in specs)

    def written_windows(self) -> tuple[Window, Window] | None:
        """Its windows along height and width; None for a type without, or where the text does not tell them."""
        return None

    @classmethod
    def has_setting(cls, field: str) -> bool:
        """Has its own block such a field? Not one of the forks where the type is BVLC's."""
        if not cls.block:
            return False
        descriptor: Any = LayerParameter.DESCRIPTOR
        block = descriptor.fields_by_name[cls.block].message_type.fields_by_name
        return field in block and (cls.fork or block[field].number < FIRST_FORK_NUMBER)

    @property
    def data_block(self) -> str:
        """The block that says how much data it reads at once, and mostly from where; "" where none does.

        Its own, or, where the type is a fork's or not known, else the first that could: forks read each other's blocks.
        """
        if self.block and self.has_setting("batch_size") and (not self.fork or self.message.HasField(self.block)):
            return self.block
        if self.known and not self.fork:
            return ""
        blocks = ((field.name, field.message_type) for field, _ in self.message.ListFields())
        return next((name for name, type_ in blocks if type_ and "batch_size" in type_.fields_by_name), "")

    @property
    def batch_size(self) -> int:
        """How many items it reads at once, as the text has it; 0 where it does not say."""
        return int(getattr(self.message, self.data_block).batch_size) if self.data_block else 0

    @property
    def data_source(self) -> str:
        """The path of what it reads; "" where the text does not say."""
        block = getattr(self.message, self.data_block) if self.data_block else None
        return str(getattr(block, "source", ""))

    @property
    def looks_like_a_loss(self) -> bool:
        """Is it a loss, by its name where its type is not known?"""
        return "Loss" in self.type if self.is_loss is None else self.is_loss

    @property
    def looks_like_a_measure(self) -> bool:
        """Does it hold what a net predicts against labels, by its name where BVLC's Caffe has no such type?"""
        return (self.fork or not self.known) and ("Accuracy" in self.type or "Eval" in self.type)

    @property
    def factor(self) -> float | None:
        """What it multiplies its first bottom by, where it does nothing else but add a number; None where it does."""
        return None

    def lost_in_place(self, largest: float) -> float:
        """Where it corrupts in place: about what share of its gradient, if no value that it reads is larger."""
        return 1.0

    @property
    def draws_at_random(self) -> bool | None:
        """Does its forward pass draw random numbers, so that two passes over the same data differ?"""
        return False

    def passes_gradient(self, bottom: int) -> bool | None:
        """Can its backward pass be asked for the gradient of this bottom? Where not, Caffe ends the run."""
        return None if self.fork and self.has_backward else self.has_backward

    def reads_classes(self, bottom: int) -> bool | None:
        """Does this bottom hold the numbers of classes, of which its first bottom has one score each?"""
        return False

    def sums_values(self) -> bool:
        """Is it a loss that divides by the items of a batch alone, however many values each has?"""
        return False

    def cuts_fractions(self, bottom: int) -> bool:
        """Does it take the values of this bottom for whole numbers, and drop what follows the point?"""
        return bool(self.reads_classes(bottom))

    @property
    def class_axis(self) -> int:
        """The axis of the first bottom that the scores of the classes are on."""
        return 1

    @property
    def ignored_label(self) -> int | None:
        """The label that counts for nothing; None where all count."""
        return None

    def expects(self, bottom: int) -> Expected | None:
        """What it takes for granted of the values of a bottom; None where any will do, or nobody knows."""
        return self._class_labels() if self.reads_classes(bottom) else None

    def shape_before(self, wanted: Wanted) -> Shape | None:
        """The shape that its bottoms must have for its tops to suit their readers; None where they do not tell."""
        return None

    def _class_labels(self) -> Expected:
        scores = self.bottoms[0].shape
        axis = self.class_axis
        if scores is None or not -len(scores) <= axis < len(scores):
            return Expected(0, 1, ignored=self.ignored_label)
        axis %= len(scores)
        around = scores[:axis] + scores[axis + 1 :]
        shape = around if len(around) == 1 else (*scores[:axis], 1, *scores[axis + 1 :])
        return Expected(0, max(scores[axis] - 1, 0), ignored=self.ignored_label, shape=shape)

    def hazard(self, values: Values) -> Hazard | None:
        """What may make nan or inf of such values in its first bottom; None where nothing does, or nobody knows."""
        return None

    @property
    def runs_in_place(self) -> bool:
        """Is its first top the blob of its first bottom?"""
        return bool(self.tops and self.bottoms and self.tops[0].previous is self.bottoms[0])

    def refuse(
        self, kind: Kind, message: str, caffe: str, function: str, field: FieldPath | str | None = None, **values: Any
    ) -> Refusal:
        """A refusal on a field of this type's own parameter message, or, with ("bottom", 0) and such, of the layer."""
        refusal = Refusal(kind, message, caffe, function, field, **values)
        if self.block and refusal.field and refusal.field[0] not in _OF_EVERY_LAYER:
            refusal.field = (self.block, *refusal.field)
        return refusal

    def refuse_outputs(self, outputs: int, caffe: str, function: str) -> Refusal:
        """A refusal of a num_output that is missing, or not above 0."""
        kind, message, lacks = Kind.MISSING_FIELD, "num_output is missing; set it", {"missing": "num_output"}
        if self.parameters.HasField("num_output"):
            kind, message, lacks = Kind.VALUE_OUT_OF_RANGE, f"num_output is {outputs}; it must be larger than 0", {}
        return self.refuse(kind, message, caffe, function, "num_output", **lacks)

    def fill(self, filler: Any, shape: Shape, field: FieldPath) -> None:
        """Fill a parameter blob; raises the Refusal that this meets, and lets a name pass that a fork may know."""
        try:
            fill(filler, shape, field)
        except UnknownFiller as unknown:
            if self.strict or unknown.resembles_a_known_one():
                raise

    def check_filler(self, filler: Any, field: FieldPath) -> None:
        """The same for a filler that is made and not yet used."""
        try:
            check_name(filler, field)
        except UnknownFiller as unknown:
            if self.strict or unknown.resembles_a_known_one():
                raise

    def wanted_bottoms(self) -> Counts:
        return self.bottom_counts

    def wanted_tops(self) -> Counts:
        return self.top_counts

    def check_engine(self) -> None:
        """Refuse an engine that a Caffe without GPU has not (layer_factory.cpp)."""
        if self.strict and self.parameters.engine > 1:
            raise self.refuse(
                Kind.MISSING_ENGINE,
                "engine: CUDNN needs a Caffe built with cuDNN",
                f"Layer {self.name} has unknown engine.",
                "layer_factory.cpp",
                "engine",
            )

    @classmethod
    def that_takes(cls, taken: TakenCounts, bottoms: int, tops: int) -> type[BuiltLayer]:
        """The class for a layer of this type in a project whose Caffe lets it take other numbers than BVLC's does."""
        own = _unknown_that_takes(taken, cls.block)
        # A loss makes the tops that are missing by itself.
        made = max(tops, cls.top_counts.least) if cls.auto_tops else tops
        fits = own.bottom_counts.fits(bottoms) and own.top_counts.fits(tops)
        return cls if cls.known and fits and cls.bottom_counts.fits(bottoms) and cls.top_counts.fits(made) else own

    def check_counts(self, bottoms: int, tops: int) -> None:
        """CheckBlobCounts of layer.hpp."""
        least, most, _ = self.wanted_bottoms()
        if bottoms < least or (most is not None and bottoms > most):
            raise self._wrong_count(self.wanted_bottoms(), bottoms, "bottom", "takes", "as input")
        least, most, _ = self.wanted_tops()
        if tops < least or (most is not None and tops > most):
            raise self._wrong_count(self.wanted_tops(), tops, "top", "produces", "as output")
        if self.equal_counts and bottoms != tops:
            raise Refusal(
                Kind.TOP_COUNT,
                f"{plural(bottoms, 'bottom')} but {plural(tops, 'top')}; {self.type} makes one top for each bottom",
                f"{self.type} Layer produces one top blob as output for each bottom blob input.",
                "layer.hpp CheckBlobCounts",
                ("top", 0),
            )

    def _wrong_count(self, wanted: Counts, given: int, side: str, verb: str, role: str) -> Refusal:
        least, most, exact = wanted
        number = least if given < least or most is None else most
        bound = "" if exact else "at least " if given < least else "at most "
        return Refusal(
            Kind.BOTTOM_COUNT if side == "bottom" else Kind.TOP_COUNT,
            f"{plural(given, side)} {'is' if given == 1 else 'are'} given but {self.type} {verb} {bound}{number};"
            f" {'add' if given < number else 'remove'} {plural(abs(number - given), side)}",
            f"{self.type} Layer {verb} {bound}{number} {side} blob(s) {role}.",
            "layer.hpp CheckBlobCounts",
            (side, number if given > number else given - 1) if given else None,
        )

    def set_up(self, bottoms: Sequence[Shape]) -> Sequence[Shape | None]:
        """Shapes of the tops, with all bottoms known; fills in `param_shapes` (None where unknown).

        Raises Refusal where Caffe's LayerSetUp or Reshape does.
        """
        self.param_shapes = None
        return [None] * len(self.tops)

    def set_up_unknown(self, bottoms: Sequence[Shape | None]) -> Sequence[Shape | None]:
        """The same if the shape of a bottom is unknown: what is known nevertheless."""
        self.param_shapes = None
        return [None] * len(self.tops)

    def default_lr_mult(self, param: int) -> float:
        """lr_mult of a parameter without a `param` block."""
        return 1.0

    def allows_force_backward(self, bottom: int) -> bool:
        """May force_backward send a gradient to this bottom (AllowForceBackward)?"""
        return True

    def has_fork_fields(self) -> bool:
        """Does its parameter message use a field that only forks have, so that its shapes or parameters are theirs?"""
        if not self.block or self.fork or self.fork_fields_change == NOTHING:
            return False
        if not self.message.HasField(self.block):
            return False
        fields = self.parameters.ListFields()
        return bool(fields) and fields[-1][0].number >= FIRST_FORK_NUMBER

    def set_up_fork(self, bottoms: Sequence[Shape | None]) -> Sequence[Shape | None]:
        """Shapes of the tops where a fork's fields may change what set_up knows."""
        self.param_shapes = None
        if self.fork_fields_change == PARAMS:
            return [bottoms[0]]
        return [None] * len(self.tops)

    def values(self, bottoms: Sequence[Values]) -> Sequence[Values]:
        """What is known of the values of the tops, given the bottoms'; UNKNOWN where this class does not say."""
        return [UNKNOWN] * len(self.tops)

    def multiply_adds(self) -> int:
        """Multiply-adds of one forward pass, of the layers where these are the cost; 0 for all others."""
        return 0


@lru_cache(maxsize=1024)
def _unknown_that_takes(taken: TakenCounts, block: str) -> type[BuiltLayer]:
    """An unknown type of which is known how many bottoms and tops it takes, and the block of BVLC's by its name."""
    bottoms, tops = (Counts(least, None if most < 0 else most, least == most) for least, most in (taken[:2], taken[2:]))
    return type("UnknownLayer", (UnknownLayer,), {"bottom_counts": bottoms, "top_counts": tops, "block": block})


class UnknownLayer(BuiltLayer):
    """A type that is not known here, a Python layer among them: everything after it is unknown."""

    known = False
    refuses_early = True
    reads_bottom = reads_top = in_place = is_loss = is_data = transforms = prefetches = is_recurrent = None
    is_activation = rectifies = normalises = upsamples = is_distance = never_negative = rearranges = flat_at_zero = None
    compares_maps = has_weights = is_linear = keeps_statistics = hands_on = keeps_channels = keeps_pixels = None
    shares_memory = keeps_sign = pools = None

    @property
    def draws_at_random(self) -> bool | None:
        return None

    def passes_gradient(self, bottom: int) -> bool | None:
        return None

    def reads_classes(self, bottom: int) -> bool | None:
        return None
