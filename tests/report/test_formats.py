"""What holds of every format."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from caffelint.lint.report import Report
from caffelint.report import FORMATS

Written = Callable[..., str]


@pytest.mark.parametrize("name", FORMATS)
def test_every_format_ends_its_last_line(name: str, any_report: Report, written: Written) -> None:
    text = written(name, any_report)
    assert not text or text.endswith("\n")
