"""Where scripts say something, and what of the solvers and nets that they run."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from hashlib import sha256

from caffelint.text.records import NamedTuple

Beside = Callable[[str], str | None]
"""The text of the Python module of a name that is beside a script; None where there is none, or another elsewhere."""


class Mention(NamedTuple):
    """Where a script says something: its path, and the line, 1-based."""

    path: str
    line: int

    def __str__(self) -> str:
        return f"{self.path}:{self.line}"


class Astray(NamedTuple):
    """A net that is not where Caffe looks for it: the field of the solver and the name in it, the path by which it
    would be found, the one by which a script runs the solver, and where that does.
    """

    field: str
    position: int
    name: str
    path: str
    solver: str
    place: Mention


class Launched(NamedTuple):
    """That a script runs a solver: the directory in which it does, the path that it gives, and the place."""

    home: str
    path: str
    place: Mention


class Lost(NamedTuple):
    """An option of `caffe train` that a shell takes for a command of its own: its name, why, and where it stands."""

    option: str
    why: str
    place: Mention


class Stopped(NamedTuple):
    """Where a Python script stops, and the name that nothing in it binds, with the one that may have been meant.

    Without a name, Python does not read the script: `says` is why; with both, a call of that name fails: `says` is how.
    is_absent: the name is of a module that does not have it; `says` by which statement it is taken.
    """

    place: Mention
    name: str = ""
    near: str = ""
    says: str = ""
    is_absent: bool = False


class Resumed(NamedTuple):
    """That a script goes on with a training from the snapshot of an iteration: its path, and the place."""

    state: str
    iteration: int
    place: Mention


class Late(NamedTuple):
    """That a script fills a blob, at a line, 1-based, after the step that reads it, at another, and before which it has
    filled `other`.
    """

    line: int
    blob: str
    other: str
    step: int


class Stepped(NamedTuple):
    """That a script steps a solver: its path, the line of the last step, 1-based, and how many iterations that is."""

    solver: str
    line: int
    iterations: int


class Sharing(NamedTuple):
    """Another solver that saves its weights in a file of the same name, the net that it trains, and the iteration."""

    solver: str
    net: str
    iteration: int


class Base(NamedTuple):
    """The snapshot that a training starts from: its name, where a script gives it, and the net of the project that it
    is of, with the names of the layers of this.
    """

    weights: str
    place: Mention
    net: str
    layers: tuple[str, ...]


class Database(NamedTuple):
    """That a script opens or makes a database: its kind, LMDB or LEVELDB, its path, the place, and is it new then?"""

    kind: str
    path: str
    place: Mention
    is_new: bool


ZERO, IN_PLACE, WRAPS, MIXED = "zero", "in place", "wraps", "mixed"
"""What spoils pixels: a division of whole numbers; fractions that are written into whole numbers; whole numbers below 0
or above 255; a reshape where axes are to change places.
"""


class Spoilt(NamedTuple):
    """What makes other values of pixels than was meant, at a line, 1-based.

    kind: one of the above; text: the expression or statement, or empty where it is long.
    """

    line: int
    kind: str
    text: str


class Fed(NamedTuple):
    """What a script does to the images that it gives a net.

    line: where it sets up what transforms them, 1-based; by: Transformer or Classifier, or blobs where it puts them
    there itself; opened: the value that a pixel of 1 has as it is opened; raw_scale and input_scale: None where the
    script sets none; has_mean: does it subtract one, None where that is not clear? is_rgb: does it give red, green and
    blue in this order, as it opens them? blob: the one that they are put into; empty where that is not told. spoilt:
    what of them is not as was meant.
    """

    line: int
    by: str
    opened: float
    raw_scale: float | None
    input_scale: float | None
    has_mean: bool | None
    is_rgb: bool = False
    blob: str = ""
    spoilt: tuple[Spoilt, ...] = ()

    @property
    def factor(self) -> float:
        """By what a pixel from 0 to 255 is multiplied: io.py, Transformer.preprocess."""
        raw, scale = (1.0 if one is None else one for one in (self.raw_scale, self.input_scale))
        return self.opened * raw * scale


class Asked(NamedTuple):
    """What a script asks of a net that it builds.

    path: of the net's file, as far as the script writes it; line: where it asks, 1-based; kind: "blob", "layer" or
    "output"; name: that of the blob or layer.
    """

    path: str
    line: int
    kind: str
    name: str


class Made(NamedTuple):
    """That a script makes a data base of a list of images: its path as far as the script writes it, the path of the
    list, what the names in the list are below, the folder of the script, and where it does.

    root: as the script has it; None where that is not always the same.
    """

    base: str
    list: str
    root: str | None
    folder: str
    place: Mention

    def is_of(self, source: str, folder: str) -> bool:
        """May a net in a folder mean it? The ends of both paths agree, and by a name alone the folders do as well."""
        mine, theirs = self.base.split("/"), source.strip("/").split("/")
        known = min(len(mine), len(theirs))
        if mine[-known:] != theirs[-known:]:
            return False
        return known > 1 or f"{folder}/".startswith(f"{self.folder}/") or f"{self.folder}/".startswith(f"{folder}/")


class Supplied(NamedTuple):
    """What a script gives a net that it builds.

    path: of the net's file, as far as the script writes it; line: where, 1-based; by: Classifier or Detector, forward
    or forward_all, or blobs where it fills one and then runs the net from its start; names: those of the blobs that it
    names, none for Classifier and Detector; phase: that of the net; empty where that is not told.
    """

    path: str
    line: int
    by: str
    names: tuple[str, ...]
    phase: str


class Channels(NamedTuple):
    """That a script takes the images of a net that it builds to have so many channels.

    path: of the net's file, as far as the script writes it; line: where, 1-based; by: channel_swap, which puts them in
    another order, or load_image; blob: the one whose they are; empty for the first input.
    """

    path: str
    line: int
    by: str
    number: int
    blob: str


class Judged(NamedTuple):
    """That a script runs the training net of a solver forward, at a line, 1-based, and which blobs it reads then.

    solver: the path of the file of the solver, as far as the script gives it.
    """

    line: int
    names: tuple[str, ...]
    solver: str


class Uncleared(NamedTuple):
    """That a script updates the weights of a net by hand from gradients that it never clears: the path of the net's
    file, as far as the script writes it, and the line where it runs the net backward, 1-based.
    """

    path: str
    line: int


class Tested(NamedTuple):
    """That a script runs a net while it trains by a solver, and never gives it the trained weights: the path of the
    net's file, as far as the script writes it, and the line where it builds the net, 1-based.
    """

    path: str
    line: int


class NetRuns(NamedTuple):
    """What scripts tell of a net: what builds it without a solver, and what gives a training of the project weights.

    `backward`: what names it and runs a net backward; `computes`: the types of layers whose activation scripts that
    name it compute themselves; `fed`: how they make images for it, `asked`: what of it they name, `supplied`: what they
    give it, and where; `judged`: what scripts of the project read of the training nets of solvers that are known;
    `made`: of which lists those make data bases that make one that it may read; `datasets`: all that they write into
    HDF5 files; `misnamed`: by which paths that lead to no file they open it; `stopped`: where those stop that are told
    of at it; `channels`: how many they take its images to have; `spoilt`: what they make wrong of these on the way to a
    net; `uncleared`: where they run it backward whose weights they update, but never clear its gradients; `untrained`:
    where they build it to test by it while they train, but never give it the trained weights.
    """

    uses: Mention | None = None
    trains_on: Mention | None = None
    backward: Mention | None = None
    computes: tuple[str, ...] = ()
    fed: tuple[tuple[Mention, Fed], ...] = ()
    asked: tuple[tuple[Mention, Asked], ...] = ()
    supplied: tuple[tuple[Mention, Supplied], ...] = ()
    judged: tuple[tuple[Mention, Judged], ...] = ()
    made: tuple[Made, ...] = ()
    datasets: tuple[tuple[str, Mention], ...] = ()
    misnamed: tuple[tuple[str, Mention], ...] = ()
    stopped: tuple[Stopped, ...] = ()
    channels: tuple[tuple[Mention, Channels], ...] = ()
    spoilt: tuple[tuple[Mention, Spoilt], ...] = ()
    uncleared: tuple[Mention, ...] = ()
    untrained: tuple[Mention, ...] = ()


class Words(frozenset[str]):
    """Many words, which are written short where it is to be told whether they are the same as others."""

    def __repr__(self) -> str:
        return self._written

    @cached_property
    def _written(self) -> str:
        return sha256("\n".join(sorted(self)).encode("utf-8", "surrogatepass")).hexdigest()
