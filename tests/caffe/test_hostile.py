"""Nets that are huge, endless or absurd: an answer in bounded time and memory, never an exception or an allocation."""

from __future__ import annotations

import json
import sys
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from types import FrameType

import bench_curves
import pytest
from cost import soon
from seeds import draws

import caffelint
from caffelint.caffe.build import _Build
from caffelint.lint.config import Config
from caffelint.lint.summary import summarize

MEGABYTE = 1 << 20
MOST_CALLS = 120
"""For each character. Most texts take ten; where each of 1,500 layers looked at all others, there would be hundreds."""
INPUT = 'layer { name: "a" type: "Input" top: "a" input_param { shape { dim: 1 dim: 3 dim: 9 dim: 9 } } }\n'


def layer(type_: str, more: str = "", bottom: str = "a", top: str = "z", name: str = "l") -> str:
    return f'layer {{ name: "{name}" type: "{type_}" bottom: "{bottom}" top: "{top}" {more} }}\n'


def summary(text: str) -> None:
    for dialect in (None, "bvlc"):
        for line in summarize(text.encode(), "net.prototxt", dialect=dialect):
            json.dumps(line.as_json())


def check(text: str) -> None:
    report = caffelint.check_text(text.encode(), path="net.prototxt")
    assert not report.failures


def many(each: Callable[[int], str], number: int = 1500) -> str:
    return INPUT + "".join(each(i) for i in range(number))


def all_of(word: str, name: str, number: int = 2000) -> str:
    return " ".join(f'{word}: "{name}{i}"' for i in range(number))


HUGE = {
    "dims of 10^18": INPUT.replace("9", str(10**18)) + layer("Convolution", "convolution_param { kernel_size: 3 }"),
    "greatest dims": INPUT.replace("9", str(2**63 - 1)) + layer("Flatten"),
    "dims of 0": INPUT.replace("9", "0") + layer("Pooling", "pooling_param { kernel_size: 3 }"),
    "negative dims": INPUT.replace("9", "-9") + layer("ReLU"),
    "a billion outputs": INPUT + layer("InnerProduct", "inner_product_param { num_output: 1000000000 }"),
    "a billion filters": INPUT + layer("Convolution", "convolution_param { num_output: 1000000000 kernel_size: 3 }"),
    "a billion pixels of padding": INPUT
    + layer("Convolution", "convolution_param { num_output: 1 kernel_size: 3 pad: 1000000000 }"),
    "a billion steps": 'layer { name: "x" type: "Input" top: "x" top: "c" input_param {'
    " shape { dim: 1000000000 dim: 1 dim: 1 } shape { dim: 1000000000 dim: 1 } } }"
    ' layer { name: "l" type: "LSTM" bottom: "x" bottom: "c" top: "z" recurrent_param { num_output: 1000000000 } }',
    "a billion levels": INPUT + layer("SPP", "spp_param { pyramid_height: 1000000000 }"),
    "a billion tiles": INPUT + layer("Tile", "tile_param { tiles: 1000000000 }"),
    "a huge vocabulary": INPUT + layer("Embed", "embed_param { num_output: 2000000000 input_dim: 2000000000 }"),
    "a huge window": INPUT + layer("LRN", "lrn_param { local_size: 4294967295 }"),
    "huge dummies": 'layer { name: "d" type: "DummyData" top: "d" dummy_data_param { num: 2000000000 channels: 1'
    " height: 1 width: 1 } }",
    "a huge batch": 'layer { name: "d" type: "MemoryData" top: "d" top: "l" memory_data_param { batch_size: 4294967295'
    " channels: 4294967295 height: 4294967295 width: 4294967295 } }",
    "a huge zoom": INPUT + layer("Interp", "interp_param { zoom_factor: 2147483647 }"),
    "huge slices": INPUT + layer("Slice", "slice_param { slice_point: 4000000000 }"),
}

