"""Which files a run looks at, and which solver belongs to which net."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import islice
from typing import TYPE_CHECKING

from caffelint.lint.globs import globs_of
from caffelint.lint.project.border import top_of
from caffelint.lint.project.unsolved import LONGEST, LONGEST_SLIP, named_beside, names_beside, only_net, unsolved_net
from caffelint.lint.reach import OUTSIDE, SUFFIXES, Reach, reach_of
from caffelint.lint.read import ReadError, beginning, read
from caffelint.lint.role import TRAIN, has_test_phase, mentions_a_net, reads_data, role_of
from caffelint.lint.walk import walk
from caffelint.text.near import near
from caffelint.text.patterns import compiled_later
from caffelint.text.records import NamedTuple

if TYPE_CHECKING:
    from caffelint.lint.config import Config
    from caffelint.lint.ignored import Checkout

_OTHER_SUFFIXES = (".pt", ".proto")
"""Faster R-CNN and its heirs call nets and solvers so, torch its weights and protobuf its schemas: the text decides."""
_CANDIDATES = (*SUFFIXES, *_OTHER_SUFFIXES)
_BEGINS = compiled_later(rb"^[ \t]*(?:layers?[ \t]*\{|(?:net|train_net|base_lr)[ \t]*:)", re.MULTILINE)
_FIRST = compiled_later(rb"(?:\s|#[^\n]*\n)*(?:name|layers?|input|type|net|(?:train|test)_[a-z]+|base_lr)[ \t]*[:{]")
"""What only a net or a solver begins with, after comments: a script may hold one, too."""
_MOST_DISGUISED = 2000
"""Files that are looked at where none has the name of a net or a solver."""
_OF_MACOS = "._"
"""How the names begin of the files in which macOS keeps what other systems have no place for (AppleDouble)."""
_MOST_FOLDERS = 32
"""Above a solver, in which the nets that it names are looked for."""
_MOST_NAMED = 200
"""Nets of one field of a solver that are looked for."""
_MOST_MISSING = 8
"""Nets that are not found for which others of a similar name are looked for."""
_MOST_OTHERS = 200
_SKIPPED = {".git", ".hg", ".svn", ".tox", ".venv", "node_modules", "__pycache__"}
_DIGITS = compiled_later(r"\d+")
_ALIKE = 0.85
"""As a share of two names; `train_val` and `train_vl`."""
_LIKE_SUFFIX = 0.66
"""As a share of two suffixes; `.pbtxt`."""
_SLASHES = compiled_later(r"[\\/]")
_MOST_PARTS = 16
"""Of a path of another machine."""


class Found(NamedTuple):
    """The files of a run and the paths that do not exist or cannot be listed, with the reason.

    `lookalikes` are files below folders that look like nets or solvers and are left out for their names alone.
    """

    files: list[str]
    unreadable: list[tuple[str, str]]
    lookalikes: list[str]


class NamedNet(NamedTuple):
    """A net's name as a solver gives it, and the file that was found for it.

    `field` and `position` say where it is, e.g. the second of `test_net`. `path` is None where there is no such
    file, or where it is `outside` what may be read; `beside` says that only its bare name was found, beside the
    solver, or the end of a path of another machine. `near` is a name that there is a file of, and that may have been
    meant by one that there is none of; `is_guess` says that it is only the one net beside the one solver of a folder
    that is called otherwise in the name, and that is not the top of a project, which is called as one likes.
    """

    field: str
    position: int
    name: str
    path: str | None
    beside: bool = False
    outside: bool = False
    near: str = ""
    is_guess: bool = False


class Wanted(NamedTuple):
    """Which files below folders are looked at, by globs of the settings; each starts from the folder of its setting.

    `include` adds to the prototxt files what looks like one under another name. `exclude` wins over it, and, with
    `force`, over files that are named outright.
    """

    include: Sequence[str] = ()
    include_from: str = ""
    exclude: Sequence[str] = ()
    exclude_from: str = ""
    force: bool = False

    def takes(self, path: str) -> bool:
        """Whether a file below a folder is taken for its name, excluded or not."""
        if os.path.basename(path).startswith(_OF_MACOS):
            return False
        if path.endswith(SUFFIXES) or path.endswith(_OTHER_SUFFIXES) and looks_like_prototxt(path):
            return True
        return bool(self.include and self.includes(path))

    def includes(self, path: str) -> bool:
        return matches_glob(path, self.include, self.include_from) and looks_like_prototxt(path)

    def excludes(self, path: str) -> bool:
        return matches_glob(path, self.exclude, self.exclude_from)


def wanted(config: Config) -> Wanted:
    """What the settings want."""
    return Wanted(
        config.include,
        config.folder_of("include"),
        config.exclude,
        config.folder_of("exclude"),
        config.force_exclude,
    )


EVERY = Wanted()
"""What is looked at without settings."""


def discover(paths: Iterable[str], which: Wanted = EVERY, roots: Sequence[str] = ()) -> Found:
    """Files named outright, and the wanted files below folders but for what git ignores.

    A link that leads out of the checkout, the folder or `roots` is unreadable.
    """
    files: dict[str, None] = {}
    unreadable: list[tuple[str, str]] = []
    others: list[str] = []
    for path in paths:
        if os.path.isdir(path):
            reach = Reach(path, roots)
            candidates: list[str] = []
            found = sorted(_walk(path, unreadable, candidates, which))
            others += (other for other in candidates if not os.path.islink(other) or reach.holds(other))
            for file in found:
                if which.excludes(file):
                    continue
                if os.path.islink(file) and not reach.holds(file):
                    unreadable.append((file, f"is a link to a file that {OUTSIDE}"))
                else:
                    files[file] = None
        elif os.path.exists(path):
            if which.force and which.excludes(path):
                continue
            files[os.path.normpath(path)] = None
        else:
            unreadable.append((path, "leads nowhere" if os.path.islink(path) else "no such file or folder"))
    unnamed = {os.path.normpath(other) for other in others} - files.keys()
    lookalikes = (other for other in sorted(unnamed) if not which.excludes(other))
    return Found(list(files), unreadable, [other for other in lookalikes if looks_like_prototxt(other)])


def disguised(paths: Iterable[str]) -> list[str]:
    """The files below folders that begin like nets or solvers whatever their names, among the first that are there.

    Such projects call all their nets `.model`, or `.net`.
    """
    files = (os.path.join(base, name) for path in paths for base, name in _files(path))
    plain = (path for path in islice(files, _MOST_DISGUISED) if not os.path.islink(path))
    return [path for path in plain if looks_like_prototxt(path) and _begins(path)]


def _files(folder: str) -> Iterator[tuple[str, str]]:
    for base, folders, names in walk(folder):
        folders[:] = [name for name in folders if name not in _SKIPPED]
        yield from ((base, name) for name in names if os.path.splitext(name)[1])


def _begins(path: str) -> bool:
    return _FIRST.match(beginning(path, 4096)) is not None


def looks_like_prototxt(path: str) -> bool:
    """Whether the first kilobytes of a file look like those of a net or a solver."""
    begin = beginning(path, 4096)
    return b"\0" not in begin and _BEGINS.search(begin) is not None


def _is_nearly_prototxt(path: str) -> bool:
    """Has a file a suffix like that of prototxt: `.pototxt`, `.prototext`, `.pbtxt`? Backups have one that goes on."""
    return _is_like_prototxt(os.path.splitext(path)[1])


@lru_cache(maxsize=1000)
def _is_like_prototxt(suffix: str) -> bool:
    goes_on = suffix.startswith(SUFFIXES[0]) or suffix in _OTHER_SUFFIXES
    return not goes_on and bool(near(suffix, SUFFIXES[:1], cutoff=_LIKE_SUFFIX))


def suffix_globs(paths: Iterable[str]) -> list[str]:
    """The globs of files with the suffixes of these."""
    return [f"*{suffix}" for suffix in sorted({os.path.splitext(path)[1] for path in paths})]


def matches_glob(path: str, globs: Sequence[str], folder: str = "") -> bool:
    """Whether one of the globs means a file, or a folder that contains it."""
    return bool(matching_globs(path, globs, folder))


def matching_globs(path: str, globs: Iterable[str], folder: str = "") -> set[str]:
    """The globs that mean a file, or a folder that contains it, by its path from `folder` or by the end of that.

    `*` and `**` also mean slashes: `old/*` is all below any folder called old. An absolute glob is held against the
    absolute path.
    """
    globs = tuple(globs)
    if not globs:
        return set()
    absolute = os.path.abspath(path)
    try:
        below = os.path.relpath(absolute, folder or None)
    except ValueError:  # on another drive of Windows
        below = absolute
    return globs_of(tuple(filter(os.path.isabs, globs))).matching(absolute) | globs_of(
        tuple(glob for glob in globs if not os.path.isabs(glob))
    ).matching(below)


def _walk(folder: str, unreadable: list[tuple[str, str]], others: list[str], which: Wanted) -> list[str]:
    """The wanted files below a folder, of a checkout what git tracks or would track.

    Some files of the other suffix are put into `others`.
    """
    from caffelint.lint.ignored import checkout_of

    checkout = checkout_of(folder)
    if checkout is not None:
        found = _of_checkout(folder, checkout, unreadable, others, which)
        if found:
            return found
        # A folder that git ignores as a whole was named on purpose.
    checkouts: list[tuple[str, Checkout]] = []

    def leave(base: str, folders: list[str], names: list[str]) -> None:
        """Take out what is of no interest, and checkouts, which ignore each for itself."""
        # A link of that name may lead nowhere: then it is none.
        if checkout is None and (".git" in folders or ".git" in names) and (own := checkout_of(base)):
            checkouts.append((base, own))
            folders.clear()
            names.clear()
        folders[:] = [name for name in folders if name not in _SKIPPED]

    found = list(_below(folder, unreadable, others, which, leave))
    return found + [file for base, own in checkouts for file in _of_checkout(base, own, unreadable, others, which)]


def _of_checkout(
    folder: str, checkout: Checkout, unreadable: list[tuple[str, str]], others: list[str], which: Wanted
) -> list[str]:
    start = os.path.relpath(os.path.realpath(folder), checkout.top)
    inside = () if start == os.curdir else tuple(start.split(os.sep))
    left = checkout.ignores_folder(inside)

    def is_candidate(path: str) -> bool:
        return path.endswith(_CANDIDATES) or _is_nearly_prototxt(path) or which.takes(path)

    def leave(base: str, folders: list[str], names: list[str]) -> None:
        """Take out what git ignores, and all of another checkout, which is a submodule or none of this one's."""
        nonlocal left
        below = base[len(folder) :].strip(os.sep)
        here = (*inside, *below.split(os.sep)) if below else inside
        if ".git" in folders or ".git" in names:
            if here:
                folders.clear()
                names.clear()
                return
            folders[:] = [name for name in folders if name != ".git"]
        there = len(folders)
        folders[:] = [name for name in folders if not checkout.ignores((*here, name), True)]
        candidates = [name for name in names if is_candidate(os.path.join(base, name))]
        names[:] = [name for name in candidates if not checkout.ignores((*here, name), False)]
        left = left or len(folders) < there or len(names) < len(candidates)

    found = dict.fromkeys(() if left else _below(folder, unreadable, others, which, leave))
    within = "".join(f"{name}/" for name in inside)
    for name in (entry.name for entry in checkout.tracked()) if left else ():
        if name.startswith(within):
            path = os.path.normpath(os.path.join(folder, name[len(within) :]))
            if path in found or not is_candidate(path) or not checkout.holds(name):
                continue
            if which.takes(path):
                found[path] = None
            elif _is_nearly_prototxt(name) and len(others) < _MOST_OTHERS:
                others.append(path)
    return list(found)


