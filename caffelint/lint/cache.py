"""Results of earlier runs, by what went into them: the files' bytes, the settings, and caffelint's own code."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import Any

from caffelint.lint.cause import Known, ReportedCause, Suggested
from caffelint.lint.disk import still
from caffelint.lint.finding import SEVERITIES, Fix
from caffelint.lint.own import own_folder
from caffelint.lint.packs import pack_names
from caffelint.lint.read import ReadError, read_found
from caffelint.lint.report import ReportedFinding, ReportedRelated
from caffelint.text.edits import Edit
from caffelint.text.patterns import compiled_later

_GROUP = compiled_later("[0-9a-f]{2}")
_RESULT = compiled_later("[0-9a-f]{40}")
_KEEP_SECONDS = 14 * 24 * 3600
_LARGEST = 1 << 26
_SOURCE = ReportedFinding._fields.index("source")


def folder() -> Path:
    """Where results are kept: below `XDG_CACHE_HOME`, else `~/.cache`. Raises `RuntimeError` for a homeless user."""
    return own_folder("XDG_CACHE_HOME", ".cache")


def clean() -> tuple[int, int]:
    """Remove all results; how many there were, and their bytes. What is no result stays, and links are not followed."""
    files = size = 0
    for group in os.scandir(folder()) if folder().is_dir() else ():
        if not (_GROUP.fullmatch(group.name) and group.is_dir(follow_symlinks=False)):
            continue
        for entry in os.scandir(group):
            if _RESULT.match(entry.name) and entry.is_file(follow_symlinks=False):
                size += entry.stat(follow_symlinks=False).st_size
                os.unlink(entry)
                files += 1
        with suppress(OSError):  # something else is in it
            os.rmdir(group)
    return files, size


@lru_cache(maxsize=1)
def code_fingerprint() -> bytes:
    """Changes when any module of caffelint or of a rule pack does."""
    import hashlib
    from importlib.util import find_spec

    digest = hashlib.sha1(usedforsecurity=False)
    for name in sorted({"caffelint", "caffelint.proto", *pack_names()}):
        spec = find_spec(name)
        if spec is None:
            continue
        folders = spec.submodule_search_locations or ()
        states = [state for folder in folders for state in _states(folder)] or [_state(spec.origin or "")]
        digest.update("\n".join(sorted(states)).encode(errors="surrogateescape"))
    return digest.digest()


def _states(folder: str) -> Iterator[str]:
    """What changes with each file of code below a folder; there are a thousand, so `Path` would take too long."""
    try:
        entries = list(os.scandir(folder))
    except OSError:
        return  # setuptools names what is no folder as a place of a package that is installed editable
    for entry in entries:
        if entry.name.endswith((".py", ".desc", ".json")):
            yield _state(entry.path, entry.stat())
        elif entry.is_dir(follow_symlinks=False) and entry.name != "__pycache__":
            yield from _states(entry.path)


def _state(path: str, state: os.stat_result | None = None) -> str:
    state = state or os.stat(path)
    return f"{path}:{state.st_mtime_ns}:{state.st_size}"


def key(settings: bytes, parts: Iterable[tuple[str, bytes]]) -> str:
    """The name of a result: a hash over code, settings, and the files' names and bytes."""
    import hashlib

    digest = hashlib.sha1(code_fingerprint() + settings, usedforsecurity=False)
    for name, data in parts:
        digest.update(f"{name}:{len(data)}:".encode(errors="surrogateescape"))
        digest.update(data)
    return digest.hexdigest()


def load(name: str) -> tuple[tuple[ReportedFinding, ...], int] | None:
    """The findings of an earlier run and how many were suppressed; None if there is none as it was stored.

    Nor is there one if a file that was looked for has appeared or gone since.
    It is data alone: nothing of it is run, and `check --fix` reads none of it.
    """
    try:
        rows, suppressed, lines, seen = load_value(name)
        if type(suppressed) is not int or not still(dict(_of(pair, str, bool) for pair in seen)):
            return None
        lines = _of(lines, *[str] * len(lines))
        return tuple(_finding(row, lines) for row in rows), suppressed
    except (OSError, ValueError, TypeError, LookupError):
        return None


