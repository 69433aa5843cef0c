"""An accuracy that is always 1 matters where nothing else is measured."""

from __future__ import annotations

import pytest

import caffelint

_NET = """
layer { name: "data" type: "Data" top: "data" top: "label" data_param { source: "a" batch_size: 8 } }
layer { name: "fc" type: "InnerProduct" bottom: "data" top: "fc" inner_product_param { num_output: 5 } }
layer { name: "top5" type: "Accuracy" bottom: "fc" bottom: "label" top: "top5" accuracy_param { top_k: 5 } }
"""
_BESIDE = 'layer { name: "top1" type: "Accuracy" bottom: "fc" bottom: "label" top: "top1" }'


@pytest.mark.parametrize(("more", "severity"), [("", "warning"), (_BESIDE, "info")])
def test_severity(more: str, severity: str) -> None:
    findings = caffelint.check_text(_NET + more).findings
    assert [one.severity for one in findings if one.name == "top-k-out-of-range"] == [severity]
