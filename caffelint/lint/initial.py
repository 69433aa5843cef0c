"""First settings for a repository: what a look at its files tells."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from caffelint.lint.config import Config
from caffelint.lint.discover import discover, named_nets, relative, suffix_globs
from caffelint.lint.project.caffes import Caffes
from caffelint.lint.read import ReadError, read
from caffelint.lint.role import names_a_net
from caffelint.lint.site import SETTINGS_SCHEMA
from caffelint.lint.unknown_caffe import own_names
from caffelint.lint.words import listed
from caffelint.text.records import NamedTuple

if TYPE_CHECKING:
    from caffelint.lint.file import File

_TRIED = 5
"""Forks that are held against every file: the likeliest ones."""
_MOST_OF = 0.95


class Setting(NamedTuple):
    """A line of settings, and why it is there."""

    name: str
    value: str | list[str] | None
    why: str


def initial(folder: str) -> list[Setting]:
    """The settings that fit the files of a folder; one whose value is None is only a remark."""
    found = discover([folder])
    return [
        *_dialect(folder, [*found.files, *found.lookalikes]),
        *_roots(folder, found.files),
        *_include(found.lookalikes),
    ]


def text_of(settings: Iterable[Setting]) -> str:
    """The text of a `caffelint.toml`."""
    lines = [f"#:schema {SETTINGS_SCHEMA}"]
    for name, value, why in settings:
        lines.append(f"# {why}" if value is None else f"{name} = {json.dumps(value, ensure_ascii=False)}  # {why}")
    return "\n".join(lines) + "\n"


def _dialect(folder: str, files: Sequence[str]) -> list[Setting]:
    """The fork that reads most of the files that need one, unless the repository names its Caffe itself."""
    taken = Caffes(Config()).of(os.path.join(folder, "net.prototxt"))
    if taken.name:
        return [Setting("dialect", None, f"dialect: not set, since the Caffe is known: {taken.name} ({taken.why})")]
    votes, own, lacked = Counter[str](), Counter[str](), Counter[str]()
    with_own = with_lacked = 0
    for path in files:
        file = _loaded(path)
        if file is not None:
            forks = _forks(file)
            votes.update(forks)
            names = own_names(file)
            own.update(names)
            with_own += bool(names)
            missing = [] if forks else _lacked(file)
            lacked.update(missing)
            with_lacked += bool(missing)
    without = "dialect: not set, since"
    if own:
        names = [name for name, _ in own.most_common()]
        without += f" no known Caffe has {listed(names)} ({with_own} of {len(files)} files);"
        without += ' caffe = "FOLDER" names yours'
    if not votes and lacked and not own:
        names = [name for name, _ in lacked.most_common()]
        without += f" no known Caffe has all of {listed(names)} ({with_lacked} of {len(files)} files);"
        without += ' caffe = "FOLDER" names yours'
    elif not votes and not own:
        without += " no file needs more than BVLC's Caffe"
    if not votes:
        return [Setting("dialect", None, without)]
    from caffelint.schema.provenance import provenance

    order = provenance().forks
    likely = sorted(votes, key=lambda fork: (-votes[fork], order.index(fork)))[:_TRIED]
    reads = {fork: sum(_reads(fork, path) for path in files) for fork in likely}
    most = max(reads.values())
    best, *others = [fork for fork in likely if reads[fork] == most]
    fits = f"has all fields and layer types of {most} of {len(files)} files"
    if most < _MOST_OF * len(files):
        without += "" if own else " no known Caffe reads most files"
        return [Setting("dialect", None, f'{without}; "{best}" {fits}' if most else without)]
    return [Setting("dialect", best, f"{fits}{f'; so do {listed(others)}' if others else ''}")]


def _reads(fork: str, path: str) -> bool:
    """Whether a fork has all that a file uses."""
    from caffelint.lint.file import load
    from caffelint.lint.judge import is_for_its_dialect

    try:
        return is_for_its_dialect(load(read(path), path, None, fork))
    except ReadError:
        return False


def _loaded(path: str) -> File | None:
    from caffelint.lint.file import load

    try:
        return load(read(path), path)
    except ReadError:
        return None


def _forks(file: File) -> frozenset[str]:
    """The forks that read a file; none if BVLC's Caffe reads it, or no known Caffe."""
    from caffelint.schema.provenance import provenance

    needs = [one for one in _needs(file) if "bvlc" not in one]
    if not needs:
        return frozenset()
    return frozenset(fork for fork in provenance().infer(needs) if provenance().is_caffe(fork))


def _lacked(file: File) -> list[str]:
    """What BVLC's Caffe lacks of a file, and some other has: layer types, or fields if it has those."""
    from caffelint.schema.provenance import provenance

    if file.bound is None:
        return []
    types = {layer.type for net in file.nets for layer in net.layers}
    of_forks = [type_ for type_ in sorted(types) if (forks := provenance().layer_type(type_)) and "bvlc" not in forks]
    return of_forks or list(dict.fromkeys(use.name for use in file.bound.fork_uses if "bvlc" not in use.forks))


def _needs(file: File) -> list[frozenset[str]]:
    """The forks that have each field and layer type of a file."""
    from caffelint.schema.provenance import provenance

    if file.bound is None:
        return []
    types = {layer.type for net in file.nets for layer in net.layers}
    having = (provenance().layer_type(type_) for type_ in sorted(types))
    return [use.forks for use in file.bound.fork_uses] + [forks for forks in having if forks]


def _roots(folder: str, files: Sequence[str]) -> list[Setting]:
    """The folders from which the paths of solvers lead to a net that is there."""
    roots: Counter[str] = Counter()
    for path in files:
        for net in named_nets(path) if names_a_net(path) else ():
            if net.path is not None:
                continue
            end = "/" + net.name.removeprefix("./")
            above = {file.removesuffix(end) for file in map(_slashed, files) if file.endswith(end)}
            if len(above) == 1:
                roots.update(above)
    values = sorted(_slashed(os.path.relpath(root, folder)) for root in roots)
    number = sum(roots.values())
    return [Setting("roots", values, f"where the nets of {number} solver{'s' * (number > 1)} are")] if values else []


def _include(lookalikes: Sequence[str]) -> list[Setting]:
    """The suffixes of files that look like nets and solvers and are not called .prototxt."""
    values = suffix_globs(lookalikes)
    return [Setting("include", values, f"{len(lookalikes)} files look like nets or solvers")] if values else []


def _slashed(path: str) -> str:
    return relative(path).replace(os.sep, "/")
