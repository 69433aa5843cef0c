"""Records read from their bytes: what protobuf reads of them, whatever was done to the bytes."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest
from data_sets import datum, encoded, images
from google.protobuf.message import DecodeError

from caffelint.evidence.data.datum import NotDatum, datum_of
from caffelint.evidence.data.digests import digest, digests
from caffelint.evidence.data.records import Options, Records
from caffelint.schema import Datum

PICTURES = images(3)
SEEDS = [
    datum(PICTURES[0], 3),
    datum(PICTURES[1].astype(np.float32), 200),
    datum(PICTURES[2], -4),
    datum(PICTURES[0], 1, data=encoded(PICTURES[0]), encoded=True),
]


def mutants(count: int) -> list[bytes]:
    """The same each time: bytes changed, put in, left out, and records that end early."""
    chance = random.Random(7)
    made = []
    for _ in range(count):
        data = bytearray(chance.choice(SEEDS))
        for _ in range(chance.randint(1, 4)):
            at = chance.randrange(min(len(data), 24) if chance.random() < 0.7 else len(data)) if data else 0
            kind = chance.randrange(4)
            if kind == 0 and data:
                data[at] = chance.randrange(256)
            elif kind == 1:
                data[at:at] = bytes(chance.randrange(256) for _ in range(chance.randint(1, 5)))
            elif kind == 2:
                del data[at : at + chance.randint(1, 40)]
            else:
                del data[max(at, 1) :]
        made.append(bytes(data))
    return made


@pytest.mark.parametrize("part", range(4))
def test_reads_what_protobuf_reads(part: int) -> None:
    read = 0
    for data in SEEDS + mutants(4000)[part::4]:
        try:
            found = datum_of(data)
        except NotDatum:
            continue
        message: Any = Datum.FromString(data)
        ours = (found.channels, found.height, found.width, found.label, found.encoded, data[found.start : found.end])
        theirs = (message.channels, message.height, message.width, message.label, message.encoded, message.data)
        assert ours == theirs
        assert found.floats == len(message.float_data)
        read += 1
    assert read > 100


def test_refuses_what_protobuf_refuses() -> None:
    refused = 0
    for data in mutants(4000):
        try:
            Datum.FromString(data)
        except DecodeError:
            with pytest.raises(NotDatum):
                datum_of(data)
            refused += 1
    assert refused > 100


def test_any_record_is_counted() -> None:
    records = Records(Options())
    made = mutants(200)
    records.add([b"%d" % number for number in range(len(made))], made)
    records.finish()
    facts = records.facts
    assert facts.records == len(made)
    read = facts.tops["image"].records if "image" in facts.tops else 0
    assert read + sum(fault.count for fault in facts.faults.values()) == len(made)


def test_record_ids_of_nvcaffe_are_passed_over() -> None:
    """One by one and together, where each has a number of its own after its fields."""
    draw = random.Random(8)
    made = []
    for number in range(400):
        pixels = bytes(draw.randrange(256) for _ in range(12))
        label = draw.choice([0, 5, 200, -1])
        message = Datum(channels=3, height=2, width=2, data=pixels, label=label)
        made.append((message.SerializeToString() + b"\x40" + varint(number), label))
    keys = [b"%d" % number for number in range(len(made))]
    together, single = Records(Options()), Records(Options())
    together.add(keys, [record for record, _ in made])
    for key, (record, _) in zip(keys, made, strict=True):
        single.add([key], [record])
    together.finish()
    single.finish()
    rows = np.concatenate(together.digests)
    assert rows[:, 1].tolist() == [label for _, label in made]
    assert (rows == np.concatenate(single.digests)).all()
    assert together.facts.tops["label"].values == single.facts.tops["label"].values


def varint(value: int) -> bytes:
    found = bytearray()
    while value > 127:
        found.append(value & 127 | 128)
        value >>= 7
    return bytes([*found, value])


def test_digests_tell_images_apart() -> None:
    """Also those that differ in one byte, in any place of a word, and in the order of words."""
    image = np.random.RandomState(3).randint(0, 256, 200).astype(np.uint8)
    rows = [image, np.roll(image, 8), image[:-1], np.append(image, np.uint8(0))]
    for at in range(len(image)):
        changed = image.copy()
        changed[at] ^= 128
        rows.append(changed)
    found = {digest(row.tobytes()) for row in rows}
    assert len(found) == len(rows)
    assert list(digests(np.stack([image, image]))) == [digest(image.tobytes())] * 2
    long = np.zeros(3 << 20, np.uint8)
    other = long.copy()
    other[-1] = 1
    assert digest(long.tobytes()) != digest(other.tobytes())


@pytest.mark.parametrize(
    ("name", "scale"),
    [("float64", 1 / 255), ("float32", 1 / 255), ("float32", 1.0), ("int64", 1), ("int32", 1)],
)
def test_bytes_of_another_type_are_named(name: str, scale: float) -> None:
    values = (images(1)[0].astype(np.float64) * scale).astype(name)
    records = Records(Options())
    records.add([b"a"], [datum(images(1)[0], 1, data=values.tobytes())])
    assert list(records.facts.faults) == [f"bytes of {name}"]


@pytest.mark.parametrize("size", [8, 4, 2, 3])
def test_bytes_of_no_type_are_of_another_size(size: int) -> None:
    picture = images(1)[0]
    data = np.random.RandomState(1).bytes(size * picture.size)
    records = Records(Options())
    records.add([b"a"], [datum(picture, 1, data=data)])
    assert list(records.facts.faults) == ["wrong size"]
