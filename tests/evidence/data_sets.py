"""Small data sets for the tests here, written with the libraries that Caffe's users write them with."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from caffelint.cli.main import main
from caffelint.schema import Datum

Array = NDArray[Any]


def images(count: int, shape: Sequence[int] = (3, 8, 8), seed: int = 1) -> Array:
    """Images that all differ."""
    return np.random.RandomState(seed).randint(0, 256, (count, *shape)).astype(np.uint8)


def datum(image: Array, label: int = 0, **fields: Any) -> bytes:
    """A record of bytes, or of floats where the image has these."""
    channels, height, width = image.shape
    made: Any = Datum(channels=channels, height=height, width=width, label=label)
    if image.dtype == np.uint8:
        made.data = image.tobytes()
    else:
        made.float_data.extend(image.reshape(-1).tolist())
    for name, value in fields.items():
        setattr(made, name, value)
    data: bytes = made.SerializeToString()
    return data


def encoded(image: Array, kind: str = "PNG") -> bytes:
    """An image file; red first, as files have it."""
    from PIL import Image

    out = BytesIO()
    Image.fromarray(image.transpose(1, 2, 0).squeeze()).save(out, kind)
    return out.getvalue()


def records(pictures: Array, labels: Iterable[int]) -> list[bytes]:
    return [datum(image, int(label)) for image, label in zip(pictures, labels, strict=True)]


def write_lmdb(path: Path, values: Iterable[bytes]) -> Path:
    import lmdb

    with lmdb.open(str(path), map_size=1 << 32) as database, database.begin(write=True) as transaction:
        for number, value in enumerate(values):
            transaction.put(f"{number:08}".encode(), value)
    return path


def write_leveldb(path: Path, values: Iterable[bytes]) -> Path:
    import plyvel

    database = plyvel.DB(str(path), create_if_missing=True)
    for number, value in enumerate(values):
        database.put(f"{number:08}".encode(), value)
    database.close()
    return path


def write_hdf5(path: Path, **tops: Array) -> Path:
    """A list of one file that holds these datasets."""
    import h5py

    with h5py.File(path.with_suffix(".h5"), "w") as file:
        for name, values in tops.items():
            file[name] = values
    path.write_text(f"{path.with_suffix('.h5')}\n")
    return path


def write_list(path: Path, pictures: Array, labels: Iterable[int]) -> Path:
    """A list of PNG files."""
    lines = []
    for number, (image, label) in enumerate(zip(pictures, labels, strict=True)):
        file = path.parent / f"{path.stem}_{number}.png"
        file.write_bytes(encoded(image))
        lines.append(f"{file} {label}\n")
    path.write_text("".join(lines))
    return path


def data_layer(source: object, more: str = "", phase: str = "", kind: str = "LMDB", batch: int = 4) -> str:
    rule = f"include {{ phase: {phase} }}" if phase else ""
    return (
        f'layer {{ name: "data" type: "Data" top: "data" top: "label" {rule}\n'
        f'  data_param {{ source: "{source}" backend: {kind} batch_size: {batch} }} {more} }}\n'
    )


def list_layer(source: object, more: str = "", phase: str = "", batch: int = 4) -> str:
    rule = f"include {{ phase: {phase} }}" if phase else ""
    return (
        f'layer {{ name: "data" type: "ImageData" top: "data" top: "label" {rule}\n'
        f'  image_data_param {{ source: "{source}" batch_size: {batch} }} {more} }}\n'
    )


def hdf5_layer(source: object, phase: str = "", batch: int = 4) -> str:
    rule = f"include {{ phase: {phase} }}" if phase else ""
    return (
        f'layer {{ name: "data" type: "HDF5Data" top: "data" top: "label" {rule}\n'
        f'  hdf5_data_param {{ source: "{source}" batch_size: {batch} }} }}\n'
    )


def report_of(folder: Path, net: str, *options: str) -> dict[str, Any]:
    """What `caffelint data` reports of a net: `json`, `names` of the rules, and its exit `status`."""
    (folder / "net.prototxt").write_text(net)
    out = folder / "report.json"
    command = ["data", str(folder / "net.prototxt"), "--format", f"json:{out}", "-q", "--isolated", "--jobs", "2"]
    status = main([*command, *options])
    report = json.loads(out.read_text())
    return {"json": report, "names": sorted({one["name"] for one in report["findings"]}), "status": status}


def rest(classes: int = 10) -> str:
    return (
        f'layer {{ name: "fc" type: "InnerProduct" bottom: "data" top: "fc"\n'
        f'  inner_product_param {{ num_output: {classes} weight_filler {{ type: "xavier" }} }} }}\n'
        'layer { name: "loss" type: "SoftmaxWithLoss" bottom: "fc" bottom: "label" top: "loss" }\n'
    )
