"""A deploy net whose layers follow each other in another order than in training."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

import caffelint
from caffelint.lint.config import Config

SOLVER = 'net: "train.prototxt" base_lr: 0.1\n'
TYPES = {
    "pool1": ("Pooling", "pooling_param { pool: MAX kernel_size: 2 stride: 2 }"),
    "mean1": ("Pooling", "pooling_param { pool: AVE kernel_size: 2 stride: 2 }"),
    "norm1": ("LRN", ""),
    "bn1": ("BatchNorm", ""),
    "relu1": ("ReLU", ""),
    "drop1": ("Dropout", ""),
}
DATA = 'layer { name: "data" type: "Data" top: "data" top: "label" }\n'
INPUT = 'layer { name: "in" type: "Input" top: "data" input_param { shape { dim: 1 dim: 3 dim: 32 dim: 32 } } }\n'


def conv(name: str, bottom: str) -> str:
    sizes = "convolution_param { num_output: 8 kernel_size: 3 }"
    return f'layer {{ name: "{name}" type: "Convolution" bottom: "{bottom}" top: "{name}" {sizes} }}\n'


def net(start: str, between: Sequence[str], *more: str) -> str:
    text, bottom = start + conv("c1", "data"), "c1"
    for name in between:
        type_, block = TYPES[name]
        text += f'layer {{ name: "{name}" type: "{type_}" bottom: "{bottom}" top: "{name}" {block} }}\n'
        bottom = name
    return text + conv("c2", bottom) + conv("c3", "c2") + "".join(more)


def train(*between: str) -> str:
    return net(DATA, between, 'layer { name: "loss" type: "SoftmaxWithLoss" bottom: "c3" bottom: "label" }\n')


def messages(folder: Path, **texts: str) -> list[str]:
    for name, text in texts.items():
        (folder / f"{name}.prototxt").write_text(text)
    config = Config()
    config.cache = False
    report = caffelint.check(folder, config)
    assert not report.failures
    return [one.message for one in report.findings if one.name == "deploy-wired-otherwise"]


@pytest.mark.parametrize(
    ("first", "then"),
    [("norm1", "pool1"), ("pool1", "norm1"), ("relu1", "norm1"), ("mean1", "relu1"), ("bn1", "relu1")],
)
def test_the_other_way_round(tmp_path: Path, first: str, then: str) -> None:
    texts = {"solver": SOLVER, "train": train(first, then)}
    assert messages(tmp_path, **texts, deploy=net(INPUT, [first, then])) == []
    comes, after = f'{TYPES[then][0]} "{then}"', f'{TYPES[first][0]} "{first}"'
    assert messages(tmp_path, **texts, deploy=net(INPUT, [then, first])) == [
        f'{comes} comes before {after} here but after in "train.prototxt", so the net computes something other than'
        " what was trained; make the two nets equal"
    ]


@pytest.mark.parametrize(
    ("first", "then"), [("relu1", "pool1"), ("drop1", "norm1"), ("bn1", "pool1"), ("bn1", "mean1")]
)
def test_layers_that_commute(tmp_path: Path, first: str, then: str) -> None:
    texts = {"solver": SOLVER, "train": train(first, then), "deploy": net(INPUT, [then, first])}
    assert messages(tmp_path, **texts) == []


def test_full_layers_that_became_convolutions(tmp_path: Path) -> None:
    """Then only a solver tells that the net is trained here."""

    def full(name: str, bottom: str) -> str:
        sizes = "inner_product_param { num_output: 8 }"
        return f'layer {{ name: "{name}" type: "InnerProduct" bottom: "{bottom}" top: "{name}" {sizes} }}\n'

    loss = 'layer { name: "loss" type: "SoftmaxWithLoss" bottom: "f5" bottom: "label" }\n'
    trained = net(DATA, ["norm1", "pool1"], full("f4", "c3"), full("f5", "f4"), loss)
    texts = {"train": trained, "deploy": net(INPUT, ["pool1", "norm1"], conv("f4-conv", "c3"), conv("f5-conv", "f4"))}
    assert messages(tmp_path, **texts) == []
    assert len(messages(tmp_path, **texts, solver=SOLVER)) == 1


def test_two_designs(tmp_path: Path) -> None:
    """CaffeNet and AlexNet differ in this alone, and each may have its own deploy net."""
    texts = {"solver": SOLVER, "train": train("norm1", "pool1"), "deploy": net(INPUT, ["norm1", "pool1"])}
    assert messages(tmp_path, **texts, caffenet_deploy=net(INPUT, ["pool1", "norm1"])) == []


def test_weights_of_another_shape_are_refused(tmp_path: Path) -> None:
    wide = conv("c2", "c1").replace("num_output: 8", "num_output: 16")
    loss = 'layer { name: "loss" type: "SoftmaxWithLoss" bottom: "c4" bottom: "label" }\n'
    start = conv("c1", "data") + wide + conv("c3", "c2")
    texts = {"solver": SOLVER, "train": DATA + start + conv("c4", "c3") + loss}
    [said] = messages(tmp_path, **texts, deploy=INPUT + start + conv("c4", "c2"))
    assert "so Caffe refuses its weights, 8x8x3x3 in training and 8x16x3x3 here; " in said
    [said] = messages(tmp_path, **texts, deploy=INPUT + start + conv("c4", "c1"))
    assert "so its weights were trained on other values" in said
