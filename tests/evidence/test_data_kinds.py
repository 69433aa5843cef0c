"""Sources of forks, window files and the copies between sets: what is said of each."""

from __future__ import annotations

import struct
from pathlib import Path
from typing import Any

import numpy as np
from data_sets import (
    data_layer,
    datum,
    encoded,
    hdf5_layer,
    images,
    list_layer,
    records,
    report_of,
    rest,
    write_hdf5,
    write_leveldb,
    write_list,
    write_lmdb,
)

LABELS = [number % 10 for number in range(40)]


def _field(number: int, data: bytes) -> bytes:
    size, head = len(data), bytearray([number << 3 | 2])
    while size > 127:
        head.append(size & 127 | 128)
        size >>= 7
    return bytes([*head, size]) + data


def _box(*corners: float) -> bytes:
    return b"".join(bytes([(n + 1) << 3 | 5]) + struct.pack("<f", corner) for n, corner in enumerate(corners))


def annotated(image: Any, label: int, *boxes: tuple[float, float, float, float]) -> bytes:
    """An AnnotatedDatum of SSD, written by hand: datum 1, type 2, annotation_group 3."""
    group = bytes([8, label]) + b"".join(_field(2, bytes([8, 0]) + _field(2, _box(*box))) for box in boxes)
    inner = datum(image, 0, data=encoded(image), encoded=True)
    return _field(1, inner) + bytes([16, 0]) + _field(3, group)


SSD = """layer { name: "data" type: "AnnotatedData" top: "data" top: "label"
  data_param { source: "SOURCE" backend: LMDB batch_size: 4 } annotated_data_param { } }
layer { name: "loc" type: "Input" top: "loc" input_param { shape { dim: 4 dim: 8 } } }
layer { name: "conf" type: "Input" top: "conf" input_param { shape { dim: 4 dim: 6 } } }
layer { name: "prior" type: "Input" top: "prior" input_param { shape { dim: 1 dim: 2 dim: 8 } } }
layer { name: "loss" type: "MultiBoxLoss" bottom: "loc" bottom: "conf" bottom: "prior" bottom: "label"
  multibox_loss_param { num_classes: 3 } }
"""


def test_reads_boxes_of_ssd(tmp_path: Path) -> None:
    pictures = images(20, (3, 16, 16))
    values = [annotated(image, 1 + n % 2, (0.1, 0.1, 0.5, 0.5)) for n, image in enumerate(pictures)]
    net = SSD.replace("SOURCE", str(write_lmdb(tmp_path / "sound", values)))
    report = report_of(tmp_path, net)
    assert report["names"] == []
    tops = report["json"]["data"][0]["tops"]
    assert tops[1]["values"] == [[1.0, 10], [2.0, 10]]
    values[3] = annotated(pictures[3], 3, (0.1, 0.1, 0.5, 0.5))
    values[4] = annotated(pictures[4], 1, (12, 20, 100, 120))
    values[5] = annotated(pictures[5], 1, (0.5, 0.5, 0.5, 0.9))
    values[6] = b"\x08\x01"
    net = SSD.replace("SOURCE", str(write_lmdb(tmp_path / "wrong", values)))
    report = report_of(tmp_path, net)
    assert report["names"] == ["box-outside-image", "label-outside-classes", "record-not-readable"]
    assert sum(one["name"] == "box-outside-image" for one in report["json"]["findings"]) == 2


def test_reads_window_files(tmp_path: Path) -> None:
    lines = []
    for number, image in enumerate(images(6, (3, 32, 40))):
        (tmp_path / f"{number}.png").write_bytes(encoded(image))
        lines += [f"# {number}", str(tmp_path / f"{number}.png"), "3", "32", "40", "2"]
        lines += [f"{number % 3} 0.8 1 2 20 25", f"0 0.2 0 0 {39 if number else 60} 31"]
    lines[1] = str(tmp_path / "gone.png")
    (tmp_path / "windows.txt").write_text("\n".join(lines) + "\n")
    net = 'layer { name: "data" type: "WindowData" top: "data" top: "label" transform_param { crop_size: 16 }\n'
    net += f'  window_data_param {{ source: "{tmp_path / "windows.txt"}" batch_size: 4 }} }}\n'
    report = report_of(tmp_path, net + rest(2))
    assert report["names"] == ["label-outside-classes", "record-not-readable"]
    (tmp_path / "gone.png").write_bytes(encoded(images(1, (3, 32, 40))[0]))
    report = report_of(tmp_path, net + rest(3))
    assert report["names"] == ["box-outside-image"]
    (tmp_path / "windows.txt").write_text("\n".join(lines[:-1]))
    assert "source-not-readable" in report_of(tmp_path, net + rest(3))["names"]


