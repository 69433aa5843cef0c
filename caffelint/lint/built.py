"""The net that Caffe would build, for rules that look at one: `net.states()` and its parts.

It is separate from `caffelint.lint` because it knows every layer type, which takes a moment to import.
"""

from caffelint.caffe.build import build
from caffelint.caffe.built_net import BuiltNet
from caffelint.caffe.computing import classes_block, computed_by
from caffelint.caffe.fillers import FILLER_FIELDS, FILLERS, draws, only_value
from caffelint.caffe.fork_fields import bvlc_fields, has_fork_fields
from caffelint.caffe.layers import BVLC_TYPES, BuiltLayer, layer_class, types_that
from caffelint.caffe.layers.loss import FOCAL_LOSSES, Loss, SoftmaxInside
from caffelint.caffe.layers.pooling import Pooling, pooled_size
from caffelint.caffe.misplaced import misplaced
from caffelint.caffe.net_parts import Blob
from caffelint.caffe.paired import Paired, compared, joined, made_of_both, paired
from caffelint.caffe.partly import image_of
from caffelint.caffe.probe import unavoidable
from caffelint.caffe.refused import where
from caffelint.caffe.score_classes import classes_given_by, score_classes
from caffelint.caffe.shapes import Shape
from caffelint.caffe.shapes import text as shape_text
from caffelint.caffe.states import State
from caffelint.caffe.values import UNKNOWN, Values
from caffelint.caffe.windows import Window, written_field
from caffelint.text.tree import MESSAGE, Field

__all__ = [
    "BVLC_TYPES",
    "FILLERS",
    "FILLER_FIELDS",
    "FOCAL_LOSSES",
    "MESSAGE",
    "UNKNOWN",
    "Blob",
    "BuiltLayer",
    "BuiltNet",
    "Field",
    "Loss",
    "Paired",
    "Pooling",
    "Shape",
    "SoftmaxInside",
    "State",
    "Values",
    "Window",
    "build",
    "bvlc_fields",
    "classes_block",
    "classes_given_by",
    "compared",
    "computed_by",
    "draws",
    "has_fork_fields",
    "image_of",
    "joined",
    "layer_class",
    "made_of_both",
    "misplaced",
    "only_value",
    "paired",
    "pooled_size",
    "score_classes",
    "shape_text",
    "types_that",
    "unavoidable",
    "where",
    "written_field",
]
