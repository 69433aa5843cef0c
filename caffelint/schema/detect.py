"""What a prototxt file holds: a net, a solver, or something that is not Caffe's."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from caffelint.schema.tables import MessageType, message_type
from caffelint.text.records import NamedTuple
from caffelint.text.tree import IDENTIFIER, MESSAGE, Field

if TYPE_CHECKING:
    from caffelint.schema.project import ProjectCaffe
    from caffelint.text.parser import Document

NET, SOLVER, OTHER = "net", "solver", "other"
NET_FIELDS = ("net", "train_net", "test_net")
"""Fields of a solver that hold a net's path."""

_LAYERS = ("layer", "layers")
_STRANGERS = (
    ({"ir_version", "opset_import", "producer_name", "graph"}, "an ONNX model"),
    ({"item"}, "a label map"),
    ({"node", "versions", "library"}, "a TensorFlow graph"),
    ({"model_config_list", "config", "platform", "max_batch_size", "instance_group"}, "a model server's configuration"),
    ({"model", "train_config", "eval_config", "train_input_reader", "eval_input_reader"}, "a TensorFlow pipeline"),
    ({"data", "shape", "diff", "num", "channels", "height", "width"}, "a blob"),
    ({"x", "y", "anno"}, "annotations"),
    ({"op", "external_input", "external_output", "arg", "device_option"}, "a Caffe2 net"),
)
_TELLING = frozenset(
    ["base_lr", "input_dim", "input_shape", "lr_policy", "max_iter", "net", "net_param", "test_net", "train_net"]
)
"""Names that only a net or a solver has; `name`, `momentum` or `type` are in many a text that is neither."""
MYCAFFE = "a MyCaffe file"
_OF_MYCAFFE = frozenset([
    "IMAGEDB",
    "accuracy_average_window",
    "color_order",
    "custom_trainer",
    "custom_trainer_properties",
    "data_temporal_param",
    "enable_random_selection",
    "gateaddnorm_param",
    "snapshot_include_state",
    "snapshot_include_weights",
    "tokenized_data_param",
    "transformer_block_param",
    "use_imagedb_mean",
])  # fmt: skip
"""Fields, and a value of `backend`, that MyCaffe's classes read (SolverParameter.cs, DataParameter.cs ...) and that no
fork of Caffe has. Its parser is its own too: it takes texts without quotes."""


class Kind(NamedTuple):
    """`net`, `solver` or `other`; for `other`, what it seems to be (empty if that is unclear)."""

    kind: str
    seems: str = ""


def detect(document: Document, dialect: str | None = None, caffe: ProjectCaffe | None = None) -> Kind:
    """Tell the kind of a file by the names at its top level.

    `dialect`: the fork that is to read it; with one, a file of MyCaffe is a net or a solver as any other. `caffe`: that
    of the file's project, which may declare messages of other files.
    """
    from caffelint.schema.messages import NetParameter, SolverParameter

    names = {field.name for field in document.root.fields}
    if not names:
        return Kind(OTHER, "")
    if dialect is None and _is_of_mycaffe(document):
        return Kind(OTHER, MYCAFFE)
    if caffe is not None and (other := caffe.message_alone_with(names)):
        return Kind(OTHER, f"a {other} of this project's Caffe")
    if any(field.name in _LAYERS and field.kind == MESSAGE for field in document.root.fields):
        return Kind(NET)
    net, solver = message_type(NetParameter.DESCRIPTOR), message_type(SolverParameter.DESCRIPTOR)
    as_net, as_solver = _known(net, names), _known(solver, names)
    if dialect is None and 3 * max(as_net, as_solver) <= len(names) and _is_strange(names, (net, solver)):
        as_net = as_solver = 0
    if as_solver > as_net:
        return Kind(SOLVER)
    if as_net:
        return Kind(NET)
    for known, seems in _STRANGERS:
        if names <= known or len(names & known) > 1:
            return Kind(OTHER, seems)
    if _near(names, set(solver.fields)):
        return Kind(SOLVER)
    if _near(names, set(net.fields)):
        return Kind(NET)
    return Kind(OTHER)


def _is_of_mycaffe(document: Document) -> bool:
    """Whether two names at least are MyCaffe's alone: one may be of a fork that nobody knows."""
    text = document.source.text
    if sum(name in text for name in _OF_MYCAFFE) < 2:  # most files: no walk
        return False
    found: set[str] = set()
    blocks = [document.root]
    while blocks:
        for field in blocks.pop().fields:
            found.add(_name(field))
            if field.kind == MESSAGE:
                blocks.append(field)
    return len(found & _OF_MYCAFFE) >= 2


def _name(field: Field) -> str:
    return field.text if field.name == "backend" and field.kind == IDENTIFIER else field.name


def _known(type_: MessageType, names: set[str]) -> int:
    """How many of the names are fields that the message has in BVLC's Caffe."""
    return sum((field := type_.field(name)) is not None and not field.fork_only for name in names)


def _is_strange(names: set[str], types: Sequence[MessageType]) -> bool:
    """Whether most of the names are in no Caffe, not even misspelt, and none of them tells a net or a solver."""
    if not names.isdisjoint(_TELLING):
        return False
    return not any(_near({name for name in names if type_.field(name) is None}, set(type_.fields)) for type_ in types)


def _near(names: set[str], known: set[str]) -> bool:
    from caffelint.schema.spelling import suggest

    near = sum(name in known or suggest(name, known) is not None for name in names if len(names) < 100)
    return 2 * near > len(names)
