"""The Markdown of a rule's explanation as HTML: headings, paragraphs, lists, code and links, which is all it has."""

from __future__ import annotations

import re

from caffelint.page.markup import Markup, element, joined

_INLINE = re.compile(r"`([^`]+)`|\[([^][`]{1,200})\]\((https:[^()\s]{1,300})\)|\*\*([^*]+)\*\*")


def as_html(text: str) -> Markup:
    """Headings are those below the third level. Tables and all else are shown as they are written."""
    found: list[Markup] = []
    paragraph: list[str] = []
    items: list[str] = []
    code: list[str] | None = None

    def end() -> None:
        if paragraph:
            found.append(element("p", _inline(" ".join(paragraph))))
            paragraph.clear()
        if items:
            found.append(element("ul", *(element("li", _inline(item)) for item in items)))
            items.clear()

    for line in text.splitlines():
        if line.startswith("```"):
            end()
            if code is not None:
                found.append(element("pre", "\n".join(code), class_="source", tabindex=0))
            code = [] if code is None else None
        elif code is not None:
            code.append(line)
        elif line.startswith("#"):
            end()
            found.append(element("h4", line.lstrip("# ")))
        elif line.startswith(("- ", "* ")):
            if paragraph:
                end()
            items.append(line[2:])
        elif not line.strip():
            end()
        elif items:
            items[-1] += f" {line.strip()}"
        else:
            paragraph.append(line.strip())
    end()
    return joined(*found)


def _inline(text: str) -> Markup:
    found: list[Markup | str] = []
    at = 0
    for match in _INLINE.finditer(text):
        found.append(text[at : match.start()])
        code, words, address, strong = match.groups()
        if code:
            found.append(element("code", code))
        elif strong:
            found.append(element("strong", strong))
        else:
            found.append(element("a", words, href=address, rel="noreferrer"))
        at = match.end()
    return joined(*found, text[at:])
