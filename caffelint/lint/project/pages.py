"""Whether a file is among those of a web page or a JavaScript program, which hands no net to Caffe."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping

from caffelint.lint.discover import relative
from caffelint.lint.project.border import top_of
from caffelint.lint.project.memory import remembered
from caffelint.lint.reach import is_below

_SHOW_A_PAGE = ("index.html", "package.json")


def page_by_file(paths: Iterable[str]) -> Mapping[str, str]:
    """The page or program that a file is beside or below, in its project, for those that are; both by their paths.

    One with a script of Caffe is a project that also has a page.
    """
    folders = {path: os.path.dirname(os.path.abspath(path)) for path in paths}
    pages = {folder: _page_of(folder) for folder in set(folders.values())}
    return {path: relative(page).replace(os.sep, "/") for path, folder in folders.items() if (page := pages[folder])}


def _page_of(folder: str) -> str:
    top = top_of(folder)
    return _page_above(folder, top) if top else ""


def _page_above(folder: str, top: str) -> str:
    while not (page := _page_in(folder)):
        above = os.path.dirname(folder)
        if above == folder or not is_below(above, top):
            return ""
        folder = above
    return "" if _has_script(folder, top) else page


@remembered(10_000)
def _page_in(folder: str) -> str:
    return next((page for name in _SHOW_A_PAGE if os.path.isfile(page := os.path.join(folder, name))), "")


@remembered(10_000)
def _has_script(folder: str, top: str) -> bool:
    from caffelint.lint.project.scripts import scripts_below

    return any(".prototxt" in script.text for script in scripts_below(folder, top))
