"""Finds the modules of Python layers in the project, and reads them as text: nothing is imported."""

from __future__ import annotations

import os
import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice
from types import MappingProxyType
from typing import TYPE_CHECKING

from caffelint.lint.project.border import around
from caffelint.lint.project.memory import remembered
from caffelint.lint.project.python_imports import reached
from caffelint.lint.project.texts import Texts
from caffelint.lint.reach import Reach
from caffelint.lint.read import ReadError, read
from caffelint.lint.walk import walk
from caffelint.text.patterns import compiled_later

if TYPE_CHECKING:
    from caffelint.caffe.net import Layer, Net
    from caffelint.project.python_layers import PythonClass, PythonModule

NAMED = compiled_later(rb"module(?<=\bmodule)(?:[ \t]*:)?[ \t]*[\"']([A-Za-z_][\w.]{0,200})[\"']")
_NAMED_CLASS = compiled_later(rb"\blayer(?:[ \t]*:)?[ \t]*[\"']([A-Za-z_]\w{0,200})[\"']")
_CLASS = compiled_later(rb"^class[ \t]+([A-Za-z_]\w{0,200})", re.MULTILINE)
_FILE = compiled_later(r"\b([A-Za-z_]\w{0,200})\.py\b")
_IMPORTED = compiled_later(r"^[ \t]*(?:import|from)[ \t]{1,9}([A-Za-z_]\w{0,200})", re.MULTILINE)
_IMPORTED_FROM = compiled_later(rb"^from[ \t]{1,9}\.?([A-Za-z_]\w{0,200})[ \t]{1,9}import\b", re.MULTILINE)
NO_MODULES: Mapping[str, Sequence[tuple[str, bytes]]] = MappingProxyType({})
_LARGEST, _MOST_KEPT = 1 << 20, 2 << 20
_MOST_CANDIDATES, _MOST_TRIED = 8, 64
_MOST_OF_ONE = 64
"""Files that one module may be for several nets; of more, nobody knows which it is."""
_MOST_FILES = 100_000
"""Of a checkout, that are looked at; more would take seconds."""
_MOST_SEARCHED = 2_000
"""Python files of a checkout in which a class is looked for."""
_KEEP_OUT = frozenset([".git", "node_modules", ".venv", "venv", "site-packages", "__pycache__"])


def modules_of(contents: Mapping[str, bytes], roots: Sequence[str] = ()) -> dict[str, list[tuple[str, bytes]]]:
    """The files that each module which these texts name may be, nearest first, with their bytes.

    Of a text that names a module which is not there, also the files that have its classes, by `class NAME`; of a module
    that is there once, those that it imports, by `import PATH`.
    """
    found: dict[str, list[tuple[str, bytes]]] = {}
    for path, data in contents.items():
        if b"python_param" not in data:
            continue
        names = sorted({match.decode() for match in NAMED.findall(data)})
        folder = os.path.dirname(os.path.abspath(path))
        where = around(folder)
        reach = Reach(where or folder, roots)
        for name in names:
            there = found.setdefault(name, [])
            if len(there) > _MOST_OF_ONE:
                continue
            known = {file for file, _ in there}
            candidates = _candidates(name, folder, where, reach, roots)
            there += ((file, text) for file, text in candidates if file not in known)
        missing = [name for name in names if not found[name]]
        if where and missing:
            classes = sorted({match.decode() for match in _NAMED_CLASS.findall(data)})
            defining = {name: paths for name in classes if (paths := _defining(where).get(name))}
            if defining and not _told(where).issuperset(name.rpartition(".")[2] for name in missing):
                texts: dict[str, bytes | None] = {}
                for name, paths in defining.items():
                    found[f"class {name}"] = _read_all(paths, Reach(where, roots), texts)
        for name in names:
            if len(found[name]) == 1:
                path, text = found[name][0]
                found.setdefault(f"import {path}", reached(path, text, python_home(path, name), reach))
    return {name: files for name, files in found.items() if len(files) <= _MOST_OF_ONE}