def test_finds_records_in_train_and_test(tmp_path: Path) -> None:
    """In sources of each kind, by the bytes of the image; copies within a source by their labels, too."""
    train, test = images(40), images(20, seed=2)
    test[7] = train[30]
    train[9] = train[3]
    for number, (write, layer) in enumerate(((write_lmdb, "LMDB"), (write_leveldb, "LEVELDB"))):
        one = write(tmp_path / f"train{number}", records(train, LABELS))
        other = write(tmp_path / f"test{number}", records(test, LABELS[:20]))
        net = data_layer(one, phase="TRAIN", kind=layer) + data_layer(other, phase="TEST", kind=layer)
        _check(report_of(tmp_path, net + rest()))
    lists = [write_list(tmp_path / "a.txt", train, LABELS), write_list(tmp_path / "b.txt", test, LABELS[:20])]
    _check(report_of(tmp_path, list_layer(lists[0], phase="TRAIN") + list_layer(lists[1], phase="TEST") + rest()))
    sets = [
        write_hdf5(tmp_path / f"{name}.txt", data=pictures.astype(np.float32), label=np.array(labels, np.float32))
        for name, pictures, labels in (("c", train, LABELS), ("d", test, LABELS[:20]))
    ]
    _check(report_of(tmp_path, hdf5_layer(sets[0], phase="TRAIN") + hdf5_layer(sets[1], phase="TEST") + rest()))


def _check(report: Any) -> None:
    assert report["names"] == ["records-repeated"]
    within, both = sorted((one["message"] for one in report["json"]["findings"]), key=lambda text: "as well" in text)
    assert "1 of 40 records" in within
    assert "repeats an earlier record with another label" in within
    assert "1 of 20 records" in both


def test_finds_what_suits_no_iteration(tmp_path: Path) -> None:
    source = write_lmdb(tmp_path / "set", records(images(40), LABELS))
    net = data_layer(source, phase="TRAIN", batch=50) + data_layer(source, phase="TEST", batch=4) + rest()
    (tmp_path / "train_val.prototxt").write_text(net)
    solver = f'net: "{tmp_path / "train_val.prototxt"}" test_iter: 2 test_interval: 10 base_lr: 0.01 max_iter: 10'
    report = report_of(tmp_path, solver)
    messages = [one["message"] for one in report["json"]["findings"]]
    assert report["names"] == ["records-unlike-iterations"]
    assert any("test_iter 2 with batch_size 4 reads 8 of the 40 records" in one for one in messages)
    assert any("batch_size 50 is larger than" in one for one in messages)


def test_finds_sorted_labels(tmp_path: Path) -> None:
    for layer in (
        data_layer(write_lmdb(tmp_path / "set", records(images(80), sorted(LABELS * 2)))),
        list_layer(write_list(tmp_path / "set.txt", images(80), sorted(LABELS * 2))),
    ):
        assert report_of(tmp_path, layer + rest())["names"] == ["sorted-by-label"]
    assert report_of(tmp_path, layer.replace("batch_size", "shuffle: true batch_size") + rest())["names"] == []


def test_finds_unbalanced_and_absent_classes(tmp_path: Path) -> None:
    labels = [0, 1] * 150 + [2]
    report = report_of(tmp_path, data_layer(write_lmdb(tmp_path / "set", records(images(301), labels))) + rest(4))
    assert report["names"] == ["classes-unbalanced"]
    assert len(report["json"]["findings"]) == 2


def test_classes_that_no_source_has_are_left_for_later(tmp_path: Path) -> None:
    def severities(tested: list[int]) -> list[str]:
        net = "".join(
            data_layer(
                write_lmdb(tmp_path / f"{phase}{len(labels)}", records(images(len(labels)), labels)), phase=phase
            )
            for phase, labels in (("TRAIN", [0, 2] * 30), ("TEST", tested))
        )
        found = report_of(tmp_path, net + rest(4))["json"]["findings"]
        return [one["severity"] for one in found if one["name"] == "classes-unbalanced"]

    assert severities([0, 2] * 10) == ["info"]
    assert severities([0, 1, 2] * 10) == ["warning"]


def test_finds_raw_among_encoded(tmp_path: Path) -> None:
    values = records(images(40), LABELS)
    values[5] = datum(images(1)[0], 5, data=encoded(images(1)[0]), encoded=True)
    values[6] = datum(images(1)[0], 6, data=encoded(images(1)[0]))
    report = report_of(tmp_path, data_layer(write_lmdb(tmp_path / "set", values)) + rest())
    assert report["names"] == ["encoded-and-raw", "record-not-readable"]
