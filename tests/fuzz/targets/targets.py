"""`caffelint check --target`, with all targets at once."""

import caffelint
from caffelint.deploy.facts import names
from caffelint.lint.config import Config

SEEDS = "prototxt"


def run(data: bytes) -> None:
    config = Config()
    config.target = names()
    report = caffelint.check_text(data, path="deploy.prototxt", config=config)
    assert not report.failures, report.failures[0].message
    for finding in report.findings:
        assert finding.message
