"""Copies of one file: what is found in one is found in each of them, and to mend once."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache, partial

from caffelint.lint.finding import INFO
from caffelint.lint.read import ReadError, read
from caffelint.lint.report import ReportedFinding
from caffelint.lint.words import listed

_RECENT = 256
_MOST_NAMED = 3
"""Copies that are named beside the first one."""


def lower_copies(findings: Sequence[ReportedFinding], texts: Mapping[str, bytes]) -> Iterator[ReportedFinding]:
    """The findings, with infos for those that are the same in a file with the same content, nearer to the top.

    One that is in a folder of backups is never the file that is named if there is another.

    `texts`: content to use in place of what is on disk, by path.
    """
    digest = lru_cache(_RECENT)(partial(_digest, texts=texts))
    seen: set[int] = set()
    alike: set[int] = set()
    for one in findings:
        if one.severity != INFO:
            what = hash(_where_and_what(one))
            (alike if what in seen else seen).add(what)
    first: dict[tuple[int, bytes], str] = {}
    """The file to name for what is found in all files of a content."""
    named: dict[tuple[int, bytes], list[str]] = {}
    """The first of those files."""
    count: Counter[tuple[int, bytes]] = Counter()
    for one in findings:
        if one.severity != INFO and (what := hash(_where_and_what(one))) in alike and (content := digest(one.file)):
            file = first.setdefault((what, content), one.file)
            first[what, content] = min(file, one.file, key=_worth)
            count[what, content] += 1
            if len(some := named.setdefault((what, content), [])) <= _MOST_NAMED:
                some.append(one.file)
    for one in findings:
        if one.severity != INFO and (what := hash(_where_and_what(one))) in alike:
            content = digest(one.file)
            file = first.get((what, content), one.file)
            if file != one.file:
                one = one.because(f'"{file}" has the same content', INFO)
            elif others := [other for other in named.get((what, content), ()) if other != file][:_MOST_NAMED]:
                more = count[what, content] - 1 - len(others)
                where = f"{', '.join(others)} and {more} more" if more else listed(others)
                one = one.because(f"the same in {where}")
        yield one


def _worth(file: str) -> tuple[bool, int, str]:
    from caffelint.lint.project.used import is_put_away

    return any(map(is_put_away, file.split(os.sep)[:-1])), file.count(os.sep), file


def _where_and_what(one: ReportedFinding) -> tuple[object, ...]:
    return one.name, one.line, one.column, one.message


def _digest(path: str, texts: Mapping[str, bytes]) -> bytes:
    """Tells contents apart; empty for a file that is empty or cannot be read."""
    try:
        content = texts[path] if path in texts else read(path)
    except ReadError:
        return b""
    from hashlib import sha256

    return sha256(content).digest() if content else b""