def _below(
    folder: str,
    unreadable: list[tuple[str, str]],
    others: list[str],
    which: Wanted,
    leave: Callable[[str, list[str], list[str]], None],
) -> Iterator[str]:
    """The wanted files below a folder; `leave` takes out of a folder's folders and names what is not looked at."""

    def failed(error: OSError) -> None:
        unreadable.append((error.filename or folder, error.strerror or "cannot be listed"))

    for base, folders, names in walk(folder, failed):
        leave(base, folders, names)
        for name in names:
            path = os.path.join(base, name)
            if which.takes(path):
                if os.path.isfile(path):
                    yield os.path.normpath(path)
            elif _is_nearly_prototxt(name) and len(others) < _MOST_OTHERS:
                others.append(path)


def named_nets(solver_path: str, roots: Sequence[str] = (), data: bytes | None = None) -> list[NamedNet]:
    """The nets that a solver names, looked for as `resolve` does; `data` in place of what is on disk."""
    from caffelint.schema.detect import NET_FIELDS
    from caffelint.text.parser import parse
    from caffelint.text.scalars import string_value
    from caffelint.text.tree import STRING

    try:
        data = read(solver_path) if data is None else data
    except ReadError:
        return []
    if not mentions_a_net(data):
        return []
    document = parse(data, solver_path)
    if document.root.first("layer") or document.root.first("layers"):
        return []
    found: list[NamedNet] = []
    folder, missing = os.path.dirname(os.path.abspath(solver_path)), 0
    tests_another = document.root.first("train_net") is not None and document.root.first("test_net") is not None
    for field in NET_FIELDS:
        for position, node in enumerate(document.root.all(field)[:_MOST_NAMED]):
            if node.kind == STRING:
                name = string_value(node.text)
                net = NamedNet(field, position, name, *resolve(name, solver_path, roots))
                if not net.path and not net.outside and missing < _MOST_MISSING:
                    near, missing = _near(net, solver_path, roots), missing + 1
                    is_guess = (
                        not near
                        and bool(near := _only_one(net, folder, tests_another))
                        and not _is_own_path(name, folder)
                    )
                    # One net is meant for both only if it has layers for testing.
                    is_other = near in (one.near for one in found if one.near and one.field != field)
                    if not is_other or has_test_phase(resolve(near, solver_path, roots)[0] or ""):
                        net = net._replace(near=near, is_guess=is_guess)
                found.append(net)
    return found


