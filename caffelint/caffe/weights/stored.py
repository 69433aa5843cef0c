"""What a file of weights holds, as values. The numbers themselves stay in the file until they are asked for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from caffelint.caffe.refusal import Refusal
from caffelint.text.records import NamedTuple

BINARY, HDF5 = "binary", "HDF5"
FLOAT, DOUBLE, HALF = "float", "double", "half"
SIZES = {FLOAT: 4, DOUBLE: 8, HALF: 2}


MOST = 50_000
"""Layers and blobs of a file together: each takes memory, however few bytes of the file it is."""
TOO_MANY = f"holds more than {MOST:,} layers and blobs, which no net has, and was not read"


class Unreadable(Exception):
    """Why a file of weights cannot be read: one line."""


class Run(NamedTuple):
    """Numbers in the file: the offset of the first, how many, and the bytes from each to the next."""

    offset: int
    length: int
    step: int


class StoredBlob:
    """A blob of a file. shape: as it is stored, with 4 axes if `legacy`, as Caffe wrote it before blobs had any number.

    count: how many values are stored for it; diffs: how many gradients. kind: FLOAT, DOUBLE or HALF. raw: are they
    NVCaffe's `raw_data`, which no other Caffe reads? problem: why Caffe cannot read its values, "" otherwise.
    """

    __slots__ = ("__weakref__", "count", "diffs", "kind", "legacy", "problem", "raw", "read", "shape")

    def __init__(
        self,
        shape: Sequence[int],
        count: int,
        read: Callable[[], Any],
        *,
        legacy: bool = False,
        kind: str = FLOAT,
        diffs: int = 0,
        raw: bool = False,
        problem: str = "",
    ) -> None:
        self.shape = tuple(shape)
        self.count = count
        self.read = read
        self.legacy = legacy
        self.kind = kind
        self.diffs = diffs
        self.raw = raw
        self.problem = problem

    def values(self) -> Any:
        """All values as a numpy array of one axis, mostly a view of the file. Needs numpy."""
        return self.read()

    def __repr__(self) -> str:
        return f"<StoredBlob {'x'.join(map(str, self.shape))} {self.kind}>"


class StoredLayer(NamedTuple):
    """A layer of a file, and its blobs by their numbers; an HDF5 file leaves out those that share another's memory.

    message: its LayerParameter in the current format, without blobs; None in HDF5, which holds only numbers.
    """

    name: str
    type: str
    blobs: dict[int, StoredBlob]
    message: Any = None
    links: int = 0
    """How many entries it has in an HDF5 file, blobs or not."""


class Weights:
    """A .caffemodel. layers: in the order in which Caffe copies them.

    format: BINARY or HDF5. generation: 0 or 1 for files of the older formats of layers, else 2. net: the NetParameter
    without blobs, None in HDF5. refusals: what Caffe refuses in the upgrade of an older format. size: in bytes.
    rest: bytes after the end of the message, which Caffe ignores. seems: what the file is if it holds no layer, "" if
    that is not known.
    """

    def __init__(
        self,
        path: str,
        layers: Sequence[StoredLayer],
        format: str = BINARY,
        *,
        generation: int = 2,
        net: Any = None,
        refusals: Sequence[Refusal] = (),
        size: int = 0,
        rest: int = 0,
        seems: str = "",
    ) -> None:
        self.path = path
        self.layers = list(layers)
        self.format = format
        self.generation = generation
        self.net = net
        self.refusals = list(refusals)
        self.size = size
        self.rest = rest
        self.seems = seems

    @property
    def trained(self) -> list[StoredLayer]:
        """The layers that hold blobs."""
        return [layer for layer in self.layers if layer.blobs]

    @property
    def count(self) -> int:
        """How many values it holds."""
        return sum(blob.count for layer in self.layers for blob in layer.blobs.values())


class State:
    """A .solverstate. history: the blobs of the solver, None where a number is missing in HDF5.

    learned_net: the path of the .caffemodel that belongs to it, "" if none is named.
    """

    def __init__(
        self,
        path: str,
        iteration: int,
        learned_net: str,
        history: Sequence[StoredBlob],
        current_step: int = 0,
        format: str = BINARY,
        size: int = 0,
    ) -> None:
        self.path = path
        self.iteration = iteration
        self.learned_net = learned_net
        self.history = list(history)
        self.current_step = current_step
        self.format = format
        self.size = size
