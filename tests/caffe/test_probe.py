"""Nets whose data has an unknown shape: what is said to be refused whatever it is, a real Caffe refuses each time."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest
from asking import ask
from google.protobuf import text_format
from seeds import SEED

from caffelint.caffe.build import build
from caffelint.caffe.probe import unavoidable
from caffelint.schema.messages import NetParameter

DATA = 'layer { name: "data" type: "Data" top: "data" data_param { source: "a" batch_size: 2 } %s }'
SIDES = (1, 2, 3, 5, 9, 16, 17, 31, 40, 63, 96)


def parsed(text: str) -> Any:
    net = NetParameter()
    text_format.Merge(text, net)
    return net


def said(text: str) -> Any:
    return unavoidable(build(parsed(text), "TRAIN"), {})


def convolution(name: str, bottom: str, settings: str) -> str:
    return (
        f' layer {{ name: "{name}" type: "Convolution" bottom: "{bottom}" top: "{name}"'
        f" convolution_param {{ {settings} }} }}"
    )


def test_a_huge_net_is_not_built_again(monkeypatch: pytest.MonkeyPatch) -> None:
    never = (
        DATA % ""
        + convolution("c", "data", "num_output: 2 kernel_size: 2")
        + convolution("d", "data", "num_output: 3 kernel_size: 3")
    )
    never += ' layer { name: "sum" type: "Eltwise" bottom: "c" bottom: "d" top: "sum" }'
    assert said(never) is not None
    many = "".join(f' layer {{ name: "r{n}" type: "ReLU" bottom: "sum" top: "sum" }}' for n in range(1000))
    built = build(parsed(never + many), "TRAIN")
    monkeypatch.delattr("caffelint.caffe.probe.build_alike")
    assert unavoidable(built, {}) is None


def joined(rng: random.Random) -> str:
    """Two branches of the data, each of two windowed layers, that meet again."""
    text = ""
    for branch in "ab":
        bottom = "data"
        for depth in range(2):
            kernel, stride, pad = rng.choice([(1, 1, 0), (3, 1, 1), (3, 1, 0), (3, 2, 1), (2, 2, 0), (4, 2, 1)])
            name = f"{branch}{depth}"
            if rng.random() < 0.3 and pad < kernel:
                text += (
                    f' layer {{ name: "{name}" type: "Pooling" bottom: "{bottom}" top: "{name}"'
                    f" pooling_param {{ kernel_size: {kernel} stride: {stride} pad: {pad} }} }}"
                )
            else:
                outputs = rng.choice([2, 2, 3, 40])
                settings = f"num_output: {outputs} kernel_size: {kernel} stride: {stride} pad: {pad}"
                text += convolution(name, bottom, settings)
            bottom = name
    kind = rng.choice(["Concat", "Eltwise", "EuclideanLoss"])
    other = rng.choice(["b1", "data"])
    return text + f' layer {{ name: "end" type: "{kind}" bottom: "a1" bottom: "{other}" top: "end" }}'


def test_what_is_refused_whatever_the_data_are_is_refused_by_caffe(caffe_python: Path) -> None:
    rng = random.Random(SEED + 20261121)
    claimed = []
    for _ in range(150):
        net = joined(rng)
        found = said(DATA % "" + net)
        if found is not None:
            assert not found.fits, "data that are not said to be pixels may have any number of channels"
            claimed.append(net)
    assert len(claimed) > 20, SEED
    jobs = []
    for net in claimed:
        channels, height, width = rng.choice([1, 2, 3, 40]), rng.choice(SIDES), rng.choice(SIDES)
        data = (
            'layer { name: "data" type: "Input" top: "data" input_param { shape'
            f" {{ dim: 2 dim: {channels} dim: {height} dim: {width} }} }} }}"
        )
        jobs.append({"net": data + net, "phase": "TRAIN"})
    loaded = [job["net"] for job, answer in zip(jobs, ask(caffe_python, jobs), strict=True) if answer["ok"]]
    assert not loaded, SEED


def test_a_number_of_channels_that_no_picture_has() -> None:
    net = convolution("a", "data", "num_output: 64 kernel_size: 1")
    net += ' layer { name: "loss" type: "EuclideanLoss" bottom: "a" bottom: "data" }'
    assert said(DATA % "" + net) is None
    found = said(DATA % "transform_param { mean_value: 127.5 }" + net)
    assert found.fits == (64,)
    assert found.refusal.layer == "loss"
    # Two images, one behind the other.
    assert said(DATA % "transform_param { mean_value: 127.5 }" + net.replace("64", "6")) is None


def test_a_size_that_fits_is_found() -> None:
    """Three halvings, each undone: only multiples of 8 come out as they went in."""
    net = ""
    bottom = "data"
    for depth in range(3):
        net += convolution(f"down{depth}", bottom, "num_output: 4 kernel_size: 2 stride: 2")
        bottom = f"down{depth}"
    for depth in range(3):
        net += convolution(f"up{depth}", bottom, "num_output: 4 kernel_size: 2 stride: 2").replace(
            "Convolution", "Deconvolution"
        )
        bottom = f"up{depth}"
    loss = f' layer {{ name: "loss" type: "Concat" bottom: "{bottom}" bottom: "data" top: "both" }}'
    crop = "transform_param { crop_size: %d }"
    assert said(DATA % "" + net + loss) is None
    assert said(DATA % crop % 64 + net + loss) is None
    assert said(DATA % crop % 60 + net + loss).shape == (2, 3, 60, 60)
