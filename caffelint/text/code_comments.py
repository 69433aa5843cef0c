"""Comments of C++ and of protobuf's own language, which a reader of sources has no use for."""

from __future__ import annotations

from caffelint.text.patterns import compiled_later

_BEGINS = compiled_later("[\"'/]")


def without_comments(text: str) -> str:
    """The text with a space for each comment; lines keep their numbers, and strings what is in them."""
    parts: list[str] = []
    kept = at = 0
    while found := _BEGINS.search(text, at):
        start = found.start()
        mark = text[start]
        if mark != "/":
            at = _end_of_string(text, start)
        elif text.startswith("//", start):
            end = text.find("\n", start)
            end = len(text) if end < 0 else end
            parts += text[kept:start], " "
            kept = at = end
        elif text.startswith("/*", start):
            end = text.find("*/", start + 2)
            end = len(text) if end < 0 else end + 2
            parts += text[kept:start], " " + "\n" * text.count("\n", start, end)
            kept = at = end
        else:
            at = start + 1
    parts.append(text[kept:])
    return "".join(parts)


def _end_of_string(text: str, start: int) -> int:
    """After the quote that closes a string, or where its line ends."""
    at = start + 1
    while at < len(text):
        if text[at] == "\\":
            at += 2
        elif text[at] == text[start]:
            return at + 1
        elif text[at] == "\n":
            return at
        else:
            at += 1
    return len(text)
