"""Shapes from data sources are those that a real Caffe gives the same layers; a broken source raises nothing."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import h5py
import lmdb
import plyvel
import pytest
from PIL import Image

from caffelint.lint.config import Config
from caffelint.lint.data_source import stand_in
from caffelint.lint.engine import check
from caffelint.lint.summary import Summary, summarize
from caffelint.schema.messages import Datum

CaffeExec = Callable[..., "subprocess.CompletedProcess[bytes]"]

ASK = """
import json, sys
import caffe
for path in sys.argv[1:]:
    net = caffe.Net(path, caffe.TRAIN)
    print(json.dumps({name: list(blob.data.shape) for name, blob in net.blobs.items()}))
"""


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def data(source: str | Path, more: str = "", transform: str = "", backend: str = "LMDB") -> str:
    return (
        'name: "net" layer { name: "data" type: "Data" top: "data" top: "label" data_param {'
        f' source: "{source}" batch_size: 4 backend: {backend} {more} }} transform_param {{ {transform} }} }}'
        ' layer { name: "relu" type: "ReLU" bottom: "data" top: "relu" }'
    )


def read(text: str, path: str = "net.prototxt", roots: Sequence[str] = ()) -> Summary:
    (summary,) = summarize(text.encode(), path, ("TRAIN",), read_data=True, roots=roots)
    return summary


def image(path: Path, mode: str = "RGB", size: tuple[int, int] = (13, 9), **options: Any) -> str:
    path.parent.mkdir(exist_ok=True)
    Image.new(mode, size).save(path, **options)
    return path.name


def write_lmdb(path: Path, *records: bytes) -> Path:
    with lmdb.open(str(path), map_size=1 << 24) as database, database.begin(write=True) as transaction:
        for number, record in enumerate(records):
            transaction.put(b"%08d" % number, record)
    return path


def datum(channels: int = 2, height: int = 5, width: int = 7) -> bytes:
    record = Datum(channels=channels, height=height, width=width, data=bytes(channels * height * width), label=1)
    return record.SerializeToString()


def agrees_with_caffe(caffe_python: Path, texts: dict[str, str]) -> None:
    """Each text's blobs are what the real Caffe makes of it, and all of them are known."""
    for name, text in texts.items():
        Path(name).write_text(text)
    asked = subprocess.run([str(caffe_python), "-c", ASK, *texts], capture_output=True, check=False, text=True)
    assert asked.returncode == 0, asked.stderr[-1500:]
    for (name, text), line in zip(texts.items(), asked.stdout.splitlines(), strict=True):
        summary = read(text)
        assert summary.notes == ()
        assert {blob: list(shape or ()) for blob, shape in summary.blobs.items()} == json.loads(line), name
        assert summary.loads is True


@pytest.mark.parametrize("backend", ["lmdb", "leveldb"])
def test_what_convert_imageset_writes(tmp_path: Path, caffe_exec: CaffeExec, caffe_python: Path, backend: str) -> None:
    folder = tmp_path / "images"
    names = [image(folder / "a.png"), image(folder / "b.png", size=(20, 10))]
    photo = image(folder / "photo.jpg", "L", (11, 6))
    # In the same order: rgb with raw pixels, resized, kept as files, grey.
    kinds = {
        "raw": (names[0], []),
        "resized": (names[0], ["--resize_height=8", "--resize_width=6"]),
        "encoded": (names[1], ["--encoded", "--encode_type=png"]),
        "grey": (photo, ["--gray"]),
        "greyfile": (photo, ["--encoded", "--encode_type=jpg", "--gray"]),
    }
    for kind, (name, options) in kinds.items():
        Path("list.txt").write_text(f"{name} 3\n")
        done = caffe_exec("convert_imageset", f"--backend={backend}", *options, f"{folder}/", "list.txt", kind)
        assert done.returncode == 0, done.stderr
    texts = {f"{kind}.prototxt": data(kind, backend=backend.upper()) for kind in kinds}
    texts["crop.prototxt"] = data("raw", transform="crop_size: 5", backend=backend.upper())
    texts["color.prototxt"] = data("greyfile", transform="force_color: true", backend=backend.upper())
    texts["gray.prototxt"] = data("encoded", transform="force_gray: true crop_size: 3", backend=backend.upper())
    agrees_with_caffe(caffe_python, texts)


