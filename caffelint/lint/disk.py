"""Which of the files that a net or a solver names exist here. A result is kept only as long as all that is still so."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from caffelint.caffe.net import Layer, Net
from caffelint.lint.reach import is_special

_TEMPLATE = re.compile(r"[$<>{}%]|@\w+@|\.\.\.|(?i:path/to|edit.?me|your)")
_MOST_FOLDERS = 32
_MOST_SOURCES = 100
"""Of a net: each is looked for in several folders."""
_looked: dict[str, bool] = {}


class DataSource(NamedTuple):
    """The source of a data layer. folders: those that it was found from, the root for an absolute path."""

    layer: Layer
    path: str
    folders: tuple[str, ...]


def exists(path: str) -> bool:
    """Is there such a file or folder? What was answered is remembered until `forget`.

    Names of other machines and of devices are not looked for: to do so may log in somewhere, or hang.
    """
    if "\0" in path or path.startswith(("//", "\\\\")):
        return False
    path = os.path.abspath(path)
    found = os.path.lexists(path)  # most are not, and where a link leads takes long to find out
    if found and is_special(path):
        return False
    _looked[path] = found = found and os.path.exists(path)
    return found


def forget() -> None:
    _looked.clear()


def looked() -> Mapping[str, bool]:
    """Each absolute path that was looked for since `forget`, and whether it was there."""
    return dict(_looked)


def still(seen: Mapping[str, bool]) -> bool:
    return all(os.path.exists(path) == found for path, found in seen.items())


def is_template(path: str) -> bool:
    """Is it to be replaced before Caffe reads it, like `/path/to/train_lmdb`?"""
    return not path or bool(_TEMPLATE.search(path))


def starts(file: str, roots: Sequence[str] = ()) -> Iterator[str]:
    """The folders that a relative path in a file may start from, which is the working directory of Caffe.

    It is ours, one of `roots`, or one of the folders above the file up to the checkout's root.
    """
    yield os.getcwd()
    yield from map(os.path.abspath, roots)
    folder = os.path.dirname(os.path.abspath(file))
    for _ in range(_MOST_FOLDERS):
        yield folder
        if os.path.dirname(folder) == folder or os.path.exists(os.path.join(folder, ".git")):
            return
        folder = os.path.dirname(folder)


def found_from(path: str, folders: Sequence[str]) -> tuple[str, ...]:
    """Those folders from which there is such a path; the root for an absolute one that exists."""
    if os.path.isabs(path):
        return (os.sep,) if exists(path) else ()
    return tuple(folder for folder in folders if exists(os.path.join(folder, path)))


def data_sources(net: Net, roots: Sequence[str] = ()) -> list[DataSource]:
    """The sources that the net's data layers name, except templates."""
    folders = [*dict.fromkeys(starts(net.path, roots))]
    data = net.layers_that(lambda kind: kind.is_data)
    named = [layer for layer in data if not is_template(layer.kind.data_source)]
    return [
        DataSource(layer, layer.kind.data_source, found_from(layer.kind.data_source, folders))
        for layer in named[:_MOST_SOURCES]
    ]
