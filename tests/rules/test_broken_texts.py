"""No rule fails, whatever is missing or wrong in a text: not even in the middle of being written."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest
from seeds import SEED, draws

from caffelint.lint.checker import Checker
from caffelint.lint.config import Config
from caffelint.lint.plan import Job
from caffelint.lint.registry import all_rules
from caffelint.text.parser import parse


@pytest.fixture(scope="module")
def checker() -> Checker:
    config = Config()
    config.preview = True
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
        b'layer { type: "Softmax" top: "p" } layer { type: "InfogainLoss" bottom: "p" bottom: "y" top: "l" }',
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
        rule = info.load()
        for example in (*rule.VALID, *(invalid.text for invalid in rule.INVALID)):
            for text in [example] if isinstance(example, str) else example.values():
                data = text.encode("utf-8", "surrogateescape")
                for field in parse(data).root.walk():
                    name = field.name.encode("utf-8", "surrogateescape")
                    for new in (b"", name + b": ", name + b" { } ", name + b': "x" ', name + b": -1 "):
                        yield data[: field.start] + new + data[field.end :]
