"""The name that was meant, and none where none was."""

from __future__ import annotations

import pytest

from caffelint.schema.provenance import provenance
from caffelint.schema.spelling import distance, suggest

FIELDS = [
    "kernel_size",
    "kernel_h",
    "stride",
    "stride_h",
    "pad",
    "pool",
    "num_output",
    "lrn_param",
    "elu_param",
    "base_lr",
    "name",
]


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("kernel", "kernel_size"),
        ("kernal_size", "kernel_size"),
        ("Kernel_Size", "kernel_size"),
        ("kernelSize", "kernel_size"),
        ("strides", "stride"),
        ("sttride", "stride"),
        ("num_ouptut", "num_output"),
        ("learning_rate", "base_lr"),
        ("padding", "pad"),
        ("stride_l", None),
        ("stride_w", None),
        ("pad2", None),
        ("Pad2", None),
        ("NUMOUTPUT5", None),
        ("glu_param", None),
        ("knn_param", None),
        ("ame", "name"),
        ("nam", None),
        ("pol", None),
        ("foo", None),
        ("", None),
        ("k" * 1000, None),
    ],
)
def test_suggest(name: str, meant: str | None) -> None:
    assert suggest(name, FIELDS) == meant


@pytest.mark.parametrize(
    ("one", "other", "limit", "edits"),
    [
        ("", "", 2, 0),
        ("abc", "abc", 2, 0),
        ("abc", "acb", 2, 1),
        ("abc", "abd", 2, 1),
        ("abc", "ab", 2, 1),
        ("abcd", "wxyz", 2, 3),
    ],
)
def test_distance(one: str, other: str, limit: int, edits: int) -> None:
    assert distance(one, other, limit) == distance(other, one, limit) == edits


@pytest.mark.parametrize(("type_", "meant"), [("EucleadianLoss", "EuclideanLoss"), ("Eltwise3", None)])
def test_many_letters_in_another_order_are_a_slip(type_: str, meant: str | None) -> None:
    assert suggest(type_, provenance().layer_types()) == meant
