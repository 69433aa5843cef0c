"""A net as it is written: its layers in current format, each knowing where it stands in the text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from caffelint.caffe.place import Place, place
from caffelint.caffe.upgrade import upgrade_net

if TYPE_CHECKING:
    from caffelint.caffe.build import BuiltNet
    from caffelint.caffe.solver import Solver
    from caffelint.schema.bind import Bound
    from caffelint.schema.messages import LayerParameter, NetParameter, NetStateRule
    from caffelint.text.parser import Document
    from caffelint.text.tree import Field

TRAIN, TEST = "TRAIN", "TEST"
PHASES = (TRAIN, TEST)

DATA_TYPES = frozenset(
    [
        "Data",
        "ImageData",
        "HDF5Data",
        "WindowData",
        "MemoryData",
        "DummyData",
        "AnnotatedData",
        "VideoData",
        "ImageSegData",
        "DenseImageData",
        "BoxData",
        "ReIDData",
        "MultiData",
        "CPMData",
        "MILData",
        "LMDBData",
        "ImageLabelmapData",
        "DataTriplet",
        "TripletImageData",
    ]
)
"""Layer types that make blobs out of files or memory, those of the forks included."""


class Layer:
    """One layer of a net. `message` is its LayerParameter, upgraded to the current format."""

    __slots__ = ("_phases", "bottoms", "index", "message", "name", "net", "tops", "type")

    def __init__(self, net: Net, message: LayerParameter, index: int):
        self.net = net
        self.message = message
        self.index = index
        self.name: str = message.name
        self.type: str = message.type
        self.bottoms: tuple[str, ...] = tuple(message.bottom)
        self.tops: tuple[str, ...] = tuple(message.top)
        self._phases: tuple[str, ...] | None = None

    @property
    def node(self) -> Field | None:
        """The block in the text; None for a layer that Caffe's upgrade adds."""
        return self.net.bound.node(self.message)

    def at(self, *path: str | int) -> Place:
        """Where a field of the layer stands, e.g. `at("pooling_param", "stride")`; else the nearest block."""
        return place(self.net.document, self.node, path, self.name)

    def param(self, block: str) -> Any:
        """The message of that name, e.g. `pooling_param`, with Caffe's defaults where it is not written."""
        return getattr(self.message, block)

    def has(self, *path: str) -> bool:
        """Whether a field is set, e.g. `has("convolution_param", "bias_filler")`."""
        message: Any = self.message
        for name in path[:-1]:
            if not message.HasField(name):
                return False
            message = getattr(message, name)
        name = path[-1]
        value = getattr(message, name)
        if hasattr(value, "append") or hasattr(value, "add"):
            return len(value) > 0
        return bool(message.HasField(name))

    def writes(self, *path: str) -> bool:
        """Whether a field stands in the text, even with a value that could not be read, such as a placeholder."""
        node = self.node
        for name in path:
            node = node.first(name) if node else None
        return node is not None

    @property
    def phases(self) -> tuple[str, ...]:
        """The phases that this layer can be part of, whatever the stages and the level (net.cpp, StateMeetsRule)."""
        if self._phases is None:
            self._phases = _phases(self.message)
        return self._phases

    @property
    def in_place(self) -> bool:
        return bool(self.tops) and self.tops[0] in self.bottoms

    def __repr__(self) -> str:
        return f"Layer({self.name!r}, {self.type!r})"


def _phases(message: LayerParameter) -> tuple[str, ...]:
    include: Any = message.include
    exclude: Any = message.exclude
    if not include and not exclude:
        return PHASES
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
    conditional = rule.stage or rule.not_stage or rule.HasField("min_level") or rule.HasField("max_level")
    return _may_meet(rule, phase) and not conditional


class Net:
    """A net as it is written.

    `solvers` are those that name it, `siblings` the nets beside a deploy net that may be its training net, likeliest
    first.
    """

    def __init__(self, bound: Bound, message: NetParameter | None = None):
        self.bound = bound
        self.message: NetParameter = upgrade_net(bound.message if message is None else message, bound)
        self.written: NetParameter = bound.message if message is None else message
        layers: Any = self.message.layer
        self.layers: list[Layer] = [Layer(self, layer, index) for index, layer in enumerate(layers)]
        self.solvers: list[Solver] = []
        self.siblings: list[Net] = []
        self._own_role: str | None = None
        self._built: dict[str, BuiltNet] = {}
        self.input_shapes: dict[str, tuple[int, ...]] = {}
        """Shapes of tops that the text does not tell, by name: from the settings, or read from the data."""

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

    def in_phase(self, phase: str) -> list[Layer]:
        """The layers that can be part of a phase."""
        return [layer for layer in self.layers if phase in layer.phases]

    def built(self, phase: str) -> BuiltNet:
        """The net that Caffe would build of it in a phase, with the solver's stages where there is one solver."""
        if phase not in self._built:
            from caffelint.caffe.build import build

            self._built[phase] = build(self.message, phase, input_shapes=self.input_shapes, dialect=self.bound.dialect)
        return self._built[phase]

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
        from caffelint.caffe.layers import REGISTRY
        from caffelint.schema.provenance import provenance

        doubtful = False
        has_input = False
        for layer in self.layers:
            type_ = layer.type
            if type_ == "Input":
                has_input = True
            elif type_ in DATA_TYPES:
                if TRAIN in layer.phases and any(d in ("include", "exclude") for d in _written(layer)):
                    return "train"
                doubtful = doubtful or type_ == "DummyData"
            elif "Loss" in type_ or any(weight for weight in layer.message.loss_weight):
                return "train"
            elif type_ == "Python" or not (type_ in REGISTRY or provenance().layer_type(type_)):
                doubtful = True
        if doubtful:
            return "unknown"
        return "deploy" if has_input else "fragment"


def _written(layer: Layer) -> list[str]:
    return [field.name for field in layer.node.fields] if layer.node else []
