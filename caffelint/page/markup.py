"""HTML and SVG as text: all that is not markup already is escaped and cut, so no name of a stranger becomes any."""

from __future__ import annotations

from functools import cache

from caffelint.text.patterns import compiled_later
from caffelint.text.visible import visible

_LONGEST = 5000
_PLAIN = compiled_later(r"[A-Za-z0-9_ .,/-]*")
"""Most of the text of a page, which is as it is."""
_VOID = frozenset(["meta", "input", "br"])


class Markup(str):
    """Text that is markup."""

    __slots__ = ()


Content = str | Markup | None


def element(_tag: str, *content: Content, **attributes: str | int | float | bool | None) -> Markup:
    """`<tag name="value">content</tag>`. An attribute that is None or False is left out; `class_` is `class`, and
    `data_x` is `data-x`."""
    given = "".join(
        f" {_name(name)}"
        if value is True
        else f' {_name(name)}="{value if isinstance(value, Markup) else escaped(str(value))}"'
        for name, value in attributes.items()
        if value is not None and value is not False
    )
    if _tag in _VOID:
        return Markup(f"<{_tag}{given}>")
    return Markup(f"<{_tag}{given}>{joined(*content)}</{_tag}>")


def joined(*content: Content) -> Markup:
    """Several pieces as one; None is nothing."""
    return Markup("".join(one if isinstance(one, Markup) else escaped(one) for one in content if one is not None))


def escaped(text: str) -> str:
    """Text for an element or a quoted attribute; what is unseen or turns the direction of writing, by its number."""
    if len(text) > _LONGEST:
        text = f"{text[:_LONGEST]}…"
    if _PLAIN.fullmatch(text):
        return text
    shown = "\n".join(visible(line) for line in text.split("\n"))
    for character, entity in (("&", "&amp;"), ("<", "&lt;"), (">", "&gt;"), ('"', "&quot;")):
        shown = shown.replace(character, entity)
    return shown


@cache
def _name(name: str) -> str:
    return name.rstrip("_").replace("_", "-")
