"""A cause comes through the report, its JSON and the cache as it was given."""

from __future__ import annotations

import io
import json
from pathlib import Path

import jsonschema
import pytest

import caffelint
from caffelint.lint import cache
from caffelint.lint.cause import Known, ReportedCause, Suggested
from caffelint.report import write


def test_from_a_rule_to_the_report(tmp_path: Path, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    Path("s.prototxt").write_text('net: "n.prototxt"\nbase_lr: 0.1 momentum: 0.9 lr_policy: "fixed" max_iter: 9000\n')
    Path("n.prototxt").write_text(
        'layer { name: "data" type: "Input" top: "data" input_param { shape { dim: 1 dim: 3 } } }\n'
        'layer { name: "fc" type: "InnerProduct" bottom: "data" top: "fc" inner_product_param { num_output: 2 } }\n'
        'layer { name: "loss" type: "SoftmaxWithLoss" bottom: "fc" bottom: "label" top: "loss" }\n'
    )
    for _ in range(2):  # the second time from the cache
        report = caffelint.check(["s.prototxt"])
        (found,) = [finding for finding in report.findings if finding.name == "high-base-lr"]
        assert found.cause is not None
        assert (found.cause.kind, found.cause.file, found.cause.line) == ("rate", "s.prototxt", 2)
        assert found.cause.suggested == Suggested("base_lr", 0.01)
        assert found.message == f"{found.cause.what}, so {found.cause.why}"
    out = io.StringIO()
    write("json", report, out)
    value = json.loads(out.getvalue())
    jsonschema.validate(value, json.loads((root / "docs/schema/check.schema.json").read_text()))


def test_out_of_the_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    known = Known("high-base-lr", "s.prototxt", 2, "base_lr 10 is high")
    cause = ReportedCause("rate", "it broke", "the rate", "likely", "s.prototxt", 1, (known,), Suggested("base_lr", 1))
    finding = caffelint.check_text('base_lr: 1 base_lr: 2 lr_policy: "fixed"', kind="solver").findings[0]
    for one in (finding._replace(cause=cause), finding._replace(cause=None)):
        cache.store("name", (one,), 0)
        stored = cache.load("name")
        assert stored is not None
        assert stored[0] == (one,)
