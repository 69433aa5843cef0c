"""Real data come as a real Caffe gives them: databases, image lists and HDF5 files, transformed, batch by batch."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from google.protobuf import text_format

from caffelint.caffe.build import build
from caffelint.evidence.data.images import decode, resize
from caffelint.schema import BlobProto, Datum, NetParameter
from caffelint.smoke.torch.sources import Source, Unreadable, open_source

pytest.importorskip("lmdb")
HERE = Path(__file__).parent
HEIGHT, WIDTH, IMAGES, PASSES = 10, 12, 5, 4
DATABASES = ["lmdb", "leveldb", "lmdb_encoded", "lmdb_grey"]


class Case(NamedTuple):
    """layer: what stands in it, with {f} for the folder. random: does Caffe draw numbers for it?"""

    layer: str
    phase: str = "TEST"
    random: bool = False


def data(source: str, more: str = "", batch: int = 3) -> str:
    backend = "LEVELDB" if source.startswith("leveldb") else "LMDB"
    return f'type: "Data" data_param {{ source: "{{f}}/{source}" batch_size: {batch} backend: {backend} }} {more}'


def images(param: str, more: str = "") -> str:
    return (
        f'type: "ImageData" image_data_param {{ source: "{{f}}/list.txt" root_folder: "{{f}}/" batch_size: 3'
        f" {param} }} {more}"
    )


MEANS = "mean_value: 100 mean_value: 110 mean_value: 90.5"
CASES = {
    "lmdb": Case(data("lmdb")),
    "leveldb": Case(data("leveldb")),
    "wraps": Case(data("lmdb", batch=7)),
    "grey records": Case(data("lmdb_grey")),
    "encoded": Case(data("lmdb_encoded")),
    "floats": Case(data("lmdb_float", "transform_param { scale: 0.5 mean_value: 1 }")),
    "records that are too long": Case(data("lmdb_long")),
    "scale": Case(data("lmdb", "transform_param { scale: 0.00390625 }")),
    "one mean": Case(data("lmdb", "transform_param { mean_value: 104 scale: 2 }")),
    "means": Case(data("lmdb_encoded", f"transform_param {{ {MEANS} }}")),
    "mean file": Case(data("lmdb", 'transform_param { mean_file: "{f}/mean.binaryproto" crop_size: 7 }')),
    "old mean file": Case(data("lmdb", 'transform_param { mean_file: "{f}/old_mean.binaryproto" }')),
    "crop": Case(data("lmdb", "transform_param { crop_size: 5 scale: 0.1 }")),
    "forced grey": Case(data("lmdb_encoded", "transform_param { force_gray: true }")),
    "forced colour": Case(data("lmdb_encoded", "transform_param { force_color: true }")),
    "grey in vain": Case(data("lmdb", "transform_param { force_gray: true }")),
    "one top": Case(data("lmdb").replace('type: "Data"', 'type: "Data" ')),
    "image list": Case(images("")),
    "images in grey": Case(images("is_color: false")),
    "images larger": Case(images("new_height: 23 new_width: 31", "transform_param { crop_size: 20 }")),
    "images smaller": Case(images("new_height: 7 new_width: 5", f"transform_param {{ {MEANS} scale: 0.1 }}")),
    "images halved": Case(images("new_height: 5 new_width: 6")),
    "hdf5": Case('type: "HDF5Data" hdf5_data_param { source: "{f}/hdf5.txt" batch_size: 4 }'),
    "random crop": Case(data("lmdb", "transform_param { crop_size: 9 }", 5), "TRAIN", True),
    "random mirror": Case(data("lmdb", "transform_param { mirror: true }", 5), "TEST", True),
    "shuffled": Case(images("shuffle: true"), "TRAIN", True),
    "shuffled rows": Case(
        'type: "HDF5Data" hdf5_data_param { source: "{f}/one.txt" batch_size: 6 shuffle: true }', "TRAIN", True
    ),
}


def make_files(folder: Path, caffe_exec: Callable[..., Any]) -> None:
    import h5py
    import lmdb
    from PIL import Image

    random = np.random.RandomState(1)
    names = [f"{index}.png" for index in range(IMAGES)]
    for name in names:
        Image.fromarray(random.randint(0, 256, (HEIGHT, WIDTH, 3)).astype(np.uint8)).save(folder / name)
    (folder / "list.txt").write_text("".join(f"{name} {index * 3}\n" for index, name in enumerate(names)))
    for name, options in zip(
        DATABASES, ["lmdb", "leveldb", "lmdb -encoded -encode_type=png", "lmdb -gray"], strict=True
    ):
        backend, *others = options.split()
        arguments = [f"-backend={backend}", *others, f"{folder}/", folder / "list.txt", folder / name]
        assert caffe_exec("convert_imageset", *arguments).returncode == 0
    with lmdb.open(str(folder / "lmdb_float")) as database, database.begin(write=True) as transaction:
        for index in range(3):
            datum = Datum(channels=2, height=3, width=4, label=index, float_data=random.standard_normal(24).tolist())
            transaction.put(f"{index:08}".encode(), datum.SerializeToString())
    with lmdb.open(str(folder / "lmdb_long")) as database, database.begin(write=True) as transaction:
        for index in range(3):  # int64, of which Caffe reads the first bytes
            data = random.randint(0, 256, (1, 3, 4)).tobytes()
            datum = Datum(channels=1, height=3, width=4, label=index, data=data)
            transaction.put(f"{index:08}".encode(), datum.SerializeToString())
    mean = random.uniform(90, 120, (3, HEIGHT, WIDTH)).astype(np.float32)
    old: Any = BlobProto(num=1, channels=3, height=HEIGHT, width=WIDTH, data=mean.ravel().tolist())
    (folder / "old_mean.binaryproto").write_bytes(old.SerializeToString())
    new: Any = BlobProto(data=mean.ravel().tolist())
    new.shape.dim.extend([1, 3, HEIGHT, WIDTH])
    (folder / "mean.binaryproto").write_bytes(new.SerializeToString())
    for index, rows in enumerate([3, 6]):
        with h5py.File(folder / f"{index}.h5", "w") as file:
            file["data"] = random.standard_normal((rows, 2, 3))
            file["label"] = np.arange(rows) + 10 * index
    (folder / "hdf5.txt").write_text(f"{folder}/0.h5\n{folder}/1.h5\n")
    (folder / "one.txt").write_text(f"{folder}/1.h5\n")


def net_text(name: str, folder: Path) -> str:
    layer = CASES[name].layer.replace("{f}", str(folder))
    label = "" if name == "one top" else 'top: "label"'
    return f'layer {{ name: "data" top: "data" {label} {layer} }}'


@pytest.fixture(scope="module")
def folder(caffe_exec: Callable[..., Any], tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("sources")
    make_files(made, caffe_exec)
    return made


@pytest.fixture(scope="module")
def theirs(caffe_python: Path, folder: Path) -> dict[str, Any]:
    jobs = [{"net": net_text(name, folder), "phase": case.phase, "passes": PASSES} for name, case in CASES.items()]
    (folder / "jobs.json").write_text(json.dumps(jobs))
    command = [caffe_python, HERE / "read_with_caffe.py", folder / "jobs.json", folder / "out.npz"]
    subprocess.run(command, check=True, timeout=120)
    return dict(np.load(folder / "out.npz"))


def source(name: str, folder: Path, seed: int = 1) -> Source:
    built = build(text_format.Parse(net_text(name, folder), NetParameter()), CASES[name].phase)
    return open_source(built.layers[0], seed)


def batches(name: str, folder: Path) -> Iterator[dict[str, Any]]:
    reader = source(name, folder)
    for _ in range(PASSES):
        yield reader.next()


@pytest.mark.parametrize("name", [name for name, case in CASES.items() if not case.random])
def test_batches_are_those_of_caffe(name: str, folder: Path, theirs: dict[str, Any]) -> None:
    number = list(CASES).index(name)
    # Grey is rounded otherwise in OpenCV, by one of 255.
    apart = 1 if "grey" in name and "in vain" not in name and "records" not in name else 1e-4
    for index, batch in enumerate(batches(name, folder)):
        for blob, values in batch.items():
            real = theirs[f"{number}/{index}/{blob}"]
            assert values.dtype == np.float32
            assert values.shape == real.shape
            assert np.abs(values - real).max() <= apart, (blob, index)


@pytest.mark.parametrize("name", [name for name, case in CASES.items() if case.random])
def test_random_ones_are_drawn_from_the_same(name: str, folder: Path, theirs: dict[str, Any]) -> None:
    number = list(CASES).index(name)
    seen: list[list[bytes]] = [[], []]
    for index, batch in enumerate(batches(name, folder)):
        ours = batch, {blob: theirs[f"{number}/{index}/{blob}"] for blob in batch}
        for side, values in enumerate(ours):
            seen[side] += [row.tobytes() for row in values["data"]]
    kinds = [set(rows) for rows in seen]
    if name == "random crop":
        possible = {
            image[:, top : top + 9, left : left + 9].tobytes()
            for image in next(batches("wraps", folder))["data"]
            for top in range(HEIGHT - 8)
            for left in range(WIDTH - 8)
        }
    elif name == "random mirror":
        stored = next(batches("wraps", folder))["data"]
        possible = {kind.tobytes() for image in stored for kind in (image, image[:, :, ::-1])}
    else:
        possible = kinds[1]
    assert kinds[0] <= possible
    assert kinds[1] <= possible
    assert len(kinds[0]) > 4
    assert seen[0][: len(kinds[0])] != sorted(seen[0][: len(kinds[0])])


def test_a_seed_decides_what_is_drawn(folder: Path) -> None:
    first, again, other = (source("random crop", folder, seed).next()["data"] for seed in (1, 1, 2))
    assert (first == again).all()
    assert (first != other).any()


def test_nothing_is_written(folder: Path) -> None:
    def state() -> list[tuple[str, int, int]]:
        return sorted((str(p), p.stat().st_size, p.stat().st_mtime_ns) for p in folder.rglob("*") if p.is_file())

    before = state()
    for name in ("lmdb", "leveldb", "image list", "hdf5"):
        for _ in batches(name, folder):
            pass
    assert state() == before


BROKEN = {
    'type: "Data" data_param { source: "{f}/none" batch_size: 1 backend: LMDB }': "is not an LMDB",
    'type: "Data" data_param { source: "{f}/lmdb" batch_size: 1 }': "set backend: LMDB",
    'type: "Data" data_param { source: "{f}/empty" batch_size: 1 backend: LMDB }': "is empty",
    'type: "Data" data_param { source: "{f}/rubbish" batch_size: 1 backend: LMDB }': "cannot be read",
    'type: "Data" data_param { source: "{f}/negative" batch_size: 1 backend: LMDB }': "a record of -1x-1x4 holds",
    'type: "Data" data_param { source: "{f}/vast" batch_size: 1 backend: LMDB }': "a record of 4194304x2097152x2097152",
    data("lmdb", "transform_param { crop_size: 11 }"): "crop_size 11 is larger than an image of 10x12",
    data("lmdb", "transform_param { mean_value: 1 mean_value: 2 }"): "2 mean_value for 3 channels",
    data("lmdb_grey", 'transform_param { mean_file: "{f}/mean.binaryproto" }'): "mean_file holds 3x10x12",
    data("lmdb", 'transform_param { mean_file: "{f}/list.txt" }'): "is not a BlobProto",
    data("lmdb", 'transform_param { mean_file: "{f}/none" }'): "no such file",
    'type: "ImageData" image_data_param { source: "{f}/none" }': "no such file",
    'type: "ImageData" image_data_param { source: "{f}/list.txt" root_folder: "{f}" }': "cannot be read",
    'type: "ImageData" image_data_param { source: "{f}/mixed.txt" batch_size: 2 root_folder: "{f}/" }': "in size",
    'type: "HDF5Data" hdf5_data_param { source: "{f}/0.h5" batch_size: 1 }': "cannot be read",
    'type: "HDF5Data" top: "other" hdf5_data_param { source: "{f}/one.txt" batch_size: 1 }': 'no dataset "other"',
    'type: "WindowData" window_data_param { source: "{f}/list.txt" }': "cannot read real data for WindowData",
}


@pytest.mark.parametrize("layer", BROKEN)
def test_what_is_broken_is_reported(layer: str, folder: Path) -> None:
    import lmdb
    from PIL import Image

    if not (folder / "empty").exists():
        lmdb.open(str(folder / "empty")).close()
        with lmdb.open(str(folder / "rubbish")) as database, database.begin(write=True) as transaction:
            transaction.put(b"0", b"\xff\xff rubbish")
        for name, shape in (("negative", (-1, -1, 4)), ("vast", (1 << 22, 1 << 21, 1 << 21))):  # 4, and 0 in 64 bits
            fields = dict(zip(("channels", "height", "width"), shape, strict=True))
            with lmdb.open(str(folder / name)) as database, database.begin(write=True) as transaction:
                transaction.put(b"0", Datum(data=b"four", **fields).SerializeToString())
        Image.fromarray(np.zeros((4, 5, 3), np.uint8)).save(folder / "small.png")
        (folder / "mixed.txt").write_text("0.png 1\nsmall.png 2\n")
    text = f'layer {{ name: "data" top: "data" top: "label" {layer.replace("{f}", str(folder))} }}'
    built = build(text_format.Parse(text, NetParameter()), "TRAIN")
    with pytest.raises(Unreadable, match=BROKEN[layer]):
        open_source(built.layers[0], 1).next()


@pytest.mark.parametrize(
    "layer",
    [
        'type: "ImageData" image_data_param { source: "{f}/pipe" }',
        'type: "ImageData" image_data_param { source: "{f}/pipes" }',
        'type: "HDF5Data" hdf5_data_param { source: "{f}/pipe" batch_size: 1 }',
        'type: "HDF5Data" hdf5_data_param { source: "{f}/pipes" batch_size: 1 }',
        'type: "HDF5Data" hdf5_data_param { source: "{f}/links" batch_size: 1 }',
        'type: "ImageData" image_data_param { source: "/dev/zero" }',
        'type: "ImageData" image_data_param { source: "{f}/images" } transform_param { mean_file: "{f}/pipe" }',
    ],
)
def test_no_pipe_and_no_device_is_read(layer: str, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "pipes").write_text(f"{tmp_path}/pipe 1\n")
    (tmp_path / "links").write_text(f"{tmp_path}/links.h5\n")
    h5py = pytest.importorskip("h5py")
    with h5py.File(tmp_path / "links.h5", "w") as file:
        file["data"] = file["label"] = h5py.ExternalLink(str(tmp_path / "pipe"), "/data")
    text = f'layer {{ name: "data" top: "data" top: "label" {layer.replace("{f}", str(tmp_path))} }}'
    built = build(text_format.Parse(text, NetParameter()), "TRAIN")
    with pytest.raises(Unreadable, match=r"a pipe or a device|shows the running system|not opened"):
        open_source(built.layers[0], 1).next()


def test_rows_are_counted_without_opening_what_later_files_link(folder: Path) -> None:
    h5py = pytest.importorskip("h5py")
    os.mkfifo(folder / "pipe")
    with h5py.File(folder / "links.h5", "w") as file:
        file["data"] = file["label"] = h5py.ExternalLink(str(folder / "pipe"), "/data")
    (folder / "both.txt").write_text(f"{folder}/0.h5\n{folder}/links.h5\n")
    layer = f'type: "HDF5Data" hdf5_data_param {{ source: "{folder}/both.txt" batch_size: 1 }}'
    built = build(
        text_format.Parse(f'layer {{ name: "data" top: "data" top: "label" {layer} }}', NetParameter()), "TRAIN"
    )
    with pytest.raises(Unreadable, match="not opened"):
        open_source(built.layers[0], 1).count()


def test_images_of_other_kinds(tmp_path: Path) -> None:
    """As OpenCV: upright, blue first, transparency dropped or kept, deep ones cut to bytes."""
    from PIL import Image

    pixels = np.arange(24, dtype=np.uint8).reshape(2, 3, 4)
    Image.fromarray(pixels, "RGBA").save(tmp_path / "a.png")
    path = str(tmp_path / "a.png")
    assert (decode(path, True) == pixels[:, :, [2, 1, 0]].transpose(2, 0, 1)).all()
    assert (decode(path, None) == pixels[:, :, [2, 1, 0, 3]].transpose(2, 0, 1)).all()
    Image.fromarray(pixels[:, :, 0].astype(np.uint16) << 8).save(tmp_path / "deep.png")
    assert (decode(str(tmp_path / "deep.png"), False)[0] == pixels[:, :, 0]).all()
    exif = Image.Exif()
    exif[0x0112] = 6
    Image.fromarray(pixels[:, :, :3]).save(tmp_path / "turned.png", exif=exif)
    assert decode(str(tmp_path / "turned.png"), True).shape == (3, 3, 2)
    assert resize(np.full((3, 4, 4), 7, np.uint8), 9, 3).tolist() == [[[7] * 3] * 9] * 3


def test_what_unpacks_to_far_more_than_its_size_is_not_read(tmp_path: Path) -> None:
    import h5py

    with h5py.File(tmp_path / "a.h5", "w") as file:
        file.create_dataset("data", (2, 1 << 28), "f4", chunks=(1, 1 << 20), compression="gzip")
        file.create_dataset("label", (2,), "f4")
    (tmp_path / "a.txt").write_text(f"{tmp_path}/a.h5\n")
    text = (
        'layer { name: "d" type: "HDF5Data" top: "data" top: "label" hdf5_data_param { source: "%s" batch_size: 1 } }'
    )
    built = build(text_format.Parse(text % (tmp_path / "a.txt"), NetParameter()), "TRAIN")
    with pytest.raises(Unreadable, match="unpacks to 2 GiB"):
        open_source(built.layers[0], 1)