LARGE = {
    "a cycle": layer("ReLU", bottom="x", top="y", name="p") + layer("ReLU", bottom="y", top="x", name="q"),
    "a layer behind itself": layer("ReLU", bottom="x", top="x"),
    "a ring of thousands": many(lambda i: layer("ReLU", bottom=f"b{(i + 1) % 1500}", top=f"b{i}", name=f"l{i}")),
    "names of 1 MB": INPUT.replace('"a"', f'"{"n" * MEGABYTE}"')
    + layer("ReLU", bottom="n" * MEGABYTE, top="m" * MEGABYTE, name="o" * MEGABYTE)
    + layer("Convolution", bottom="m" * MEGABYTE),
    "a type of 1 MB": INPUT + layer("T" * MEGABYTE),
    "a blob read two thousand times by one layer": INPUT
    + f'layer {{ name: "l" type: "Concat" top: "z" {" ".join(["bottom: " + chr(34) + "a" + chr(34)] * 2000)} }}',
    "two thousand bottoms": many(lambda i: INPUT.replace('"a"', f'"a{i}"'), 2000)
    + f'layer {{ name: "l" type: "Eltwise" top: "z" {all_of("bottom", "a")} }}',
    "two thousand bottoms that nothing makes": f'layer {{ name: "l" type: "Concat" top: "z" {all_of("bottom", "u")} }}',
    "two thousand tops": f'{INPUT} layer {{ name: "l" type: "Slice" bottom: "a" {all_of("top", "t")} }}',
    "two thousand times one top": many(lambda i: INPUT, 2000),
    "thousands of readers": many(lambda i: layer("ReLU", top=f"z{i}", name=f"l{i}")),
    "thousands in place": many(lambda i: layer("ReLU", top="a", name=f"l{i}")),
    "thousands of one name": many(lambda i: layer("ReLU", bottom=f"u{i}", top=f"v{i}")),
    "thousands of one name with weights": many(
        lambda i: layer("InnerProduct", "inner_product_param { num_output: 3 }", top=f"v{i}")
    ),
    "thousands cut off": many(lambda i: layer("ReLU", bottom=f"u{i}", top=f"v{i}", name=f"l{i}")),
    "hundreds of long names that nothing makes": INPUT
    + "".join(layer("ReLU", bottom=f"c{i:0190}d", top=f"d{i:0190}d", name=str(i)) for i in range(200)),
    "hundreds of names as long, all alike": INPUT
    + "".join(
        layer("ReLU", bottom=f"{3**40 * i**7 % 2**60:060b}" * 3, top=f"{5**25 * i**9 % 2**60:060b}" * 3, name=str(i))
        for i in range(200)
    ),
    "thousands of old layers": "".join(
        f'layers {{ name: "l{i}" type: RELU bottom: "a" top: "a" }}\n' for i in range(1500)
    ),
    "thousands of shared parameters": many(
        lambda i: layer(
            "InnerProduct",
            f'param {{ name: "w" }} inner_product_param {{ num_output: {i + 1} }}',
            top=f"v{i}",
            name=f"l{i}",
        )
    ),
    "thousands of param blocks": INPUT + layer("ReLU", 'param { name: "x" lr_mult: 1 } ' * 1500),
    "thousands of rules": INPUT + layer("ReLU", 'include { phase: TRAIN stage: "x" } ' * 1500),
    "thousands of axes": INPUT.replace("dim: 9", "dim: 1 " * 1500) + layer("ReLU"),
    "thousands of new axes": INPUT + layer("Reshape", f"reshape_param {{ shape {{ {'dim: 1 ' * 1500} }} }}"),
    "thousands of orders": INPUT + layer("Permute", f"permute_param {{ {'order: 0 ' * 1500} }}"),
    "thousands of boxes": INPUT
    + layer(
        "PriorBox",
        f'bottom: "a" prior_box_param {{ {" ".join(f"min_size: {i} aspect_ratio: {i}" for i in range(2, 1500))} }}',
    ),
    "a net of nothing but types": "".join(f'layer {{ type: "{i}" }}' for i in range(1500)),
}


