"""What machines read: held against the official schemas and the documented formats."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest

from caffelint.lint.report import Report
from caffelint.report import FORMATS, Look, write

Judge = Callable[[str], Path]


def written(name: str, report: Report, **look: Any) -> str:
    out = io.StringIO()
    write(name, report, out, Look(**look))
    return out.getvalue()


@pytest.fixture(params=["report", "clean"])
def any_report(request: pytest.FixtureRequest) -> Report:
    report: Report = request.getfixturevalue(request.param)
    return report


def validate(value: Any, schema: Path) -> None:
    import jsonschema

    rules = json.loads(schema.read_text("utf-8"))
    validator = jsonschema.validators.validator_for(rules)
    validator.check_schema(rules)
    validator(rules).validate(value)


@pytest.mark.parametrize("name", FORMATS)
def test_every_format_ends_its_last_line(name: str, any_report: Report) -> None:
    text = written(name, any_report)
    assert not text or text.endswith("\n")


def test_json_keeps_its_contract(any_report: Report, root: Path) -> None:
    validate(json.loads(written("json", any_report)), root / "docs/schema/check.schema.json")


def test_the_schema_of_json_is_strict(report: Report, root: Path) -> None:
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


def test_json_has_every_finding(report: Report) -> None:
    value = json.loads(written("json", report))
    places = [(finding["code"], finding["line"]) for finding in value["findings"]]
    assert places == [("P014", None), ("L401", 12), ("S101", 3), ("S101", 9)]
    assert value["summary"]["failures"][1]["internal"] is True
    assert value["findings"][1]["fixes"][0]["edits"] == [
        {"file": "net/a b,c:d%.prototxt", "start": 210, "end": 219, "text": "stride: 2"}
    ]


def test_sarif_is_what_the_standard_says(any_report: Report, judge: Judge) -> None:
    validate(json.loads(written("sarif", any_report)), judge("sarif-2.1.0.json"))


def test_sarif(report: Report) -> None:
    run = json.loads(written("sarif", report))["runs"][0]
    rules = run["tool"]["driver"]["rules"]
    assert [rule["id"] for rule in rules] == ["L401", "P014", "S101"]
    assert "## Why is this bad?" in rules[2]["help"]["markdown"]
    assert run["columnKind"] == "unicodeCodePoints"
    for result, found in zip(run["results"], report.findings, strict=True):
        assert rules[result["ruleIndex"]]["id"] == result["ruleId"] == found.code
        location = result["locations"][0]["physicalLocation"]
        assert unquote(location["artifactLocation"]["uri"].removeprefix("file://")) == found.file
        assert location.get("region", {}).get("startLine") == found.line
    assert [result["level"] for result in run["results"]] == ["note", "warning", "error", "error"]
    assert len({result["partialFingerprints"]["caffelint/v1"] for result in run["results"]}) == 4
    assert [len(result.get("fixes", ())) for result in run["results"]] == [0, 1, 0, 0], "a display fix is never applied"
    assert run["results"][1]["relatedLocations"][0]["message"]["text"] == "the bottom is made here"
    invocation = run["invocations"][0]
    assert not invocation["executionSuccessful"]
    assert len(invocation["toolExecutionNotifications"]) == 2


def test_clean_sarif_says_so(clean: Report) -> None:
    run = json.loads(written("sarif", clean))["runs"][0]
    assert run["results"] == []
    assert run["invocations"][0]["executionSuccessful"]


def test_junit_is_what_jenkins_reads(any_report: Report, judge: Judge) -> None:
    from lxml import etree

    schema = etree.XMLSchema(etree.parse(judge("junit-10.xsd")))
    for fail_on in ("error", "never"):
        tree = etree.fromstring(written("junit", any_report, fail_on=fail_on).encode())
        schema.assertValid(tree)


@pytest.mark.parametrize(("fail_on", "failed"), [("error", 2), ("warning", 3), ("info", 4), ("never", 0)])
def test_junit_fails_as_the_run_does(report: Report, fail_on: str, failed: int) -> None:
    from xml.etree import ElementTree

    root = ElementTree.fromstring(written("junit", report, fail_on=fail_on))
    assert len(root.findall(".//failure")) == failed == int(root.attrib["failures"])
    assert len(root.findall(".//skipped")) == 4 - failed
    assert len(root.findall(".//error")) == 2 == int(root.attrib["errors"])
    assert len(root.findall(".//testcase")) == 6 == int(root.attrib["tests"])
    for suite in root.findall("testsuite"):
        assert len(suite.findall(".//testcase")) == int(suite.attrib["tests"])


def test_junit_is_never_empty(clean: Report) -> None:
    assert 'testcase name="no findings in 3 files"' in written("junit", clean)


def test_gitlab_has_the_documented_fields(report: Report, clean: Report) -> None:
    rows = json.loads(written("gitlab", report))
    assert [row["severity"] for row in rows] == ["info", "minor", "critical", "critical", "blocker", "blocker"]
    for row in rows:
        assert set(row) == {"description", "check_name", "fingerprint", "severity", "location"}
        assert row["location"]["path"]
        assert row["location"]["lines"]["begin"] >= 1
    assert len({row["fingerprint"] for row in rows}) == len(rows)
    assert json.loads(written("gitlab", clean)) == []


def test_fingerprints_outlive_lines_and_words(report: Report) -> None:
    moved = Report([f._replace(line=f.line and f.line + 5, message="other words") for f in report.findings])
    before = [row["fingerprint"] for row in json.loads(written("gitlab", report))][:4]
    assert [row["fingerprint"] for row in json.loads(written("gitlab", moved))] == before


_COMMAND = re.compile(r"::(error|warning|notice) ([^:]*)::(.*)")


def parsed(line: str) -> tuple[str, dict[str, str], str]:
    """A workflow command as the runner reads it: https://github.com/actions/runner, ActionCommand.TryParseV2."""
    match = _COMMAND.fullmatch(line)
    assert match, line
    properties = dict(pair.split("=", 1) for pair in match[2].split(","))

    def plain(text: str) -> str:
        for code, char in (("%3A", ":"), ("%2C", ","), ("%0D", "\r"), ("%0A", "\n"), ("%25", "%")):
            text = text.replace(code, char)
        return text

    return match[1], {key: plain(value) for key, value in properties.items()}, plain(match[3])


def test_github(report: Report) -> None:
    lines = written("github", report).splitlines()
    kinds = [parsed(line) for line in lines]
    assert [kind for kind, _, _ in kinds] == ["warning", "error", "error", "error", "error"]
    assert kinds[0][1] == {
        "file": "net/a b,c:d%.prototxt",
        "line": "12",
        "endLine": "14",
        "title": "L401 pooling-stride-exceeds-kernel",
    }
    assert kinds[1][1]["col"] == "1"
    assert kinds[1][1]["endColumn"] == "17", "the last column, not the one behind it"
    assert kinds[1][2].endswith("= nan\n`caffe train` ends after no iteration")
    assert "100 %25 of" in lines[2]
    assert kinds[4][2].startswith("caffelint failed")
    assert len(written("github", report, least="info").splitlines()) == 6
