"""Which weights of a file a net takes, and where Caffe ends instead: Net::CopyTrainedLayersFrom, net.cpp."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from enum import Enum

from caffelint.caffe.built_net import BuiltNet
from caffelint.caffe.layers import BuiltLayer
from caffelint.caffe.net_parts import Param
from caffelint.caffe.shapes import INT_MAX, MAX_AXES, Shape, as_int, count
from caffelint.caffe.weights.stored import HDF5, StoredBlob, StoredLayer, Weights
from caffelint.text.records import NamedTuple


class Misfits(Enum):
    """Why Caffe does not take a blob or a layer."""

    BLOB_COUNT = "Incompatible number of blobs for layer"
    SHAPE = "shape mismatch"
    VALUES = "Check failed: count_ == proto.d"
    EMPTY = "Check failed: data_"
    AXES = "Check failed: shape.size() <= kMaxBlobAxes"
    NEGATIVE = "Check failed: shape[i] >= 0"
    TOO_LARGE = "blob size exceeds INT_MAX"
    TYPE = "Unsupported datatype class"


class Misfit(NamedTuple):
    """A layer of the file that a layer of the net does not take. number: of the blob, None where their number differs.

    stored, wanted: the shapes, None likewise.
    """

    kind: Misfits
    source: StoredLayer
    target: BuiltLayer
    number: int | None = None
    stored: Shape | None = None
    wanted: Shape | None = None


class Copy(NamedTuple):
    """A blob that is copied into a parameter."""

    blob: StoredBlob
    param: Param


class Copied(NamedTuple):
    """What Caffe makes of a file, up to its end: it stops at the first of `misfits`, which this does not.

    copies: in the order of the file. ignored: layers that the net has not. misfits: one for a layer, in the order of
    the file. unknown: layers whose parameters are not known, so that nobody knows what they take. missing: layers of
    the net with parameters, of shapes that are known or not and shared ones aside, for which the file has nothing, so
    that their fillers stay.
    """

    copies: list[Copy]
    ignored: list[StoredLayer]
    misfits: list[Misfit]
    unknown: list[BuiltLayer]
    missing: list[BuiltLayer]


def copied(weights: Weights, net: BuiltNet) -> Copied:
    """What a net takes of a file of weights."""
    targets: dict[str, BuiltLayer] = {}
    for layer in net.layers:
        if weights.format == HDF5 or layer.name not in targets:
            targets[layer.name] = layer  # layer_names_index_ has the last of a name, the loop of the other the first
    found = Copied([], [], [], [], [])
    named = {layer.name for layer in weights.layers}
    for source in weights.layers:
        target = targets.get(source.name)
        if target is None:
            found.ignored.append(source)
        elif target.param_shapes is None or target.params is None:
            found.unknown.append(target)
        else:
            copies: list[Copy] = []
            misfit = _copy(source, target, target.params, weights.format == HDF5, copies)
            found.copies.extend(copies)
            if misfit is not None:
                found.misfits.append(misfit)
    for layer in net.layers:
        if layer.name in named and targets[layer.name] is layer:
            continue
        own = layer.has_parameters if layer.params is None else any(param.owner is None for param in layer.params)
        if own:
            found.missing.append(layer)
    return found


def _copy(
    source: StoredLayer, target: BuiltLayer, params: Sequence[Param], is_hdf5: bool, copies: list[Copy]
) -> Misfit | None:
    if source.links > len(params) if is_hdf5 else len(source.blobs) != len(params):
        return Misfit(Misfits.BLOB_COUNT, source, target)
    for number, param in enumerate(params):
        blob = source.blobs.get(number)
        if blob is None:
            if param.owner is None:
                return Misfit(Misfits.BLOB_COUNT, source, target)
            continue
        kind = next(_refused_hdf5(blob, param.shape) if is_hdf5 else _refused(blob, param.shape), None)
        if kind is not None:
            return Misfit(kind, source, target, number, blob.shape, param.shape)
        copies.append(Copy(blob, param))
    return None


def shape_equals(blob: StoredBlob, shape: Shape) -> bool:
    """Blob::ShapeEquals: 4 axes of the old format fit a shape of fewer that they end in, after ones."""
    if not blob.legacy:
        return tuple(map(as_int, blob.shape)) == shape
    return len(shape) <= 4 and (1,) * (4 - len(shape)) + tuple(shape) == blob.shape


def _refused(blob: StoredBlob, shape: Shape) -> Iterator[Misfits]:
    """What Caffe ends with as it copies a blob of a binary file, in its order (blob.cpp FromProto)."""
    stored = tuple(map(as_int, blob.shape))
    equal = shape_equals(blob, shape)
    if not equal:
        if len(stored) > MAX_AXES:
            yield Misfits.AXES
        size = 1
        for dim in stored:
            if dim < 0:
                yield Misfits.NEGATIVE
            if size and dim > INT_MAX // size:
                yield Misfits.TOO_LARGE
            size *= dim
    else:
        size = count(shape)
    if not size:
        yield Misfits.EMPTY
    if blob.count != size or blob.diffs not in (0, size):
        yield Misfits.VALUES
    if not equal:
        yield Misfits.SHAPE


def _refused_hdf5(blob: StoredBlob, shape: Shape) -> Iterator[Misfits]:
    """The same for HDF5 (util/hdf5.cpp hdf5_load_nd_dataset)."""
    if len(blob.shape) > MAX_AXES:
        yield Misfits.AXES
    if blob.problem:
        yield Misfits.TYPE
    if tuple(map(as_int, blob.shape)) != tuple(shape):
        yield Misfits.SHAPE
    if not count(shape):
        yield Misfits.EMPTY