def _near(net: NamedNet, solver_path: str, roots: Sequence[str]) -> str:
    """The name of a file like that net's, in the folder that the name leads to or beside the solver; empty if none.

    Else the path by which another solver beside it names a file of that name; for a name without a folder, the net
    beside the solver that no solver names. A net that is trained needs a loss
    and, as one that is tested, data of its own, unless only the spelling of its name differs.
    """
    name = net.name
    reach = reach_of(os.path.dirname(os.path.abspath(solver_path)), roots)
    inside, bare = os.path.split(name)
    if "\0" in name or not _plain(bare) or len(name) > LONGEST:
        return ""
    if whole := _with_slash(name, reach.above[0]):
        return whole
    for base in dict.fromkeys((reach.above[0], os.getcwd(), *roots, *reach.above[:_MOST_FOLDERS])):
        for part in dict.fromkeys((*_ends(inside), "")) if base == reach.above[0] else _ends(inside):
            folder = os.path.join(base, part)
            if not (os.path.isdir(folder) and reach.holds_folder(folder)):
                continue
            found = names_beside(folder, os.path.splitext(bare)[1])
            # `net/train.prototxt` that was moved to `net_train.prototxt`
            flat = _plain(os.path.basename(inside) + bare)
            for other in [*(name for name in found if _plain(name) == flat), *found]:
                if not (are_near(bare, other) or _plain(other) == flat) or "solver" in other.lower():
                    continue
                path = os.path.join(folder, other)
                is_same = _plain(other) == _plain(bare)
                if (is_same or reads_data(path)) and (net.field == "test_net" or role_of(path) == TRAIN):
                    return os.path.join(part, other)
    if other := named_beside(name, reach.above[0]):
        return other
    if inside and os.path.basename(inside) != os.path.basename(reach.above[0]):
        return ""
    return unsolved_net(bare, reach.above[0])


