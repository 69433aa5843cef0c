"""What repeats is folded, and nothing is lost by it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from caffelint.caffe.built_net import BuiltNet
from caffelint.lint.file import load
from caffelint.page.modules import Module, Part, modules
from caffelint.page.units import units

from .conftest import FIXTURES

INPUT = 'layer { name: "data" type: "Input" top: "x" input_param { shape { dim: 1 dim: 8 dim: 16 dim: 16 } } }\n'


def built(text: str) -> BuiltNet:
    net = load(text.encode()).net
    assert net
    return net.states()[0]


def conv(name: str, bottom: str, top: str, relu: bool = True) -> str:
    text = f'layer {{ name: "{name}" type: "Convolution" bottom: "{bottom}" top: "{top}" '
    text += "convolution_param { num_output: 8 kernel_size: 3 pad: 1 } }\n"
    if relu:
        text += f'layer {{ name: "{name}_relu" type: "ReLU" bottom: "{top}" top: "{top}" }}\n'
    return text


def block(name: str, bottom: str) -> str:
    """A residual block from `bottom` to `name`."""
    text = conv(f"{name}_a", bottom, f"{name}_a") + conv(f"{name}_b", f"{name}_a", f"{name}_b", relu=False)
    return text + f'layer {{ name: "{name}" type: "Eltwise" bottom: "{bottom}" bottom: "{name}_b" top: "{name}" }}\n'


def leaves(parts: tuple[Part, ...]) -> Iterator[int]:
    for part in parts:
        if isinstance(part, Module):
            yield from leaves(part.parts)
        else:
            yield part


def test_a_layer_in_place_is_part_of_the_box_before() -> None:
    found = units(built(INPUT + conv("one", "x", "y") + conv("two", "y", "z")))
    assert [[layer.name for layer in unit.layers] for unit in found.units] == [
        ["data"],
        ["one", "one_relu"],
        ["two", "two_relu"],
    ]
    assert [(edge.source, edge.target, edge.blob) for edge in found.edges] == [(0, 1, "x"), (1, 2, "y")]


def test_a_scale_with_a_top_of_its_own_is_part_of_the_box_and_a_convolution_of_1x1_is_not() -> None:
    text = INPUT + conv("one", "x", "one", relu=False)
    text += 'layer { name: "norm" type: "BatchNorm" bottom: "one" top: "norm" }\n'
    text += 'layer { name: "scale" type: "Scale" bottom: "norm" top: "scale" scale_param { bias_term: true } }\n'
    text += 'layer { name: "two" type: "Convolution" bottom: "scale" top: "two" '
    text += "convolution_param { num_output: 8 kernel_size: 1 } }\n"
    names = [[layer.name for layer in unit.layers] for unit in units(built(text)).units]
    assert names == [["data"], ["one", "norm", "scale"], ["two"]]


def test_residual_blocks_are_one_module() -> None:
    text, bottom = INPUT + conv("stem", "x", "stem"), "stem"
    for number in range(8):
        text += block(f"res{number}", bottom)
        bottom = f"res{number}"
    text += 'layer { name: "pool" type: "Pooling" bottom: "res7" top: "pool" pooling_param { global_pooling: true } }'
    found = modules(units(built(text)))
    first, run, last = found[0], found[2], found[-1]
    assert (first, last) == (0, 26)
    assert isinstance(run, Module)
    assert run.repeats == 8
    assert [len(part.units) for part in run.parts if isinstance(part, Module)] == [3] * 8


def test_what_differs_is_not_folded_together() -> None:
    """Another kernel is another block; a block that occurs once stays open."""
    text = (
        INPUT
        + conv("stem", "x", "stem")
        + block("a", "stem")
        + block("b", "a").replace("kernel_size: 3 pad: 1", "kernel_size: 5 pad: 2")
    )
    assert modules(units(built(text))) == tuple(range(8))


@pytest.mark.parametrize("path", sorted(FIXTURES.glob("right/*/*.prototxt")), ids=str)
def test_no_unit_is_lost(path: Path) -> None:
    net = load(path.read_bytes()).net
    for one in net.states() if net else ():
        found = units(one)
        assert list(leaves(modules(found))) == list(range(len(found.units)))
        layers = [layer.name for unit in found.units for layer in unit.layers]
        assert sorted(layers) == sorted(layer.name for layer in one.layers if layer.index is not None)
        assert all(edge.source < edge.target for edge in found.edges)
