"""The forks of Caffe that a repository names: as a submodule, or where it says what to clone."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator

from caffelint.lint.reach import Reach
from caffelint.lint.read import ReadError, read
from caffelint.schema.provenance import provenance
from caffelint.text.patterns import compiled_later
from caffelint.text.records import NamedTuple

_LARGEST = 1 << 18
_REPOSITORY = compiled_later(r"github\.com[:/]([\w.-]{1,100}/[\w.-]{1,100})(?:/tree/([\w.-]{1,100}))?")
_TELLS = compiled_later(r"readme\b.*|install\b.*|dockerfile|makefile|.*\.sh", re.IGNORECASE)
"""Files at the top of a repository that say which Caffe to clone and build."""
_MOST_FILES = 20
_UPSTREAM = "bvlc/caffe"
"""That everybody names, and that nothing follows from."""
_UPSTREAMS = ("bvlc", "yangqing")
_A_CAFFE = compiled_later(r"[\w.-]+/caffe([_-][\w.-]+)?", re.IGNORECASE)
"""A copy of Caffe keeps its name on GitHub, or begins with it; so do tools, but these are seldom fetched with a net."""
_FETCHED = compiled_later(r"\bclone\b[^\n]*$")
_OF_ITS_OWN = compiled_later(
    r"\b(?:fork(?:ed)?|modified|customi[sz]ed|extended|patched)\b[^\n]{0,80}\bcaffe\b[^\n]*$"
    r"|\bcaffe\b[^\n]{0,80}\bfork\b[^\n]*$",
    re.IGNORECASE,
)
"""What a text says on the line before it names a Caffe that is not BVLC's."""
_LONGEST = 200


class NamedForks(NamedTuple):
    """The known forks of repositories of GitHub, those of a branch that is named first.

    `repository`: such as `weiliu89/caffe`; several with commas. `where`: the file that names it.
    """

    forks: tuple[str, ...]
    repository: str
    where: str


def named_forks(top: str, reach: Reach) -> NamedForks | None:
    """The forks that `.gitmodules` names, else those that a text at the top does.

    None if there are no known ones, or if submodules of several are.
    """
    submodules = {
        fork for section in _text(top, ".gitmodules", reach).split("[submodule")[1:] if (fork := _of(section))
    }
    if submodules:
        return submodules.pop() if len(submodules) == 1 else None
    return next(filter(None, (_told(top, name, reach) for name in _telling(top))), None)


def unknown_fork(top: str, reach: Reach) -> NamedForks | None:
    """A fork of Caffe that nobody knows and that a repository names, by the name that such have; `forks` is empty."""
    for name in (".gitmodules", *_telling(top)):
        text = _text(top, name, reach)
        for match in _REPOSITORY.finditer(text):
            repository = match[1].rstrip(".").removesuffix(".git")
            called = _A_CAFFE.fullmatch(repository)
            if called is None or repository.lower().split("/")[0] in _UPSTREAMS or provenance().forks_of(repository):
                continue
            before = text[max(0, match.start() - _LONGEST) : match.start()]
            is_fetched = name == ".gitmodules" or _FETCHED.search(before) or _OF_ITS_OWN.search(before)
            if is_fetched or not called[1]:
                return NamedForks((), repository, name)
    return None


def lacks_its_caffe(top: str, reach: Reach) -> bool:
    """Whether `.gitmodules` names a Caffe whose folder is not there or empty: another one here is not what is run."""
    for section in _text(top, ".gitmodules", reach).split("[submodule")[1:]:
        values = _values(section)
        path, match = values.get("path", ""), _REPOSITORY.search(values.get("url", ""))
        if path and "\0" not in path and match and _A_CAFFE.fullmatch(match[1].removesuffix(".git")):
            folder = os.path.join(top, path)
            if reach.holds(folder) and not (os.path.isdir(folder) and os.listdir(folder)):
                return True
    return False


def _text(top: str, name: str, reach: Reach) -> str:
    try:
        return read(os.path.join(top, name), _LARGEST, reach).decode("utf-8", "replace")
    except ReadError:
        return ""


def _of(section: str) -> NamedForks | None:
    values = _values(section)
    match = _REPOSITORY.search(values.get("url", ""))
    if match is None:
        return None
    repository = match[1].removesuffix(".git")
    forks = _forks(repository, values.get("branch", ""))
    return NamedForks(forks, repository, ".gitmodules") if forks else None


def _values(section: str) -> dict[str, str]:
    values = dict(line.partition("=")[::2] for line in section.splitlines() if "=" in line)
    return {name.strip(): value.strip() for name, value in values.items()}


def _forks(repository: str, branch: str) -> tuple[str, ...]:
    # What is checked out need not be of the branch that is given.
    return tuple(name for name, _ in sorted(provenance().forks_of(repository), key=lambda fork: fork[1] != branch))


def _telling(top: str) -> Iterator[str]:
    try:
        names = sorted(os.listdir(top))
    except OSError:
        return
    yield from [name for name in names if _TELLS.fullmatch(name)][:_MOST_FILES]


def _told(top: str, name: str, reach: Reach) -> NamedForks | None:
    """The forks that a text names, in its order."""
    forks: dict[str, None] = {}
    repositories: dict[str, None] = {}
    for match in _REPOSITORY.finditer(_text(top, name, reach)):
        repository = match[1].rstrip(".").removesuffix(".git")
        if repository.lower() != _UPSTREAM and (found := _forks(repository, match[2] or "")):
            repositories[repository] = None
            forks.update(dict.fromkeys(found))
    return NamedForks(tuple(forks), ", ".join(repositories), name) if forks else None
