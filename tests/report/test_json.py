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
