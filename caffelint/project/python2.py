"""Python 2 rewritten for Python 3's parser: only the structure counts, not what would be printed."""

from __future__ import annotations

import ast
import re
import warnings

from caffelint.text.patterns import compiled_later

_IN_PYTHON_3 = (
    (compiled_later(r"^((?:[^#'\"\n]*[:;])?[ \t]*)print[ \t]*>>", re.M), r"\1_ = "),
    (compiled_later(r"^((?:[^#'\"\n]*[:;])?[ \t]*)print[ \t]*(?=$|#|;)", re.M), r"\1pass "),
    (compiled_later(r"^((?:[^#'\"\n]*[:;])?[ \t]*)print\b(?=[ \t]*[^=\s.])", re.M), r"\1_ = "),
    (compiled_later(r"^((?:[^#'\"\n]*[:;])?[ \t]*)exec\b(?=[ \t]*[^=\s.])", re.M), r"\1_ = exec, "),
    (compiled_later(r"^([ \t]*except\b[^:,\n#]*),[ \t]*(\w+)[ \t]*:", re.M), r"\1 as \2:"),
    (compiled_later(r"^((?:[^#'\"\n]*[:;])?[ \t]*)raise[ \t]+([\w.]+)[ \t]*,", re.M), r"\1raise \2 or "),
    (compiled_later(r"<>"), "!="),
    (compiled_later(r"(?<![.\w])0([0-7]+)(?![.\w])"), r"0o\1"),
    (compiled_later(r"(?<![.\w])([0-9]+)[lL]\b"), r"\1"),
    (compiled_later(r"\b[uU][rR](?=['\"])"), "r"),
    (compiled_later(r"`([^`\n]*)`"), r"(\1)"),
)
_F_STRING = compiled_later(r"[fF][rR]?['\"]")
_HUGE_NUMBER = compiled_later(r"(?<!\w)0[xXoObB][0-9a-fA-F_]{1000,}")
"""Python writes none of more than 4,300 digits, and reads none that is written as a decimal: int_max_str_digits. It is
read as a name, of which nobody knows the value.
"""
_MOST = 1 << 29
"""For each expression in an f-string, CPython 3.11 goes through all of the string: the most braces times characters."""


_CERTAIN = ("was never closed", "does not match opening", "unmatched ", "indent", "inconsistent use of tabs")
"""What Python says of a text that no version reads, whatever else is unlike between them."""


def parse(text: str) -> tuple[ast.Module | None, bool]:
    """The tree of a module, and whether only Python 2 reads it; no tree where neither does, or none in time."""
    if _is_long(text):
        return None, False
    tree = _parsed(_HUGE_NUMBER.sub("_", text))
    if isinstance(tree, ast.Module):
        return tree, False
    tree = _parsed(_rewritten(text))
    return (tree if isinstance(tree, ast.Module) else None), True


def broken(text: str) -> tuple[int, str] | None:
    """The line, 1-based, at which every Python stops reading a module, and its words; None where that is not sure."""
    if _is_long(text):
        return None
    found = [_parsed(one) for one in (_HUGE_NUMBER.sub("_", text), _rewritten(text))]
    error = found[-1]
    if not isinstance(error, SyntaxError) or not all(isinstance(one, SyntaxError) for one in found):
        return None
    # From 3.12 on, an f-string may hold quotes of its own kind: PEP 701.
    is_sure = any(words in error.msg for words in _CERTAIN) and not _F_STRING.search(text)
    return (error.lineno or 1, error.msg) if is_sure else None


def _is_long(text: str) -> bool:
    return text.count("{") * len(text) > _MOST and _F_STRING.search(text) is not None


def _rewritten(text: str) -> str:
    text = _HUGE_NUMBER.sub("_", text).expandtabs(8)
    for pattern, instead in _IN_PYTHON_3:
        text = pattern.sub(instead, text)
    return text


def _parsed(text: str) -> ast.Module | Exception:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # escapes such as "\d"
            return ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        return error
