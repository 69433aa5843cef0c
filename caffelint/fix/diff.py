"""What a change does to a file, as patch reads it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from difflib import diff_bytes, unified_diff

from caffelint.text.source import UTF16_MARKS


def diff(path: str, old: bytes, new: bytes) -> bytes:
    """The unified diff from `old` to `new`, empty where they are the same; for `patch -p0`, in the files' own bytes."""
    if old == new:
        return b""
    name = os.fsencode(path.replace(os.sep, "/"))
    if old.startswith(UTF16_MARKS) or b"\0" in old:
        return b"Binary files %s and %s differ\n" % (name, name)
    lines = diff_bytes(unified_diff, _lines(old), _lines(new), name, name, lineterm=b"\n")
    return b"".join(_ended(lines))


def _lines(data: bytes) -> list[bytes]:
    """Cut behind each LF alone, as patch does, not at the CR or form feed of `bytes.splitlines`."""
    lines = data.split(b"\n")
    return [line + b"\n" for line in lines[:-1]] + ([lines[-1]] if lines[-1] else [])


def _ended(lines: Iterator[bytes]) -> Iterator[bytes]:
    for line in lines:
        yield line if line.endswith(b"\n") else line + b"\n\\ No newline at end of file\n"


def colored(text: bytes) -> bytes:
    """A diff for a terminal that shows colours."""
    styles = {b"+": b"32", b"-": b"31", b"@": b"36"}
    lines = []
    for line in text.split(b"\n"):
        style = b"1" if line.startswith((b"+++ ", b"--- ")) else styles.get(line[:1])
        lines.append(b"\x1b[%sm%s\x1b[0m" % (style, line) if style else line)
    return b"\n".join(lines)