def tell_modules(nets: Iterable[Net], modules: Mapping[str, Sequence[tuple[str, bytes]]]) -> None:
    """Give nets what is known of their Python layers."""
    if not modules:
        return
    parsed: dict[bytes, PythonModule] = {}
    for net in nets:
        for layer in net.layers_having("python_param"):
            param = layer.message.python_param
            files = modules.get(param.module, ())
            for name in (param.module, f"class {param.layer}", *(f"import {path}" for path, _ in files)):
                for path, data in modules.get(name, ()):
                    if data not in parsed:
                        parsed[data] = _parsed(path, data)
                    if parsed[data] not in net.python_modules.setdefault(name, []):
                        net.python_modules[name].append(parsed[data])
        for layer in net.layers_having("python_param") if net.python_modules else ():
            shapes = [one.top_shapes for one in python_classes(layer)]
            if shapes and shapes[0] and all(one == shapes[0] for one in shapes):
                net.python_shapes[layer.index] = shapes[0]


_known: dict[tuple[str, bytes], PythonModule] = {}
"""Modules that many nets may name, of so many bytes in all that they take some hundred megabytes at most."""
_kept = 0


def _parsed(path: str, data: bytes) -> PythonModule:
    global _kept
    if (path, data) not in _known:
        from caffelint.project.python_layers import PythonModule

        if _kept > _MOST_KEPT:
            _known.clear()
            _kept = 0
        _kept += 2000 + len(data)
        _known[path, data] = PythonModule(path, data.decode("utf-8", "replace"))
    return _known[path, data]


def python_modules(layer: Layer) -> Sequence[PythonModule]:
    """The modules of the project that a layer's `module` may be; none if they are not in it."""
    found = layer.net.python_modules.get(layer.message.python_param.module, ())
    return found if all(module.is_read for module in found) else ()


def python_broken(layer: Layer) -> Sequence[PythonModule]:
    """The modules of the project that a layer's `module` may be, if no Python reads any of them."""
    found = layer.net.python_modules.get(layer.message.python_param.module, ())
    return found if all(module.broken for module in found) else ()


def python_reached(layer: Layer) -> Sequence[PythonModule]:
    """The module of a layer, and those of the project that it imports, in turn; none if it may be several files."""
    found = layer.net.python_modules.get(layer.message.python_param.module, ())
    return [*found, *layer.net.python_modules.get(f"import {found[0].path}", ())] if len(found) == 1 else ()


def python_classes(layer: Layer) -> Sequence[PythonClass]:
    """The classes that Caffe may make for a layer, one for each file that may be its module; none if unknown."""
    wanted = layer.message.python_param.layer
    modules = python_modules(layer)
    found = [one for module in modules if (one := module.find(wanted))]
    files = [one.module.path for one in found]
    known = (one.find(wanted) or one.lacks(wanted) or one.takes_from(wanted, files) for one in modules)
    return found if found and all(known) else ()


def python_home(path: str, module: str) -> str:
    """The folder to import `module` from, if `path` is its file: `lib` for `lib/rpn/layer.py` and `rpn.layer`."""
    folder = os.path.dirname(os.path.abspath(path))
    for _ in range(module.count(".") + path.endswith("__init__.py")):
        folder = os.path.dirname(folder)
    return folder


def python_elsewhere(layer: Layer) -> Sequence[PythonModule]:
    """The modules that have a layer's class, if none that its `module` may be is in the project."""
    param = layer.message.python_param
    if layer.net.python_modules.get(param.module):
        return ()
    found = layer.net.python_modules.get(f"class {param.layer}", ())
    return [module for module in found if (one := module.find(param.layer)) and one.is_layer is not False]


