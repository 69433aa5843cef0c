"""What reviewdog reads: rdjson and checkstyle, with the fields of its rdf.proto and of Checkstyle's reports."""

from __future__ import annotations

import json
from collections.abc import Callable
from xml.etree import ElementTree

from caffelint.lint.report import Report

Written = Callable[..., str]

# proto/rdf/reviewdog.proto of reviewdog, in the JSON that protobuf makes of it.
POSITION = {"line": int, "column": int}
DIAGNOSTIC = {"message", "location", "severity", "source", "code", "suggestions"}


def test_rdjson_has_the_fields_of_its_schema(any_report: Report, written: Written) -> None:
    value = json.loads(written("rdjson", any_report, least="info"))
    assert value.keys() == {"source", "diagnostics"}
    assert len(value["diagnostics"]) == len(any_report.findings) + len(any_report.failures)
    for row in value["diagnostics"]:
        assert row.keys() <= DIAGNOSTIC
        assert row["severity"] in ("ERROR", "WARNING", "INFO")
        assert row["location"].keys() <= {"path", "range"}
        assert row["code"].keys() <= {"value", "url"}
        for position in row["location"].get("range", {}).values():
            assert {name: type(number) for name, number in position.items()} == POSITION


def test_columns_of_rdjson_are_bytes(finding: Callable[..., object], written: Written) -> None:
    found = finding(source=('name: "学习率" lr_policy: "poly"',), column=13, end_column=30)
    value = json.loads(written("rdjson", Report((found,), 1)))  # type: ignore[arg-type]
    place = value["diagnostics"][0]["location"]["range"]
    assert (place["start"]["column"], place["end"]["column"]) == (19, 36)


def test_checkstyle(any_report: Report, written: Written) -> None:
    root = ElementTree.fromstring(written("checkstyle", any_report, least="info").encode())
    assert root.tag == "checkstyle"
    errors = [(file.get("name"), error) for file in root for error in file]
    assert [name for name, _ in errors] == [
        *(finding.file for finding in any_report.findings),
        *(failure.file for failure in any_report.failures),
    ]
    for _, error in errors:
        assert error.get("severity") in ("error", "warning", "info")
        assert int(error.get("line", "")) >= 1
        assert error.get("message")
        assert str(error.get("source")).startswith("caffelint")
