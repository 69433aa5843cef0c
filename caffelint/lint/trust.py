"""Which folders a user trusts to choose what runs: by path and content, remembered outside of them.

As git's `safe.directory` and the trust of editors: whoever wrote a checkout must not choose what a check of it runs.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from caffelint.lint.read import ReadError, read
from caffelint.text.writing import write_atomically

_VERSION = 1
_MOST_FILES = 1000


def store() -> Path:
    """Where it is remembered: below `XDG_DATA_HOME`, else `~/.local/share`. Raises `RuntimeError` for the homeless."""
    return Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share") / "caffelint" / "trusted.json"


def is_trusted(files: Sequence[str], plugins: Iterable[str]) -> bool:
    """Whether the settings of `files`, the nearest one first, and all rules in `plugins` are as they were trusted."""
    known = trusted().get(_folder(files[0]))
    return known is not None and known == digest(files, plugins)


def trust(files: Sequence[str], plugins: Iterable[str]) -> str:
    """Remember settings and the rules that they load, as they are now; the folder. Raises `OSError`."""
    folder = _folder(files[0])
    _write({**trusted(), folder: digest(files, plugins)})
    return folder


def forget(folder: str) -> bool:
    """Trust a folder no more; whether it was trusted. Raises `OSError`."""
    known = trusted()
    found = known.pop(os.path.realpath(folder), None) is not None
    if found:
        _write(known)
    return found


def trusted() -> dict[str, str]:
    """The folders, and the digest of what is trusted in each."""
    with suppress(ReadError, ValueError, KeyError, TypeError, RuntimeError, RecursionError):
        value = json.loads(read(str(store())))
        if value["version"] == _VERSION:
            return {str(folder): str(of) for folder, of in value["folders"].items()}
    return {}


def digest(files: Sequence[str], plugins: Iterable[str]) -> str:
    """Of the content of settings and plugins, by their names."""
    import hashlib

    found = hashlib.sha256()
    for path in [*files, *(path for folder in plugins for path in python_files(folder))]:
        try:
            content = hashlib.sha256(read(path)).digest()
        except ReadError:
            content = b""
        found.update(os.fsencode(os.path.realpath(path)) + b"\0" + content)
    return found.hexdigest()


def rule_files(path: str) -> Iterator[str]:
    """The files of rules of a plugin: itself, or those in the folder, but for what begins with _ or a dot."""
    for file in python_files(path):
        if file == path or not os.path.basename(file).startswith((".", "_")):
            yield file


def python_files(path: str) -> Iterator[str]:
    """All that may run of a plugin: itself, or the Python files in the folder, those that rules import among them."""
    if not os.path.isdir(path):
        yield path
        return
    count = 0
    for base, folders, names in os.walk(path):
        folders[:] = sorted(name for name in folders if not name.startswith((".", "_")))
        for name in sorted(names):
            if name.endswith(".py") and count < _MOST_FILES:
                count += 1
                yield os.path.join(base, name)


def _folder(path: str) -> str:
    return os.path.dirname(os.path.realpath(path))


def _write(folders: dict[str, str]) -> None:
    path = store()
    path.parent.mkdir(parents=True, exist_ok=True)
    text = json.dumps({"version": _VERSION, "folders": dict(sorted(folders.items()))}, indent=2) + "\n"
    write_atomically(path, text.encode())
