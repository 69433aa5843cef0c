"""At which solver or net of a project it is told that a Python script stops: each script at one."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import partial

from caffelint.lint.project.memory import remembered
from caffelint.lint.project.module_stops import IMPORTS_CAFFE, is_compiled
from caffelint.lint.project.python_layers import NAMED
from caffelint.lint.project.scripts import files_with, folders_with, scripts_below
from caffelint.lint.reach import reach_of
from caffelint.lint.read import ReadError, read
from caffelint.project.mentions import Stopped
from caffelint.project.scripts import Script, bare
from caffelint.text.patterns import compiled_later

_IS_LAYER = compiled_later(r"^class[ \t]{1,9}\w{1,99}\([\w.]{0,99}Layer\)", re.MULTILINE)
"""A module that cannot be read is told at the layer."""
_RUNS = compiled_later(r"\b(?:\w{0,20}Solver|get_solver|Net|Classifier|Detector)\(|__main__")
"""In a module of layers that is a program as well."""
_SOLVER, _PROTOTXT = "olver", ".prototxt"
_NO_NET = "labelmap"
"""In the names of files of names of classes."""
_OF_PYCAFFE = ("/python/classify.py", "/python/detect.py", "/python/draw_net.py")
"""Copied with a Caffe, and changed with it; detect.py reads NUM_OUTPUT, which nothing defines."""
_LARGEST = 1 << 20
_MOST, _MOST_NETS = 300, 2000
"""Python scripts of a project that are read for it, and nets."""


@remembered(4)
def stopped_in(top: str) -> Mapping[str, tuple[Stopped, ...]]:
    """By the paths of the files."""
    scripts = [one for one in scripts_below(top, top) if may_tell(one)][:_MOST]
    nearest: dict[str, str] = {}
    modules: dict[tuple[str, str], str | None] = {}

    def nearest_to(folder: str) -> str:
        if not nearest:
            nearest.update(_nearest(files_with(top, _PROTOTXT), top))
        while folder not in nearest and folder != top and folder != os.path.dirname(folder):
            folder = os.path.dirname(folder)
        return nearest.get(folder, "")

    def beside(script: Script, name: str) -> str | None:
        if (script.folder, name) not in modules:
            modules[script.folder, name] = module(script, name)
        return modules[script.folder, name]

    def module(script: Script, name: str) -> str | None:
        file = f"{name}.py"
        if folders_with(top, file) != {script.folder} or bare(script.path) == file:
            return None
        if os.path.lexists(os.path.join(script.folder, name)) or is_compiled(script.folder, name):  # which come first
            return None
        try:
            return read(os.path.join(script.folder, file), _LARGEST, reach).decode("utf-8", "replace")
        except ReadError:
            return None

    def is_layers(script: Script) -> bool:
        name = bare(script.path)
        if _IS_LAYER.search(script.text) is None:
            return False
        # One that no net names is run by nobody, as far as can be seen.
        return _RUNS.search(script.text) is None or len(folders_with(top, name)) == 1 and is_named(name)

    def is_named(name: str) -> bool:
        return name.removesuffix(".py") in _modules_named(top)

    reach = reach_of(top)
    return stopped_of(scripts, lambda name: folders_with(top, name), nearest_to, beside, is_layers)


def stopped_of(
    scripts: Sequence[Script],
    folders: Callable[[str], Collection[str]],
    nearest: Callable[[str], str],
    beside: Callable[[Script, str], str | None],
    is_layers: Callable[[Script], bool] = lambda _: False,
) -> Mapping[str, tuple[Stopped, ...]]:
    """folders: those of the project that hold a file of a name; nearest: the file of Caffe that is nearest to one;
    beside: the text of the Python module of a name beside a script, if it is the only one of the project; is_layers: is
    it the module of a layer, at which it is told?
    """
    found: dict[str, tuple[Stopped, ...]] = {}
    for script in scripts:
        stop = script.stopped(partial(beside, script)) if may_tell(script) else None
        if stop and (stop.name or not _IS_LAYER.search(script.text)) and not is_layers(script):
            home = next(_named_by(script, folders), "") or ("" if script.home else nearest(script.folder))
            found[home] = (*found.get(home, ()), stop)
    return found


@remembered(4)
def _modules_named(top: str) -> frozenset[str]:
    """The modules that the nets of a project name, without their packages."""
    found: set[str] = set()
    for path in files_with(top, _PROTOTXT)[:_MOST_NETS]:
        try:
            names = NAMED.findall(read(path, _LARGEST, reach_of(top)))
        except ReadError:
            continue
        found.update(name.decode().rpartition(".")[2] for name in names)
    return frozenset(found)


def may_tell(script: Script) -> bool:
    """Is it people's own Python that has to do with Caffe, and no copy of a tool of pycaffe?"""
    if script.is_shipped or not script.path.endswith(".py") or f"/{script.path}".endswith(_OF_PYCAFFE):
        return False
    return bool(script.names) or IMPORTS_CAFFE.search(script.text) is not None


def _named_by(script: Script, folders: Callable[[str], Collection[str]]) -> Iterator[str]:
    """The solvers, then the nets that a script names, in the order of its text."""
    for name in sorted(
        (one for one in script.names if _NO_NET not in one),
        key=lambda name: (_SOLVER not in name, script.text.find(name)),
    ):
        for folder in sorted(folders(name)):
            if script.is_about(folder, name, partial(folders, name)):
                yield os.path.join(folder, name)


def _nearest(paths: Sequence[str], top: str) -> Mapping[str, str]:
    """For each folder with files in or below it the one that is nearest, solvers first."""
    found: dict[str, tuple[int, bool, str]] = {}
    for path in (one for one in paths if _NO_NET not in one):
        folder, name = os.path.split(path)
        depth = path.count(os.sep)
        while True:
            one = (depth, _SOLVER not in name, path)
            if folder in found and found[folder] <= one:
                break
            found[folder] = one
            if folder in (top, os.path.dirname(folder)):
                break
            folder = os.path.dirname(folder)
    return {folder: path for folder, (_, _, path) in found.items()}
