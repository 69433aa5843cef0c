"""A net or a solver in a log whose end has not come yet."""

from __future__ import annotations

import re

NEXT_LINE = re.compile(rb"\n(?=(?:\[[\d,]{1,9}\] ?)?[IWEF]\d{4,8} |\*\*\* |\[libprotobuf |\] )")
"""The line end before the first line that is no longer of the text."""
LONGEST_TEXT = 8 << 20
_MARK = 32
"""Bytes that `NEXT_LINE` looks at, at most."""


class GrowingText:
    """What has come of a text since it was last searched for its end, as it may come in very many small pieces."""

    def __init__(self) -> None:
        self.begun = False
        self._pieces: list[bytes] = []
        self._size = 0
        self._tail = b""
        self._is_followed = False

    def begin(self, data: bytes) -> None:
        """data: all that is there of the text, with a line that may be the one after it."""
        self.begun, self._size, self._tail = True, len(data), data[-_MARK:]
        self._is_followed = NEXT_LINE.match(data, data.rfind(b"\n")) is not None

    def may_end(self, data: bytes) -> bool:
        """Take the next bytes. Has the line after the text come with them, or is it too long for a text?"""
        self._pieces.append(data)
        self._size += len(data)
        seen = self._tail + data
        self._tail = seen[-_MARK:]
        self._is_followed = self._is_followed or NEXT_LINE.search(seen) is not None
        return self._is_followed and b"\n" in data or self._size > LONGEST_TEXT

    def taken(self) -> bytes:
        """All that has come since `begin`."""
        self.begun = False
        found, self._pieces = b"".join(self._pieces), []
        return found
