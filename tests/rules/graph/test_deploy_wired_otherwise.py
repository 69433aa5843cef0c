"""Layers of a deploy net that have other names than in training, in long chains."""

from __future__ import annotations

from pathlib import Path

import bench_curves

import caffelint
from caffelint.lint.config import Config

DATA = 'layer { name: "data" type: "Data" top: "data" top: "label" }\n'
INPUT = 'layer { name: "data" type: "Input" top: "data" input_param { shape { dim: 1 dim: 8 } } }\n'
LOSS = 'layer { name: "loss" type: "SoftmaxWithLoss" bottom: "last" bottom: "label" top: "loss" }\n'


def body(prefix: str, chain: int) -> str:
    text, bottom = "", "data"
    names = ["a", "b", "c", "d", *(f"{prefix}{number}" for number in range(chain)), "last"]
    for name in names:
        of = "BatchNorm" if name.startswith(prefix) else "InnerProduct"
        param = "" if of == "BatchNorm" else "inner_product_param { num_output: 8 }"
        text += f'layer {{ name: "{name}" type: "{of}" bottom: "{bottom}" top: "{name}" {param} }}\n'
        bottom = name
    return text


def renamed(folder: Path, chain: int) -> list[str]:
    (folder / "train.prototxt").write_text(DATA + body("train_bn", chain) + LOSS)
    (folder / "deploy.prototxt").write_text(INPUT + body("bn", chain))
    config = Config()
    config.cache, config.preview = False, True
    report = caffelint.check(folder, config)
    assert not report.failures
    return [one.message for one in report.findings if one.name == "deploy-wired-otherwise"]


def test_one_twin_is_a_layer_renamed(tmp_path: Path) -> None:
    assert [message.partition(",")[0] for message in renamed(tmp_path, 1)] == [
        'BatchNorm "bn0" is called "train_bn0" in "train.prototxt"'
    ]
    assert renamed(tmp_path, 2) == [], "any of several may be it"


def test_chains_take_time_with_their_length(tmp_path: Path) -> None:
    assert renamed(tmp_path, 2) == [], "what is imported at first is not counted"
    small, large = (bench_curves.calls(lambda: renamed(tmp_path, chain)) for chain in (100, 400))  # noqa: B023
    assert large < 4.6 * small