def _ends(folder: str) -> list[str]:
    """The ends of a path of another machine, which may lead somewhere here; of a relative path all of it."""
    parts = folder.split("/")
    return ["/".join(parts[at:]) for at in range(1, len(parts))] if folder[:1] in ("/", "~") else [folder]


def _only_one(net: NamedNet, folder: str, tests_another: bool) -> str:
    """The one net beside the one solver of a folder, where the path leads to a folder of another name.

    Not one with layers for testing, where the solver names another net to test with.
    """
    other = "" if net.field == "test_net" or "\0" in net.name else only_net(folder)
    return "" if tests_another and has_test_phase(os.path.join(folder, other)) else other


def _is_own_path(name: str, folder: str) -> bool:
    """May a path lead into a folder, since that is the top of a project, which is called as one likes?"""
    return top_of(folder) == folder and not os.path.isdir(os.path.join(folder, name.partition("/")[0]))


def _with_slash(name: str, folder: str) -> str:
    """`models/a/train.prototxt` for `models/atrain.prototxt`, if that is the end of a net's path in the folder."""
    parts = folder.split(os.sep)
    flat = name.replace("/", "")
    for other in names_beside(folder):
        if not flat.endswith(other):
            continue
        for count in range(1, min(len(parts), name.count("/") + 2)):
            path = "/".join((*parts[-count:], other))
            if path.count("/") != name.count("/") and path.replace("/", "") == flat:
                return path
    return ""