def load_value(name: str) -> Any:
    """What an earlier run stored by that name, as JSON has it; None if there is nothing as it was stored."""
    try:
        data = read_found(str(folder() / name[:2] / name), _LARGEST, own=True)
        stored, _, body = data.partition(b"\n")
        if stored != _digest(name, body):
            return None
        return json.loads(body)
    except (ReadError, RuntimeError, ValueError):
        return None


def store(
    name: str, findings: Sequence[ReportedFinding], suppressed: int, looked: Mapping[str, bool] | None = None
) -> None:
    """Keep a result.

    looked: absolute paths that were looked for, and whether they were there.
    """
    lines: dict[str, int] = {}
    rows: list[list[Any]] = [list(finding) for finding in findings]
    for row in rows:
        # A line once for all that is found in it: a net may be one line, and all of it be in vain.
        row[_SOURCE] = [lines.setdefault(line, len(lines)) for line in row[_SOURCE]]
    store_value(name, [rows, suppressed, list(lines), list((looked or {}).items())])


def store_value(name: str, value: Any) -> None:
    """Keep a value as JSON; a full or read-only disk is no reason to fail."""
    try:
        path = folder() / name[:2] / name
        path.parent.mkdir(parents=True, exist_ok=True)
        temporary = path.with_name(f"{name}.{os.getpid()}")
        body = json.dumps(value).encode()
        if len(body) > _LARGEST:
            return
        try:
            with temporary.open("xb") as file:  # never what another user has put there, as a link
                file.write(_digest(name, body) + b"\n" + body)
            temporary.replace(path)
        except FileExistsError:
            raise  # another process's
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise
        from random import random

        if random() < 0.01:
            _prune()
    except (OSError, RuntimeError, ValueError):
        return


def _prune() -> None:
    oldest = time.time() - _KEEP_SECONDS
    for path in folder().glob("??/*"):
        if path.stat().st_mtime < oldest:
            path.unlink(missing_ok=True)


def _digest(name: str, body: bytes) -> bytes:
    import hashlib

    return hashlib.sha256(name.encode() + body).hexdigest().encode()


def _finding(row: list[Any], lines: Sequence[str]) -> ReportedFinding:
    """A finding as it was stored. Raises `TypeError`, `ValueError` or `LookupError` if it is not a finding."""
    kinds = (*[str] * 7, *[int | None] * 4, list, *[str] * 4, list, list, list, list | None, list, list)
    finding = ReportedFinding(*_of(row, *kinds))
    if finding.severity not in SEVERITIES:
        raise ValueError(finding.severity)
    fixes = (_of(fix, str, str, list) for fix in finding.fixes)
    return finding._replace(
        phases=_of(finding.phases, *[str] * len(finding.phases)),
        related=tuple(ReportedRelated(*_of(item, str, str, int, int)) for item in finding.related),
        fixes=tuple(
            Fix(title, safety, tuple(_edit(*_of(pair, str, list)) for pair in edits)) for title, safety, edits in fixes
        ),
        source=tuple(lines[number] for number in _of(finding.source, *[int] * len(finding.source))),
        cause=_cause(finding.cause) if finding.cause else None,
        dialects=_of(finding.dialects, *[str] * len(finding.dialects)),
        others=tuple((key, line) for key, line in (_of(other, str, int) for other in finding.others)),
    )


def _edit(path: str, row: Any) -> tuple[str, Edit]:
    return path, Edit(*_of(row, int, int, str))


def _cause(row: Any) -> ReportedCause:
    cause = ReportedCause(*_of(row, *[str] * 5, int | None, list, list | None, list))
    return cause._replace(
        known=tuple(Known(*_of(one, str, str, int | None, str)) for one in cause.known),
        suggested=Suggested(*_of(cause.suggested, str, int | float, str)) if cause.suggested else None,
        ruled_out=_of(cause.ruled_out, *[str] * len(cause.ruled_out)),
    )


def _of(row: Any, *kinds: Any) -> tuple[Any, ...]:
    """The values of a row, each of its kind. Raises `TypeError` or `ValueError`."""
    for value, kind in zip(row, kinds, strict=True):
        if not isinstance(value, kind):
            raise TypeError(f"{value!r} is no {kind}")
    return tuple(row)
