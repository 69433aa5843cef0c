"""HDF5 files of weights and solver states, as Net::ToHDF5 and SGDSolver::SnapshotSolverStateToHDF5 write them."""

from __future__ import annotations

from functools import partial
from typing import Any

from caffelint.caffe.hdf5_links import elsewhere
from caffelint.caffe.weights.stored import (
    DOUBLE,
    FLOAT,
    HALF,
    HDF5,
    MOST,
    SIZES,
    TOO_MANY,
    State,
    StoredBlob,
    StoredLayer,
    Unreadable,
    Weights,
)

_MOST_UNPACKED, _LARGEST_RATIO = 64 << 20, 100
"""Bytes that a dataset may have however few it takes in the file, and how many times these beyond."""
_LARGEST_OF_ALL = 1000
"""How many times the size of the file all datasets may have: one that is linked again and again counts each time."""
_MOST_STEPS = 2 * MOST
"""Groups and links that all names of a file may lead through; each of a layer and each of a blob is one."""
_LONGEST_VALUE = 1 << 16
"""Bytes of a single number or name, which a dataset may claim any number of."""
_KINDS = {2: HALF, 8: DOUBLE}
_CLASSES = {
    "S": "H5T_STRING",
    "O": "H5T_STRING",
    "U": "H5T_STRING",
    "V": "H5T_COMPOUND",
    "b": "H5T_ENUM",
    "c": "H5T_COMPOUND",
}
"""The classes that Caffe refuses (util/hdf5.cpp), by numpy's kinds."""


def read_net(path: str, size: int) -> Weights:
    """A .caffemodel.h5. Raises `Unreadable`."""
    with _Opened(path) as opened:
        if not hasattr(data := opened.get(opened.file, "data"), "keys"):
            raise Unreadable('is an HDF5 file without a group "data", where Caffe looks for the layers')
        layers: list[StoredLayer] = []
        count = 0
        for name in data:  # of which several may be one group
            group = _group(opened, data, name)
            count += 1 + len(group)
            if count > MOST:
                raise Unreadable(TOO_MANY)
            layers.append(_layer(opened, group, name))
    claimed = sum(blob.count * SIZES[blob.kind] for layer in layers for blob in layer.blobs.values())
    if claimed > _MOST_UNPACKED + _LARGEST_OF_ALL * size:
        raise Unreadable(f"claims {claimed} bytes of weights, more than {_LARGEST_OF_ALL} times its own size")
    return Weights(path, layers, HDF5, size=size)


def read_state(path: str, size: int) -> State:
    """A .solverstate.h5. Raises `Unreadable`."""
    with _Opened(path) as opened:
        if not hasattr(history := opened.get(opened.file, "history"), "keys"):
            if hasattr(opened.get(opened.file, "data"), "keys"):
                raise Unreadable("is a .caffemodel.h5, not a solver state; start from it with --weights")
            raise Unreadable('is an HDF5 file without a group "history", where Caffe looks for the solver\'s state')
        if len(history) > MOST:
            raise Unreadable(TOO_MANY)
        names = set(history)
        blobs = [_blob(opened, history, str(number)) for number in range(len(names)) if str(number) in names]
        name = _value(opened, "learned_net", "SO")
        learned_net = "" if name is None else name.decode(errors="replace") if isinstance(name, bytes) else str(name)
        iteration, step = (int(_value(opened, key, "fiu") or 0) for key in ("iter", "current_step"))
    return State(path, iteration, learned_net, blobs, step, HDF5, size)


_BAD = (OSError, RuntimeError, ValueError, LookupError, TypeError, ArithmeticError, AttributeError)
"""What h5py raises of a damaged file, and what its values raise that are none of what Caffe writes."""


class _Opened:
    """An HDF5 file. Whatever h5py says of a damaged one is `Unreadable`."""

    def __init__(self, path: str) -> None:
        try:
            import h5py
        except ImportError:
            raise Unreadable("is an HDF5 file, which needs h5py: pip install 'caffelint[data]'") from None
        self.path = path
        self._steps = 0
        try:
            self.file: Any = h5py.File(path, "r")
        except (OSError, RuntimeError, ValueError) as error:
            raise _damaged(error) from None

    def __enter__(self) -> _Opened:
        return self

    def __exit__(self, kind: Any, error: BaseException | None, trace: Any) -> None:
        self.file.close()
        if isinstance(error, _BAD):
            raise _damaged(error) from None

    def get(self, group: Any, name: str) -> Any:
        """What has this name in a group; None for nothing. Raises `Unreadable` where it is in another file."""
        if reason := elsewhere(group, name, self._step):
            raise Unreadable(reason)
        return group.get(name)

    def _step(self) -> None:
        self._steps += 1
        if self._steps > _MOST_STEPS:
            raise Unreadable("has links that lead a longer way than all layers and blobs that are read")


def _damaged(error: BaseException) -> Unreadable:
    return Unreadable(f"is a damaged HDF5 file: {' '.join(str(error).split())[:200]}")


def _value(opened: _Opened, name: str, kinds: str) -> Any:
    """The one value of a dataset of one of these kinds of numpy; None for nothing. Raises `Unreadable`."""
    dataset = opened.get(opened.file, name)
    if dataset is None:
        return None
    if not hasattr(dataset, "shape") or dataset.dtype.kind not in kinds or dataset.size != 1:
        raise Unreadable(f'has more or less than one value, or one of another type, as "{name}"')
    if dataset.nbytes > _LONGEST_VALUE:
        raise Unreadable(f'claims {dataset.nbytes} bytes for "{name}"')
    return dataset[()].reshape(-1)[0] if dataset.shape else dataset[()]


def _group(opened: _Opened, data: Any, name: str) -> Any:
    group = opened.get(data, name)
    if not hasattr(group, "keys"):
        raise Unreadable(f'has no group for layer "{name}"')
    return group


def _layer(opened: _Opened, group: Any, name: str) -> StoredLayer:
    blobs = {int(key): _blob(opened, group, key) for key in group if key.isascii() and key.isdecimal()}
    return StoredLayer(name, "", dict(sorted(blobs.items())), links=len(group))


def _blob(opened: _Opened, group: Any, key: str) -> StoredBlob:
    dataset = opened.get(group, key)
    if not hasattr(dataset, "shape") or dataset.shape is None:
        raise Unreadable(f'has no numbers for "{group.name}/{key}"')
    kind = dataset.dtype.kind
    problem = "" if kind in "fiu" else f"Unsupported datatype class: {_CLASSES.get(kind, kind)}"
    stored = _KINDS.get(dataset.dtype.itemsize, FLOAT) if kind == "f" else FLOAT
    read = partial(_values, opened.path, dataset.name)
    return StoredBlob(dataset.shape, int(dataset.size), read, kind=stored, problem=problem)


def _values(path: str, name: str) -> Any:
    with _Opened(path) as opened:
        dataset = opened.file[name]
        if dataset.nbytes > _MOST_UNPACKED + _LARGEST_RATIO * dataset.id.get_storage_size():
            raise Unreadable(f'claims {dataset.nbytes} bytes for "{name}", of which it holds far fewer')
        return dataset[()].reshape(-1)
