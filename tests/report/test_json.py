"""JSON, held against the schema in docs/."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from caffelint.lint.report import Report

Written = Callable[..., str]
Validate = Callable[[Any, Path], None]


def test_json_keeps_its_contract(any_report: Report, root: Path, written: Written, validate: Validate) -> None:
    validate(json.loads(written("json", any_report)), root / "docs/schema/check.schema.json")


def test_the_schema_of_json_is_strict(report: Report, root: Path, written: Written, validate: Validate) -> None:
    import jsonschema

    for spoil in (
        lambda value: value["findings"][0].pop("evidence"),
        lambda value: value["findings"][0].update(severity="fatal"),
        lambda value: value["findings"][1].update(line=0),
        lambda value: value["findings"][0].update(more=1),
        lambda value: value["summary"].pop("suppressed"),
        lambda value: value.update(version=2),
    ):
        value = json.loads(written("json", report))
        spoil(value)
        with pytest.raises(jsonschema.ValidationError):
            validate(value, root / "docs/schema/check.schema.json")


def test_json_has_every_finding(report: Report, written: Written) -> None:
    value = json.loads(written("json", report))
    places = [(finding["code"], finding["line"]) for finding in value["findings"]]
    assert places == [("P014", None), ("L401", 12), ("S101", 3), ("S101", 9)]
    assert value["summary"]["failures"][1]["internal"] is True
    assert value["findings"][1]["fixes"][0]["edits"] == [
        {"file": "net/a b,c:d%.prototxt", "start": 210, "end": 219, "text": "stride: 2"}
    ]


def test_groups_are_those_of_the_text(report: Report, written: Written) -> None:
    one = report.findings[-1]
    elsewhere = one._replace(file="other.prototxt", message=one.message.replace('"step"', '"inv"'))
    report = report._replace(findings=(*report.findings, elsewhere))
    value = json.loads(written("json", report))
    assert sorted(place for group in value["groups"] for place in group) == list(range(len(report.findings)))
    assert [3, 4] in value["groups"]
    text = written("text", report, least="info")
    places = [text.index(value["findings"][group[0]]["message"][:20]) for group in value["groups"]]
    assert places == sorted(places)
