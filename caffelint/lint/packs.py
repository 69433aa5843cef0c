"""The packages of rules that are installed: the entry points of the group `caffelint.rules`.

`importlib.metadata` would do, but costs as long to import as a small net takes to check; so the few files that it
would read are read here, and it is asked only where they name no built-in pack.
"""

from __future__ import annotations

import os

from caffelint.search_path import search_path

GROUP = "caffelint.rules"
BUILT_IN = "caffelint.rules"


def pack_names() -> list[str]:
    """The packages that the entry points name, each once."""
    folders = search_path()
    names = {name for folder in folders for name in _in_folder(folder)}
    if BUILT_IN not in names:
        from importlib.metadata import distributions

        installed = distributions(path=folders)
        names |= {entry.value for one in installed for entry in one.entry_points if entry.group == GROUP}
    return sorted(names)


def _in_folder(folder: str) -> list[str]:
    """The packs of the distributions below one folder of `sys.path`."""
    try:
        entries = os.listdir(folder)
    except OSError:
        return []
    names = []
    for entry in entries:
        if entry.endswith((".dist-info", ".egg-info")):
            try:
                with open(os.path.join(folder, entry, "entry_points.txt"), encoding="utf-8") as stream:
                    text = stream.read()
            except (OSError, UnicodeDecodeError):
                continue
            if GROUP in text:
                names += _values(text)
    return names


def _values(text: str) -> list[str]:
    """The values in the section of our group."""
    inside, values = False, []
    for line in text.splitlines():
        if line.startswith("["):
            inside = line.strip() == f"[{GROUP}]"
        elif inside and "=" in line:
            values.append(line.partition("=")[2].strip())
    return values