def test_encoded_images_of_every_kind(tmp_path: Path, caffe_python: Path) -> None:
    kinds = [("RGB", "png"), ("RGBA", "png"), ("L", "png"), ("LA", "png"), ("P", "png"), ("1", "png")]
    kinds += [("RGB", "jpg"), ("L", "jpg"), ("CMYK", "jpg"), ("RGB", "bmp")]
    texts = {}
    for mode, suffix in kinds:
        file = tmp_path / f"image.{suffix}"
        image(file, mode)
        name = f"{mode}_{suffix}"
        write_lmdb(tmp_path / name, Datum(encoded=True, data=file.read_bytes(), label=0).SerializeToString())
        texts[f"{name}.prototxt"] = data(name)
    agrees_with_caffe(caffe_python, texts)


def test_a_photo_that_lies_on_its_side(tmp_path: Path, caffe_python: Path) -> None:
    exif = Image.Exif()
    exif[0x0112] = 6
    file = tmp_path / "photo.jpg"
    image(file, size=(16, 8), exif=exif)
    write_lmdb(tmp_path / "photo", Datum(encoded=True, data=file.read_bytes()).SerializeToString())
    Path("list.txt").write_text("photo.jpg 0\n")
    texts = {
        "as_it_is.prototxt": data("photo"),
        "color.prototxt": data("photo", transform="force_color: true"),
        "list.prototxt": image_list("list.txt"),
    }
    agrees_with_caffe(caffe_python, texts)


def image_list(source: str, more: str = "", transform: str = "") -> str:
    return (
        'layer { name: "data" type: "ImageData" top: "data" top: "label" image_data_param {'
        f' source: "{source}" batch_size: 3 {more} }} transform_param {{ {transform} }} }}'
    )


def test_image_lists(tmp_path: Path, caffe_python: Path) -> None:
    image(tmp_path / "two words.png", size=(12, 10))
    image(tmp_path / "grey.jpg", "L")
    Path("list.txt").write_text("two words.png 1\n")
    Path("grey.txt").write_text("grey.jpg 0\n")
    Path("rooted.txt").write_text("words.png 1\n")
    texts = {
        "plain.prototxt": image_list("list.txt"),
        "grey.prototxt": image_list("list.txt", "is_color: false"),
        "coloured.prototxt": image_list("grey.txt", "is_color: true"),
        "cropped.prototxt": image_list("list.txt", transform="crop_size: 7"),
        "resized.prototxt": image_list("list.txt", "new_height: 6 new_width: 5"),
        "rooted.prototxt": image_list("rooted.txt", f'root_folder: "{tmp_path}/two "'),
    }
    agrees_with_caffe(caffe_python, texts)


def hdf5(source: str, *tops: str) -> str:
    names = " ".join(f'top: "{top}"' for top in tops)
    return f'layer {{ name: "data" type: "HDF5Data" {names} hdf5_data_param {{ source: "{source}" batch_size: 6 }} }}'


def test_hdf5(tmp_path: Path, caffe_python: Path) -> None:
    with h5py.File("first.h5", "w") as file:
        file["data"] = [[[1.0, 2.0, 3.0]] * 2] * 5
        file["label"] = [1.0] * 5
    Path("list.txt").write_text(f"{tmp_path}/first.h5\nsecond.h5\n")
    Path("line.txt").write_text("  first.h5 second.h5\n")
    texts = {"net.prototxt": hdf5("list.txt", "data", "label"), "one.prototxt": hdf5("line.txt", "label")}
    agrees_with_caffe(caffe_python, texts)


