"""Nets of whose data only some sizes are known: what is known of the rest, and what is refused, holds for any data."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

from asking import ask
from google.protobuf import text_format
from seeds import SEED

from caffelint.caffe.build import build
from caffelint.schema.messages import NetParameter

DATA = (
    'layer { name: "data" type: "Data" top: "data" top: "label" data_param { source: "a" batch_size: 2 }'
    " transform_param { %s } }"
)
INPUT = (
    'layer { name: "data" type: "Input" top: "data" top: "label" input_param'
    " { shape { dim: 2 dim: %d dim: %d dim: %d } shape { dim: 2 } } }"
)
SIDES = (24, 31, 40, 63, 96)


def parsed(text: str) -> Any:
    net = NetParameter()
    text_format.Merge(text, net)
    return net


def layer(kind: str, name: str, bottom: str, settings: str, more: str = "") -> str:
    block = {"Convolution": "convolution_param", "Pooling": "pooling_param", "InnerProduct": "inner_product_param"}
    block |= {"Slice": "slice_param", "Flatten": "flatten_param", "SPP": "spp_param", "Reshape": "reshape_param"}
    written = f"{block[kind]} {{ {settings} }}" if settings else ""
    top = "" if "top:" in more else f'top: "{name}"'
    return f' layer {{ name: "{name}" type: "{kind}" bottom: "{bottom}" {top} {more} {written} }}'


def some_net(rng: random.Random) -> str:
    """A chain of layers, each of which makes its own of a bottom of unknown size."""
    text, bottom = "", "data"
    for depth in range(rng.randint(2, 5)):
        kind, settings = rng.choice(
            [
                ("Convolution", f"num_output: {rng.choice([2, 6])} kernel_size: {rng.choice([1, 3, 9])}"),
                ("Convolution", "num_output: 6 kernel_size: 2 stride: 2 group: 2"),
                ("Pooling", f"kernel_size: {rng.choice([2, 3])} stride: 2"),
                ("Pooling", "global_pooling: true"),
                ("InnerProduct", "num_output: 4"),
                ("InnerProduct", "num_output: 4 axis: 2"),
                ("Flatten", ""),
                ("Reshape", "shape { dim: 0 dim: -1 }"),
                ("Reshape", "shape { dim: 0 dim: 2 dim: -1 }"),
                ("SPP", "pyramid_height: 2"),
            ]
        )
        text += layer(kind, f"l{depth}", bottom, settings)
        bottom = f"l{depth}"
    return text


def test_what_is_known_of_sizes_holds_for_any_data(caffe_python: Path) -> None:
    rng = random.Random(SEED + 12)
    jobs: list[dict[str, str]] = []
    claims: list[tuple[dict[str, tuple[int | None, ...]], bool]] = []
    for _ in range(60):
        net, side = some_net(rng), rng.choice([None, *SIDES])
        built = build(parsed(DATA % (f"crop_size: {side}" if side else "") + net), "TRAIN")
        known = {blob.name: blob.shape if blob.shape is not None else blob.partial for blob in built.blobs.values()}
        sizes = {name: shape for name, shape in known.items() if shape is not None}
        for channels in (1, 3, 6):
            text = INPUT % (channels, side or rng.choice(SIDES), side or rng.choice(SIDES)) + net
            jobs.append({"net": text, "phase": "TRAIN"})
            claims.append((sizes, bool(built.refusals)))
    loaded = whole = 0
    for (sizes, refused), job, answer in zip(claims, jobs, ask(caffe_python, jobs), strict=True):
        assert not (answer["ok"] and refused), (SEED, job)
        if answer["ok"]:
            loaded += 1
            for name, told in answer["blobs"]:
                claimed = sizes.get(name, (None,) * len(told))
                whole += None not in claimed
                assert len(claimed) == len(told), (SEED, name, job)
                assert all(one in (None, size) for one, size in zip(claimed, told, strict=True)), (SEED, name, job)
    assert loaded > 20, SEED
    assert whole > loaded, SEED


def test_a_map_that_shrinks_to_nothing_in_any_number_of_channels() -> None:
    net = layer("Convolution", "conv", "data", "num_output: 4 kernel_size: 5")
    net += layer("Convolution", "more", "conv", "num_output: 4 kernel_size: 5")
    assert not build(parsed(DATA % "crop_size: 9" + net), "TRAIN").refusals
    assert [one.layer for one in build(parsed(DATA % "crop_size: 8" + net), "TRAIN").refusals] == ["more"]
    assert not build(parsed(DATA % "" + net), "TRAIN").refusals


def test_a_bias_is_as_long_as_there_are_outputs() -> None:
    net = layer("InnerProduct", "a", "data", "num_output: 4", 'param { name: "w" } param { name: "b" }')
    net += layer("InnerProduct", "c", "a", "num_output: %d", 'param { name: "v" } param { name: "b" }')
    assert [one.layer for one in build(parsed(DATA % "" + net % 5), "TRAIN").refusals] == ["c"]
    assert not build(parsed(DATA % "" + net % 4), "TRAIN").refusals


def test_a_window_over_a_vector(caffe_python: Path) -> None:
    net = layer("InnerProduct", "a", "data", "num_output: 4") + layer("Pooling", "p", "a", "kernel_size: 1")
    assert [one.layer for one in build(parsed(DATA % "" + net), "TRAIN").refusals] == ["p"]
    jobs = [{"net": INPUT % (3, side, 5) + net, "phase": "TRAIN"} for side in SIDES]
    assert not any(answer["ok"] for answer in ask(caffe_python, jobs))


def test_scores_and_labels_of_other_sizes(caffe_python: Path) -> None:
    net = layer("InnerProduct", "fc", "data", "num_output: %d")
    net += ' layer { name: "loss" type: "EuclideanLoss" bottom: "fc" bottom: "label" }'
    assert [one.layer for one in build(parsed(DATA % "" + net % 10), "TRAIN").refusals] == ["loss"]
    assert not build(parsed(DATA % "" + net % 1), "TRAIN").refusals
    # Of a map, some size may be that of the labels.
    assert not build(parsed(DATA % "" + net.replace('bottom: "fc"', 'bottom: "data"') % 1), "TRAIN").refusals
    jobs = [{"net": INPUT % (3, side, 5) + net % outputs, "phase": "TRAIN"} for side in SIDES for outputs in (10, 1)]
    assert [answer["ok"] for answer in ask(caffe_python, jobs)] == [False, True] * len(SIDES)


def test_a_stride_that_makes_one_of_any_size_is_not_trusted() -> None:
    net = layer("Pooling", "p", "data", "kernel_size: 1 stride: 100")
    blob = build(parsed(DATA % "" + net), "TRAIN").blobs["p"]
    assert (blob.shape, blob.partial) == (None, None)


def test_fields_of_a_fork_may_change_the_size() -> None:
    net = layer("Convolution", "conv", "data", "num_output: 4 kernel_size: 5")
    assert build(parsed(DATA % "crop_size: 8" + net), "TRAIN").blobs["conv"].shape == (2, 4, 4, 4)
    data = DATA.replace('"Data"', '"AnnotatedData"')
    assert build(parsed(data % "crop_size: 8" + net), "TRAIN").blobs["conv"].shape is None
