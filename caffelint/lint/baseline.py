"""A baseline: the findings that a project has decided to live with, by file, rule, layer and field, not by line.

Of a finding on several layers each is stored, so that one more makes it new.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import cache
from pathlib import Path

from caffelint.lint.read import ReadError
from caffelint.lint.read import read as _read_file
from caffelint.lint.report import ReportedFinding

_VERSION = 1
_LARGEST = 64 << 20


class BaselineError(ValueError):
    """A baseline file that cannot be read or written."""


def write(path: Path, findings: Iterable[ReportedFinding]) -> int:
    """Store findings as the baseline; how many they are. Raises `BaselineError`."""
    from caffelint.text.writing import write_atomically

    files: dict[str, Counter[str]] = {}
    number = 0
    name_of = _names_from(path)
    for finding in findings:
        files.setdefault(name_of(finding.file), Counter()).update(finding.keys)
        number += 1
    stored = {name: dict(sorted(keys.items())) for name, keys in sorted(files.items())}
    text = json.dumps({"version": _VERSION, "files": stored}, indent=2) + "\n"
    try:
        write_atomically(path, text.encode("utf-8"), follow=False)
    except OSError as error:
        raise BaselineError(f"{path}: the baseline cannot be written: {(error.strerror or '').lower()}") from error
    return number


def read(path: Path) -> dict[str, Counter[str]]:
    """The counts of a baseline by file and key. Raises `BaselineError`."""
    try:
        value = json.loads(_read_file(str(path), _LARGEST))
        if value["version"] != _VERSION:
            raise BaselineError(f"{path}: baseline of version {value['version']}, but this caffelint reads {_VERSION}")
        if value.keys() != {"version", "files"}:
            raise ValueError("another tool's")
        return {file: Counter({key: int(n) for key, n in keys.items()}) for file, keys in value["files"].items()}
    except ReadError as error:
        raise BaselineError(f"{path}: the baseline {error}") from error
    except (OverflowError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        if isinstance(error, BaselineError):
            raise
        raise BaselineError(f"{path}: not a caffelint baseline; write a new one with --write-baseline") from error


def subtract(
    findings: Iterable[ReportedFinding], known: dict[str, Counter[str]], path: Path
) -> tuple[list[ReportedFinding], int]:
    """The findings that the baseline at `path` does not hold, and how many it held."""
    findings = list(findings)
    left = list(filter(unknown(known, path), findings))
    return left, len(findings) - len(left)


def unknown(known: dict[str, Counter[str]], path: Path) -> Callable[[ReportedFinding], bool]:
    """Asked of one finding after another: is it more than the baseline at `path` holds?"""
    remaining = {file: Counter(keys) for file, keys in known.items()}
    name_of = _names_from(path)

    def is_unknown(finding: ReportedFinding) -> bool:
        keys = remaining.get(name_of(finding.file))
        if keys is None or any(keys[key] < times for key, times in Counter(finding.keys).items()):
            return True
        keys.subtract(finding.keys)
        return False

    return is_unknown


def _names_from(baseline: Path) -> Callable[[str], str]:
    """Gives a file's path from the folder of the baseline, so that it holds from wherever caffelint is called."""
    start = os.path.realpath(baseline.parent)

    @cache
    def name_of(file: str) -> str:
        folder, name = os.path.split(os.path.abspath(file))
        real = os.path.join(os.path.realpath(folder), name)
        with suppress(ValueError):  # on another drive of Windows
            real = os.path.relpath(real, start)
        return real.replace(os.sep, "/")

    return name_of