def test_window_file(tmp_path: Path) -> None:
    Path("windows.txt").write_text("# 0\n/images/a.jpg\n3\n80\n90\n1\n1 0.9 2 3 40 50\n")
    text = (
        'layer { name: "data" type: "WindowData" top: "data" top: "label" transform_param { crop_size: 17 }'
        ' window_data_param { source: "windows.txt" batch_size: 8 } }'
    )
    assert read(text).blobs == {"data": (8, 3, 17, 17), "label": (8,)}


def test_sources_beside_the_net_and_below_roots(tmp_path: Path) -> None:
    for name in ("beside", "elsewhere"):
        (tmp_path / name).mkdir()
    write_lmdb(tmp_path / "beside" / "one", datum(1))
    write_lmdb(tmp_path / "elsewhere" / "two", datum(2))
    write_lmdb(tmp_path / "beside" / "both", datum(1))
    write_lmdb(tmp_path / "both", datum(3))
    found = {
        name: read(data(name), "beside/net.prototxt", ["elsewhere"]).blobs["data"] for name in ("one", "two", "both")
    }
    assert found == {"one": (4, 1, 5, 7), "two": (4, 2, 5, 7), "both": (4, 3, 5, 7)}


def test_phases_have_their_own_source(tmp_path: Path) -> None:
    write_lmdb(tmp_path / "train", datum(1))
    write_lmdb(tmp_path / "test", datum(2))
    text = "".join(
        f'layer {{ name: "{name}" type: "Data" top: "data" include {{ phase: {name.upper()} }}'
        f' data_param {{ source: "{name}" batch_size: 4 backend: LMDB }} }} '
        for name in ("train", "test")
    )
    shapes = [summary.blobs["data"] for summary in summarize(text.encode(), "net.prototxt", read_data=True)]
    assert shapes == [(4, 1, 5, 7), (4, 2, 5, 7)]


def test_nothing_is_read_unless_asked(tmp_path: Path) -> None:
    write_lmdb(tmp_path / "db", datum())
    (summary,) = summarize(data("db").encode(), "net.prototxt", ("TRAIN",))
    assert summary.blobs["data"] is None
    assert summary.loads is None


def test_a_given_shape_wins(tmp_path: Path) -> None:
    write_lmdb(tmp_path / "db", datum())
    given = {"data": (1, 3, 8, 8)}
    (summary,) = summarize(data("db").encode(), "net.prototxt", ("TRAIN",), read_data=True, input_shapes=given)
    assert summary.blobs["data"] == (1, 3, 8, 8)


def snapshot(folder: Path) -> dict[str, tuple[int, bytes]]:
    return {file.name: (file.stat().st_mtime_ns, file.read_bytes()) for file in folder.iterdir()}


def test_sources_stay_as_they_are(tmp_path: Path) -> None:
    database = plyvel.DB(str(tmp_path / "leveldb"), create_if_missing=True)
    database.put(b"0", datum())
    database.close()
    write_lmdb(tmp_path / "lmdb", datum())
    before = [snapshot(tmp_path / name) for name in ("leveldb", "lmdb")]
    for backend in ("leveldb", "lmdb"):
        assert read(data(backend, backend=backend.upper())).blobs["data"] == (4, 2, 5, 7)
    assert [snapshot(tmp_path / name) for name in ("leveldb", "lmdb")] == before


