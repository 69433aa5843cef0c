"""Which files a checked file may lead to: what is read is quoted in findings, and a stranger wrote its name."""

from __future__ import annotations

import os
from collections.abc import Sequence

from caffelint.lint.project.memory import remembered
from caffelint.text.special import is_below as is_below
from caffelint.text.special import is_special as is_special
from caffelint.text.special import shows_system as shows_system

SUFFIXES = (".prototxt", ".prototxt.txt")
OUTSIDE = "is outside the checkout and was not read; name it, or allow its folder with roots in your settings"


def real_path(path: str) -> str:
    """`os.path.realpath`, for which each folder is looked at once in a run."""
    folder, name = os.path.split(path)
    if name in ("", os.curdir, os.pardir) or os.path.islink(path):
        return os.path.realpath(path)
    return os.path.join(real_folder(os.path.join(os.getcwd(), folder)), name)


@remembered(10_000)
def real_folder(folder: str) -> str:
    """`os.path.realpath` of a folder, for which it is looked at once in a run."""
    return os.path.realpath(folder)


class Reach:
    """What the files of one folder may lead to: its checkout and `roots`.

    Without a checkout it is the folder, and also the working directory if that contains the folder; besides, any
    prototxt that a relative name leads to. Files about the running system are never read.

    `above`: the folder and those above it, up to the top of the checkout.
    """

    def __init__(self, folder: str, roots: Sequence[str] = ()):
        parent = os.path.abspath(folder)
        self.above = [parent]
        while not os.path.exists(os.path.join(parent, ".git")) and os.path.dirname(parent) != parent:
            parent = os.path.dirname(parent)
            self.above.append(parent)
        self._is_checkout = os.path.exists(os.path.join(parent, ".git"))
        own = parent if self._is_checkout else self.above[0]
        self._folders = [os.path.realpath(path) for path in (own, *roots)]
        if is_below(self._folders[0], here := os.path.realpath(os.getcwd())):
            self._folders += [] if self._is_checkout or here == os.path.dirname(here) else [here]
        self._held: dict[str, bool] = {}

    @property
    def checkout(self) -> str:
        """The top of the checkout; empty without one."""
        return self.above[-1] if self._is_checkout else ""

    def holds(self, path: str, base: str | None = None) -> bool:
        """Whether a file may be read; `base` is the folder in which it was found by a relative name."""
        real = os.path.realpath(path)
        if shows_system(real):
            return False
        if any(is_below(real, folder) and not _is_gits(real, folder) for folder in self._folders):
            return True
        if base is None or not real.endswith(SUFFIXES):
            return False
        return not self._is_checkout or is_below(real, os.path.realpath(base))

    def holds_folder(self, path: str) -> bool:
        """The same of a folder: found out once, as each folder on the way to it is looked at for that."""
        if path not in self._held:
            self._held[path] = self.holds(path)
        return self._held[path]


def reach_of(folder: str, roots: Sequence[str] = ()) -> Reach:
    """What the files of a folder may lead to, found out once for a run."""
    return _reach_of(os.path.abspath(folder), tuple(roots), os.getcwd())


@remembered(1000)
def _reach_of(folder: str, roots: tuple[str, ...], here: str) -> Reach:
    return Reach(folder, roots)


def _is_gits(path: str, folder: str) -> bool:
    """Whether a path, which is below a folder, is among what git keeps: its configuration may hold passwords."""
    return ".git" in path[len(folder) :].split(os.sep)
