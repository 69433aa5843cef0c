"""Scripts that read a net as text with code of their own: no Caffe loads what only they name."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator

from caffelint.lint.read import ReadError, read_found
from caffelint.text.patterns import compiled_later

_IMPORT = compiled_later(r"^[ \t]*(?:from[ \t]+([\w.]+)[ \t]+import\b|import[ \t]+([^\n#;]+))", re.MULTILINE)
_OPENS = compiled_later(r"(?<![\w.])open\(")
_GIVEN = compiled_later(r"(?<![\w.])(\w{1,100})\([ \t]*[\"'][^\"'*%{]{1,200}\.prototxt[\"']")
_RETURNS = compiled_later(r"\b(?:return|def|class)\b")
_RUNS = compiled_later(r"\b(?:subprocess|popen\w*|os\.(?:system|exec\w*|spawn\w*)|__import__|importlib)\b")
"""That it starts another program, which may be a Caffe."""
_WRITES = compiled_later(r"writ|save|dump|copy|['\"][wa]b?\+?['\"]")
"""That it makes something of what it reads, which may be a net."""
_HARMLESS = sys.stdlib_module_names | {"numpy", "scipy", "matplotlib", "pylab"} - {"subprocess"}
"""Modules that load no nets; of any other that is not beside the script nobody knows."""
_MOST_MODULES = 8
_LARGEST = 1 << 18


def reads_by_itself(script: str, text: str, line: str) -> bool:
    """Whether a line of a Python script gives a file to what opens it, and nothing there runs or writes nets.

    What opens it may be a function of a module beside the script. A path that is held or returned is for others.
    """
    if (given := _GIVEN.search(line)) is None or _RETURNS.search(line):
        return False
    texts = {script: text}
    left = [script]
    while left:
        path = left.pop()
        if _RUNS.search(texts[path]) or _WRITES.search(texts[path]):
            return False
        for name in _imported(texts[path]):
            beside = os.path.join(os.path.dirname(script), name + ".py")
            if beside in texts:
                continue
            try:
                texts[beside] = read_found(beside, _LARGEST).decode("utf-8", "replace")
            except ReadError:
                if name in _HARMLESS:
                    continue
                return False
            if len(texts) > _MOST_MODULES:
                return False
            left.append(beside)
    defined = f"def {given[1]}("
    return given[1] == "open" or any(defined in one and _OPENS.search(one) for one in texts.values())


def _imported(text: str) -> Iterator[str]:
    """The first parts of the names of modules."""
    for match in _IMPORT.finditer(text):
        for name in (match[1] or match[2]).split(","):
            yield name.split(" as ")[0].strip().partition(".")[0]
