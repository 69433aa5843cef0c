"""What the Python scripts around a net do with what they write; read as text."""

from __future__ import annotations

import os

from caffelint.lint.discover import relative
from caffelint.lint.project.border import top_of
from caffelint.lint.read import ReadError, read_found
from caffelint.lint.walk import walk
from caffelint.project.python_bytes import bytes_made

_MOST, _MOST_FILES, _LARGEST = 300, 50_000, 1 << 18


def made_bytes(net: str, source: str, record: str) -> list[str]:
    """Where those make bytes of values that may write a source, or the folder of its records, as `export.py:12`.

    net: the path of the net. source, record: as the net and the source have them.
    """
    home = os.path.dirname(os.path.abspath(net))
    folder = record.split("/")[0] if "/" in record.lstrip("/") and not record.startswith("/") else ""
    name = os.path.basename(source.rstrip("/"))
    return [
        f"{relative(path)}:{line}".replace(os.sep, "/")
        for path in _scripts(top_of(home) or home)
        for line in (bytes_made(_text(path), name, folder) if name else [])
    ]


def _scripts(top: str) -> list[str]:
    found: list[str] = []
    seen = 0
    for folder, folders, files in walk(top):
        folders[:] = sorted(one for one in folders if not one.startswith("."))
        seen += len(files)
        found += (os.path.join(folder, one) for one in sorted(files) if one.endswith(".py"))
        if seen > _MOST_FILES or len(found) > _MOST:
            break
    return found[:_MOST]


def _text(path: str) -> str:
    try:
        return read_found(path, _LARGEST).decode("utf-8", "replace")
    except ReadError:
        return ""
