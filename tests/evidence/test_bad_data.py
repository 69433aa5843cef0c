"""Damaged and hostile data sets: one clear line, the right exit status, bounded memory, nothing written."""

from __future__ import annotations

import json
import os
import struct
import subprocess
import sys
import time
import zlib
from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from threading import Event, Thread
from typing import Any

import h5py
import numpy as np
import pytest
from data_sets import (
    data_layer,
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

from caffelint.evidence.data.images import mean_of
from caffelint.evidence.data.lists import _lines_of
from caffelint.evidence.data.scan import Scan, Source
from caffelint.lint.data_source import Unreadable, check_files
from caffelint.schema.messages import BlobProto, Datum

LABELS = [number % 10 for number in range(400)]
Make = Callable[[Path], str]


def _lmdb(folder: Path) -> str:
    return data_layer(write_lmdb(folder / "set", records(images(40), LABELS[:40])))


def _leveldb(folder: Path) -> str:
    return data_layer(write_leveldb(folder / "set", records(images(40), LABELS[:40])), kind="LEVELDB")


def _images(folder: Path) -> str:
    return list_layer(write_list(folder / "set.txt", images(20), LABELS[:20]))


def _hdf5(folder: Path) -> str:
    values = images(40).astype(np.float32)
    return hdf5_layer(write_hdf5(folder / "set.txt", data=values, label=np.arange(40, dtype=np.float32) % 10))


def _cut_lmdb(folder: Path) -> str:
    path = write_lmdb(folder / "set", records(images(400), LABELS))
    os.truncate(path / "data.mdb", 40960)
    return data_layer(path)


def _junk_lmdb(folder: Path) -> str:
    (folder / "set").mkdir()
    (folder / "set" / "data.mdb").write_bytes(bytes(range(256)) * 100)
    return data_layer(folder / "set")


def _lmdb_without_end(folder: Path) -> str:
    """Six levels of pages, in each of which all entries lead to the same page below: billions of records in 200 KB."""
    path = write_lmdb(folder / "set", records(images(400), LABELS)) / "data.mdb"
    data = bytearray(path.read_bytes())
    newest = max((0, 4096), key=lambda meta: struct.unpack_from("<Q", data, meta + 144))
    (root,) = struct.unpack_from("<Q", data, newest + 128)
    page = bytes(data[4096 * root : 4096 * (root + 1)])
    last = len(data) // 4096
    for number in range(last, last + 5):
        new = bytearray(page)
        struct.pack_into("<Q", new, 0, number)
        (end,) = struct.unpack_from("<H", page, 12)
        for node in struct.unpack_from(f"<{(end - 16) // 2}H", page, 16):
            struct.pack_into("<HHH", new, node, root & 0xFFFF, root >> 16, 0)
        data += new
        root = number
    for meta in (0, 4096):
        struct.pack_into("<H", data, meta + 94, 7)
        struct.pack_into("<QQ", data, meta + 128, root, root)
    path.write_bytes(data)
    return data_layer(path.parent)


def _file_of_lmdb(folder: Path) -> str:
    return data_layer(write_lmdb(folder / "set", records(images(4), LABELS[:4])) / "data.mdb")


def _lost_manifest(folder: Path) -> str:
    path = write_leveldb(folder / "set", records(images(40), LABELS[:40]))
    next(path.glob("MANIFEST-*")).unlink()
    return data_layer(path, kind="LEVELDB")


def _manifest_elsewhere(folder: Path) -> str:
    path = write_leveldb(folder / "set", records(images(40), LABELS[:40]))
    (path / "CURRENT").write_text("../../../etc/passwd\n")
    return data_layer(path, kind="LEVELDB")


def _broken_table(folder: Path) -> str:
    import plyvel

    path = write_leveldb(folder / "set", records(images(400), LABELS))
    database = plyvel.DB(str(path))
    database.compact_range()
    database.close()
    table = next(path.glob("*.ldb"))
    data = bytearray(table.read_bytes())
    data[len(data) // 2] ^= 0xFF
    table.write_bytes(data)
    return data_layer(path, kind="LEVELDB")


def _bomb(folder: Path) -> str:
    with h5py.File(folder / "set.h5", "w") as file:
        for name, shape in (("data", (10**7, 3, 64, 64)), ("label", (10**7,))):
            file.create_dataset(name, shape, "f4", chunks=(16, *shape[1:]), compression="gzip")
    (folder / "set.txt").write_text(f"{folder / 'set.h5'}\n")
    return hdf5_layer(folder / "set.txt")


def _many_rows(folder: Path) -> str:
    """Each of which takes time, however small it is."""
    with h5py.File(folder / "set.h5", "w") as file:
        for name, shape in (("data", (10**8, 3)), ("label", (10**8,))):
            file.create_dataset(name, shape, "f4", chunks=(10**6, *shape[1:]), compression="gzip")
    (folder / "set.txt").write_text(f"{folder / 'set.h5'}\n")
    return hdf5_layer(folder / "set.txt")


def _named_often(folder: Path) -> str:
    with h5py.File(folder / "set.h5", "w") as file:
        for name, shape in (("data", (10**4, 3, 64, 64)), ("label", (10**4,))):
            file.create_dataset(name, shape, "f4", chunks=(16, *shape[1:]), compression="gzip")
    (folder / "set.txt").write_text(f"{folder / 'set.h5'}\n" * 100)
    return hdf5_layer(folder / "set.txt")


def _rows_of_nothing(folder: Path) -> str:
    with h5py.File(folder / "set.h5", "w") as file:
        for name in ("data", "label"):
            file.create_dataset(name, (10**18, 0), "f4")
    (folder / "set.txt").write_text(f"{folder / 'set.h5'}\n")
    return hdf5_layer(folder / "set.txt")


def _long_row(folder: Path) -> str:
    with h5py.File(folder / "set.h5", "w") as file:
        file.create_dataset("data", (4, 10**10), "f4", chunks=(1, 1024))
        file["label"] = np.zeros(4, np.float32)
    (folder / "set.txt").write_text(f"{folder / 'set.h5'}\n")
    return hdf5_layer(folder / "set.txt")


def _row_beyond_float(folder: Path) -> str:
    """Of 4 * 2 ** 1200 bytes."""
    with h5py.File(folder / "set.h5", "w") as file:
        file.create_dataset("data", (4, *[1 << 60] * 20), "f4", chunks=(1,) * 21)
        file["label"] = np.zeros(4, np.float32)
    (folder / "set.txt").write_text(f"{folder / 'set.h5'}\n")
    return hdf5_layer(folder / "set.txt")


def _shape_of_2_to_the_64(folder: Path) -> str:
    """No 64 bits hold how many values that is, and what is left of the number is 0, as of the data."""
    record = Datum(channels=1 << 22, height=1 << 21, width=1 << 21, label=1).SerializeToString()
    return data_layer(write_lmdb(folder / "set", [record] * 400))


def _junk_hdf5(folder: Path) -> str:
    (folder / "set.h5").write_bytes(b"junk" * 100)
    (folder / "set.txt").write_text(f"{folder / 'set.h5'}\n")
    return hdf5_layer(folder / "set.txt")


def png(width: int, height: int) -> bytes:
    """An image of zeros, of any size."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    packed = zlib.compress(bytes(min(width * height, 1 << 20)))
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", packed) + chunk(b"IEND", b"")


def _huge_png(folder: Path) -> str:
    path = write_list(folder / "set.txt", images(20), LABELS[:20])
    (folder / "set_7.png").write_bytes(png(100_000, 100_000))
    return list_layer(path)


def _scanned_jpeg(folder: Path) -> str:
    """Each scan of nothing takes ten bytes, and the decoder over all pixels again."""
    from PIL import Image

    made = BytesIO()
    Image.new("L", (2000, 2000)).save(made, "JPEG", progressive=True)
    data = made.getvalue()
    path = write_list(folder / "set.txt", images(20), LABELS[:20])
    (folder / "set_7.png").write_bytes(data[:-2] + data[data.rfind(b"\xff\xda") : -2] * 3000 + data[-2:])
    return list_layer(path)


def _eps(folder: Path) -> str:
    path = write_list(folder / "set.txt", images(20), LABELS[:20])
    (folder / "set_7.png").write_bytes(b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 9 9\n%%EndComments\n%%EOF\n")
    return list_layer(path)


def _device(folder: Path) -> str:
    path = write_list(folder / "set.txt", images(20), LABELS[:20])
    path.write_text(path.read_text() + "/dev/zero 1\n/proc/self/environ 2\n")
    return list_layer(path)


CASES: dict[str, tuple[Make, str, str]] = {
    "lmdb-cut-short": (_cut_lmdb, "source-not-readable", "is damaged: reading it ended with SIGBUS"),
    "lmdb-without-end": (_lmdb_without_end, "source-not-readable", "leads to the same records again and again"),
    "lmdb-junk": (_junk_lmdb, "source-not-readable", "cannot be read"),
    "lmdb-file": (_file_of_lmdb, "source-not-readable", "the folder that it is in"),
    "leveldb-no-manifest": (_lost_manifest, "source-not-readable", "is missing"),
    "leveldb-manifest-elsewhere": (_manifest_elsewhere, "source-not-readable", "names no manifest"),
    "leveldb-broken-table": (_broken_table, "source-not-readable", "cannot be read"),
    "hdf5-bomb": (_bomb, "source-not-readable", "bytes hold"),
    "hdf5-rows": (_many_rows, "source-not-readable", "bytes hold"),
    "hdf5-named-often": (_named_often, "source-not-readable", "bytes hold"),
    "hdf5-rows-of-nothing": (_rows_of_nothing, "source-not-readable", "bytes hold"),
    "hdf5-long-row": (_long_row, "source-not-readable", "too large to read"),
    "hdf5-row-beyond-float": (_row_beyond_float, "source-not-readable", "too large to read"),
    "shape-of-2-to-the-64": (_shape_of_2_to_the_64, "record-not-readable", "400 of 400 records"),
    "hdf5-junk": (_junk_hdf5, "source-not-readable", "cannot be read"),
    "png-of-ten-billion-pixels": (_huge_png, "record-not-readable", "more than 67 million pixels"),
    "png-of-3000-scans": (_scanned_jpeg, "record-not-readable", "too many scans"),
    "eps-as-png": (_eps, "record-not-readable", "not decodable"),
    "list-of-devices": (_device, "record-not-readable", "are missing"),
}


@pytest.mark.parametrize("name", CASES)
def test_says_what_is_wrong(name: str, tmp_path: Path) -> None:
    if name == "lmdb-cut-short" and sys.platform != "linux":
        pytest.skip("another signal")
    make, rule, words = CASES[name]
    net = make(tmp_path) + rest()
    before = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*") if path.is_file()}
    begin = time.monotonic()
    report = report_of(tmp_path, net)
    assert time.monotonic() - begin < 300
    found = {one["name"]: one["message"] for one in report["json"]["findings"]}
    assert words in found[rule]
    assert "\n" not in found[rule]
    assert report["status"] == (0 if "png" in name and name != "eps-as-png" else 1)
    after = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*") if path.is_file()}
    assert {path: after.get(path) for path in before} == before
    assert set(after) - set(before) <= {tmp_path / "net.prototxt", tmp_path / "report.json"}


def test_runs_no_program_for_an_image(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Pillow leaves what is EPS, whatever it is called, to ghostscript."""
    programs = tmp_path / "bin"
    programs.mkdir()
    (programs / "gs").write_text(f"#!/bin/sh\ntouch '{tmp_path / 'ran'}'\n", "utf-8")
    (programs / "gs").chmod(0o755)
    monkeypatch.setenv("PATH", str(programs), prepend=os.pathsep)
    found = {one["name"] for one in report_of(tmp_path, _eps(tmp_path) + rest())["json"]["findings"]}
    assert "record-not-readable" in found
    assert not (tmp_path / "ran").exists()


def test_counts_the_files_that_a_long_list_lacks(tmp_path: Path) -> None:
    """In constant memory: no line is kept."""
    path = write_list(tmp_path / "set.txt", images(2), [0, 1])
    there, _ = path.read_text().splitlines()
    path.write_text(f"{there}\n/gone.jpg 1\n" * 20_000)
    report = report_of(tmp_path, list_layer(path) + rest())
    message = next(one["message"] for one in report["json"]["findings"] if one["name"] == "record-not-readable")
    assert "20,000 of 40,000 records" in message


def test_goes_on_where_it_was_stopped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A run that is ended in the middle has kept the parts that it had read."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    path = write_list(tmp_path / "set.txt", images(60), LABELS[:60])
    path.write_text(path.read_text() * 160)
    source = Source("images", str(path), '{"color": true, "size": [0, 0]}')
    stop = Event()

    def run(scan: Scan) -> Any:
        return scan.read([source])[source]

    with Scan(jobs=1, heard=lambda done: stop.set() if done.done > 2500 else None) as scan:
        Thread(target=run, args=[scan], daemon=True).start()
        assert stop.wait(300)
    kept = sum(1 for file in (tmp_path / "cache").rglob("*") if file.is_file() and not file.suffix)
    assert kept
    with Scan(jobs=2) as scan:
        begin = time.monotonic()
        found = run(scan)
        assert time.monotonic() - begin < 300
    assert found.facts.records == 9_600
    assert found.facts.tops["label"].values == {float(n): 960 for n in range(10)}


def test_numbers_in_other_files_are_not_opened(tmp_path: Path) -> None:
    """A pipe would never give any."""
    os.mkfifo(tmp_path / "pipe")
    with h5py.File(tmp_path / "set.h5", "w") as file:
        file["data"] = h5py.ExternalLink(str(tmp_path / "pipe"), "/data")
        file.create_dataset("label", (4,), "f", external=str(tmp_path / "pipe"))
    (tmp_path / "set.txt").write_text(f"{tmp_path / 'set.h5'}\n")
    report = report_of(tmp_path, hdf5_layer(tmp_path / "set.txt") + rest())
    found = {one["name"]: one["message"] for one in report["json"]["findings"]}
    assert "not opened" in found["source-not-readable"]


@pytest.mark.skipif(not os.path.exists("/proc/self/status"), reason="Linux")
@pytest.mark.parametrize(
    ("kind", "file"), [("LMDB", "data.mdb"), ("LEVELDB", "CURRENT"), ("LEVELDB", "000003.log"), ("LEVELDB", "1.ldb")]
)
def test_no_file_of_a_database_is_a_device(tmp_path: Path, kind: str, file: str) -> None:
    """Reading /proc/kmsg, for one, waits for ever."""
    write = write_lmdb if kind == "LMDB" else write_leveldb
    path = write(tmp_path / "set", records(images(4), LABELS[:4]))
    (path / file).unlink(missing_ok=True)
    (path / file).symlink_to("/proc/self/status")
    report = report_of(tmp_path, data_layer(path, kind=kind) + rest())
    found = {one["name"]: one["message"] for one in report["json"]["findings"]}
    assert "leads to a device" in found["source-not-readable"]


@pytest.mark.parametrize(
    ("library", "make"), [("lmdb", _lmdb), ("PIL", _images), ("h5py", _hdf5), ("plyvel", _leveldb)]
)
def test_a_missing_library_is_no_finding(
    library: str, make: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "stub").mkdir()
    (tmp_path / "stub" / f"{library}.py").write_text(
        f"raise ModuleNotFoundError(\"No module named '{library}'\", name='{library}')\n"
    )
    net = make(tmp_path) + rest()
    monkeypatch.syspath_prepend(str(tmp_path / "stub"))
    report = report_of(tmp_path, net)
    assert (report["status"], report["json"]["findings"]) == (2, [])
    said = [line for line in capsys.readouterr().err.splitlines() if "pip install 'caffelint[data]'" in line]
    assert len(said) == 1
    assert f"needs {library}" in said[0]


def test_a_label_of_thousands_of_digits_is_none(tmp_path: Path) -> None:
    """One such line does not keep the others from being read."""
    path = write_list(tmp_path / "set.txt", images(4), LABELS[:4])
    first, rest_of_it = path.read_text().split("\n", 1)
    path.write_text(f"{first.split()[0]} {'9' * 5000}\n{rest_of_it}")
    found = report_of(tmp_path, list_layer(path) + rest())
    assert found["json"]["data"][0]["records"] == 4
    assert found["names"] == ["label-not-whole"]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="pipes")
@pytest.mark.parametrize(("kind", "name"), [("LMDB", "data.mdb"), ("LEVELDB", "CURRENT"), ("LEVELDB", "5.ldb")])
@pytest.mark.parametrize("linked", [False, True])
def test_a_pipe_among_the_files_of_a_database(kind: str, name: str, linked: bool, tmp_path: Path) -> None:
    """Opening it would wait for somebody who writes."""
    (tmp_path / "set").mkdir()
    pipe = tmp_path / "pipe" if linked else tmp_path / "set" / name
    os.mkfifo(pipe)
    if linked:
        (tmp_path / "set" / name).symlink_to(pipe)
    with pytest.raises(Unreadable, match=f"its file {name} is a pipe or a device"):
        check_files(str(tmp_path / "set"))
    assert report_of(tmp_path, data_layer(tmp_path / "set", kind=kind))["names"] == ["source-not-readable"]


def test_the_end_of_a_line_is_looked_for_in_a_part_only() -> None:
    """A line of a gigabyte is in thousands of parts."""
    text = b"a.png 1\n" + b"x" * (1 << 20) + b"\nb.png 2\n"
    parts = [(start, min(start + 4096, len(text))) for start in range(0, len(text), 4096)]
    found = []
    for part in parts:
        file = BytesIO(text)
        found += _lines_of(file, part)
        assert file.tell() < part[1] + (1 << 17)
    assert (found[0], found[-1]) == (b"a.png 1", b"b.png 2")


@pytest.mark.parametrize("values", [{"double_data": [1e308] * 256}, {"data": [3e38] * 256}])
def test_a_mean_beyond_float_gives_no_warning_of_numpy(values: dict[str, list[float]], tmp_path: Path) -> None:
    mean = tmp_path / "mean.binaryproto"
    mean.write_bytes(BlobProto(num=1, channels=1, height=16, width=16, **values).SerializeToString())
    source = write_lmdb(tmp_path / "set", records(images(40, shape=(1, 16, 16)), LABELS[:40]))
    text = data_layer(source, f'transform_param {{ mean_file: "{mean}" }}')
    (tmp_path / "net.prototxt").write_text(text + rest())
    command = [sys.executable, "-m", "caffelint", "data", "--no-cache", "net.prototxt"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=300)
    assert "records" in done.stdout
    assert done.stderr == ""


@pytest.mark.parametrize("shape", [[1 << 32, 1 << 32], [-1, -1], [1, 3, 0, 0], [1] * 5, [1] * 99])
def test_a_mean_of_another_size_than_its_shape(shape: list[int], tmp_path: Path) -> None:
    """64 bits hold only what is left of some products."""
    blob: Any = BlobProto()
    blob.shape.dim.extend(shape)
    blob.data.extend([1.0] * (-1 in shape or len(shape) > 4))
    (tmp_path / "mean").write_bytes(blob.SerializeToString())
    with pytest.raises(Unreadable, match=r"holds [01] values of shape"):
        mean_of(str(tmp_path / "mean"))


@pytest.mark.parametrize("name", ["gone{}.h5", "list.txt", "gone.h5"])
def test_a_list_of_files_that_are_not_there_is_left_soon(tmp_path: Path, name: str) -> None:
    (tmp_path / "list.txt").write_text("".join(f"{tmp_path}/{name.format(number)}\n" for number in range(5000)))
    source = Source("hdf5", str(tmp_path / "list.txt"), json.dumps({"tops": ["data"], "folder": ""}))
    heard = []
    with Scan(jobs=1, keep=False, heard=heard.append) as scan:
        scanned = scan.read([source])[source]
    assert scanned.facts.records == 0
    assert len(heard) <= 400


@pytest.mark.parametrize("rows", [5000, 500_000])
def test_a_small_source_is_read_whole_where_a_sample_would_do(tmp_path: Path, rows: int) -> None:
    with h5py.File(tmp_path / "a.h5", "w") as file:
        file["data"] = np.arange(rows, dtype=np.float32)[:, None]
    (tmp_path / "list.txt").write_text(f"{tmp_path}/a.h5\n")
    source = Source("hdf5", str(tmp_path / "list.txt"), json.dumps({"tops": ["data"], "folder": ""}))
    with Scan(jobs=1, sample=2000, keep=False, whole=1 << 22) as scan:
        scanned = scan.read([source])[source]
    assert scanned.is_sample == (rows > 100_000)
    assert scanned.facts.total == rows
    assert (scanned.facts.records == rows) == (not scanned.is_sample)
