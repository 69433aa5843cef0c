"""A reason for which Caffe does not take a net or a solver."""

from __future__ import annotations

from collections.abc import Hashable
from enum import Enum
from typing import Any

from caffelint.caffe.place import FieldPath


class Kind(str, Enum):
    """What Caffe refuses: one kind for each cause that a rule can speak of. The value is its name in `index.json`."""

    # The text of a net, and how Caffe brings it up to date.
    FORK_FIELD = "fork-field"  # a field that Caffe 1.0 does not have
    MIXED_FORMATS = "mixed-formats"  # `layer` beside `layers`
    PADDING_LAYER = "padding-layer"  # one of the oldest format that cannot be merged into the next; values: blob
    UNKNOWN_V0_TYPE = "unknown-v0-type"  # a layer type that the oldest format does not have; values: type
    INPUT_SHAPE_COUNT = "input-shape-count"  # fewer shapes than `input`s
    SOLVER_TYPE_TWICE = "solver-type-twice"  # `type` beside `solver_type`

    # A solver, and the nets that it names.
    AVERAGE_LOSS = "average-loss"  # below 1
    TEST_INTERVAL = "test-interval"  # not set, or below 1, where there are test nets
    NO_TRAIN_NET = "no-train-net"
    SEVERAL_TRAIN_NETS = "several-train-nets"  # values: fields
    TEST_ITER_COUNT = "test-iter-count"  # not one for each test net; values: given, wanted
    TEST_STATE_COUNT = "test-state-count"  # values: given, wanted

    # Which layers there are, and how blobs connect them.
    INCLUDE_AND_EXCLUDE = "include-and-exclude"
    UNKNOWN_TYPE = "unknown-type"  # of a layer; values: type, "" where none is given
    MISSING_ENGINE = "missing-engine"  # CUDNN, in a Caffe that is built without it
    UNKNOWN_BOTTOM = "unknown-bottom"  # nothing makes it; values: blob
    BOTTOM_MADE_BELOW = "bottom-made-below"  # values: blob, maker (the name of the layer below that makes it)
    BOTTOM_LEFT_OUT = "bottom-left-out"  # its maker is not in this state; values: blob, maker
    BOTTOM_USED_UP = "bottom-used-up"  # values: blob
    BOTTOM_COUNT = "bottom-count"
    TOP_COUNT = "top-count"
    DUPLICATE_TOP = "duplicate-top"  # values: blob, maker ("" where it is an input of Caffe's own), top
    OVERWRITES_SHARED_BLOB = "overwrites-shared-blob"  # in place, but other layers read the blob; values: blob
    IN_PLACE_NUMBER = "in-place-number"  # bottom and top of one name, with different numbers; values: blob
    IN_PLACE = "in-place"  # the type does not work in place

    # Fields of a layer, whatever its bottoms.
    MISSING_FIELD = "missing-field"  # values: missing (its name), where the number of outputs or a kernel is
    CONFLICTING_FIELDS = "conflicting-fields"  # two ways of saying one thing
    FIELD_NOT_TAKEN = "field-not-taken"  # beside the others that are set
    FIELD_COUNT = "field-count"  # a repeated field that is not given as often as there are tops, axes, bottoms
    VALUE_OUT_OF_RANGE = "value-out-of-range"
    PROPAGATE_DOWN_COUNT = "propagate-down-count"  # values: given, wanted
    LOSS_WEIGHT_COUNT = "loss-weight-count"  # values: given, wanted
    PARAM_COUNT = "param-count"  # more `param` blocks than parameters; values: given, wanted
    SHARED_PARAM_SHAPE = "shared-param-shape"  # values: param, owner (the name of its layer)
    SHARED_PARAM_MULTIPLIER = "shared-param-multiplier"  # values: param, other (indices of its layer and `param`)
    STATISTIC_WITH_RATE = "statistic-with-rate"  # a BatchNorm's `param` with an lr_mult
    EVEN_LOCAL_SIZE = "even-local-size"  # of an LRN
    UNKNOWN_FILLER = "unknown-filler"  # values: type
    FILLER_DOES_NOT_FIT = "filler-does-not-fit"  # the shape of the parameter that it is to fill
    NORMALIZE_OF_INFOGAIN = "normalize-of-infogain"
    MISSING_INFOGAIN_MATRIX = "missing-infogain-matrix"
    MEAN_FILE_AND_MEAN_VALUE = "mean-file-and-mean-value"
    TRANSFORM_OF_HDF5 = "transform-of-hdf5"
    MISSING_BATCH_SIZE = "missing-batch-size"
    FILE_WRITTEN_TWICE = "file-written-twice"

    # Shapes.
    WRONG_AXES = "wrong-axes"  # a bottom of too many axes or too few
    NO_SUCH_AXIS = "no-such-axis"
    SHAPES_DIFFER = "shapes-differ"  # of two bottoms
    WRONG_SHAPE = "wrong-shape"  # of one bottom, for what the layer does
    LABEL_COUNT = "label-count"
    ELEMENT_COUNT = "element-count"  # a new shape that does not hold what the bottom holds
    NOT_DIVISIBLE = "not-divisible"  # channels by groups, entries by tops
    WINDOW_TOO_LARGE = "window-too-large"  # a kernel, crop or slice that reaches past the map
    PADDING_TOO_LARGE = "padding-too-large"  # for the kernel
    TOP_K_TOO_LARGE = "top-k-too-large"  # for the number of classes
    NO_ELEMENTS = "no-elements"  # a blob that holds nothing
    NEGATIVE_DIMENSION = "negative-dimension"
    BLOB_TOO_LARGE = "blob-too-large"
    DIVISION_BY_ZERO = "division-by-zero"


