"""Files that the scripts of a project open by a name that no file has, but for a slip."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from itertools import islice

from caffelint.lint.project.memory import remembered
from caffelint.lint.project.scripts import folders_with, scripts_below
from caffelint.lint.project.similar import nearest_of
from caffelint.lint.project.unsolved import names_beside
from caffelint.lint.reach import is_below, reach_of
from caffelint.project.mentions import Mention
from caffelint.project.script_opens import opens
from caffelint.project.scripts import Script, bare
from caffelint.text.patterns import compiled_later

_WORD = compiled_later(r"[a-z]+")
_LEAST = 5
"""Letters of a word in which one more, or one less, is a slip: `rcnn` and `cnn` are two networks."""
_MOST = 500
"""Paths in the scripts of a project that lead to no file, and are held against the names of its files."""
_MOST_COMPARED = 100
"""Names that may be a slip, and are held letter by letter against those in a folder."""


Misnamed = Mapping[str, tuple[tuple[str, Mention], ...]]
"""By the paths of the files that are meant: the paths that scripts have instead, and where."""


@remembered(4)
def misnamed_in(top: str) -> Misnamed:
    scripts = list(scripts_below(top, top))
    return misnamed_of(scripts, top, lambda name: bool(folders_with(top, name)), lambda home: _names_in(home, top))


def _names_in(home: str, top: str) -> Sequence[str]:
    """The names of the nets in a folder of the project; none of one outside, to which a path or a link may lead."""
    return names_beside(home) if is_below(home, top) and reach_of(top).holds_folder(home) else ()


def misnamed_of(
    scripts: Sequence[Script], top: str, is_there: Callable[[str], bool], names: Callable[[str], Sequence[str]]
) -> Misnamed:
    """is_there: does any folder of the project have a file of a name? names: those of the nets in a folder."""
    found: dict[str, dict[str, Mention]] = {}
    compared: list[str] = []

    @cache
    def meant_in(home: str, name: str) -> str:
        if len(compared) == _MOST_COMPARED or not any(_is_slip(name, other) for other in names(home)):
            return ""
        compared.append(name)
        other = nearest_of(name, names(home))
        is_meant = other and _is_slip(name, other) and not any(one.may_write(name) for one in scripts)
        return other if is_meant else ""

    for script, path, start in islice(_lost(scripts, is_there), _MOST):
        for folder in dict.fromkeys((script.folder, top)):
            home = os.path.normpath(os.path.join(folder, os.path.dirname(path)))
            if other := meant_in(home, bare(path)):
                meant = os.path.normpath(os.path.join(home, other))
                found.setdefault(meant, {}).setdefault(path, script.mention(start))
                break
    return {path: tuple(said.items()) for path, said in found.items()}


def _lost(scripts: Sequence[Script], is_there: Callable[[str], bool]) -> Iterator[tuple[Script, str, int]]:
    """The relative paths that scripts open and no file has, once for each folder of scripts, and where."""
    seen: set[tuple[str, str]] = set()
    for script in (one for one in scripts if not one.is_shipped):
        for path, start in opens(script.code):
            if (script.folder, path) in seen or os.path.isabs(path) or "~" in path or "\0" in path:
                continue
            seen.add((script.folder, path))
            if not is_there(bare(path)):
                yield script, path, start


def _is_slip(name: str, other: str) -> bool:
    """Do two names differ in signs between words, in the order of letters, or by one letter of a longer word?"""
    one, two = _WORD.findall(name.lower()), _WORD.findall(other.lower())
    odd = [(a, b) for a, b in zip(one, two, strict=False) if a != b]
    if "".join(one) == "".join(two) or len(one) != len(two):
        return "".join(one) == "".join(two)
    return all(
        sorted(a) == sorted(b) or (a[0] == b[0] and abs(len(a) - len(b)) <= 1 and min(len(a), len(b)) >= _LEAST)
        for a, b in odd
    )
