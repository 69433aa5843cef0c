"""Where the modules of Python layers stop, and those of the project that they import."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from caffelint.lint.project.memory import remembered
from caffelint.lint.project.python_layers import python_classes, python_home, python_reached
from caffelint.project.mentions import Mention, Stopped
from caffelint.text.patterns import compiled_later

if TYPE_CHECKING:
    from caffelint.caffe.net import Layer
    from caffelint.project.python_calls import BadCall
    from caffelint.project.python_layers import PythonModule

IMPORTS_CAFFE = compiled_later(r"^[ \t]*(?:import|from)[ \t][^\n#]{0,200}\bcaffe\b", re.MULTILINE)


def module_stops(layer: Layer) -> Iterator[tuple[PythonModule, Stopped]]:
    """Each module with the first line that stops it where the layer may come to it.

    Left out is what is told of the layer's methods, and of scripts that import Caffe. It is found out once for all
    layers of a class.
    """
    if modules := python_reached(layer):
        param = layer.message.python_param
        asked = param.module, param.layer, *_written(modules[1:])
        kept = _kept().setdefault(modules[0], {})
        if asked not in kept:
            kept[asked] = [*_stops(layer, modules)]
        for number, stop in kept[asked]:
            yield modules[number], stop


@remembered(1)
def _kept() -> WeakKeyDictionary[PythonModule, dict[tuple[str, ...], list[tuple[int, Stopped]]]]:
    """By the module of a layer, and by its names in the net and what it imports: the numbers of those that stop."""
    return WeakKeyDictionary()


def _stops(layer: Layer, modules: Sequence[PythonModule]) -> Iterator[tuple[int, Stopped]]:
    from caffelint.project.python_reached import lines_reached  # to read Python takes time at the start
    from caffelint.project.python_stops import stop_of_module

    home = python_home(modules[0].path, layer.message.python_param.module)
    told = {fault.line for one in python_classes(layer) for fault in one.faults}
    reached = lines_reached([one.parts for one in modules], layer.message.python_param.layer)
    for number, (module, lines) in enumerate(zip(modules, reached, strict=True)):
        if module.broken and number:
            line, says = module.broken
            yield number, Stopped(Mention(module.file, line), says=says)
        elif not number or not IMPORTS_CAFFE.search(module.text):
            stop = stop_of_module(module, _amiss(module, home, modules), lines if number else lines - told)
            if stop:
                yield number, Stopped(Mention(module.file, stop.line), stop.name, stop.near, stop.says, stop.is_absent)


def _amiss(module: PythonModule, home: str, modules: Sequence[PythonModule]) -> Sequence[BadCall]:
    """What it takes from the others that these do not have; modules: what a layer's module is and imports."""
    from caffelint.project.python_stops import amiss_of

    kept = _kept_amiss().setdefault(module, {})
    asked = home, *_written(modules)
    if asked not in kept:
        texts = {one.path: one.text for one in modules}
        kept[asked] = amiss_of(module, partial(_beside, texts, {home, os.path.dirname(module.path)}))
    return kept[asked]


@remembered(1)
def _kept_amiss() -> WeakKeyDictionary[PythonModule, dict[tuple[str, ...], Sequence[BadCall]]]:
    """The same for all layers, by the folder that modules are imported from and what they are."""
    return WeakKeyDictionary()


def _written(modules: Iterable[PythonModule]) -> Iterator[str]:
    return (part for one in modules for part in (one.path, one.text))


def _beside(texts: Mapping[str, str], folders: Iterable[str], name: str) -> str | None:
    path = next((one for one in (os.path.join(folder, f"{name}.py") for folder in folders) if one in texts), None)
    return None if path is None or is_compiled(os.path.dirname(path), name) else texts[path]


def is_compiled(folder: str, name: str) -> bool:
    """Is there a module of that name in C, which comes before one in Python?"""
    import glob

    start = os.path.join(glob.escape(folder), glob.escape(name))
    return any(glob.glob(f"{start}*{end}") for end in (".so", ".pyd"))
