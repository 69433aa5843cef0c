"""Which of the files that a net or a solver names exist here. A result is kept only as long as all that is still so."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from hashlib import sha256
from typing import TYPE_CHECKING

from caffelint.lint.ignored import Checkout, checkout_of
from caffelint.lint.project.border import top_of
from caffelint.lint.project.listed import BY_CLASS as BY_CLASS
from caffelint.lint.project.listed import MIXED as MIXED
from caffelint.lint.project.listed import Labelled as Labelled
from caffelint.lint.project.listed import labels_in, lines_in, order_in
from caffelint.lint.project.memory import remembered
from caffelint.lint.project.similar import near_in
from caffelint.lint.reach import is_below, reach_of, real_path, shows_system
from caffelint.text.patterns import compiled_later
from caffelint.text.records import NamedTuple

if TYPE_CHECKING:
    from caffelint.caffe.net import Layer, Net

_TEMPLATE = compiled_later(
    r"[$<>{}%]|@\w+@|\.\.\.|(?i:path/to|edit.?me|your|\bto.?do\b)|\b[A-Z]+_?(?:ROOT|DIR|PATH|HOME)\b"
)
_TRACKED = "git:"
_IGNORED = "ignored:"
_ORDERED = "ordered:"
_LABELLED = "labels:"
_LINES = "lines:"
_NEAR, _BY_WORDS = "near:", "*"
"""Before a path of `looked` of which git was asked whether it keeps or ignores it, or, after an order, of which it was
asked whether it is a list in this order, or, after a digest, of these labels or lines, or, after a name, whether that
is the one near it; no absolute path begins so.
"""
_MOST_FOLDERS = 32
_MOST_SOURCES = 100
"""Of a net: each is looked for in several folders."""
_looked: dict[str, bool] = {}


class ListedLabels(NamedTuple):
    """The labels that a source has by a list in the project. name: of the list, as people read it. said: where a script
    makes the source of it; empty where the source is the list.
    """

    name: str
    labels: tuple[Labelled, ...]
    said: str = ""


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
    if found and shows_system(real_path(path)):
        return False
    _looked[path] = found = found and os.path.exists(path)
    return found


def forget() -> None:
    _looked.clear()


def looked() -> Mapping[str, bool]:
    """Each absolute path that was looked for since `forget`, and whether it was there."""
    return dict(_looked)


def still(seen: Mapping[str, bool]) -> bool:
    return all(_answer(path) == found for path, found in seen.items())


def _answer(path: str) -> bool:
    if path.startswith(_TRACKED):
        return _in_an_index(path.removeprefix(_TRACKED))
    if path.startswith(_IGNORED):
        return _ignored(path.removeprefix(_IGNORED))
    if path.startswith(_ORDERED):
        order, _, path = path.removeprefix(_ORDERED).partition(":")
        return order_in(path) == order
    if path.startswith(_LABELLED):
        told, _, path = path.removeprefix(_LABELLED).partition(":")
        return told == _digest(labels_in(path))
    if path.startswith(_LINES):
        told, _, path = path.removeprefix(_LINES).partition(":")
        return told == _digest_of_lines(path)
    if path.startswith(_NEAR):
        name, slash, path = path.removeprefix(_NEAR).partition("/")
        return name.removeprefix(_BY_WORDS) == near_in(slash + path, by_words=name.startswith(_BY_WORDS))
    return os.path.exists(path)


def is_tracked(path: str) -> bool:
    """Does git keep a file, or files in a folder? Then each clone has them, whether or not Caffe runs there."""
    path = os.path.abspath(path)
    _looked[_TRACKED + path] = found = _in_an_index(path)
    return found


def is_ignored(path: str) -> bool:
    """Does git ignore a file or folder of that name, there or not? Then clones begin without it."""
    path = os.path.abspath(path)
    _looked[_IGNORED + path] = found = _ignored(path)
    return found


def _ignored(path: str) -> bool:
    checkout = checkout_of(os.path.dirname(path))
    if checkout is None:
        return False
    real = os.path.join(os.path.realpath(os.path.dirname(path)), os.path.basename(path))
    parts = os.path.relpath(real, checkout.top).split(os.sep)
    return checkout.ignores_folder(parts) or checkout.ignores(parts, False)


def _in_an_index(path: str) -> bool:
    checkout = checkout_of(os.path.dirname(path))
    if checkout is None:
        return False
    # A parent may be a link: what git tracks is behind it.
    real = os.path.join(os.path.realpath(os.path.dirname(path)), os.path.basename(path))
    try:
        modified = os.stat(checkout.index).st_mtime_ns
    except OSError:
        return False
    return os.path.relpath(real, checkout.top).replace(os.sep, "/") in _tracked(checkout.top, modified)


@lru_cache(maxsize=2)
def _tracked(top: str, modified: int) -> frozenset[str]:
    """The files and folders that the index of a checkout holds, by their paths from its top with slashes."""
    names = {entry.name for entry in Checkout(top).tracked()}
    return frozenset(names.union(name[:at] for name in names for at, char in enumerate(name) if char == "/"))


def order_of_list(path: str, file: str) -> str:
    """In what order a list of images and labels is that a file names: see `order_in`; empty if it may not be read."""
    path = os.path.abspath(path)
    if not exists(path) or not reach_of(os.path.dirname(os.path.abspath(file))).holds(path):
        return ""
    order = order_in(path)
    _looked[f"{_ORDERED}{order}:{path}"] = True
    return order


def labels_of(source: str, net: Net) -> ListedLabels | None:
    """The labels of what a data layer of a net names, by the list that it is or that a script makes it of."""
    if not source or "\0" in source or is_template(source):
        return None
    folder = os.path.dirname(os.path.abspath(net.path))
    made = next((one for one in net.runs.made if one.is_of(source, folder)), None) if net.runs else None
    if made:
        labels = _listed(made.list, net.path)
        return (
            ListedLabels(os.path.relpath(made.list, folder).replace(os.sep, "/"), labels, str(made.place))
            if labels
            else None
        )
    labels = next(filter(None, (_listed(path, net.path) for path in _found(source, net))), ())
    return ListedLabels(source, labels) if labels else None


def lines_of(source: str, net: Net) -> Collection[str]:
    """What a list in the project names that a data layer of a net reads, each line once: see `lines_in`."""
    if not source or "\0" in source or is_template(source):
        return ()
    path = next((one for one in _found(source, net) if _may_read(one, net.path)), "")
    if not path:
        return ()
    _looked[f"{_LINES}{_digest_of_lines(path)}:{path}"] = True
    return lines_in(path)


def _found(source: str, net: Net) -> Iterator[str]:
    """The files that a relative source may be."""
    folders = () if os.path.isabs(source) else found_from(source, [*dict.fromkeys(starts(net.path))])
    return (os.path.abspath(os.path.join(folder, source)) for folder in folders)


def _listed(path: str, file: str) -> tuple[Labelled, ...]:
    path = os.path.abspath(path)
    if not _may_read(path, file):
        return ()
    labels = labels_in(path)
    _looked[f"{_LABELLED}{_digest(labels)}:{path}"] = True
    return labels


def _may_read(path: str, file: str) -> bool:
    """Is it a file that one may lead to?"""
    return exists(path) and os.path.isfile(path) and reach_of(os.path.dirname(os.path.abspath(file))).holds(path)


@remembered(100)
def _digest_of_lines(path: str) -> str:
    return _digest(tuple(lines_in(path)))


def _digest(told: tuple[Labelled, ...] | tuple[str, ...]) -> str:
    return sha256(repr(told).encode()).hexdigest()


def is_template(path: str) -> bool:
    """Is it to be replaced before Caffe reads it, like `/path/to/train_lmdb` and `CAFFE_ROOT/data`?"""
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


def near(path: str, file: str, folders: Sequence[str], *, by_words: bool) -> str:
    """What a relative path in a file may have meant: the one file of nearly its name, where it leads to a folder."""
    if os.path.isabs(path) or not os.path.splitext(path)[1] or "\0" in path:
        return ""
    home = os.path.dirname(os.path.abspath(file))
    reach, top = reach_of(home), top_of(home)
    for folder in folders:
        whole = os.path.abspath(os.path.join(folder, path))
        inside = os.path.dirname(whole)
        is_ours = top is not None and is_below(os.path.realpath(inside), os.path.realpath(top))
        if exists(inside) and (is_ours or reach.holds(inside)):
            name = near_in(whole, by_words=by_words)
            _looked[f"{_NEAR}{_BY_WORDS * by_words}{name}{whole}"] = True
            if name:
                return os.path.join(os.path.dirname(path), name)
    return ""


def data_of_this_machine(sources: Iterable[DataSource]) -> DataSource | None:
    """A source that is on this machine without being part of the repository, so that Caffe seems to run here."""
    return next(
        (one for one in sources if one.folders and not _came_along(os.path.join(one.folders[0], one.path))), None
    )


def _came_along(path: str) -> bool:
    """Whether a file is of the repository; in a downloaded one without git, nothing tells which are not."""
    folder = os.path.dirname(os.path.abspath(path))
    return is_tracked(path) or (checkout_of(folder) is None and top_of(folder) is not None)


def data_sources(net: Net, roots: Sequence[str] = ()) -> Sequence[DataSource]:
    """The sources that the net's data layers name, except templates; looked for once for all solvers of the net."""
    kept = net.once(_sources_kept)
    if tuple(roots) not in kept:
        folders = [*dict.fromkeys(starts(net.path, roots))]
        data = net.layers_that(lambda kind: kind.is_data)
        named = [layer for layer in data if not is_template(layer.kind.data_source)]
        kept[tuple(roots)] = [
            DataSource(layer, layer.kind.data_source, found_from(layer.kind.data_source, folders))
            for layer in named[:_MOST_SOURCES]
        ]
    return kept[tuple(roots)]


def _sources_kept(_: Net) -> dict[tuple[str, ...], Sequence[DataSource]]:
    return {}
