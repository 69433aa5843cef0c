"""Shapes of the blobs that data layers make, from the first record of their sources; only if a user asks for it."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from caffelint.caffe.refusal import Refusal
from caffelint.caffe.shapes import Shape, as_int, new_blob, text
from caffelint.lint.data_source import Absent, Unreadable, ask
from caffelint.lint.reach import OUTSIDE, Reach, is_special
from caffelint.text.records import NamedTuple

if TYPE_CHECKING:
    from caffelint.caffe.built_net import BuiltNet
    from caffelint.caffe.layers import BuiltLayer

LMDB = 1
LONGEST_RECORD = 1 << 16
LONGEST_NAME = 200
_LONGEST_LIST = 1 << 26
_MOST_FILES = 8
"""Of a list, whose records are counted; each is opened."""


class SourceShapes(NamedTuple):
    """Shapes by top, for the `input_shapes` of a build, and a line for each source that gave none.

    records: how many each source holds, by layer, where that is known at once. damaged: the notes on sources that
    are there and cannot be read.
    """

    shapes: dict[str, Shape]
    notes: list[str]
    records: dict[str, int]
    damaged: list[str]


class Places(NamedTuple):
    """Where sources are looked for, and where they may lie: anywhere without `reach`. keep: what was read?"""

    folders: Sequence[str]
    reach: Reach | None
    keep: bool = False


_Found = tuple[list[Shape], int]
"""The shapes of the tops, and how many records there are; 0 if that is not known."""


def source_shapes(
    net: BuiltNet, path: str, roots: Sequence[str] = (), *, confined: bool = False, keep: bool = False
) -> SourceShapes:
    """What the sources of a net say about the shapes that its build left unknown.

    net: as built without them, in the phase in question. path: that of the net's file. Sources are looked for in the
    working directory, as in Caffe, then beside the net, then in `roots`. confined: only what the net may lead to is
    opened (caffelint.lint.reach). keep: what was read, for later runs. Nothing is raised: a source that cannot be read
    (reading needs the extra `caffelint[data]`) leaves its shape unknown and gives a note.
    """
    places = places_of(path, roots, confined=confined)._replace(keep=keep)
    shapes: dict[str, Shape] = {}
    notes = []
    damaged = []
    records: dict[str, int] = {}
    for layer in net.layers:
        read = _READERS.get(layer.type)
        if read is None or all(blob.shape is not None for blob in layer.tops):
            continue
        try:
            found, count = read(layer, places)
        except (Unreadable, Refusal) as reason:
            notes.append(f'the shape of "{layer.tops[0].name}" stays unknown: {reason}')
            damaged += [] if isinstance(reason, Absent) else notes[-1:]
            continue
        shapes.update({blob.name: shape for blob, shape in zip(layer.tops, found, strict=False)})
        if count:
            records[layer.name] = count
    return SourceShapes(shapes, notes, records, damaged)


def reads(layer_type: str) -> bool:
    """Can `source_shapes` look into the sources of layers of this type?"""
    return layer_type in _READERS


def places_of(path: str, roots: Sequence[str], *, confined: bool) -> Places:
    """Where the net of that path finds its sources. confined: they may lie only where it may lead to."""
    folder = os.path.dirname(path)
    return Places(("", folder, *roots), Reach(folder, roots) if confined else None)


def find_source(
    name: str,
    places: Places,
    there: Callable[[str], bool] = os.path.isfile,
    named_in: str | None = None,
) -> str:
    """The path of a source. `named_in`: the file that names it; it may be any file, so its text is not quoted."""
    if not name:
        raise Absent("the layer names no source")
    outside = False
    if "\0" not in name:
        for folder in places.folders:
            path = os.path.join(folder, name)
            if there(path) and not is_special(path):
                if places.reach is None or all(map(places.reach.holds, _opened(path))):
                    return path
                outside = True
    shown = name if len(name) <= LONGEST_NAME else f"{name[:LONGEST_NAME]}..."
    if outside:
        raise Absent(f'"{shown}" {OUTSIDE}' if named_in is None else f'"{named_in}" names a file that {OUTSIDE}')
    raise Absent(f'"{shown}" does not exist' if named_in is None else f'"{named_in}" names a missing file')


def is_there(name: str, places: Places) -> bool:
    """Whether there is something of that name, even what is no source, or may not be one."""
    return any(os.path.exists(os.path.join(folder, name)) for folder in places.folders if "\0" not in name)


def _opened(path: str) -> list[str]:
    """The files that reading a source opens; a database is a folder of them, each of which may be a link."""
    try:
        return [os.path.join(path, name) for name in os.listdir(path)]
    except OSError:
        return [path]


def transformed(layer: BuiltLayer, image: Sequence[int], batch_size: int) -> Shape:
    """The batch of images that `transform_param` leaves (InferBlobShape of data_transformer.cpp)."""
    channels, height, width = image
    if min(image) <= 0:
        raise Unreadable(f"the first record is {text(image)}, which has no pixel")
    crop = as_int(layer.message.transform_param.crop_size)
    if crop > min(height, width):
        raise Unreadable(f"crop_size {crop} is larger than the first image ({height}x{width}), which Caffe refuses")
    return new_blob((batch_size, channels, crop or height, crop or width), "the top")


def _database(layer: BuiltLayer, places: Places) -> _Found:
    transform = layer.message.transform_param
    if transform.force_color and transform.force_gray:
        raise Unreadable("force_color and force_gray are both set, which Caffe refuses")
    color = True if transform.force_color else False if transform.force_gray else None
    p = layer.parameters
    kind = "lmdb" if p.backend == LMDB else "leveldb"
    (image,), records = ask(kind, find_source(p.source, places, os.path.isdir), places.keep, color=color)
    return [transformed(layer, image, as_int(p.batch_size))], records


def _image_list(layer: BuiltLayer, places: Places) -> _Found:
    p = layer.parameters
    source = find_source(p.source, places)
    line = _first_line(source)
    # The label follows the last blank; a line without a blank is all name (image_data_layer.cpp).
    name = line.rpartition(" ")[0] or line
    (image,), _ = ask(
        "image", find_source(p.root_folder + name, places, named_in=source), places.keep, color=p.is_color
    )
    return [transformed(layer, image, as_int(p.batch_size))], _lines(source)


def _windows(layer: BuiltLayer, places: Places) -> _Found:
    p = layer.parameters
    source = find_source(p.source, places)
    words = _start(source).split()
    if len(words) < 4 or words[0] != "#" or not words[3].isdecimal() or len(words[3]) > 9:
        raise Unreadable(f'"{source}" is not a window file, which starts with # INDEX PATH CHANNELS HEIGHT WIDTH')
    crop = as_int(layer.message.transform_param.crop_size)
    return [new_blob((as_int(p.batch_size), int(words[3]), crop, crop), "the top")], 0


def _hdf5_list(layer: BuiltLayer, places: Places) -> _Found:
    p = layer.parameters
    source = find_source(p.source, places)
    words = _first_line(source).split()
    if not words:
        raise Unreadable(f'"{source}" names no HDF5 file in its first line')
    path, names = find_source(words[0], places, named_in=source), [blob.name for blob in layer.tops]
    shapes, rows = ask("hdf5", path, places.keep, names=names)
    made = [new_blob((as_int(p.batch_size), *shape[1:]), f"top {index}") for index, shape in enumerate(shapes)]
    others = _rows_of_others(source, names, places)
    return made, 0 if others is None else rows + others


def _rows_of_others(source: str, names: list[str], places: Places) -> int | None:
    """The rows in all files of a list but the first; None where they are many, or one cannot be read."""
    if not 0 < _lines(source) <= _MOST_FILES:
        return None
    others = _start(source).split()[1:]
    try:
        return sum(
            ask("hdf5", find_source(name, places, named_in=source), places.keep, names=names)[1] for name in others
        )
    except Unreadable:
        return None


def _lines(path: str) -> int:
    """How many lines of a list hold something; 0 for one that is too long to count at once."""
    try:
        if os.path.getsize(path) > _LONGEST_LIST:
            return 0
        with open(path, "rb") as file:
            return sum(not line.isspace() for line in file)
    except OSError:
        return 0


def _first_line(path: str) -> str:
    return _start(path).partition("\n")[0]


def _start(path: str) -> str:
    """As much of a text file as a first record can take."""
    try:
        with open(path, "rb") as file:
            start = file.read(LONGEST_RECORD)
    except OSError as error:
        raise Unreadable(f'"{path}" cannot be read: {(error.strerror or str(error)).lower()}') from None
    if not start:
        raise Unreadable(f'"{path}" is empty')
    return os.fsdecode(start)


_READERS: Mapping[str, Callable[[Any, Places], _Found]] = {
    "Data": _database,
    "ImageData": _image_list,
    "WindowData": _windows,
    "HDF5Data": _hdf5_list,
}