def _candidates(name: str, folder: str, top: str | None, reach: Reach, roots: Sequence[str]) -> list[tuple[str, bytes]]:
    """The files of a module that a net in `folder` names, those first that share most folders with it."""
    tail = os.path.join(*name.split("."))
    beside = [os.path.join(base, end) for base in (folder, *roots) for end in _ends(tail)]
    further = (path for path in _nearest(_ending(top, tail), folder) if path not in beside) if top else ()
    found = _read_all(islice(dict.fromkeys(chain(beside, islice(further, _MOST_TRIED))), _MOST_TRIED), reach)
    inner = (file for path, data in found if path.endswith("__init__.py") for file in _passed_on(path, data))
    known = {path for path, _ in found}
    return found + _read_all((path for path in dict.fromkeys(inner) if path not in known), reach)


def _ends(tail: str) -> tuple[str, str]:
    return tail + ".py", os.path.join(tail, "__init__.py")


@remembered(1000)
def _ending(top: str, tail: str) -> Sequence[str]:
    """The files of a project that are a module of that name, its parts as folders, sorted."""
    paths = _in_project(top).get(os.path.basename(tail), ())
    return sorted(path for path in paths if path.endswith(tuple(os.sep + end for end in _ends(tail))))


def _nearest(paths: Sequence[str], folder: str) -> Iterator[str]:
    """Sorted paths, those first that share most folders with a folder: what is below it, below the next above, ..."""
    before = after = bisect_left(paths, os.path.join(folder, ""))
    above = ""
    while above != folder:
        above, start = folder, os.path.join(folder, "")
        first, last = bisect_left(paths, start), bisect_left(paths, f"{start}\U0010ffff")
        yield from (paths[at] for at in chain(range(first, before), range(after, last)))
        before, after, folder = first, last, os.path.dirname(folder)


def _passed_on(path: str, data: bytes) -> Iterator[str]:
    """The files beside an `__init__.py` from which it imports names."""
    for name in _IMPORTED_FROM.findall(data):
        yield os.path.join(os.path.dirname(path), name.decode() + ".py")


def _read_all(
    paths: Iterable[str], reach: Reach, texts: dict[str, bytes | None] | None = None
) -> list[tuple[str, bytes]]:
    """The first of these that can be read. texts: what was read before, as one file may have many classes."""
    texts = {} if texts is None else texts
    found: list[tuple[str, bytes]] = []
    for path in paths:
        if len(found) == _MOST_CANDIDATES:
            break
        if path not in texts:
            texts[path] = _text_of(path, reach)
        if (text := texts[path]) is not None:
            found.append((path, text))
    return found


def _text_of(path: str, reach: Reach) -> bytes | None:
    try:
        return read(path, _LARGEST, reach) if os.path.isfile(path) else None
    except ReadError:
        return None


@remembered(4)
def _told(top: str) -> frozenset[str]:
    """The modules whose files the texts of a project speak of, as of a copy to make, or that its programs import."""
    texts = Texts(top, ()).all
    return frozenset(name for text in texts for tells in (_FILE, _IMPORTED) for name in tells.findall(text.text))


@remembered(4)
def _in_project(top: str) -> Mapping[str, Sequence[str]]:
    """The Python files below a folder, by the last part of the module's name."""
    found: dict[str, list[str]] = {}
    seen = 0
    for folder, folders, files in walk(top):
        folders[:] = [name for name in folders if name not in _KEEP_OUT]
        seen += len(files) + len(folders)
        if seen > _MOST_FILES:
            break
        for file in files:
            if file.endswith(".py"):
                name = os.path.basename(folder) if file == "__init__.py" else file[:-3]
                found.setdefault(name, []).append(os.path.join(folder, file))
    return found


@remembered(4)
def _defining(top: str) -> Mapping[str, Sequence[str]]:
    """The Python files below a folder by the classes that they have."""
    found: dict[str, list[str]] = {}
    reach = Reach(top)
    paths = [path for files in _in_project(top).values() for path in files]
    for path in sorted(paths)[:_MOST_SEARCHED]:
        try:
            data = read(path, _LARGEST, reach)
        except ReadError:
            continue
        for name in classes_in(data):
            found.setdefault(name, []).append(path)
    return found


def classes_in(data: bytes) -> set[str]:
    """The names of the classes of a module."""
    return {match.decode() for match in _CLASS.findall(data)}
