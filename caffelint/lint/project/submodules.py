"""The fork of Caffe that a repository names as a submodule, which need not be checked out."""

from __future__ import annotations

import os
import re
from typing import NamedTuple

from caffelint.lint.reach import Reach
from caffelint.lint.read import ReadError, read
from caffelint.schema.provenance import provenance

_LARGEST = 1 << 16
_REPOSITORY = re.compile(r"github\.com[:/]([\w.-]+/[\w.-]+)")


class NamedForks(NamedTuple):
    """The known forks of a repository of GitHub, that of the branch first, and the repository: `weiliu89/caffe`."""

    forks: tuple[str, ...]
    repository: str


def named_forks(top: str, reach: Reach) -> NamedForks | None:
    """The forks that `.gitmodules` names; None if it names no repository with known ones, or several."""
    try:
        text = read(os.path.join(top, ".gitmodules"), _LARGEST, reach).decode("utf-8", "replace")
    except ReadError:
        return None
    found = {fork for section in text.split("[submodule")[1:] if (fork := _forks(section))}
    return found.pop() if len(found) == 1 else None


def _forks(section: str) -> NamedForks | None:
    values = dict(line.partition("=")[::2] for line in section.splitlines() if "=" in line)
    values = {name.strip(): value.strip() for name, value in values.items()}
    match = _REPOSITORY.search(values.get("url", ""))
    if match is None:
        return None
    repository, branch = match[1].removesuffix(".git"), values.get("branch", "")
    forks = provenance().forks_of(repository)
    # What is checked out need not be of the branch that is given.
    names = [name for name, _ in sorted(forks, key=lambda fork: fork[1] != branch)]
    return NamedForks(tuple(names), repository) if names else None
