"""Files of weights that a real Caffe wrote, changed at random: renamed, reshaped, cut, of older formats."""

from __future__ import annotations

import random
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

import h5py
import numpy as np
from google.protobuf.message import DecodeError

from caffelint.schema.messages import NetParameter, V1LayerParameter

_SHAPES = ("num", "channels", "height", "width")


def varint(value: int) -> bytes:
    found = bytearray()
    while value > 0x7F:
        found.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*found, value])


class Mutator:
    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)

    def binary(self, data: bytes) -> tuple[str, bytes]:
        """The name of what was done, and the file."""
        rng = self.random
        message: Any = NetParameter.FromString(data)
        if rng.random() < 0.35:
            changes: list[Callable[[bytes], bytes]] = [
                self.cut,
                self.cut_with_zeros,
                self.flipped,
                self.with_rest,
                self.lying,
                self.unpacked,
                self.split,
            ]
            change = rng.choice(changes)
            return change.__name__, change(data)
        names = []
        for _ in range(rng.choice([1, 1, 1, 2, 3])):
            edits: list[Callable[[Any], None]] = [
                self.nothing,
                self.rename,
                self.rename_all,
                self.drop,
                self.repeat,
                self.reshape,
                self.legacy,
                self.drop_blob,
                self.add_blob,
                self.swap_blobs,
                self.dimension,
                self.fewer_values,
                self.gradients,
                self.doubles,
                self.input_of_old,
                self.shuffle,
                self.no_shape,
                self.other_type,
            ]
            edit = rng.choice(edits)
            edit(message)
            names.append(edit.__name__)
        if rng.random() < 0.3:
            form = rng.choice([1, 1, 0, 0, 3])
            message = old(message, form)
            names.append(f"V{form}")
        return "+".join(names), message.SerializePartialToString()

    def layer(self, message: Any) -> Any:
        return self.random.choice([layer for layer in message.layer if layer.blobs] or list(message.layer))

    def blob(self, message: Any) -> Any:
        layer = self.layer(message)
        return self.random.choice(list(layer.blobs)) if layer.blobs else layer.blobs.add()

    def nothing(self, message: Any) -> None:
        pass

    def rename(self, message: Any) -> None:
        self.layer(message).name += self.random.choice(["_new", "2", " "])

    def rename_all(self, message: Any) -> None:
        for layer in message.layer:
            layer.name = "model/" + layer.name

    def drop(self, message: Any) -> None:
        del message.layer[self.random.randrange(len(message.layer))]
        if not message.layer:
            message.layer.add()

    def repeat(self, message: Any) -> None:
        layer = self.layer(message)
        copy = message.layer.add()
        copy.CopyFrom(layer)
        for blob in copy.blobs:
            blob.data[:] = [self.random.random() for _ in blob.data]

    def reshape(self, message: Any) -> None:
        rng = self.random
        blob = self.blob(message)
        dims = list(blob.shape.dim)
        change = rng.randrange(5)
        if change == 0:
            dims = [1, *dims]
        elif change == 1:
            dims = dims[::-1]
        elif change == 2:
            dims = [len(blob.data)]
        elif change == 3:
            dims = [dim for dim in dims if dim != 1]
        else:
            dims = [*dims, 1]
        blob.shape.dim[:] = dims

    def legacy(self, message: Any) -> None:
        for layer in message.layer:
            for blob in layer.blobs:
                dims = list(blob.shape.dim)
                if len(dims) <= 4 and max(dims, default=0) < 2**31 and self.random.random() < 0.9:
                    dims = [1] * (4 - len(dims)) + dims
                    if self.random.random() < 0.1:
                        dims.reverse()
                    for name, dim in zip(_SHAPES, dims, strict=True):
                        if self.random.random() < 0.98:
                            setattr(blob, name, dim)
                    if self.random.random() < 0.9:
                        blob.ClearField("shape")

    def drop_blob(self, message: Any) -> None:
        layer = self.layer(message)
        del layer.blobs[-1:]

    def add_blob(self, message: Any) -> None:
        layer = self.random.choice(list(message.layer))
        blob = layer.blobs.add()
        blob.shape.dim.append(1)
        blob.data.append(3)

    def swap_blobs(self, message: Any) -> None:
        layer = self.layer(message)
        blobs = [type(blob).FromString(blob.SerializeToString()) for blob in layer.blobs]
        del layer.blobs[:]
        layer.blobs.extend(reversed(blobs))

    def dimension(self, message: Any) -> None:
        rng = self.random
        blob = self.blob(message)
        if not blob.shape.dim:
            blob.shape.dim.append(1)
        at = rng.randrange(len(blob.shape.dim))
        was = blob.shape.dim[at]
        blob.shape.dim[at] = rng.choice([was + 1, was - 1, 0, -1, was + 2**32, 2**31, 2**31 - 1, 2**62])
        if rng.random() < 0.5 and 0 <= blob.shape.dim[at] < 1000:
            size = 1
            for dim in blob.shape.dim:
                size *= dim
            if 0 <= size < 1_000_000:
                blob.data[:] = [rng.random() for _ in range(size)]
        elif rng.random() < 0.1:
            blob.shape.dim[:] = [1] * 33

    def fewer_values(self, message: Any) -> None:
        data = self.blob(message).data
        change = self.random.randrange(3)
        if change == 0:
            del data[:]
        elif change == 1:
            del data[-1:]
        else:
            data.append(1)

    def gradients(self, message: Any) -> None:
        blob = self.blob(message)
        wrong = self.random.choice([0, 0, 1])
        field = self.random.choice([blob.diff, blob.double_diff])
        field[:] = [0.5] * (len(blob.data) + wrong)

    def doubles(self, message: Any) -> None:
        for layer in message.layer:
            for blob in layer.blobs:
                blob.double_data[:] = [2 * value for value in blob.data]
                if self.random.random() < 0.7:
                    del blob.data[:]

    def input_of_old(self, message: Any) -> None:
        message.input.append("data")
        if self.random.random() < 0.7:
            message.input_dim.extend([1, 2, 3, 4])
        if self.random.random() < 0.2:
            message.input_shape.add().dim.append(3)

    def shuffle(self, message: Any) -> None:
        layers = [type(layer).FromString(layer.SerializePartialToString()) for layer in message.layer]
        self.random.shuffle(layers)
        del message.layer[:]
        message.layer.extend(layers)

    def no_shape(self, message: Any) -> None:
        self.blob(message).ClearField("shape")

    def other_type(self, message: Any) -> None:
        self.layer(message).type = self.random.choice(["", "Convolution", "NoSuchLayer"])

    def cut(self, data: bytes) -> bytes:
        return data[: self.random.randrange(len(data))]

    def cut_with_zeros(self, data: bytes) -> bytes:
        at = self.random.randrange(len(data))
        return data[:at] + bytes(len(data) - at)

    def flipped(self, data: bytes) -> bytes:
        changed = bytearray(data)
        for _ in range(self.random.choice([1, 1, 2, 5])):
            changed[self.random.randrange(len(changed))] ^= 1 << self.random.randrange(8)
        return bytes(changed)

    def with_rest(self, data: bytes) -> bytes:
        rests = [b"\0\0\0", b"\x0c junk", b"\x0b\x0c", b"\x0a\x03abc", b"\xff" * 11, b"\x0f", b"PK", b"\x0a\x7fab"]
        return data + self.random.choice(rests)

    def lying(self, data: bytes) -> bytes:
        """The length of the last layer is another one."""
        message: Any = NetParameter.FromString(data)
        last = message.layer[-1].SerializePartialToString()
        del message.layer[-1]
        wrong = self.random.choice([len(last) + 1, len(last) - 1, 0, 2**31 - 1, 2**31 + 5, 2**40])
        return message.SerializePartialToString() + b"\xa2\x06" + varint(max(0, wrong)) + last

    def unpacked(self, data: bytes) -> bytes:
        """All numbers one by one."""
        return self.rewritten(data, lambda values: b"".join(b"\x2d" + struct.pack("<f", one) for one in values))

    def split(self, data: bytes) -> bytes:
        """Numbers in several fields, packed and not."""

        def parts(values: list[float]) -> bytes:
            found, at = b"", 0
            while at < len(values):
                some = values[at : at + self.random.randint(1, 5)]
                at += len(some)
                if self.random.random() < 0.3:
                    found += b"".join(b"\x2d" + struct.pack("<f", one) for one in some)
                else:
                    packed = struct.pack(f"<{len(some)}f", *some)
                    found += b"\x2a" + varint(len(packed)) + packed
            return found

        return self.rewritten(data, parts)

    def rewritten(self, data: bytes, write: Callable[[list[float]], bytes]) -> bytes:
        message: Any = NetParameter.FromString(data)
        layers = [type(layer).FromString(layer.SerializePartialToString()) for layer in message.layer]
        del message.layer[:]
        found = message.SerializePartialToString()
        for layer in layers:
            blobs = b""
            for blob in layer.blobs:
                values = list(blob.data)
                del blob.data[:]
                content = blob.SerializePartialToString() + write(values)
                blobs += b"\x3a" + varint(len(content)) + content
            del layer.blobs[:]
            content = layer.SerializePartialToString() + blobs
            found += b"\xa2\x06" + varint(len(content)) + content
        return found

    def hdf5(self, path: Path) -> str:
        """Changes the file, and gives the name of what was done."""
        rng = self.random
        if rng.random() < 0.1:
            data = path.read_bytes()
            path.write_bytes(data[: rng.randrange(8, len(data))])
            return "cut"
        changes = ["nothing", "rename", "drop", "reshape", "whole", "string", "drop_blob", "extra", "no_data", "block"]
        name = rng.choice(changes)
        with h5py.File(path, "r+") as file:
            data = file["data"]
            layers = [layer for layer in data if len(data[layer])] or list(data)
            if not layers:
                return "nothing"
            layer = rng.choice(layers)
            blobs = list(data[layer])
            if name == "rename":
                data.move(layer, layer + "_new")
            elif name == "drop":
                del data[layer]
            elif name == "extra":
                data[layer][rng.choice(["9", "x", str(len(blobs))])] = np.zeros((2, 3), "f4")
            elif name == "no_data":
                file.move("data", "weights")
            elif blobs and name not in ("nothing", "block"):
                blob = rng.choice(blobs)
                values = data[layer][blob][()]
                del data[layer][blob]
                if name == "reshape":
                    data[layer][blob] = values.reshape(rng.choice([(-1,), (1, *values.shape), values.shape[::-1]]))
                elif name == "whole":
                    data[layer][blob] = (values * 100).astype(rng.choice(["i4", "i8", "u1", "f8", "f2"]))
                elif name == "string":
                    data[layer][blob] = rng.choice([b"text", "text", np.zeros(3, [("a", "f4")]), np.zeros(3, "?")])
        if name == "block":
            path.write_bytes(bytes(512) + path.read_bytes())
        return name


def old(message: Any, form: int) -> Any:
    """The net in format 1 or 0; 3: in both."""
    new: Any = NetParameter()
    new.CopyFrom(message)
    if form != 3:
        del new.layer[:]
    for layer in message.layer:
        fields: Any = new.layers.add()
        fields.bottom.extend(layer.bottom)
        fields.top.extend(layer.top)
        if form == 0:
            fields.layer.name = layer.name
            fields.layer.type = V0.get(layer.type, "relu")
            fields.layer.blobs.extend(layer.blobs)
        else:
            fields.name = layer.name
            fields.type = V1LayerParameter.LayerType.Value(V1.get(layer.type, "NONE"))
            fields.blobs.extend(layer.blobs)
    if form == 0:
        return new
    try:
        return type(new).FromString(new.SerializePartialToString())
    except DecodeError:
        return new


V0 = {"Convolution": "conv", "InnerProduct": "innerproduct", "Pooling": "pool"}
V1 = {"Convolution": "CONVOLUTION", "InnerProduct": "INNER_PRODUCT", "Split": "SPLIT"}
