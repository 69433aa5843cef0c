"""Reads the first record of a data source in a separate process, since a damaged file can crash the one that maps it.

`ask` starts that process, which runs `main`, below. Needs the extra `caffelint[data]`. Nothing is written: an LMDB is
opened read-only and without a lock; of a LevelDB, whose files are rewritten when it is opened, a stand-in is opened.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from io import BytesIO
from typing import IO, TYPE_CHECKING, Any

from caffelint.caffe.hdf5_links import elsewhere
from caffelint.search_path import search_path
from caffelint.text.patterns import compiled_later
from caffelint.text.records import NamedTuple

if TYPE_CHECKING:
    from PIL.Image import Image

SECONDS = 60
LARGEST_IMAGE = 1 << 26
"""Pixels. To find out how a PNG is turned, Pillow decodes all of it, and few bytes may give many pixels."""
IMAGE_FORMATS = ("BMP", "DIB", "GIF", "JPEG", "JPEG2000", "PNG", "PPM", "SUN", "TIFF", "WEBP")
"""What OpenCV decodes, too. Of others Pillow may run a program, as ghostscript for EPS."""
_START = "import sys; sys.path[:] = {}; from caffelint.lint.data_source import main; main()"
_ORIENTATION = 0x0112
_MANIFEST = compiled_later(rb"MANIFEST-[0-9]+\n")
"""What LevelDB writes into CURRENT. It opens whatever path it finds there."""
_LONGEST_CURRENT = 1 << 10
_MOST_COPIED = 1 << 30
"""Of the logs of a LevelDB; those that Caffe's tools write have 256 MiB at most."""
_TABLES = (".mdb", ".ldb", ".sst")


class Unreadable(Exception):
    """Why a source gives no shape, in one line."""


class Absent(Unreadable):
    """A source is not there, or not where it may lie, or the library that reads it is not installed."""


class Answer(NamedTuple):
    """The shapes that a reader finds in a file, and how many records the file holds; 0 if that is not known."""

    shapes: list[list[int]]
    records: int = 0


def ask(kind: str, path: str, keep: bool = False, **options: Any) -> Answer:
    """What `READERS[kind]` finds in a file. Raises Unreadable.

    keep: the answer for later runs, as long as the file is the same?
    """
    question = json.dumps({"kind": kind, "path": path, "options": options})
    state = state_of(path)
    answer = json.loads(_kept(question, path, state) if keep else _answer(question, path, state))
    if "error" in answer:
        raise (Absent if "missing" in answer else Unreadable)(answer["error"])
    return Answer(**answer)


def state_of(path: str) -> tuple[tuple[str, int, int], ...]:
    """What shows whether a file, or the database in a folder, is still the same."""
    found = []
    for name in (path, os.path.join(path, "data.mdb"), os.path.join(path, "CURRENT")):
        try:
            state = os.stat(name)
        except OSError:
            continue
        found.append((os.path.abspath(name), state.st_mtime_ns, state.st_size))
    return tuple(found)


def _kept(question: str, path: str, state: tuple[tuple[str, int, int], ...]) -> str:
    from caffelint.lint import cache

    name = cache.key(b"source", [(question, repr(state).encode(errors="surrogateescape"))])
    kept = cache.load_value(name)
    if isinstance(kept, str):
        return kept
    answer = _answer(question, path, state)
    if "error" not in json.loads(answer):
        cache.store_value(name, answer)
    return answer


@lru_cache(maxsize=256)
def _answer(question: str, path: str, state: tuple[tuple[str, int, int], ...]) -> str:
    """The child's answer. state: of the file, which is not read again while that is the same."""
    # In a notebook the working directory, which may hold a lmdb.py, is on the path of this process.
    command = [sys.executable, "-c", _START.format(repr(search_path()))]
    try:
        done = subprocess.run(command, input=question.encode(), capture_output=True, timeout=SECONDS, check=False)
    except subprocess.TimeoutExpired:
        raise Unreadable(f'"{path}" gave no record within {SECONDS} s') from None
    try:
        json.loads(done.stdout)
    except ValueError:
        raise Unreadable(f'"{path}" is damaged: reading it crashed with exit status {done.returncode}') from None
    return done.stdout.decode()


def main() -> None:
    """Answer the question on stdin, in the child."""
    question = json.load(sys.stdin)
    path = question["path"]
    answer: dict[str, Any]
    try:
        answer = READERS[question["kind"]](path, **question["options"])._asdict()
    except Unreadable as reason:
        answer = {"error": f'"{path}" {reason}'}
    except ImportError as missing:
        answer = {"error": f"reading \"{path}\" needs {missing.name}; pip install 'caffelint[data]'", "missing": 1}
    except Exception as error:
        # These libraries raise many kinds of exception; all of them mean that the file is not what it should be.
        why = " ".join(str(error).split()) or type(error).__name__
        answer = {"error": f'"{path}" cannot be read: {why[:1].lower()}{why[1:300]}'}
    json.dump(answer, sys.stdout)


def _lmdb(path: str, color: bool | None) -> Answer:
    import lmdb

    if not os.path.isfile(os.path.join(path, "data.mdb")):
        raise Unreadable("is not an LMDB: it has no data.mdb")
    check_files(path)
    with (
        lmdb.open(path, readonly=True, lock=False, create=False, readahead=False) as database,
        database.begin() as transaction,
        transaction.cursor() as cursor,
    ):
        if not cursor.first():
            raise Unreadable("is empty")
        return Answer([datum_shape(cursor.value(), color)], database.stat()["entries"])


