"""No rule fails, whatever is missing or wrong in a text: not even in the middle of being written."""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import product

import pytest
from seeds import SEED, draws

from caffelint.caffe.layers import REGISTRY
from caffelint.lint.checker import Checker
from caffelint.lint.config import Config
from caffelint.lint.deploy import names
from caffelint.lint.examples import texts_of
from caffelint.lint.plan import Job
from caffelint.lint.registry import all_rules
from caffelint.text.parser import parse

DATA = (
    b'layer { name: "d" type: "Data" top: "a" top: "y" data_param { source: "t" backend: LMDB batch_size: 8 }'
    b" transform_param { crop_size: 32 } }"
)


@pytest.fixture(scope="module")
def checker() -> Checker:
    config = Config()
    config.preview = True
    config.target = names()
    return Checker(config)


def failures(checker: Checker, text: bytes) -> list[str]:
    checker.texts = {"a": text}
    return [failure.message for failure in checker.job(Job(("a",), frozenset("a"), ())).failures]


@pytest.mark.parametrize(
    "text",
    [
        b'layer { name: "log" type: "Log" bottom: "nowhere" top: "log" }',
        b'layer { name: "root" type: "Power" bottom: "nowhere" top: "root" power_param { power: 0.5 } }',
        b'layer { name: "data" type: "Data" data_param { source: "train_lmdb" backend: } }',
        b'layer { na2e: "loss" type: }',
        b'layer { type: "Data" transform_param { mean_value: 1 mean_value: 2 } }'
        b' layer { type: "Slice" bottom: "a" top: "b" }',
        b'layer { name: "data" type: "Input" top: "data" input_param { shape { dim: 1 dim: 3 dim: 60 dim: 90 } } }'
        b' layer { type: "Pooling" top: "pool" top: "mask" pooling_param { kernel_size: 2 stride: 2 } }'
        b' layer { type: "Upsample" bottom: "data" bottom: "mask" top: "up" upsample_param { upsample_h: 60 } }',
        b'layer { type: "Pooling" top: "p" pooling_param { pool: AVE kernel_size: 7 } }'
        b' layer { type: "InnerProduct" bottom: "p" top: "fc" inner_product_param { num_output: 9 } }',
        b'input: "data" input: "data"',
        b'layer { type: "Softmax" top: "p" } layer { type: "InfogainLoss" bottom: "p" bottom: "y" top: "l" }',
        DATA
        + b"""
        layer { name: "f" type: "InnerProduct" bottom: "a" top: "b" inner_product_param {
          num_output: 9 weight_filler { type: "xavier" } } }
        layer { name: "z" type: "InnerProduct" bottom: "b" top: "z" inner_product_param { num_output: 9 } }
        layer { name: "q" type: "Silence" bottom: "z" }
        layer { name: "l" type: "SoftmaxWithLoss" bottom: "b" bottom: "y" }""",
        DATA
        + b"".join(
            b"""
            layer { name: "c%d" type: "Convolution" bottom: "%s" top: "c%d" convolution_param {
              num_output: 8 kernel_size: 1 weight_filler { type: "msra" } } }
            layer { name: "n%d" type: "BatchNorm" bottom: "c%d" top: "n%d" }
            layer { name: "s%d" type: "Scale" bottom: "n%d" top: "s%d" scale_param { bias_term: true } }"""
            % (n, b"s%d" % (n - 1) if n else b"a", *[n] * 7)
            for n in range(6)
        )
        + b"""
        layer { name: "n" type: "BatchNorm" top: "n" }
        layer { name: "f" type: "InnerProduct" bottom: "n" top: "f" inner_product_param {
          num_output: 9 weight_filler { type: "xavier" } } }
        layer { name: "l" type: "SoftmaxWithLoss" bottom: "f" bottom: "y" }""",
    ],
)
def test_texts(checker: Checker, text: bytes) -> None:
    assert failures(checker, text) == []


def test_examples_with_a_field_spoiled(checker: Checker) -> None:
    texts = list(_spoiled())
    for text in random.Random(SEED).sample(texts, min(len(texts), draws(1500, 40_000))):
        assert failures(checker, text) == [], text


def _spoiled() -> Iterator[bytes]:
    """The examples of all rules, each time with one field gone, without its value, or with another one."""
    for info in all_rules():
        for example in texts_of(info.load()):
            for text in [example] if isinstance(example, str) else example.values():
                data = text.encode("utf-8", "surrogateescape")
                for field in parse(data).root.walk():
                    name = field.name.encode("utf-8", "surrogateescape")
                    for new in (b"", name + b": ", name + b" { } ", name + b': "x" ', name + b": -1 "):
                        yield data[: field.start] + new + data[field.end :]


_NET = """layer { name: "in" type: "Input" top: "a" top: "b" input_param { shape { dim: 2 dim: 3 dim: 8 dim: 8 } } }
layer { name: "ip" type: "InnerProduct" bottom: "a" top: "c" inner_product_param { num_output: 4
  weight_filler { type: "xavier" } } }
layer { name: "x" type: "TYPE" BOTTOMS TOPS BLOCK }
layer { name: "loss" type: "SoftmaxWithLoss" bottom: "SCORES" bottom: "b" top: "l" }
"""
_BOTTOMS = ("", "a", "cb", "aac", "cccb")
_TOPS = ("", "y", "yz", "yzw", "c")


@pytest.mark.parametrize("solver", ["", "base_lr: 0.01 lr_policy: 'fixed' max_iter: 9 momentum: 0.9"])
def test_layers_with_any_number_of_bottoms_and_tops(checker: Checker, solver: str) -> None:
    """Types of forks, too, which are not refused for it."""
    cases = list(product(sorted(REGISTRY), _BOTTOMS, _TOPS))
    for name, bottoms, tops in random.Random(SEED).sample(cases, min(len(cases), draws(700, 10_000))):
        block = REGISTRY[name].block
        net = (
            _NET.replace("TYPE", name)
            .replace("BOTTOMS", " ".join(f'bottom: "{blob}"' for blob in bottoms))
            .replace("TOPS", " ".join(f'top: "{blob}"' for blob in tops))
            .replace("BLOCK", f"{block} {{ }}" if block else "")
            .replace("SCORES", "y" if "y" in tops else "c")
        )
        text = f"{solver} net_param {{ {net} }}" if solver else net
        assert failures(checker, text.encode()) == [], text


def test_a_layer_of_a_fork_without_bottoms_before_training(checker: Checker) -> None:
    net = 'layer { name: "a" type: "Permute" permute_param { order: 1 } }'
    text = f"base_lr: 0.01 lr_policy: 'fixed' max_iter: 9 net_param {{ {net} }}"
    assert failures(checker, text.encode()) == []
