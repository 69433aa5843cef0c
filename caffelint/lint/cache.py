"""Results of earlier runs, by what went into them: the files' bytes, the settings, and caffelint's own code."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterable, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from caffelint.lint.cause import cause_from
from caffelint.lint.packs import pack_names
from caffelint.lint.report import ReportedEdit, ReportedFinding, ReportedFix, ReportedRelated

_KEEP_SECONDS = 14 * 24 * 3600


def folder() -> Path:
    """Where results are kept: below `XDG_CACHE_HOME`, else `~/.cache`. Raises `RuntimeError` for a homeless user."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "caffelint"


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
        files = [path for folder in folders for path in Path(folder).rglob("*")] or [Path(spec.origin or "")]
        for path in sorted(files):
            if path.suffix in (".py", ".desc", ".json"):
                state = path.stat()
                digest.update(f"{path}:{state.st_mtime_ns}:{state.st_size}\n".encode(errors="surrogateescape"))
    return digest.digest()


def key(settings: bytes, parts: Iterable[tuple[str, bytes]]) -> str:
    """The name of a result: a hash over code, settings, and the files' names and bytes."""
    import hashlib

    digest = hashlib.sha1(code_fingerprint() + settings, usedforsecurity=False)
    for name, data in parts:
        digest.update(f"{name}:{len(data)}:".encode(errors="surrogateescape"))
        digest.update(data)
    return digest.hexdigest()


def load(name: str) -> tuple[tuple[ReportedFinding, ...], int] | None:
    """The findings of an earlier run and how many were suppressed; None if there is none, or it cannot be read."""
    try:
        rows, suppressed = json.loads((folder() / name[:2] / name).read_text("utf-8"))
        return tuple(_finding(row) for row in rows), int(suppressed)
    except (OSError, RuntimeError, ValueError, TypeError, LookupError):
        return None


def store(name: str, findings: Sequence[ReportedFinding], suppressed: int) -> None:
    """Keep a result; a full or read-only disk is no reason to fail."""
    try:
        path = folder() / name[:2] / name
        path.parent.mkdir(parents=True, exist_ok=True)
        temporary = path.with_name(f"{name}.{os.getpid()}")
        temporary.write_text(json.dumps([findings, suppressed]), "utf-8")
        temporary.replace(path)
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


def _finding(row: list[Any]) -> ReportedFinding:
    finding = ReportedFinding(*row)
    return finding._replace(
        phases=tuple(finding.phases),
        related=tuple(ReportedRelated(*item) for item in finding.related),
        fixes=tuple(
            ReportedFix(fix[0], fix[1], tuple(ReportedEdit(*edit) for edit in fix[2])) for fix in finding.fixes
        ),
        source=tuple(finding.source),
        cause=cause_from(finding.cause),
    )
