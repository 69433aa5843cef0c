"""Copies of one file: what is found in one is found in each of them, and to mend once."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence

from caffelint.lint.finding import INFO
from caffelint.lint.read import ReadError, read
from caffelint.lint.report import ReportedFinding


def lower_copies(findings: Sequence[ReportedFinding], texts: Mapping[str, bytes]) -> list[ReportedFinding]:
    """The findings, with infos for those that are the same in a file with the same content, nearer to the top.

    `texts`: content to use in place of what is on disk, by path.
    """
    alike: dict[tuple[object, ...], dict[str, None]] = {}
    for one in findings:
        if one.severity != INFO:
            alike.setdefault(_where_and_what(one), {})[one.file] = None
    contents: dict[str, bytes] = {}
    lowered = []
    for one in findings:
        files = alike.get(_where_and_what(one), {})
        if one.severity != INFO and len(files) > 1:
            for file in files:
                if file not in contents:
                    contents[file] = _content(file, texts)
            same = [file for file in files if contents[file] and contents[file] == contents[one.file]]
            first = min(same, key=lambda file: (file.count(os.sep), file), default=one.file)
            if first != one.file:
                evidence = "; ".join(filter(None, [one.evidence, f'"{first}" has the same content']))
                one = one._replace(severity=INFO, evidence=evidence)
        lowered.append(one)
    return lowered


def _where_and_what(one: ReportedFinding) -> tuple[object, ...]:
    return one.name, one.line, one.column, one.message


def _content(path: str, texts: Mapping[str, bytes]) -> bytes:
    try:
        return texts[path] if path in texts else read(path)
    except ReadError:
        return b""
