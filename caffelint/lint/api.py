"""What rules import from `caffelint.lint`: the kinds of rule, findings and fixes, and the things that rules look at."""

from caffelint.caffe.net import PHASES, TEST, TRAIN, Layer, Net
from caffelint.caffe.place import Given, Place
from caffelint.caffe.refusal import Kind, Refusal
from caffelint.caffe.refused import Refused
from caffelint.caffe.shapes import plural
from caffelint.caffe.solver import NetUse, Solver
from caffelint.caffe.states import phase_name
from caffelint.caffe.walk import Source, source, sources
from caffelint.lint.cause import Cause, CauseKind, Known, Suggested
from caffelint.lint.data_sets import KnownData, is_whole, known_data
from caffelint.lint.discover import are_near, relative
from caffelint.lint.edits import (
    Edits,
    fix,
    join,
    layer_beside,
    quoted,
    remove,
    remove_from,
    rename_blob,
    rename_blobs,
    unused_name,
    write,
)
from caffelint.lint.file import File
from caffelint.lint.finding import (
    CERTAIN,
    DISPLAY,
    ERROR,
    INFO,
    LIKELY,
    SAFE,
    UNSAFE,
    WARNING,
    Finding,
    Fix,
    Related,
    insert_before,
    insert_behind,
    replace,
)
from caffelint.lint.lasting import Early, early_drops, in_iterations, slower, usual_drops
from caffelint.lint.project.module_stops import module_stops
from caffelint.lint.project.python_layers import (
    python_broken,
    python_classes,
    python_elsewhere,
    python_home,
    python_modules,
)
from caffelint.lint.role import is_called_deploy
from caffelint.lint.rule import (
    Invalid,
    LayerRule,
    NetRule,
    Option,
    ProblemRule,
    ProjectRule,
    RefusalRule,
    Rule,
    SolverRule,
    TextRule,
    Valid,
)
from caffelint.lint.unknown_caffe import is_for_unknown_caffe
from caffelint.lint.weights import (
    has_rate_of_fine_tuning,
    speaks_of_fine_tuning,
    speaks_of_weights,
    starts_as_detectors_do,
    starts_from_weights,
)
from caffelint.lint.words import file_name, listed, other_classes, spoilt_of, stop_of, title, titles
from caffelint.schema.enums import enum_name
from caffelint.schema.provenance import Provenance, provenance
from caffelint.schema.readers import readers, too_old, without_input_layer, without_solver_type
from caffelint.schema.spelling import suggest
from caffelint.schema.tables import FIRST_FORK_NUMBER
from caffelint.text.near import Compared, near
from caffelint.text.patterns import compiled_later
from caffelint.text.records import NamedTuple
from caffelint.text.tree import Problem

__all__ = [
    "CERTAIN",
    "DISPLAY",
    "ERROR",
    "FIRST_FORK_NUMBER",
    "INFO",
    "LIKELY",
    "PHASES",
    "SAFE",
    "TEST",
    "TRAIN",
    "UNSAFE",
    "WARNING",
    "Cause",
    "CauseKind",
    "Compared",
    "Early",
    "Edits",
    "File",
    "Finding",
    "Fix",
    "Given",
    "Invalid",
    "Kind",
    "Known",
    "KnownData",
    "Layer",
    "LayerRule",
    "NamedTuple",
    "Net",
    "NetRule",
    "NetUse",
    "Option",
    "Place",
    "Problem",
    "ProblemRule",
    "ProjectRule",
    "Provenance",
    "Refusal",
    "RefusalRule",
    "Refused",
    "Related",
    "Rule",
    "Solver",
    "SolverRule",
    "Source",
    "Suggested",
    "TextRule",
    "Valid",
    "are_near",
    "compiled_later",
    "early_drops",
    "enum_name",
    "file_name",
    "fix",
    "has_rate_of_fine_tuning",
    "in_iterations",
    "insert_before",
    "insert_behind",
    "is_called_deploy",
    "is_for_unknown_caffe",
    "is_whole",
    "join",
    "known_data",
    "layer_beside",
    "listed",
    "module_stops",
    "near",
    "other_classes",
    "phase_name",
    "plural",
    "provenance",
    "python_broken",
    "python_classes",
    "python_elsewhere",
    "python_home",
    "python_modules",
    "quoted",
    "readers",
    "relative",
    "remove",
    "remove_from",
    "rename_blob",
    "rename_blobs",
    "replace",
    "slower",
    "source",
    "sources",
    "speaks_of_fine_tuning",
    "speaks_of_weights",
    "spoilt_of",
    "starts_as_detectors_do",
    "starts_from_weights",
    "stop_of",
    "suggest",
    "title",
    "titles",
    "too_old",
    "unused_name",
    "usual_drops",
    "without_input_layer",
    "without_solver_type",
    "write",
]
