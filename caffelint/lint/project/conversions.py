"""Of which lists of images in the project data bases are made, as its scripts tell."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping
from functools import partial
from itertools import islice

from caffelint.lint.project.memory import remembered
from caffelint.lint.project.scripts import folders_with, scripts_below
from caffelint.project.mentions import Made
from caffelint.project.script_comments import without_comment_lines
from caffelint.project.script_conversions import Conversion, bare, conversions
from caffelint.project.scripts import Script
from caffelint.text.patterns import compiled_later

_SHELL = (".sh", ".bash")
_MAKES = ("convert_", "lmdb.open(", "leveldb", "LevelDB(")
"""What scripts hold that make or open data bases."""
_MOST = 1000
"""Data bases, and conversions of a script."""
_SET = compiled_later(r"(?<!\w)(\w+)\+?=")
_VARIABLE = compiled_later(r"\$\{?(\w*)")


@remembered(4)
def made_in(top: str) -> tuple[Made, ...]:
    """Those of the project with that top."""
    return made_by(scripts_below(top, top), partial(folders_with, top))


def made_by(scripts: Iterable[Script], folders_of: Callable[[str], Collection[str]]) -> tuple[Made, ...]:
    """Each data base whose list is known; none that another script may make as well.

    folders_of: the folders of the project that hold a file of a name.
    """
    makers = [script for script in scripts if any(word in script.text for word in _MAKES)]
    found: list[Made] = []
    for script in makers:
        if script.is_shipped or not script.path.endswith(_SHELL):
            continue
        code = without_comment_lines(script.text, script.path)
        every = list(islice(conversions(code), _MOST))
        times = Counter(bare(one.base) for one in every)
        written = "\n".join(line.rpartition(">")[2] for line in code.splitlines() if ">" in line)
        variables = Counter(one[1] for one in _SET.finditer(code)) if every else Counter[str]()
        for one in every:
            name = bare(one.base)
            listed = "" if bare(one.list) in written else _list_of(one, script, folders_of)
            if listed and times[name] == 1 and not any(name in other.text for other in makers if other is not script):
                parts = one.base.split("/")
                known = max((at + 1 for at, part in enumerate(parts) if "$" in part), default=0)
                base = "/".join(part for part in parts[known:] if part not in ("", ".", ".."))
                found.append(Made(base, listed, _root_of(one, variables), script.folder, script.mention(one.start)))
    return tuple(found[:_MOST])


def _root_of(one: Conversion, times: Mapping[str, int]) -> str | None:
    """None where a variable in it is not set once, or a flag is in its place."""
    is_known = all(times.get(found[1]) == 1 for found in _VARIABLE.finditer(one.root))
    return one.root if is_known and not one.root.startswith("-") else None


def _list_of(one: Conversion, script: Script, folders_of: Callable[[str], Collection[str]]) -> str:
    """The path of its list, which may be there or not."""
    name = bare(one.list)
    there = folders_of(name)
    here = os.path.normpath(os.path.join(script.folder, one.list))
    if not there or os.path.basename(here) == name and os.path.dirname(here) in there:
        return here
    return os.path.join(*there, name) if len(there) == 1 else ""
