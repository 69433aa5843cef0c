"""Redirects what Caffe writes to the folder of the copies.

Opening a database writes to it: LMDB leaves a lock file, LevelDB tidies up its files. So Caffe opens a stand-in whose
tables are links to those of the database; the rest, which LevelDB changes, is small and copied.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from caffelint.caffe.layers import layer_class
from caffelint.caffe.net import Layer
from caffelint.lint.data_source import stand_in
from caffelint.text.edits import Edit
from caffelint.text.scalars import string_value
from caffelint.text.tree import STRING


class Aside:
    """named: the name in the user's net of each path that replaces one."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.named: dict[str, str] = {}
        self._stand_ins: dict[str, str] = {}

    def edits(self, layer: Layer, real: bool) -> Iterator[Edit]:
        """Of a layer as it is written. real: does it read its own data?"""
        assert layer.node is not None
        for node in layer.node.walk():
            if node.kind != STRING:
                continue
            value = string_value(node.text)
            if path := self._path(layer.message, node.name, value, real):
                yield Edit(node.value_start, node.end, quoted(path) + "\n" * node.text.count("\n"))

    def lead(self, message: Any, real: bool) -> None:
        """The same in a LayerParameter."""
        for block, name in (("hdf5_output_param", "file_name"), ("data_param", "source")):
            value = getattr(getattr(message, block), name)
            if message.HasField(block) and (path := self._path(message, name, value, real)):
                setattr(getattr(message, block), name, path)

    def _path(self, message: Any, name: str, value: str, real: bool) -> str:
        """What replaces the value of the field `name`, "" if it stays."""
        if name in layer_class(message.type).writes:
            return self._name(str(self.folder / f"written{len(self.named)}"), value)
        if real and name == "source" and message.HasField("data_param"):
            return self._stand_in(value)
        return ""

    def _stand_in(self, source: str) -> str:
        key = os.path.realpath(source)
        if os.path.isdir(key) and key not in self._stand_ins:
            path = self.folder / f"data{len(self._stand_ins)}"
            try:
                path.mkdir(exist_ok=True)
                stand_in(source, str(path))
            except OSError:  # no links here, or no permission: Caffe reports what is wrong with the original
                return ""
            self._stand_ins[key] = self._name(str(path), source)
        return self._stand_ins.get(key, "")

    def _name(self, path: str, name: str) -> str:
        self.named[path] = name
        return path


def quoted(text: str) -> str:
    """As a string in a prototxt, whatever is in it; read alike by every version of protobuf."""
    from google.protobuf.text_encoding import CEscape

    return f'"{CEscape(text.encode("utf-8", "surrogateescape"), False)}"'
