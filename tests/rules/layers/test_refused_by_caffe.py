"""How sure `refused-by-caffe` is of what it says."""

from __future__ import annotations

import pytest

import caffelint
from caffelint.rules.layers.refused_by_caffe import RefusedByCaffe


@pytest.mark.parametrize(("stage", "severity"), [("deploy", "info"), ("other", "error")])
def test_what_digits_fills_in_is_no_error(stage: str, severity: str) -> None:
    net = RefusedByCaffe._DIGITS.replace('"deploy"', f'"{stage}"')
    net = net.replace("batch_size", 'source: "train_lmdb" batch_size')
    found = [one for one in caffelint.check_text(net, kind="net").findings if one.name == RefusedByCaffe.name]
    assert [one.severity for one in found] == [severity]
