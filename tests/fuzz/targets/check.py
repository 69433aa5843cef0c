"""`caffelint check`, and every form of its report."""

import io
import json

from lxml import etree

import caffelint
from caffelint.report import FORMATS, write

SEEDS = "prototxt"


def run(data: bytes) -> None:
    report = caffelint.check_text(data, path="net.prototxt")
    assert not report.failures, report.failures[0].message
    for finding in report.findings:
        assert finding.message
    name = list(FORMATS)[len(data) % len(FORMATS)]
    out = io.StringIO()
    write(name, report, out)
    text = out.getvalue()
    text.encode("utf-8")
    if name in ("json", "sarif", "gitlab"):
        json.loads(text)
    elif name == "junit":
        etree.fromstring(text.encode("utf-8"))
