"""Binary .caffemodel and .solverstate files: a net of the same bytes without its numbers is what protobuf parses.

The numbers stay in the file. In their place each blob gets its own number, by which it is found again once the net is
upgraded as Caffe does it (util/upgrade_proto.cpp ReadNetParamsFromBinaryFileOrDie).
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from caffelint.caffe.refusal import Refusal
from caffelint.caffe.shapes import MAX_AXES
from caffelint.caffe.upgrade import net_generation, upgrade_net
from caffelint.caffe.weights.stored import (
    DOUBLE,
    FLOAT,
    HALF,
    MOST,
    SIZES,
    TOO_MANY,
    Run,
    State,
    StoredBlob,
    StoredLayer,
    Unreadable,
    Weights,
)
from caffelint.caffe.weights.wire import (
    BYTES,
    FIXED32,
    FIXED64,
    VARINT,
    Buffer,
    Damaged,
    Part,
    encoded,
    parts,
    repeats,
    tag,
    varint,
)
from caffelint.schema import message_class
from caffelint.schema.messages import NetParameter

_Blobs = Mapping[int, Any]
"""Which fields lead to blobs, by their numbers; a blob is None."""
_NET: _Blobs = {100: {7: None}, 2: {6: None, 1: {50: None}}}
_STATE: _Blobs = {3: None}

_SHAPE = 7
_DATA, _DIFF, _DOUBLE_DATA, _DOUBLE_DIFF = 5, 6, 8, 9
_RAW_TYPE, _RAW_DATA = 10, 12
"""Of NVCaffe 0.16 and later."""
_RAW_KINDS = {0: DOUBLE, 1: FLOAT, 2: HALF}
_NUMBERS = {_DATA: FLOAT, _DIFF: FLOAT, _DOUBLE_DATA: DOUBLE, _DOUBLE_DIFF: DOUBLE}
_SINGLE = {FLOAT: FIXED32, DOUBLE: FIXED64}
_LARGEST_REST = 256 << 20
"""Bytes of a file besides the numbers of its blobs."""
_LARGEST_IN_BLOB = 1 << 20
"""Bytes of a field in a blob; larger ones are numbers in a form of a fork, and stay in the file."""
_LEGACY = ("num", "channels", "height", "width")


class _Numbers:
    """The numbers of one blob, by the field that holds them."""

    def __init__(self) -> None:
        self.runs: dict[int, list[Run]] = {number: [] for number in _NUMBERS}
        self.raw: Run | None = None
        self.raw_kind = 0

    def count(self, field: int) -> int:
        return sum(run.length for run in self.runs[field])


class _Scan:
    """Takes the numbers out of a message. Raises `Damaged` and, where it holds too much, `Unreadable`."""

    def __init__(self, data: Buffer) -> None:
        self.data = data
        self.found: list[_Numbers] = []
        self.end = 0
        self._count = 0
        self._rest = 0

    def _kept(self, part: Part) -> Any:
        """A field as it is. Raises `Unreadable` where all of them together take far more memory than a net."""
        self._rest += part.end - part.start
        if self._rest > _LARGEST_REST:
            raise Unreadable(f"holds more than {_LARGEST_REST >> 20} MiB besides the numbers of blobs, as no net does")
        return self.data[part.start : part.end]

    def without_numbers(self, start: int, end: int, below: _Blobs, outermost: bool = False) -> bytes:
        kept = bytearray()
        at = start
        for part in parts(self.data, start, end, outermost=outermost):
            at = part.end
            if part.number in below and part.kind == BYTES:
                self._count += 1
                if self._count > MOST:
                    raise Unreadable(TOO_MANY)
                inner = below[part.number]
                if inner is None:
                    content = self.blob(part)
                else:
                    content = self.without_numbers(part.payload, part.end, inner)
                kept += tag(part.number, BYTES) + encoded(len(content)) + content
            else:
                kept += self._kept(part)
        if outermost:
            self.end = at
        return bytes(kept)

    def blob(self, blob: Part) -> bytes:
        """The blob without its numbers, with its place in `found` as its only value."""
        numbers = _Numbers()
        kept = bytearray()
        at = blob.payload
        while at < blob.end:
            for part in parts(self.data, at, blob.end):
                at = part.end
                kind = _NUMBERS.get(part.number)
                if kind is not None and part.kind == BYTES:
                    size = part.end - part.payload
                    if size % SIZES[kind]:
                        raise Damaged(part.start, f"{size} bytes are not a whole number of values")
                    numbers.runs[part.number].append(Run(part.payload, size // SIZES[kind], SIZES[kind]))
                elif kind is not None and part.kind == _SINGLE[kind]:
                    # Written one by one: walked over at once.
                    step = part.end - part.start
                    count = repeats(self.data, part.start, blob.end, step) if step == SIZES[kind] + 1 else 1
                    numbers.runs[part.number].append(Run(part.payload, count, step))
                    at = part.start + count * step
                    break
                elif part.number == _RAW_DATA and part.kind == BYTES:
                    numbers.raw = Run(part.payload, part.end - part.payload, 1)
                else:
                    if part.number == _RAW_TYPE and part.kind == VARINT:
                        numbers.raw_kind = varint(self.data, part.payload, part.end)[0]
                    if part.number == _SHAPE or part.end - part.start <= _LARGEST_IN_BLOB:
                        kept += self._kept(part)
        kept += tag(_DOUBLE_DATA, BYTES) + encoded(8) + struct.pack("<d", len(self.found))
        self.found.append(numbers)
        return bytes(kept)


def read_net(data: Buffer, path: str) -> Weights:
    """A .caffemodel. Raises `Unreadable` where Caffe cannot parse it."""
    scan = _Scan(data)
    message: Any = NetParameter()
    _parse(scan, message, _NET, path)
    generation = net_generation(message)
    refusals: list[Refusal] = []
    try:
        net = upgrade_net(message, None, refusals)
    except UnicodeDecodeError:
        raise Unreadable("is in an older format, with names that are not UTF-8") from None
    layers = []
    for layer in net.layer:
        blobs = {number: _stored(blob, scan) for number, blob in enumerate(layer.blobs)}
        layers.append(StoredLayer(_text(layer.name), _text(layer.type), blobs, layer))
    rest = len(data) - scan.end
    return Weights(path, layers, generation=generation, net=net, refusals=refusals, size=len(data), rest=rest)


def read_state(data: Buffer, path: str) -> State:
    """A .solverstate. Raises `Unreadable`, where Caffe goes on with what it has parsed so far."""
    scan = _Scan(data)
    message: Any = message_class("SolverState")()
    _parse(scan, message, _STATE, path)
    history = [_stored(blob, scan) for blob in message.history]
    return State(path, message.iter, _text(message.learned_net), history, message.current_step, size=len(data))


def _parse(scan: _Scan, message: Any, below: _Blobs, path: str) -> None:
    try:
        message.MergeFromString(scan.without_numbers(0, len(scan.data), below, outermost=True))
    except Unreadable:
        raise
    except Damaged as damaged:
        reason = f"is damaged or cut off at byte {damaged.offset} of {len(scan.data)}: {damaged.reason}"
        raise Unreadable(reason) from None
    except Exception as error:
        raise Unreadable(f"holds no {message.DESCRIPTOR.name}: {' '.join(str(error).split())[:100]}") from None


def _text(value: str | bytes) -> str:
    """A string of a message; protobuf gives the bytes of one that is not in UTF-8."""
    return value.decode("utf-8", "surrogateescape") if isinstance(value, bytes) else value


def _stored(blob: Any, scan: _Scan) -> StoredBlob:
    numbers = scan.found[int(blob.double_data[0])]
    legacy = any(map(blob.HasField, _LEGACY))
    shape = [getattr(blob, name) for name in _LEGACY] if legacy else list(blob.shape.dim[: MAX_AXES + 1])
    if len(shape) > MAX_AXES:
        raise Unreadable(
            f"holds a blob of {len(blob.shape.dim):,} axes; Caffe takes {MAX_AXES} at most (blob.cpp, Reshape)"
        )
    field = _DOUBLE_DATA if numbers.runs[_DOUBLE_DATA] and numbers.count(_DOUBLE_DATA) else _DATA
    kind, count, raw = _NUMBERS[field], numbers.count(field), False
    read: Callable[[], Any] = partial(_joined, scan.data, numbers.runs[field], kind)
    if not count and numbers.raw is not None and numbers.raw_kind in _RAW_KINDS:
        kind, raw = _RAW_KINDS[numbers.raw_kind], True
        count = numbers.raw.length // SIZES[kind]
        read = partial(_joined, scan.data, [Run(numbers.raw.offset, count, SIZES[kind])], kind)
    diffs = numbers.count(_DOUBLE_DIFF) or numbers.count(_DIFF)
    return StoredBlob(shape, count, read, legacy=legacy, kind=kind, diffs=diffs, raw=raw)


def _joined(data: Buffer, runs: list[Run], kind: str) -> Any:
    import numpy as np

    dtype = {FLOAT: "<f4", DOUBLE: "<f8", HALF: "<f2"}[kind]
    views = [np.ndarray((run.length,), dtype, data, run.offset, (run.step,)) for run in runs]
    if len(views) == 1:
        return views[0]
    return np.concatenate(views) if views else np.zeros(0, dtype)
