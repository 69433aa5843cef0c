"""Labels of lists in the project: of ImageData, and of what a script makes an LMDB of."""

from __future__ import annotations

from pathlib import Path

import pytest

import caffelint
from caffelint.lint.config import Config

NET = """
layer { name: "d" type: "Data" top: "x" top: "label" data_param { source: "out/train_lmdb" batch_size: 2 }
  transform_param { scale: 0.1 } }
layer { name: "fc" type: "InnerProduct" bottom: "x" top: "fc"
  inner_product_param { num_output: 3 weight_filler { type: "xavier" } } }
layer { name: "loss" type: "SoftmaxWithLoss" bottom: "fc" bottom: "label" top: "loss" }
"""
LIST = "".join(f"img/{number}.png {number % 3}\n" for number in range(300))
CONVERT = "$TOOLS/convert_imageset --shuffle \\\n  --resize_width 8 \\\n  $ROOT \\\n  $DATA/{} \\\n  $OUT/train_lmdb\n"


@pytest.fixture
def config(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Config:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path.parent / "cache"))
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".git").mkdir()
    (tmp_path / "data").mkdir()
    Path("net.prototxt").write_text(NET)
    Path("data/train.txt").write_text(LIST)
    Path("create.sh").write_text(CONVERT.format("train.txt"))
    config = Config()
    config.select = ["labels-beyond-scores"]
    return config


def found(config: Config) -> list[str]:
    return [one.message.partition("; ")[2] for one in caffelint.check(["net.prototxt"], config).findings]


def test_by_convert_imageset(config: Config) -> None:
    assert found(config) == []
    Path("data/train.txt").write_text(LIST + "img/x.png 7s\n")  # atoi reads 7, and the kept result is no more
    assert found(config) == ["mend the list, or set num_output: 8"]
    Path("data/train.txt").write_text(LIST + LIST.replace(" 0\n", " 3\n"))
    assert found(config) == ["set num_output: 4"]


def test_not_where_it_is_unclear(config: Config) -> None:
    Path("data/train.txt").write_text(LIST.replace(" 0\n", " 3\n"))
    Path("data/other.txt").write_text(LIST)
    Path("create_other.sh").write_text(CONVERT.format("other.txt"))
    assert found(config) == []  # two scripts make it, of two lists
    Path("create_other.sh").unlink()
    Path("other").mkdir()
    Path("other/train.txt").write_text(LIST)
    assert found(config) == []  # two lists have the name


def test_not_that_of_another_folder(config: Config) -> None:
    """The name is that of nearly every data base."""
    Path("data/train.txt").write_text(LIST + LIST.replace(" 0\n", " 3\n"))
    assert found(config) == ["set num_output: 4"]
    for written in ("other/train_lmdb", "$OUT/other/train_lmdb"):
        Path("create.sh").write_text(CONVERT.format("train.txt").replace("$OUT/train_lmdb", written))
        assert found(config) == []
    Path("nets").mkdir()
    Path("create.sh").rename("data/create.sh")
    Path("data/create.sh").write_text(CONVERT.format("train.txt"))
    assert found(config) == ["set num_output: 4"]
    Path("nets/net.prototxt").write_text(NET.replace("out/train_lmdb", "train_lmdb"))
    assert not caffelint.check(["nets/net.prototxt"], config).findings


@pytest.mark.parametrize(
    "text",
    [
        "# Older: " + CONVERT.format("train.txt").replace("\\\n", ""),
        "awk '{print}' data/train.txt > $DATA/train.txt\n" + CONVERT.format("train.txt"),
    ],
)
def test_not_what_nobody_runs_or_a_script_writes(config: Config, text: str) -> None:
    Path("data/train.txt").write_text(LIST + LIST.replace(" 0\n", " 3\n"))
    Path("create.sh").write_text(text)
    assert found(config) == []


@pytest.mark.parametrize("lines", ["a.png 1.5\n" * 9, "a.png 1 9\n" * 9, "a.png\n" * 9, ""])
def test_no_list_of_classes(config: Config, lines: str) -> None:
    Path("data/train.txt").write_text(lines + "b.png 9\n" * bool(lines))
    assert found(config) == []
