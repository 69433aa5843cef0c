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
