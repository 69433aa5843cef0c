"""Files of weights that are cut, lie about their lengths, or are larger than they say: one line, little memory."""

from __future__ import annotations

import os
import tracemalloc
from pathlib import Path
from typing import Any

import bench_curves
import h5py
import numpy
import pytest
from cost import soon

from caffelint.caffe.weights import hdf5
from caffelint.caffe.weights.file import read_solver_state, read_weights
from caffelint.caffe.weights.stored import Unreadable
from caffelint.caffe.weights.wire import repeats
from caffelint.schema import NetParameter

GIB = 1 << 30


def net() -> Any:
    message: Any = NetParameter(name="net")
    for name in ("a", "b"):
        blob = message.layer.add(name=name, type="InnerProduct").blobs.add()
        blob.shape.dim.extend([2, 3])
        blob.data.extend(range(6))
    return message


def varint(value: int) -> bytes:
    found = bytearray()
    while value > 0x7F:
        found.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*found, value])


def test_cut_anywhere(tmp_path: Path) -> None:
    data = net().SerializeToString()
    path = tmp_path / "a.caffemodel"
    whole = 0
    for end in range(len(data)):
        path.write_bytes(data[:end])
        try:
            layers = read_weights(str(path)).layers
        except Unreadable:
            continue
        whole += 1
        assert NetParameter.FromString(data[:end]) is not None
        assert len(layers) < 2
    assert whole == 3  # nothing, the name, and the first layer


