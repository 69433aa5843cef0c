"""Where the project around a file ends: at the top of its checkout, or where a downloaded one shows its top."""

from __future__ import annotations

import os
from functools import lru_cache

from caffelint.lint.project.memory import remembered
from caffelint.lint.reach import is_below, reach_of

_HIGHEST = 8
"""Folders above a file's that may be the top of a project that is no checkout."""
_SHOW_A_TOP = (
    ("README.md", "README", "README.rst", "README.txt", "readme.md", "Readme.md"),
    ("LICENSE", "LICENSE.md", "LICENSE.txt", "COPYING", "LICENCE"),
    (".gitignore",),
    (".gitmodules",),
    (".gitattributes",),
    (".travis.yml",),
    ("Makefile", "CMakeLists.txt", "setup.py"),
)
"""Files of which the top of a repository has several, and a folder in it mostly one at most."""


def top_of(folder: str) -> str | None:
    """The top of the project that a folder is in; None if nothing shows one.

    Without `.git`, as in a downloaded archive, it is the nearest folder with a Caffe's sources or with two kinds of
    the files that repositories have at their top, else the working directory if it has one of them and contains the
    folder. It is never a home, the folder of temporary files or one above these, nor a folder of another user.
    """
    return _top_of(os.path.abspath(folder), os.getcwd())


def around(folder: str) -> str | None:
    """Where to look for what a file in a folder names by a name of its own, as a module: the top of the project.

    Where nothing shows one, it is the working directory if it contains the folder; the same folders are excepted.
    """
    folder = os.path.abspath(folder)
    if top := top_of(folder):
        return top
    here = os.path.realpath(os.getcwd())
    for above in reach_of(folder).above[:_HIGHEST]:
        if _if_it_may_be_top(above, folder) is None:
            return None
        if os.path.realpath(above) == here:
            return above
    return None


@remembered(10_000)
def _top_of(folder: str, working_directory: str) -> str | None:
    reach = reach_of(folder)
    if reach.checkout:
        return reach.checkout
    here = os.path.realpath(working_directory)
    by_working_directory = None
    for above in reach.above[:_HIGHEST]:
        modified = _if_it_may_be_top(above, folder)
        if modified is None:
            break
        shown = _shown(above, modified)
        if shown > 1:
            return above
        if shown and os.path.realpath(above) == here:
            by_working_directory = above
    return by_working_directory


@lru_cache(maxsize=1000)
def _shown(folder: str, modified: int) -> int:
    """How many kinds of those files a folder holds, which is the same as long as it is not modified."""
    if os.path.isfile(os.path.join(folder, "src", "caffe", "proto", "caffe.proto")):
        return 2
    return sum(any(os.path.isfile(os.path.join(folder, name)) for name in names) for names in _SHOW_A_TOP)


def _if_it_may_be_top(above: str, folder: str) -> int | None:
    """When a folder was modified, if it may be the top of what is in `folder`."""
    real = os.path.realpath(above)
    temporary = [os.environ[name] for name in ("TMPDIR", "TEMP", "TMP") if os.environ.get(name)]  # as tempfile has it
    if any(is_below(other, real) for other in _never(os.path.expanduser("~"), *temporary)):
        return None
    try:
        state = os.stat(above)
        return state.st_mtime_ns if state.st_uid == os.stat(folder).st_uid else None
    except OSError:
        return None


@lru_cache(maxsize=8)
def _never(*folders: str) -> frozenset[str]:
    return frozenset(map(os.path.realpath, (*folders, "/tmp", "/var/tmp")))
