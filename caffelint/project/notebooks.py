"""The code of a notebook, each line where it stands in the file."""

from __future__ import annotations

import json

from caffelint.text.patterns import compiled_later

_STRING = compiled_later(r'[ \t]*("(?:[^"\\\n]|\\.)*"),?[ \t\r]*\Z')
_KIND = compiled_later(r'[ \t]*"cell_type"[ \t]*:[ \t]*"(\w+)"')
_SOURCE = compiled_later(r'[ \t]*"(?:source|input)"[ \t]*:[ \t]*\[[ \t\r]*\Z')
_MAGIC = compiled_later(r"(?m)^([ \t]*)(?:%(?=[A-Za-z%])|[!?])[^\n]*")
_OTHER_LANGUAGE = compiled_later(r"[ \t]*%%(?!(?:time|timeit|capture|prun)\b)")


def code_of(text: str) -> str:
    """The code cells, with nothing on all other lines; the text itself where no line of it holds a line of code.

    A notebook is JSON, which Jupyter writes with each line of a cell on a line of its own: nbformat, v4/rwbase.py.
    """
    lines: list[str] = []
    is_code, is_source, is_first, is_any = True, False, False, False
    for line in text.split("\n"):
        code = ""
        if not is_source:
            if kind := _KIND.match(line):
                is_code = kind[1] == "code"
            is_first = is_source = _SOURCE.match(line) is not None
        elif found := _STRING.match(line):
            code = _unescaped(found[1])
            is_code = is_code and not (is_first and _OTHER_LANGUAGE.match(code))
            code, is_any, is_first = (code, True, False) if is_code else ("", is_any, False)
        else:
            is_source, is_code = False, True
        lines.append(code)
    return "\n".join(lines) if is_any else text


def without_magic(code: str) -> str:
    """Code that Python itself can read: IPython's own commands do nothing in it."""
    return _MAGIC.sub(r"\1pass", code)


def _unescaped(string: str) -> str:
    try:
        line = json.loads(string)
    except ValueError:
        return ""
    return str(line).replace("\r", "").rstrip("\n").replace("\n", " ")
