"""What the nets of a project read: of each data layer, in each state that a net is built in, the source."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from caffelint.caffe.built_net import BuiltNet
from caffelint.caffe.layers import BuiltLayer
from caffelint.caffe.layers.data import LMDB
from caffelint.caffe.layers.expected import Expected
from caffelint.caffe.net import Layer, Net
from caffelint.caffe.net_parts import Blob
from caffelint.evidence.data.scan import Source
from caffelint.evidence.data.values import IMAGE, LABEL
from caffelint.lint.data_source import Unreadable
from caffelint.lint.file import File
from caffelint.lint.source_shapes import Places, find_source, places_of


class Reader(NamedTuple):
    """A layer that takes something for granted of the values of a top: as its bottom `bottom`."""

    layer: BuiltLayer
    bottom: int
    expected: Expected


class Feed(NamedTuple):
    """A data layer of a net as it is built. source: what it reads, None where there is nothing to read; `why` says why.

    is_read: are layers of its type read at all?
    """

    net: Net
    built: BuiltNet
    layer: Layer
    made: BuiltLayer
    source: Source | None
    why: str = ""
    is_read: bool = True

    @property
    def phases(self) -> tuple[str, ...]:
        return self.built.phases

    def top_of(self, key: str) -> Blob | None:
        """The blob that holds a top of the source: the image, the label, or a dataset of HDF5."""
        return next((top for number, top in enumerate(self.made.tops) if self.key(number) == key), None)

    def key(self, top: int) -> str:
        """What a top of the layer is called in the facts."""
        if self.source is not None and self.source.kind == "hdf5":
            return self.made.top_names[top]
        return (IMAGE, LABEL)[top] if top < 2 else ""

    @property
    def brings_answers(self) -> bool:
        """Does the layer bring nothing but what losses compare with, of data that another layer brings?"""
        pending, seen, compared = list(self.made.tops), set[BuiltLayer](), False
        while pending:
            for layer, _ in pending.pop().consumers:
                if layer.is_loss:
                    compared = True
                elif layer.params is None or layer.params:
                    return False
                pending += layer.tops if layer not in seen else ()
                seen.add(layer)
        return compared

    def readers(self, key: str) -> Iterator[Reader]:
        """The layers that take something for granted of a top, also after layers that only move values about.

        None where transform_param makes other values than those that were read.
        """
        blob, param = self.top_of(key), self.made.message.transform_param
        changed = param.scale != 1 or len(param.mean_value) or param.mean_file
        if blob is not None and not (self.made.transforms and blob.top == 0 and changed):
            yield from _readers(blob)


def _readers(blob: Blob) -> Iterator[Reader]:
    """Goes through each layer once, however many ways lead to it."""
    waiting, seen = [*reversed(blob.readers)], {blob}
    while waiting:
        layer, bottom = waiting.pop()
        expected = layer.expects(bottom)
        if expected is not None:
            yield Reader(layer, bottom, expected)
        elif layer.rearranges:
            tops = [top for top in layer.tops if top not in seen and not _is_part(top, layer.bottoms[bottom])]
            seen.update(tops)
            waiting += (one for top in reversed(tops) for one in reversed(top.readers))


def _is_part(top: Blob, whole: Blob) -> bool:
    """Does a top hold some of the values alone, as that of a Slice does? Which ones is not known of what was read."""
    return top.shape is not None and whole.shape is not None and math.prod(top.shape) < math.prod(whole.shape)


Find = Callable[[BuiltLayer, "Places", dict[str, Any]], Source]
"""Gives the source of a layer, to be read with these options. Raises Unreadable."""


def feeds(file: File, roots: Sequence[str] = (), find: Find | None = None, *, confined: bool = False) -> list[Feed]:
    """What the nets of a solver, or a net, read. find: in place of looking on disk. confined: see `places_of`."""
    nets = [use.net for use in file.solver.nets] if file.solver else file.nets
    return feeds_of(nets, roots, find, confined=confined)


def feeds_of(
    nets: Sequence[Net], roots: Sequence[str] = (), find: Find | None = None, *, confined: bool = False
) -> list[Feed]:
    """What these nets read; the rest as in `feeds`."""
    found = []
    for net in dict.fromkeys(nets):
        places = places_of(net.path, roots, confined=confined)
        for built in net.states():
            for made in built.layers:
                if made.index is None or made.bottoms:
                    continue
                if made.is_data is False and made.type != "Python":
                    continue
                if made.is_data and made.known and not made.fork and not made.has_setting("source"):
                    continue  # it makes its data itself, or a program puts it in
                found.append(_feed(net, built, net.layers[made.index], made, places, find))
    return found


def rebuilt(found: Sequence[Feed]) -> list[Feed]:
    """The same in the nets as they are built now."""
    known = {(id(feed.net), feed.made.index): feed for feed in found}
    nets = {id(feed.net): feed.net for feed in found}.values()
    return [
        known[id(net), made.index]._replace(built=built, made=made)
        for net in nets
        for built in net.states()
        for made in built.layers
        if made.index is not None and (id(net), made.index) in known
    ]


def _feed(net: Net, built: BuiltNet, layer: Layer, made: BuiltLayer, places: Places, find: Find | None) -> Feed:
    read = _KINDS.get(made.type)
    if read is None:
        if made.type == "Python":
            return Feed(net, built, layer, made, None, "a Python layer makes its data; it is not run here", False)
        return Feed(net, built, layer, made, None, f"layers of type {made.type} are not read", False)
    bare = Feed(net, built, layer, made, Source("hdf5" if made.type == "HDF5Data" else "", "", ""))
    keys = (bare.key(number) for number in range(len(made.tops)))
    classes = [key for key in keys if any(reader.expected.whole for reader in bare.readers(key))]
    try:
        source = (find or read)(made, places, {"classes": classes})
    except Unreadable as reason:
        return Feed(net, built, layer, made, None, str(reason))
    return Feed(net, built, layer, made, source)


def _is_input(top: Blob) -> bool:
    """Does a layer with weights read it, at once or after others?"""
    pending, seen = [top], set[BuiltLayer]()
    while pending:
        for layer, _ in pending.pop().consumers:
            if layer.params is None or layer.params:
                return True
            pending += layer.tops if layer not in seen else ()
            seen.add(layer)
    return False


def _source(kind: str, path: str, options: Mapping[str, Any]) -> Source:
    return Source(kind, os.path.abspath(path), json.dumps(options, sort_keys=True))


def _database(layer: BuiltLayer, places: Places, options: dict[str, Any]) -> Source:
    transform = layer.message.transform_param
    options["color"] = True if transform.force_color else False if transform.force_gray else None
    if layer.type == "AnnotatedData":
        options["annotated"] = True
    param = layer.parameters
    path = find_source(param.source, places, os.path.exists)
    if not os.path.isdir(path):
        if os.path.basename(path) in ("data.mdb", "lock.mdb"):
            folder = os.path.dirname(param.source)
            raise Unreadable(f'"{param.source}" is a file of a LMDB; set source: "{folder}", the folder that it is in')
        raise Unreadable(f'"{param.source}" is a file, not the folder of a database')
    return _source("lmdb" if param.backend == LMDB else "leveldb", path, options)


def _images(layer: BuiltLayer, places: Places, options: dict[str, Any]) -> Source:
    param = layer.parameters
    path = find_source(param.source, places)
    options |= {"color": bool(param.is_color), "size": [param.new_height, param.new_width], "root": param.root_folder}
    first = _first_word(path, " ")
    options["folder"] = _folder(param.root_folder + first, places)
    return _source("images", path, options)


def _windows(layer: BuiltLayer, places: Places, options: dict[str, Any]) -> Source:
    param = layer.parameters
    path = find_source(param.source, places)
    words = _start(path).split()
    options |= {"color": True, "root": param.root_folder}
    options["folder"] = _folder(param.root_folder + words[2], places) if len(words) > 2 else ""
    return _source("windows", path, options)


def _hdf5(layer: BuiltLayer, places: Places, options: dict[str, Any]) -> Source:
    path = find_source(layer.parameters.source, places)
    inputs = [name for name, top in zip(layer.top_names, layer.tops, strict=False) if _is_input(top)]
    options |= {"tops": list(layer.top_names), "inputs": inputs, "folder": _folder(_first_word(path, ""), places)}
    return _source("hdf5", path, options)


_KINDS: Mapping[str, Find] = {
    "Data": _database,
    "AnnotatedData": _database,
    "ImageData": _images,
    "WindowData": _windows,
    "HDF5Data": _hdf5,
}


def _start(path: str) -> str:
    try:
        with open(path, "rb") as file:
            return os.fsdecode(file.read(1 << 16))
    except OSError as error:
        raise Unreadable(f'"{path}" cannot be read: {(error.strerror or str(error)).lower()}') from None


def _first_word(path: str, blank: str) -> str:
    """The path that the first line of a list names."""
    line = _start(path).partition("\n")[0]
    return line.rpartition(blank)[0] or line if blank else " ".join(line.split()[:1])


def _folder(name: str, places: Places) -> str:
    """The folder that the paths of a list are taken from: Caffe's working directory, if that is known."""
    there = (folder for folder in places.folders if name and "\0" not in name)
    return next((folder for folder in there if os.path.isfile(os.path.join(folder, name))), places.folders[0])