def are_near(name: str, other: str) -> bool:
    """Whether one of two names of files may be a slip for the other; names that differ in a number are not."""
    one, two = _plain(name), _plain(other)
    if one == two:
        return True
    if 2 * min(len(one), len(two)) < _ALIKE * (len(one) + len(two)):  # whatever the letters are
        return False
    if _DIGITS.findall(one) != _DIGITS.findall(two):
        return False
    if max(len(one), len(two)) > LONGEST_SLIP:
        return False
    from difflib import SequenceMatcher

    return SequenceMatcher(None, one, two).ratio() >= _ALIKE


@lru_cache(maxsize=4096)
def _plain(name: str) -> str:
    """`Train_Val.prototxt`: trainval."""
    return "".join(filter(str.isalnum, name.lower().partition(".prototxt")[0]))


def resolve(name: str, solver_path: str, roots: Sequence[str] = ()) -> tuple[str | None, bool, bool]:
    """The file that a solver means by a net's name; whether only its bare name was found, beside the solver; and
    whether there is one that may not be read.

    Caffe looks in the working directory alone (util/io.cpp). Repositories mean their own root by that, so the folder
    of the solver, the working directory, `roots` and every folder above the solver, up to the checkout's root, are
    tried, then the longest end of the path that leads to a file from there: the repository may be a folder of the one
    that Caffe is run in. The bare name alone is looked for beside the solver only.
    """
    if "\0" in name or not name:
        return None, False, False
    reach = reach_of(os.path.dirname(os.path.abspath(solver_path)), roots)
    folder, *above = reach.above[:_MOST_FOLDERS]
    outside = False
    for base in (folder, os.getcwd(), *roots, *above):
        candidate = os.path.join(base, name)
        if os.path.isfile(candidate):
            if reach.holds(candidate, None if os.path.isabs(name) else base):
                return relative(candidate), False, False
            outside = True
    if outside:
        return None, False, True
    for tail in _tails(name):
        for base in (folder, *roots, *above) if os.sep in tail else (folder,):
            candidate = os.path.join(base, tail)
            if os.path.isfile(candidate) and reach.holds(candidate):
                return relative(candidate), True, False
    return None, False, False


def _tails(name: str) -> list[str]:
    """The ends of a path, the longest first; of one that is relative without itself.

    Paths of Windows have back slashes and drive letters.
    """
    parts = [part for part in _SLASHES.split(name) if part not in ("", ".", "..")][-_MOST_PARTS:]
    if parts and parts[0].endswith(":"):
        del parts[0]
    is_foreign = os.path.isabs(name) or "\\" in name or name[1:2] == ":"
    first = 0 if is_foreign else min(1, len(parts) - 1)
    return [os.path.join(*parts[start:]) for start in range(max(first, 0), len(parts))]


def relative(path: str) -> str:
    """A path as people want to read it: relative to the working directory if it is below that."""
    try:
        inside = os.path.relpath(path)
    except ValueError:  # on another drive of Windows
        return os.path.normpath(path)
    return os.path.normpath(path) if inside.startswith("..") else inside
