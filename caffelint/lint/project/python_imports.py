"""Which files of a project the module of a Python layer imports, and these in turn; read as text."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator

from caffelint.lint.reach import Reach
from caffelint.lint.read import ReadError, read
from caffelint.text.patterns import compiled_later

_IMPORT = compiled_later(rb"^import[ \t]{1,9}([A-Za-z_][^\n#;]{0,300})", re.MULTILINE)
_FROM = compiled_later(rb"^from[ \t]{1,9}(\.?)([\w.]{0,200})[ \t]{1,9}import[ \t]{1,9}([^\n#;]{1,300})", re.MULTILINE)
_NAME = compiled_later(r"[A-Za-z_]\w{0,100}(?:\.[A-Za-z_]\w{0,100}){0,9}")
_MOST = 30
_LARGEST = 1 << 20


def reached(path: str, data: bytes, home: str, reach: Reach) -> list[tuple[str, bytes]]:
    """The files that are imported whenever a module is, with their bytes; home: the folder that it is imported from."""
    found: list[tuple[str, bytes]] = []
    seen, waiting = {path}, [(path, data)]
    for importer, text in waiting:
        for name, is_relative in _imported(text):
            file = _file_of(name, os.path.dirname(importer), "" if is_relative else home)
            if file and file not in seen and len(seen) <= _MOST:
                seen.add(file)
                try:
                    waiting.append((file, read(file, _LARGEST, reach)))
                except ReadError:
                    continue
                found.append(waiting[-1])
    return found


def _imported(data: bytes) -> Iterator[tuple[str, bool]]:
    """What may be a module of the statements that are in nothing else, and whether it is beside the file."""
    for names in _IMPORT.findall(data):
        for one in names.decode("utf-8", "replace").split(","):
            if name := _NAME.match(one.strip()):
                yield name[0], False
    for dot, module, names in _FROM.findall(data):
        owner = module.decode("utf-8", "replace")
        if not owner.startswith("."):
            yield owner, bool(dot)
            for one in names.decode("utf-8", "replace").strip("( \t").split(","):
                if name := _NAME.match(one.strip()):
                    yield f"{owner}.{name[0]}".lstrip("."), bool(dot)


def _file_of(name: str, folder: str, home: str) -> str:
    """The file of a module, beside its importer, as in Python 2, or in `home`; empty if neither or both have one."""
    if not name or (home and name.partition(".")[0] in sys.stdlib_module_names):
        return ""
    tails = (os.path.join(base, *name.split(".")) for base in {folder, home} - {""})
    files = [f"{tail}.py" for tail in tails if os.path.isfile(f"{tail}.py") and not os.path.isdir(tail)]
    return files[0] if len(files) == 1 else ""
