"""Shapes that the text does not tell come from the settings, or from the data where asked to."""

from __future__ import annotations

from pathlib import Path

import pytest

import caffelint
from caffelint.lint.config import Config, ConfigError, load_config

NET = """
layer { name: "data" type: "Data" top: "data" top: "label" data_param { source: "x" batch_size: 4 backend: LMDB } }
layer { name: "pool" type: "Pooling" bottom: "data" top: "pool" pooling_param { pool: AVE kernel_size: 3 stride: 5 } }
layer { name: "fc" type: "InnerProduct" bottom: "pool" top: "fc" inner_product_param { num_output: 2 } }
layer { name: "loss" type: "SoftmaxWithLoss" bottom: "fc" bottom: "label" top: "loss" }
"""


def names(config: Config) -> set[str]:
    config.select = ["pooling-stride-exceeds-kernel", "empty-pooling-window"]
    return {finding.name for finding in caffelint.check_text(NET, config=config).findings}


@pytest.mark.parametrize(
    ("shape", "found"),
    [
        (None, {"pooling-stride-exceeds-kernel"}),
        ("4x3x10x12", {"empty-pooling-window"}),
        ("4x3x12x12", {"pooling-stride-exceeds-kernel"}),
    ],
)
def test_a_shape_proves_what_else_is_a_guess(shape: str | None, found: set[str]) -> None:
    config = Config()
    config.input_shape = {"data": shape, "elsewhere": "1x1"} if shape else {}
    assert names(config) == found


def test_from_a_file(tmp_path: Path) -> None:
    (tmp_path / "caffelint.toml").write_text('[input-shape]\ndata = "4x3x10x12"\n')
    assert names(load_config(tmp_path)) == {"empty-pooling-window"}


@pytest.mark.parametrize("shape", ['"4x3"', "7"])
def test_right_shapes(tmp_path: Path, shape: str) -> None:
    (tmp_path / "caffelint.toml").write_text(f"[input-shape]\ndata = {shape}\n")
    assert load_config(tmp_path).input_shape["data"] == shape.strip('"')


@pytest.mark.parametrize("shape", ['"4x"', '"-1x3"', '"big"', "[1, 3]", '""'])
def test_wrong_shapes_are_named(tmp_path: Path, shape: str) -> None:
    (tmp_path / "caffelint.toml").write_text(f"[input-shape]\ndata = {shape}\n")
    with pytest.raises(ConfigError, match="input-shape of data"):
        load_config(tmp_path)


def test_from_the_data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    image = pytest.importorskip("PIL.Image")
    monkeypatch.chdir(tmp_path)
    image.new("RGB", (12, 10)).save("a.png")
    Path("list.txt").write_text("a.png 0\n")
    source = 'ImageData" top: "data" top: "label" image_data_param { source: "list.txt" batch_size: 4 }'
    text = NET.replace('Data" top: "data" top: "label" data_param { source: "x" batch_size: 4 backend: LMDB }', source)
    Path("net.prototxt").write_text(text)
    config = Config()
    config.select = ["empty-pooling-window"]
    assert not caffelint.check(["net.prototxt"], config).findings
    config.read_data = True
    assert [finding.layer for finding in caffelint.check(["net.prototxt"], config).findings] == ["pool"]