OF_SHAPES = frozenset(
    [
        Kind.MISSING_FIELD,
        Kind.CONFLICTING_FIELDS,
        Kind.FIELD_NOT_TAKEN,
        Kind.VALUE_OUT_OF_RANGE,
        Kind.PARAM_COUNT,
        Kind.SHARED_PARAM_SHAPE,
        Kind.SHARED_PARAM_MULTIPLIER,
        Kind.STATISTIC_WITH_RATE,
        Kind.EVEN_LOCAL_SIZE,
        Kind.UNKNOWN_FILLER,
        Kind.FILLER_DOES_NOT_FIT,
        Kind.MEAN_FILE_AND_MEAN_VALUE,
        Kind.TRANSFORM_OF_HDF5,
        Kind.MISSING_BATCH_SIZE,
        Kind.WRONG_AXES,
        Kind.NO_SUCH_AXIS,
        Kind.SHAPES_DIFFER,
        Kind.WRONG_SHAPE,
        Kind.LABEL_COUNT,
        Kind.ELEMENT_COUNT,
        Kind.NOT_DIVISIBLE,
        Kind.WINDOW_TOO_LARGE,
        Kind.PADDING_TOO_LARGE,
        Kind.TOP_K_TOO_LARGE,
        Kind.NO_ELEMENTS,
        Kind.NEGATIVE_DIMENSION,
        Kind.BLOB_TOO_LARGE,
        Kind.DIVISION_BY_ZERO,
    ]
)
"""Those that leave which layers there are, and how blobs connect them, as Caffe would have it."""

OF_EVERY_CAFFE = frozenset(
    [
        Kind.MIXED_FORMATS,
        Kind.PADDING_LAYER,
        Kind.UNKNOWN_V0_TYPE,
        Kind.INPUT_SHAPE_COUNT,
        Kind.INCLUDE_AND_EXCLUDE,
        Kind.UNKNOWN_BOTTOM,
        Kind.BOTTOM_MADE_BELOW,
        Kind.BOTTOM_LEFT_OUT,
        Kind.BOTTOM_USED_UP,
        Kind.DUPLICATE_TOP,
        Kind.OVERWRITES_SHARED_BLOB,
        Kind.IN_PLACE_NUMBER,
        Kind.IN_PLACE,
        Kind.PROPAGATE_DOWN_COUNT,
    ]
)
"""What forks refuse as well: they left alone which layers there are, and how the names of blobs connect them."""

OF_PLAIN_LAYERS = frozenset(
    [Kind.MISSING_FIELD, Kind.CONFLICTING_FIELDS, Kind.FIELD_NOT_TAKEN, Kind.FIELD_COUNT, Kind.LABEL_COUNT]
)
"""What forks refuse as well of a layer that they have from BVLC's Caffe and that is set to nothing but what that knows.

Not numbers of bottoms and tops, nor what depends on how large a map is: many forks have changed these.
"""

OF_PLAIN_INPUTS = frozenset([Kind.PARAM_COUNT, Kind.ELEMENT_COUNT, Kind.NOT_DIVISIBLE, Kind.WINDOW_TOO_LARGE])
"""What forks refuse as well of such a layer if all that it is computed from is as plain, down to the size of maps.

Not how the shapes of several bottoms fit: forks have Eltwise broadcast and Concat crop.
"""


class Refusal(Exception):
    """Caffe ends its process here; raised by layer classes, collected by `build` and the upgrades.

    kind: what is wrong; all that the program decides, it decides by the kind.
    message: what is wrong, in our words.
    caffe: the key phrase of Caffe's own message ("" where it dies without one).
    source: file and function of Caffe that refuses, "net.cpp AppendTop".
    field: path of the field to blame inside the layer, ("convolution_param", "kernel_size"), ("bottom", 1); a single
    name may be given for a path of one. Empty where no field is to blame.
    values: what the message is about, by name: the blob, the counts; see `Kind`.
    layer, index: name and place in the net of the layer, filled in by the collector; None where no layer is to blame.
    at: the message (of the text's own generation) to point at, where `index` cannot tell.
    follows: the refusal was met past another one, so that a fix of that one may change it.
    """

    def __init__(
        self,
        kind: Kind,
        message: str,
        caffe: str,
        source: str = "",
        field: FieldPath | str | None = None,
        **values: Any,
    ) -> None:
        super().__init__(message)
        self.kind = kind
        self.message = message
        self.caffe = caffe
        self.source = source
        self.field: FieldPath = (field,) if isinstance(field, str) else field or ()
        self.values = values
        self.layer: str | None = None
        self.index: int | None = None
        self.at: Any = None
        self.follows = False

    @property
    def cause(self) -> Hashable:
        """Equal for refusals that say the same of a layer, whatever the layer and the state of the net."""
        return self.kind, self.field, tuple(self.values.items()) or self.message

    def __repr__(self) -> str:
        return f"Refusal({self.message!r}, layer={self.layer!r}, field={self.field!r}, caffe={self.caffe!r})"
