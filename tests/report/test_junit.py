"""JUnit's XML, held against the schema of Jenkins."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from caffelint.lint.report import Report

Written = Callable[..., str]
Judge = Callable[[str], Path]


def test_junit_is_what_jenkins_reads(any_report: Report, judge: Judge, written: Written) -> None:
    from lxml import etree

    schema = etree.XMLSchema(etree.parse(judge("junit-10.xsd")))
    for fail_on in ("error", "never"):
        tree = etree.fromstring(written("junit", any_report, fail_on=fail_on).encode())
        schema.assertValid(tree)


@pytest.mark.parametrize(("fail_on", "failed"), [("error", 2), ("warning", 3), ("info", 4), ("never", 0)])
def test_junit_fails_as_the_run_does(report: Report, fail_on: str, failed: int, written: Written) -> None:
    from xml.etree import ElementTree

    root = ElementTree.fromstring(written("junit", report, fail_on=fail_on, least="info"))
    assert len(root.findall(".//failure")) == failed == int(root.attrib["failures"])
    assert len(root.findall(".//skipped")) == 4 - failed
    assert len(root.findall(".//error")) == 2 == int(root.attrib["errors"])
    assert len(root.findall(".//testcase")) == 6 == int(root.attrib["tests"])
    for suite in root.findall("testsuite"):
        assert len(suite.findall(".//testcase")) == int(suite.attrib["tests"])


def test_junit_is_never_empty(clean: Report, written: Written) -> None:
    assert 'testcase name="no findings in 3 files"' in written("junit", clean)
