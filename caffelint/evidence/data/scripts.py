"""What the Python scripts around a net do with what they write; read as text."""

from __future__ import annotations

import os

from caffelint.lint.discover import relative
from caffelint.lint.project.border import top_of
from caffelint.lint.project.scripts import files_with
from caffelint.lint.read import ReadError, read_found
from caffelint.project.python_bytes import bytes_made

_MOST, _LARGEST = 300, 1 << 18


def made_bytes(net: str, source: str, record: str) -> list[str]:
    """Where those make bytes of values that may write a source, or the folder of its records, as `export.py:12`.

    net: the path of the net. source, record: as the net and the source have them.
    """
    home = os.path.dirname(os.path.abspath(net))
    folder = record.split("/")[0] if "/" in record.lstrip("/") and not record.startswith("/") else ""
    name = os.path.basename(source.rstrip("/"))
    return [
        f"{relative(path)}:{line}".replace(os.sep, "/")
        for path in sorted(files_with(top_of(home) or home, ".py"))[:_MOST]
        for line in (bytes_made(_text(path), name, folder) if name else [])
    ]


def _text(path: str) -> str:
    try:
        return read_found(path, _LARGEST).decode("utf-8", "replace")
    except ReadError:
        return ""