def test_three_gibibytes(tmp_path: Path) -> None:
    """Beyond what protobuf parses; the numbers are a hole in the file and are not looked at."""
    path = tmp_path / "a.caffemodel"
    with open(path, "wb") as file:
        for number in range(3):
            numbers = varint(GIB)
            blob = (
                b"\x3a" + varint(len(varint(GIB // 4)) + 2) + b"\x0a" + varint(len(varint(GIB // 4))) + varint(GIB // 4)
            )
            head = b"\x0a\x01" + bytes([97 + number]) + b"\x3a"
            size = len(blob) + 1 + len(numbers) + GIB
            layer = head + varint(size) + blob + b"\x2a" + numbers
            file.write(b"\xa2\x06" + varint(len(layer) + GIB) + layer)
            file.seek(GIB, 1)
        file.truncate(file.tell())
    tracemalloc.start()
    with soon():
        weights = read_weights(str(path))
    assert tracemalloc.get_traced_memory()[1] < 10 << 20
    tracemalloc.stop()
    assert [(layer.name, layer.blobs[0].shape, layer.blobs[0].count) for layer in weights.layers] == [
        (name, (GIB // 4,), GIB // 4) for name in "abc"
    ]
    assert weights.size > 3 * GIB


def test_numbers_one_by_one_do_not_take_long(tmp_path: Path) -> None:
    path = tmp_path / "a.caffemodel"
    blob = b"\x2d\x00\x00\x80\x3f" * 2_000_000
    layer = b"\x3a" + varint(len(blob)) + blob
    path.write_bytes(b"\xa2\x06" + varint(len(layer)) + layer)
    assert bench_curves.calls(lambda: read_weights(str(path))) < 100_000
    (stored,) = read_weights(str(path)).layers
    assert stored.blobs[0].count == 2_000_000
    assert float(stored.blobs[0].values().sum()) == 2e6


def test_what_is_no_number_takes_no_more_memory_than_a_net(tmp_path: Path) -> None:
    """A field of a gigabyte that is a hole in the file; in a blob it may be numbers in a form of a fork."""
    path = tmp_path / "a.caffemodel"
    for head in (b"\x0a", b"\xba\x3e", b"\xa2\x06" + varint(GIB + 6) + b"\x0a"):  # name, unknown, name of a layer
        path.write_bytes(head + varint(GIB))
        os.truncate(path, GIB + len(head + varint(GIB)))
        tracemalloc.start()
        with pytest.raises(Unreadable, match="holds more than 256 MiB besides the numbers"):
            read_weights(str(path))
        assert tracemalloc.get_traced_memory()[1] < 10 << 20
        tracemalloc.stop()
    blob = b"\x2d\x00\x00\x80\x3f" + b"\xba\x3e" + varint(GIB)
    layer = b"\x3a" + varint(GIB + len(blob))
    path.write_bytes(b"\xa2\x06" + varint(GIB + len(layer + blob)) + layer + blob)
    os.truncate(path, GIB + path.stat().st_size)
    (stored,) = read_weights(str(path)).layers
    assert stored.blobs[0].values().tolist() == [1]


def test_no_more_of_a_file_is_looked_at_for_a_number_than_follow_it() -> None:
    looked_at = []

    class Buffer(bytes):
        def __getitem__(self, at: Any) -> Any:
            looked_at.append(len(found := super().__getitem__(at)))
            return found

    number, other = b"\x2d\x00\x00\x80\x3f", b"\x98\x06\x00"
    for times in (1, 10, 1000):
        data = Buffer(number * times + (other + number) * 10_000)
        looked_at.clear()
        assert repeats(data, 0, len(data), len(number)) == times
        assert sum(looked_at) < 6 * times


@pytest.mark.parametrize("length", [2**31 - 1, 2**31, 2**40, 2**63, 2**64 - 1])
def test_lengths_that_lie(tmp_path: Path, length: int) -> None:
    path = tmp_path / "a.caffemodel"
    path.write_bytes(b"\xa2\x06" + varint(length) + b"\x0a\x01a")
    with pytest.raises(Unreadable, match="damaged or cut off at byte 0 of"):
        read_weights(str(path))


def test_hdf5_that_claims_more_than_it_holds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.caffemodel.h5"
    with h5py.File(path, "w") as file:
        file.create_dataset("data/a/0", shape=(1 << 40,), dtype="f4", chunks=(1 << 20,), compression="gzip")
    with pytest.raises(Unreadable, match="claims 4398046511104 bytes of weights, more than 1000 times its own size"):
        read_weights(str(path))
    with h5py.File(path, "w") as file:
        file.create_dataset("data/a/0", shape=(1 << 23,), dtype="f8", chunks=(1 << 20,), compression="gzip")
        file.create_dataset("other", data=numpy.random.default_rng(1).integers(0, 255, 1 << 20, "u1"))
    (layer,) = read_weights(str(path)).layers
    assert layer.blobs[0].values().sum() == 0
    monkeypatch.setattr(hdf5, "_MOST_UNPACKED", 1 << 20)
    with pytest.raises(Unreadable, match="of which it holds far fewer"):
        layer.blobs[0].values()


STATES: dict[str, dict[str, Any]] = {
    "is a damaged HDF5 file": {"data": numpy.inf},
    "has more or less than one value": {"shape": (1 << 30,), "dtype": "i4", "chunks": (1024,)},
    "has more or less than one value, or": {"data": h5py.Empty("i4")},
    "or one of another type": {"data": b"one"},
    "more or less": {"shape": (0,), "dtype": "i4"},
}


@pytest.mark.parametrize("reason", STATES)
def test_a_solver_state_of_an_iteration_that_is_no_number(reason: str, tmp_path: Path) -> None:
    path = tmp_path / "a.solverstate.h5"
    with h5py.File(path, "w") as file:
        file.create_dataset("iter", **STATES[reason])
        file["history/0"] = numpy.zeros(3, "f4")
    with pytest.raises(Unreadable, match=reason):
        read_solver_state(str(path))


def test_a_solver_state_that_claims_more_than_it_holds(tmp_path: Path) -> None:
    path = tmp_path / "a.solverstate.h5"
    with h5py.File(path, "w") as file:
        file["iter"] = numpy.array([7], "i4")
        file.create_dataset("learned_net", (), "S2000000000", chunks=None)
        file.create_group("history")
    with pytest.raises(Unreadable, match='claims 2000000000 bytes for "learned_net"'):
        read_solver_state(str(path))
    with h5py.File(path, "a") as file:
        del file["learned_net"]
        file["learned_net"] = "a.caffemodel.h5"
    state = read_solver_state(str(path))
    assert (state.iteration, state.learned_net) == (7, "a.caffemodel.h5")


def test_what_is_no_file(tmp_path: Path) -> None:
    for read in (read_weights, read_solver_state):
        for path in (tmp_path, Path("/dev/zero"), tmp_path / "gone"):
            with pytest.raises(Unreadable, match=r"^(is a folder|is a pipe or a device|cannot be read)[^\n]*$"):
                read(str(path))
        link = tmp_path / "linked.caffemodel"
        link.unlink(missing_ok=True)
        link.symlink_to("/proc/self/environ")
        for path in ("/proc/self/environ", "/proc/version", "/sys/kernel/notes", str(link)):
            with pytest.raises(Unreadable, match="shows the running system"):
                read(path)