def test_a_checkout_does_not_ask_to_read_data(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A net names any file; what opens it runs libraries over what a stranger wrote."""
    monkeypatch.chdir(tmp_path)
    Path("caffelint.toml").write_text("read-data = true\n")
    config = load_config(tmp_path)
    assert not config.read_data
    assert "it opens what a net names" in config.skipped["read_data"]
    assert load_config(tmp_path, Path("caffelint.toml")).read_data
    Path("caffelint.toml").write_text("read-data = false\n")
    assert not load_config(tmp_path).skipped


def _grow_with(other: Path, path: Path) -> None:
    """Write a dataset whose shape is that of one in another file, which HDF5 opens to find it out."""
    import h5py

    with h5py.File(other, "w") as file:
        file.create_dataset("data", (1, 17), "f", maxshape=(1, None))
    layout = h5py.VirtualLayout((1, 1), "f", maxshape=(1, None))
    source = h5py.VirtualSource(str(other), "data", (1, 17), maxshape=(1, None))
    layout[:, : h5py.h5s.UNLIMITED] = source[:, : h5py.h5s.UNLIMITED]
    with h5py.File(path, "w") as file:
        file.create_virtual_dataset("data", layout)


@pytest.mark.parametrize(
    "way", ["absolute", "up", "link", "database", "listed", "hdf5", "hdf5 link", "hdf5 virtual", "hdf5 external"]
)
def test_what_settings_have_read_lies_in_the_checkout(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, way: str
) -> None:
    """`--read-data` reads a source wherever it lies; a setting is on for whatever is checked next."""
    h5py = pytest.importorskip("h5py")
    image = pytest.importorskip("PIL.Image")
    lmdb = pytest.importorskip("lmdb")
    from caffelint.lint.file import load
    from caffelint.lint.source_shapes import source_shapes
    from caffelint.schema.messages import Datum

    checkout, outside = tmp_path / "checkout", tmp_path / "outside"
    (checkout / ".git").mkdir(parents=True)
    outside.mkdir()
    monkeypatch.chdir(checkout)
    image.new("RGB", (19, 17)).save(outside / "a.png")
    with lmdb.open(str(outside / "db"), map_size=1 << 20) as database, database.begin(write=True) as transaction:
        transaction.put(b"0", Datum(channels=3, height=5, width=7).SerializeToString())
    with h5py.File(outside / "a.h5", "w") as file:
        file["data"] = [[1.0, 2.0, 3.0]]
    if way == "hdf5 virtual":
        _grow_with(outside / "b.h5", checkout / "a.h5")
    elif way == "hdf5 external":
        with h5py.File(checkout / "a.h5", "w") as file:
            file.create_dataset("data", (1, 3), "f", external=str(outside / "a.h5"))
    else:
        with h5py.File(checkout / "a.h5", "w") as file:
            file["data"] = h5py.ExternalLink(str(outside / "a.h5"), "/data")
    (outside / "list").write_text("a.png 0\n")
    (checkout / "listed").write_text(f"{outside}/a.png 0\n")
    (checkout / "link").symlink_to(outside / "list")
    (checkout / "hdf5").write_text(f"{outside}/a.h5\n")
    for inside in ("hdf5 link", "hdf5 virtual", "hdf5 external"):
        (checkout / inside).write_text("a.h5\n")
    (checkout / "database").mkdir()
    (checkout / "database" / "data.mdb").symlink_to(outside / "db" / "data.mdb")
    source = {"absolute": f"{outside}/list", "up": "../outside/list"}.get(way, way)
    kind = "data" if way == "database" else "hdf5_data" if way.startswith("hdf5") else "image_data"
    name = {"data": "Data", "hdf5_data": "HDF5Data", "image_data": "ImageData"}[kind]
    more = "backend: LMDB" if kind == "data" else f'root_folder: "{outside}/"' if kind == "image_data" else ""
    more = "" if way == "listed" else more
    text = f'source: "{source}" batch_size: 4 {more}'
    text = f'layer {{ name: "data" type: "{name}" top: "data" {kind}_param {{ {text} }} }}'
    net = load(text.encode(), "net.prototxt").net
    assert net is not None
    (built, *_) = net.states()
    assert not source_shapes(built, "net.prototxt", confined=True).shapes
    if way.startswith("hdf5 "):
        assert not source_shapes(built, "net.prototxt").shapes, "what is in another file is never opened"
    else:
        assert source_shapes(built, "net.prototxt").shapes
        assert source_shapes(built, "net.prototxt", [str(outside)], confined=True).shapes