@pytest.mark.parametrize("look", [summary, check])
@pytest.mark.parametrize("case", HUGE)
def test_nothing_of_the_size_named_is_made(case: str, look: Callable[[str], None]) -> None:
    """The first look imports what it needs; the second may take a few kilobytes only, and no time."""
    look(HUGE[case])
    tracemalloc.start()
    try:
        with soon():
            look(HUGE[case])
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < MEGABYTE


@pytest.mark.parametrize("look", [summary, check])
@pytest.mark.parametrize("case", LARGE)
def test_memory_and_work_follow_the_text(case: str, look: Callable[[str], None]) -> None:
    text = LARGE[case]
    tracemalloc.start()
    try:
        with soon():
            look(text)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 20 * MEGABYTE + 300 * len(text)
    assert bench_curves.calls(lambda: look(text)) < MOST_CALLS * (1000 + len(text))


def deep(number: int) -> str:
    """A net of convolutions, rectifiers and sums, `number` layers deep."""
    kinds = (
        lambda i: layer(
            "Convolution",
            "convolution_param { num_output: 3 kernel_size: 3 pad: 1 }",
            f"b{i}",
            f"b{i + 1}",
            f"conv{i}",
        ),
        lambda i: layer("ReLU", "", f"b{i}", f"b{i + 1}", f"relu{i}"),
        lambda i: layer("Eltwise", f'bottom: "b{i - 1}"', f"b{i}", f"b{i + 1}", f"sum{i}"),
    )
    return INPUT.replace('top: "a"', 'top: "b0"') + "".join(kinds[i % 3](i) for i in range(number))


def steps(look: Callable[[str], None], text: str) -> int:
    """How many calls it takes: unlike seconds, the same on every machine and in every run."""
    calls = 0

    def count(frame: FrameType, event: str, argument: object) -> None:
        nonlocal calls
        calls += 1

    sys.setprofile(count)
    try:
        look(text)
    finally:
        sys.setprofile(None)
    return calls


@pytest.mark.parametrize("look", [summary, check])
def test_twice_the_layers_take_twice_as_long(look: Callable[[str], None]) -> None:
    look(deep(30))
    layers = draws(2_000, 5_000)
    once, twice = (steps(look, deep(number)) for number in (layers, 2 * layers))
    assert once > layers
    assert 1.8 < twice / once < 2.2


def test_ten_thousand_layers_are_built() -> None:
    (train,) = summarize(deep(10_000).encode(), "net.prototxt", ("TRAIN",))
    assert train.loads is True
    assert len([row for row in train.layers if not row.inserted]) == 10_001
    assert train.blobs["b10000"] == (1, 3, 9, 9)


def test_a_net_is_not_built_in_a_thousand_states(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each of them keeps other layers, so that the work is the product of what the solver and the net have."""
    built = []
    add_layer = _Build.add_layer
    monkeypatch.setattr(_Build, "add_layer", lambda self, layer: (built.append(layer), add_layer(self, layer))[1])
    tests = "".join(f"test_iter: 1 test_state {{ level: {level} }}\n" for level in range(1000))
    (tmp_path / "solver.prototxt").write_text(f'net: "net.prototxt" test_interval: 5 {tests}')
    text = many(lambda i: layer("ReLU", f"include {{ min_level: {i} }}", top=f"z{i}", name=f"l{i}"), 700)
    (tmp_path / "net.prototxt").write_text(text)
    config = Config()
    config.cache, config.jobs = False, 1
    report = caffelint.check([tmp_path / "solver.prototxt"], config)
    assert [one.message for one in report.failures] == ["solvers build it in 908 more states than are checked"]
    assert "never-included" not in {one.name for one in report.findings}
    (tmp_path / "net.prototxt").write_text(many(lambda i: layer("ReLU", top=f"z{i}", name=f"l{i}"), 700))
    assert caffelint.check([tmp_path / "solver.prototxt"], config).failures == ()
    assert 1000 < len(built) < 100_000