def test_of_the_logs_of_a_leveldb_not_all_is_copied(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """They may be larger than the disk, with nothing in them."""
    (tmp_path / "leveldb").mkdir()
    for name, size in (("000003.log", 1 << 40), ("000005.log", 1 << 40), ("CURRENT", 16), ("MANIFEST-000004", 50)):
        with open(tmp_path / "leveldb" / name, "wb") as file:
            file.truncate(size)
    (tmp_path / "copy").mkdir()
    monkeypatch.setattr("caffelint.lint.data_source._MOST_COPIED", 3 << 20)
    stand_in(str(tmp_path / "leveldb"), str(tmp_path / "copy"))
    sizes = {file.name: file.stat().st_size for file in (tmp_path / "copy").iterdir()}
    assert sizes.pop("CURRENT") == 16
    assert sizes.pop("MANIFEST-000004") == 50
    assert sum(sizes.values()) == (3 << 20) - 66


def test_a_leveldb_that_names_a_manifest_elsewhere(tmp_path: Path) -> None:
    """LevelDB opens what CURRENT names, wherever it is; the copy that it opens lies in the folder of such copies."""
    database = plyvel.DB(str(tmp_path / "leveldb"), create_if_missing=True)
    database.put(b"0", datum())
    database.close()
    current = tmp_path / "leveldb" / "CURRENT"
    manifest = current.read_text().strip()
    (tmp_path / manifest).write_bytes((tmp_path / "leveldb" / manifest).read_bytes())
    current.write_text(f"../{os.path.relpath(tmp_path, tempfile.gettempdir())}/{manifest}\n")
    (note,) = read(data("leveldb", backend="LEVELDB")).notes
    assert "its file CURRENT names no manifest" in note


def _truncated(path: Path) -> None:
    file = write_lmdb(path, *[datum(3, 64, 64)] * 300) / "data.mdb"
    file.write_bytes(file.read_bytes()[:12288])


def _noise(path: Path) -> None:
    path.mkdir()
    (path / "data.mdb").write_bytes(bytes(range(256)) * 64)


def _leveldb(path: Path) -> None:
    path.mkdir()
    for name in ("CURRENT", "MANIFEST-000001"):
        (path / name).write_bytes(b"MANIFEST-000001\n")


BROKEN: dict[str, tuple[Callable[[Path], object], str, str]] = {
    "truncated": (_truncated, data("source"), 'source" is damaged'),
    "noise": (_noise, data("source"), 'source" cannot be read'),
    "no database": (Path.mkdir, data("source"), 'source" is not an LMDB: it has no data.mdb'),
    "empty": (write_lmdb, data("source"), 'source" is empty'),
    "no datum": (lambda path: write_lmdb(path, b"\xff\xff"), data("source"), "has a record that is not a Datum"),
    "no pixel": (lambda path: write_lmdb(path, datum(0)), data("source"), "has no pixel"),
    "negative": (lambda path: write_lmdb(path, Datum(channels=-1).SerializeToString()), data("source"), "no pixel"),
    "too large": (
        lambda path: write_lmdb(path, Datum(channels=1 << 30, height=1 << 30, width=1 << 30).SerializeToString()),
        data("source"),
        "more than the 2147483647 elements that Caffe can count",
    ),
    "no image": (
        lambda path: write_lmdb(path, Datum(encoded=True, data=b"GIF").SerializeToString()),
        data("source"),
        "cannot identify image file",
    ),
    "crop": (lambda path: write_lmdb(path, datum()), data("source", transform="crop_size: 6"), "crop_size 6 is larger"),
    "both colours": (
        lambda path: write_lmdb(path, datum()),
        data("source", transform="force_color: true force_gray: true"),
        "both set",
    ),
    "wrong backend": (lambda path: write_lmdb(path, datum()), data("source", backend="LEVELDB"), "set backend: LMDB"),
    "broken leveldb": (_leveldb, data("source", backend="LEVELDB"), 'source" cannot be read'),
    "no leveldb": (Path.mkdir, data("source", backend="LEVELDB"), "it has no file CURRENT"),
    "missing": (lambda path: None, data("source"), 'source" does not exist'),
    "no source": (lambda path: None, data("").replace('source: ""', ""), "the layer names no source"),
    "a NUL": (lambda path: None, data(r"a\000b"), "does not exist"),
    "a device": (lambda path: None, image_list("/dev/zero"), '"/dev/zero" does not exist'),
    "empty list": (Path.touch, image_list("source"), 'source" is empty'),
    "list of nothing": (
        lambda path: path.write_text("gone.jpg 0\n"),
        image_list("source"),
        "names a missing file",
    ),
    "list of itself": (lambda path: path.write_text("source 0\n"), image_list("source"), "cannot identify image file"),
    "a long line": (
        lambda path: path.write_text("x" * 300_000),
        image_list("source"),
        "names a missing file",
    ),
    "blank hdf5 list": (lambda path: path.write_text("\n\n"), hdf5("source", "data"), "names no HDF5 file"),
    "no hdf5": (lambda path: path.write_text("source"), hdf5("source", "data"), 'source" cannot be read'),
    "no windows": (
        lambda path: path.write_text("3 4 5"),
        'layer { name: "w" type: "WindowData" top: "data" top: "label" transform_param { crop_size: 5 }'
        ' window_data_param { source: "source" } }',
        "is not a window file",
    ),
}


@pytest.mark.parametrize("case", BROKEN)
def test_what_cannot_be_read_stays_unknown(tmp_path: Path, case: str) -> None:
    write, text, reason = BROKEN[case]
    write(tmp_path / "source")
    summary = read(text)
    assert summary.blobs["data"] is None
    assert summary.loads is None
    (note,) = summary.notes
    assert note.startswith('the shape of "data" stays unknown: ')
    assert reason in note
    assert "\n" not in note


def test_a_dataset_that_is_not_there(tmp_path: Path) -> None:
    with h5py.File("first.h5", "w") as file:
        file["images"] = [[1.0]]
        file["scalar"] = 1.0
    Path("list.txt").write_text("first.h5\n")
    note = read(hdf5("list.txt", "data")).notes[0]
    assert 'has no dataset "data", the name of the top; its datasets are images, scalar' in note
    assert "without axes" in read(hdf5("list.txt", "scalar")).notes[0]


def test_a_missing_library_names_the_extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_lmdb(tmp_path / "db", datum())
    (tmp_path / "path").mkdir()
    (tmp_path / "path" / "lmdb.py").write_text("raise ModuleNotFoundError(name='lmdb')")
    monkeypatch.syspath_prepend(str(tmp_path / "path"))
    (note,) = read(data("db")).notes
    assert note.endswith("reading \"db\" needs lmdb; pip install 'caffelint[data]'")


def test_nothing_is_imported_from_the_working_directory(tmp_path: Path) -> None:
    write_lmdb(tmp_path / "db", datum())
    for name in ("lmdb", "json", "caffelint"):
        Path(f"{name}.py").write_text("raise SystemExit")
    assert read(data("db")).blobs["data"] == (4, 2, 5, 7)


def test_an_image_of_many_pixels_is_not_decoded(tmp_path: Path) -> None:
    """3.5 MB of PNG stand for 3.5 GB of pixels."""
    import struct
    import zlib

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", 60_000, 60_000, 8, 0, 0, 0, 0)
    data = chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(bytes(1 << 20))) + chunk(b"IEND", b"")
    (tmp_path / "a.png").write_bytes(b"\x89PNG\r\n\x1a\n" + data)
    (tmp_path / "list").write_text(f"{tmp_path / 'a.png'} 0\n")
    (note,) = read(image_list(str(tmp_path / "list"))).notes
    assert "is an image of 60000x60000 pixels, too many to read" in note


def test_check_says_which_sources_are_damaged_but_not_which_are_missing(tmp_path: Path) -> None:
    write_lmdb(tmp_path / "db", datum())
    Path("db/data.mdb").write_bytes(b"junk" * 4096)
    Path("damaged.prototxt").write_text(data("db"))
    Path("missing.prototxt").write_text(data("nowhere"))
    config = Config()
    config.read_data, config.cache = True, False
    report = check(["damaged.prototxt", "missing.prototxt"], config)
    (note,) = report.notes
    assert note.startswith('damaged.prototxt: the shape of "data" stays unknown: "db" cannot be read')
