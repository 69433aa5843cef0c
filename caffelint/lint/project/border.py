"""Where the project around a file ends: at the top of its checkout, or where a downloaded one shows its top."""

from __future__ import annotations

import os
from collections.abc import Iterator
from functools import lru_cache
from itertools import islice

from caffelint.lint.project.memory import remembered
from caffelint.lint.reach import is_below, reach_of, real_folder
from caffelint.lint.read import ReadError, read_found
from caffelint.text.patterns import compiled_later

_HIGHEST = 8
"""Folders above a file's that may be the top of a project that is no checkout."""
_SHOW_A_TOP = (
    (
        "README.md",
        "README",
        "README.rst",
        "README.txt",
        "readme.md",
        "Readme.md",
        "README.MD",
        "readme.txt",
        "Readme.txt",
    ),
    ("LICENSE", "LICENSE.md", "LICENSE.txt", "COPYING", "LICENCE"),
    (".gitignore",),
    (".gitmodules",),
    (".gitattributes",),
    (".travis.yml",),
    ("Makefile", "CMakeLists.txt", "setup.py"),
)
"""Files of which the top of a repository has several, and a folder in it mostly one at most."""
_SCRIPTS = (".py", ".sh", ".m", ".ipynb", ".bat", ".lua")
_PROTOTXT = compiled_later(rb"\.prototxt\b")
_OF_PATHS = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./-"
_LONGEST = 200
_MOST_SCRIPTS, _MOST_NAMES, _LARGEST = 50, 100, 1 << 18
_MOST_ENTRIES = 5_000


def top_of(folder: str) -> str | None:
    """The top of the project that a folder is in; None if nothing shows one.

    Without `.git`, as in a downloaded archive, it is the nearest folder with a Caffe's sources or with two kinds of
    the files that repositories have at their top, else the working directory if it contains the folder and has one of
    them, or a script that names a net or solver as it is found from there. It is never a home, the folder of temporary
    files or one above these, nor a folder of another user.
    """
    return _top_of(os.path.abspath(folder), os.getcwd())


def around(folder: str) -> str | None:
    """Where to look for what a file in a folder names by a name of its own, as a module: the top of the project.

    Where nothing shows one, it is the working directory if it contains the folder; the same folders are excepted.
    """
    folder = os.path.abspath(folder)
    if top := top_of(folder):
        return top
    here = real_folder(os.getcwd())
    for above in reach_of(folder).above[:_HIGHEST]:
        if _if_it_may_be_top(above, folder) is None:
            return None
        if real_folder(above) == here:
            return above
    return None


@remembered(10_000)
def _top_of(folder: str, working_directory: str) -> str | None:
    reach = reach_of(folder)
    if reach.checkout:
        return reach.checkout
    here = real_folder(working_directory)
    by_working_directory = None
    for above in reach.above[:_HIGHEST]:
        modified = _if_it_may_be_top(above, folder)
        if modified is None:
            break
        shown = _shown(above, modified)
        if shown > 1:
            return above
        if real_folder(above) == here and (shown or _is_run_from(above, modified)):
            by_working_directory = above
    return by_working_directory


@lru_cache(maxsize=1000)
def _shown(folder: str, modified: int) -> int:
    """How many kinds of those files a folder holds, which is the same as long as it is not modified."""
    if os.path.isfile(os.path.join(folder, "src", "caffe", "proto", "caffe.proto")):
        return 2
    try:
        held = set(os.listdir(folder))
        shown = [[name for name in names if name in held] for names in _SHOW_A_TOP]
    except OSError:  # a folder that may be entered only
        shown = [[*names] for names in _SHOW_A_TOP]
    return sum(any(os.path.isfile(os.path.join(folder, name)) for name in names) for names in shown)


@lru_cache(maxsize=100)
def _is_run_from(folder: str, modified: int) -> bool:
    """Does a script in a folder name a net or solver by its path from there, as one does that is started there?"""
    try:
        with os.scandir(folder) as entries:
            scripts = [entry.path for entry in islice(entries, _MOST_ENTRIES) if entry.name.endswith(_SCRIPTS)]
    except OSError:
        return False
    named = {name for script in sorted(scripts)[:_MOST_SCRIPTS] for name in _named_in(script)}
    return any(os.path.isfile(os.path.join(folder, name)) for name in named)


def _named_in(script: str) -> Iterator[str]:
    """The first paths of prototxt files in a script that lead below its folder."""
    try:
        text = read_found(script, _LARGEST)
    except ReadError:
        return
    for match in islice(_PROTOTXT.finditer(text), _MOST_NAMES):
        before = text[max(0, match.start() - _LONGEST) : match.start()]
        name = os.fsdecode(before[len(before.rstrip(_OF_PATHS)) :] + match[0])
        if not os.path.isabs(name) and os.pardir not in name.split("/"):
            yield name


def _if_it_may_be_top(above: str, folder: str) -> int | None:
    """When a folder was modified, if it may be the top of what is in `folder`."""
    state = None if _is_never_top(above) else _modified_by(above)
    return state[0] if state and (below := _modified_by(folder)) and state[1] == below[1] else None


@remembered(10_000)
def _is_never_top(folder: str) -> bool:
    """Is it a home, the folder of temporary files or one above these?"""
    real = real_folder(folder)
    temporary = [os.environ[name] for name in ("TMPDIR", "TEMP", "TMP") if os.environ.get(name)]  # as tempfile has it
    return any(is_below(other, real) for other in _never(os.path.expanduser("~"), *temporary))


@remembered(10_000)
def _modified_by(folder: str) -> tuple[int, int] | None:
    """When a folder was modified, and whose it is."""
    try:
        state = os.stat(folder)
    except OSError:
        return None
    return state.st_mtime_ns, state.st_uid


@lru_cache(maxsize=8)
def _never(*folders: str) -> frozenset[str]:
    return frozenset(map(os.path.realpath, (*folders, "/tmp", "/var/tmp")))
