"""Which folders a user trusts to choose what runs: by path and content, remembered outside them.

As git's `safe.directory` and the trust of editors: whoever wrote a checkout must not choose what a check of it runs.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from errno import EINVAL, EPERM
from pathlib import Path

from caffelint.lint.own import own_folder, stranger
from caffelint.lint.read import ReadError, read
from caffelint.lint.walk import walk
from caffelint.text.writing import in_turn, write_atomically

_VERSION = 1
_MOST_FILES = 1000


def store() -> Path:
    """Where it is remembered: below `XDG_DATA_HOME`, else `~/.local/share`. Raises `RuntimeError` for the homeless."""
    return own_folder("XDG_DATA_HOME", ".local", "share") / "trusted.json"


def is_known(settings: str) -> bool:
    """Whether the folder of a file of settings was ever trusted, as it is or as it was."""
    return _folder(settings) in trusted()


def is_trusted(contents: Mapping[str, bytes]) -> bool:
    """Whether files are as they were trusted: those of the settings, the nearest one first, then all that they run."""
    return trusted().get(_folder(next(iter(contents)))) == digest(contents)


def trust(contents: Mapping[str, bytes]) -> str:
    """Remember files, in the order of `is_trusted`; the folder. Raises `OSError`, as for a store that was damaged."""
    folder = _folder(next(iter(contents)))
    with _in_turn():
        _write({**stored(), folder: digest(contents)})
    return folder


def forget(folder: str) -> bool:
    """Trust a folder no more; whether it was trusted. Raises `OSError`."""
    folder = os.path.realpath(folder)
    if folder not in stored():
        return False
    with _in_turn():
        known = stored()
        found = known.pop(folder, None) is not None
        if found:
            _write(known)
    return found


def trusted() -> dict[str, str]:
    """The folders, and the digest of what is trusted in each; none where that cannot be read."""
    with suppress(OSError, RuntimeError):
        return stored()
    return {}


def stored() -> dict[str, str]:
    """The same. Raises `OSError` for what cannot be read, so that nobody writes over it."""
    path = store()
    if not os.path.lexists(path) or stranger(path) is not None:
        return {}
    try:
        value = json.loads(read(str(path)))
        if value["version"] == _VERSION:
            return {str(folder): str(of) for folder, of in value["folders"].items()}
    except ReadError as error:
        raise OSError(EINVAL, str(error), str(path)) from error
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        pass
    raise OSError(EINVAL, "is damaged, or of another version of caffelint; move it away", str(path))


def digest(contents: Mapping[str, bytes]) -> str:
    """Of the content of files, by their names."""
    import hashlib

    found = hashlib.sha256()
    for path, data in contents.items():
        found.update(os.fsencode(os.path.realpath(path)) + b"\0" + hashlib.sha256(data).digest())
    return found.hexdigest()


def contents(paths: Iterable[str]) -> dict[str, bytes]:
    """Of all that may run of plugins and programs, by path: what is trusted, and then loaded, is these very bytes.

    Raises `ReadError`, which names the file: what cannot be read cannot be trusted.
    """
    found: dict[str, bytes] = {}
    for file in (file for path in paths for file in python_files(path)):
        try:
            found[file] = read(file)
        except ReadError as error:
            raise ReadError(f"{file}: {error}") from error
    return found


def is_rule_file(path: str) -> bool:
    """Whether a file of a folder of rules holds any; what begins with _ or a dot holds what they share."""
    return not os.path.basename(path).startswith((".", "_"))


def python_files(path: str) -> Iterator[str]:
    """All that may run of a plugin: itself, or the Python files in the folder, those that rules import among them."""
    if not os.path.isdir(path):
        yield path
        return
    count = 0
    for base, folders, names in walk(path):
        folders[:] = sorted(name for name in folders if not name.startswith((".", "_")))
        for name in sorted(names):
            if name.endswith(".py") and count < _MOST_FILES:
                count += 1
                yield os.path.join(base, name)


def _folder(path: str) -> str:
    return os.path.dirname(os.path.realpath(path))


@contextmanager
def _in_turn() -> Iterator[None]:
    """What another process trusts or forgets meanwhile is neither lost nor trusted again."""
    store().parent.mkdir(parents=True, exist_ok=True)
    with in_turn(store()):
        yield


def _write(folders: dict[str, str]) -> None:
    path = store()
    if path.exists() and (owner := stranger(path)) is not None:
        raise PermissionError(EPERM, f"belongs to another user (uid {owner}); remove it", str(path))
    text = json.dumps({"version": _VERSION, "folders": dict(sorted(folders.items()))}, indent=2) + "\n"
    write_atomically(path, text.encode())