def _leveldb(path: str, color: bool | None) -> Answer:
    import plyvel

    from caffelint.text.writing import temporary_folder

    check_leveldb(path)
    with temporary_folder() as folder:
        stand_in(path, folder)
        database = plyvel.DB(folder, create_if_missing=False)
        try:
            with database.iterator(include_key=False) as values:
                record = next(values, None)
        finally:
            database.close()
    if record is None:
        raise Unreadable("is empty")
    return Answer([datum_shape(record, color)])


def check_files(path: str) -> None:
    """Raise Unreadable where a file of a database is a pipe or a device or leads into /proc: some never end."""
    from caffelint.lint.reach import is_special

    for entry in os.scandir(path):
        if entry.is_symlink() and is_special(entry.path):
            raise Unreadable(f"is damaged: its file {entry.name} leads to a device or to what shows the running system")
        if not entry.is_file() and not entry.is_dir() and os.path.exists(entry.path):
            raise Unreadable(f"is damaged: its file {entry.name} is a pipe or a device")


def check_leveldb(path: str) -> None:
    """Raise Unreadable where LevelDB would create a database, or follow a name to somewhere else."""
    check_files(path)
    if os.path.isfile(os.path.join(path, "data.mdb")):
        raise Unreadable("is an LMDB, but the layer reads a LevelDB; set backend: LMDB")
    try:
        with open(os.path.join(path, "CURRENT"), "rb") as current:
            manifest = current.read(_LONGEST_CURRENT)
    except FileNotFoundError:
        raise Unreadable("is not a LevelDB: it has no file CURRENT") from None
    if not _MANIFEST.fullmatch(manifest):
        raise Unreadable("is damaged: its file CURRENT names no manifest")
    if not os.path.isfile(os.path.join(path, name := os.fsdecode(manifest.strip()))):
        raise Unreadable(f"is damaged: its file {name} is missing")


def stand_in(database: str, folder: str) -> None:
    """Fill a folder that stands for a database: opening it writes there, and leaves the database as it is.

    Its tables are links, which nothing writes through; the rest, which LevelDB changes, is small and copied, but no
    more than `_MOST_COPIED` of it. Raises OSError where there are no links.
    """
    left = _MOST_COPIED
    for entry in sorted(os.scandir(database), key=lambda entry: entry.name, reverse=True):  # MANIFEST, CURRENT, logs
        target = os.path.join(folder, entry.name)
        if not entry.is_file() or entry.name == "lock.mdb" or os.path.exists(target):
            continue
        if entry.name.endswith(_TABLES):
            os.symlink(os.path.abspath(entry.path), target)
        elif entry.name == "CURRENT" or entry.name.startswith("MANIFEST-") or entry.name.endswith(".log"):
            with open(entry.path, "rb") as found, open(target, "wb") as copy:
                while left > 0 and (piece := found.read(min(left, 1 << 20))):
                    left -= copy.write(piece)


def datum_shape(record: bytes, color: bool | None) -> list[int]:
    """Channels, height and width of a serialized Datum; `color` as in `image_shape`."""
    from google.protobuf.message import DecodeError

    from caffelint.schema.messages import Datum

    try:
        datum = Datum.FromString(record)
    except DecodeError:
        raise Unreadable("has a record that is not a Datum") from None
    if datum.encoded:
        return image_shape(BytesIO(datum.data), color)
    return [datum.channels, datum.height, datum.width]


def image_shape(file: IO[bytes] | str, color: bool | None) -> list[int]:
    """Channels, height and width of an image as OpenCV decodes it: in colour, in grey, or (None) as it is.

    Colour and grey turn a photo upright, as OpenCV does from 3.1 on; the rest comes from the header alone.
    """
    from PIL import Image

    # Only the size is read: an image that Pillow takes for a decompression bomb is never decompressed.
    Image.MAX_IMAGE_PIXELS = None
    with Image.open(file, formats=IMAGE_FORMATS) as image:
        width, height = image.size
        if color is None:
            return [_channels(image), height, width]
        if width * height > LARGEST_IMAGE:
            raise Unreadable(f"is an image of {width}x{height} pixels, too many to read; give --input-shape")
        if image.getexif().get(_ORIENTATION, 1) >= 5:
            width, height = height, width
    return [3 if color else 1, height, width]


def _channels(image: Image) -> int:
    if image.mode in ("1", "L", "I", "F") or image.mode.startswith("I;"):
        return 1
    return 4 if "A" in image.mode or "transparency" in image.info else 3


def _image(path: str, color: bool) -> Answer:
    return Answer([image_shape(path, color)])


def _hdf5(path: str, names: Sequence[str]) -> Answer:
    os.environ["HDF5_USE_FILE_LOCKING"] = "FALSE"
    import h5py

    with h5py.File(path, "r") as file:
        shapes = []
        for name in names:
            if reason := elsewhere(file, name):
                raise Unreadable(reason)
            found = file.get(name)
            if not isinstance(found, h5py.Dataset):
                there = ", ".join(list(file)[:10])
                has = f"its datasets are {there}" if there else "it has none"
                raise Unreadable(f'has no dataset "{name}", the name of the top; {has}')
            if not found.shape:
                raise Unreadable(f'has a dataset "{name}" without axes')
            shapes.append(list(found.shape))
    return Answer(shapes, shapes[0][0] if shapes else 0)


READERS: Mapping[str, Callable[..., Answer]] = {
    "lmdb": _lmdb,
    "leveldb": _leveldb,
    "image": _image,
    "hdf5": _hdf5,
}
