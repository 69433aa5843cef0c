"""What a text that a Python layer gets holds, read as the layer reads it, but never run."""

from __future__ import annotations

import re
import warnings

from caffelint.lint import compiled_later

_LINE = compiled_later(r"(['\"]?)([A-Za-z_]\w*)\1[ ]*:(?:[ ]|$)")
_LONGEST = 1 << 16


class BadText(Exception):
    """What the text is instead of what it must be."""


def keys_of(reader: str, text: str) -> frozenset[str] | None:
    """The keys of the dictionary in a text, None where that cannot be told. Raises `BadText` if reading it raises."""
    if len(text) > _LONGEST:
        return None
    if not text.strip() and reader != "yaml":
        raise BadText("empty")
    if reader == "json":
        return _json(text)
    return _yaml(text) if reader == "yaml" else _python(text)


def _json(text: str) -> frozenset[str] | None:
    import json

    try:
        value = json.loads(text)
    except RecursionError:
        return None
    except ValueError:
        quotes = ", which has double quotes" if "'" in text and '"' not in text else ""
        raise BadText(f"not JSON{quotes}") from None
    return frozenset(value) if isinstance(value, dict) else None


def _python(text: str) -> frozenset[str] | None:
    import ast

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            node = ast.parse(text.strip(" \t"), mode="eval").body
    except SyntaxError:
        if re.search(r"\d[lL]\b|\b0\d", text):
            return None  # numbers of Python 2
        raise BadText("not a Python expression") from None
    except (ValueError, RecursionError, MemoryError):
        return None
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "dict" and not node.args:
        names = [keyword.arg for keyword in node.keywords]
        return None if None in names else frozenset(name for name in names if name)
    if not isinstance(node, ast.Dict):
        return None
    if not all(isinstance(key, ast.Constant) for key in node.keys):
        return None
    keys = (key.value for key in node.keys if isinstance(key, ast.Constant))
    return frozenset(key for key in keys if isinstance(key, str))


def _yaml(text: str) -> frozenset[str] | None:
    """A mapping of one key a line, or in braces as Python and JSON write it; None for all else."""
    if text.strip().startswith("{"):
        try:
            return _python(text)
        except BadText:
            return None
    lines = [line for line in text.splitlines() if line.strip() and not line.lstrip().startswith("#")]
    found = [_LINE.match(line) for line in lines]
    return frozenset(match[2] for match in found if match) if lines and all(found) else None
