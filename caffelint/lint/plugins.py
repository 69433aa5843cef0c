"""Rules in files and folders that the settings name: modules that are loaded by their path.

A folder is a package of its own, whose name nobody else has: its files import their neighbours (`from ._words import
listed`), nothing is put on `sys.path`, and nothing is shadowed. Code comes from the bytes of the source that were
trusted, neither read anew nor from a `__pycache__` beside it.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from importlib.machinery import ModuleSpec, SourceFileLoader
from importlib.util import module_from_spec, spec_from_file_location
from types import CodeType, ModuleType

_PREFIX = "_caffelint_plugin_"
_files: dict[str, bytes] = {}
"""What may be loaded, as it was read; a neighbour of it that nobody has trusted may not."""


class PluginError(Exception):
    """A file of rules that the settings name cannot be loaded: one line."""


class _Source(SourceFileLoader):
    def get_code(self, fullname: str) -> CodeType:
        path = self.get_filename(fullname)
        code: CodeType = self.source_to_code(_files[path], path)
        return code


class _Neighbours:
    """Finds what a file imports of its own folder."""

    @staticmethod
    def find_spec(name: str, path: Sequence[str] | None = None, target: ModuleType | None = None) -> ModuleSpec | None:
        if not name.startswith(_PREFIX):
            return None
        file = os.path.join(*(path or ("",)), name.rpartition(".")[2] + ".py")
        if file not in _files:
            raise ModuleNotFoundError(f"there is no {file}", name=name)
        return _spec(name, file)


def load(path: str, files: Mapping[str, bytes]) -> ModuleType:
    """The module in one of `files`, which may import those that are in its folder. Raises `PluginError`.

    files: their content by path; it is what runs, whatever is there by now.
    """
    import hashlib

    given, path = path, os.path.abspath(path)
    _files.update({os.path.abspath(file): data for file, data in files.items()})
    if not any(finder is _Neighbours for finder in sys.meta_path):
        sys.meta_path.insert(0, _Neighbours)
    folder, name = os.path.split(path)
    package = _PREFIX + hashlib.sha256(os.fsencode(folder)).hexdigest()[:16]
    if package not in sys.modules:
        sys.modules[package] = ModuleType(package)
        sys.modules[package].__path__ = [folder]
    name = f"{package}.{os.path.splitext(name)[0]}"
    if name in sys.modules:
        return sys.modules[name]
    spec = _spec(name, path)
    module = sys.modules[name] = module_from_spec(spec)
    try:
        _Source(name, path).exec_module(module)
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # whatever a module is made to raise
        sys.modules.pop(name, None)
        raise PluginError(f"{given}: cannot be imported: {said(error)}") from error
    return module


def said(error: BaseException) -> str:
    """An exception in words, also where its own fail."""
    try:
        return f"{type(error).__name__}: {error}"
    except Exception:
        return type(error).__name__


def forget() -> None:
    """Load everything anew the next time."""
    _files.clear()
    for name in [name for name in sys.modules if name.startswith(_PREFIX)]:
        del sys.modules[name]


def _spec(name: str, path: str) -> ModuleSpec:
    spec = spec_from_file_location(name, path, loader=_Source(name, path))
    assert spec is not None
    return spec
