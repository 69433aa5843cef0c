"""The layers and solvers that the C++ sources of a repository register, from their text alone."""

from __future__ import annotations

import json
import os
from bisect import bisect_left
from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import lru_cache
from itertools import islice, takewhile
from types import MappingProxyType
from typing import Any

from caffelint.lint.project.counts import LayerClass, layer_classes, taken_counts
from caffelint.lint.read import ReadError, read_found
from caffelint.lint.walk import walk
from caffelint.schema.pool import read_data
from caffelint.schema.project import Registered
from caffelint.schema.provenance import provenance
from caffelint.text.code_comments import without_comments
from caffelint.text.patterns import compiled_later
from caffelint.text.records import NamedTuple

_SUFFIXES = (".cpp", ".cu", ".cc", ".hpp", ".h")
_TREES = (os.path.join("", "src", "caffe", ""), os.path.join("", "include", "caffe", ""))
_MOST_ENTRIES = 30_000
_MOST_FILES = 5_000
_LARGEST = 1 << 20
_NAMES_SNAPSHOTS = b"UpgradeSnapshotPrefixProperty"
_NORMS = "batch_norm_layer.cpp"
_STORED_IN_TEST = compiled_later(rb"\buse_global_stats_\s*\|\|\s*(?:this->)?phase_\s*==\s*(?:caffe::)?TEST\b")
_MARKS = (b"REGISTER_LAYER_C", b"REGISTER_SOLVER_C", b"lr_policy ==", b"regularization_type ==")
_HEADERS = (".hpp", ".h")
_LAYERS = os.path.join("src", "caffe", "layers")
_FILLERS = "filler.hpp"
_REGISTERS = compiled_later(r"REGISTER_(LAYER|SOLVER)_(?:CLASS|CREATOR)(?:_R)?\s*\(\s*(\w+)")
_READS = compiled_later(r"\blayer_param_?\s*\.\s*(\w+_param)\s*\(\s*\)")
_POLICY = compiled_later(r'lr_policy\s*==\s*"(\w+)"')
_REGULARIZATION = compiled_later(r'regularization_type\s*==\s*"(\w+)"')
_FILLER = compiled_later(r'type\s*==\s*"(\w+)"')
_TEXT = compiled_later(r'"((?:[^"\\\n]|\\.){0,400})"')
_TEXTS = compiled_later(r'"(?:[^"\\\n]|\\.){0,400}"(?:\s{0,200}"(?:[^"\\\n]|\\.){0,400}")*')
_DEFINES = compiled_later(r"#[ \t]*define\b[^\n]*(?:(?<=\\)\n[^\n]*)*")
_INCLUDES = compiled_later(r"#[ \t]*include\b[^\n]*")
_OFF = compiled_later(r"#[ \t]*if[ \t]+0\b")
_CONDITION = compiled_later(r"#[ \t]*(if|el|endif)[^\n]*")


class SourceFile(NamedTuple):
    """A file, and what changes when it does."""

    path: str
    size: int
    modified: int


class Sources(NamedTuple):
    """The C++ files that may belong to a Caffe: its own, and those of no Caffe. `complete`: were all of them found?"""

    own: tuple[SourceFile, ...]
    common: tuple[SourceFile, ...]
    complete: bool


class SourceTree:
    """The C++ files of a repository by their folders, found in one walk for all of its Caffes."""

    def __init__(self, top: str) -> None:
        self._own: list[tuple[str, list[str]]] = []
        self._common: tuple[SourceFile, ...] = ()
        self._complete = True
        common: list[tuple[str, list[str]]] = []
        entries = 0
        for folder, folders, names in walk(top):
            entries += len(folders) + len(names)
            if entries > _MOST_ENTRIES:
                self._complete = False
                break
            folders[:] = [name for name in folders if name[0] != "." and name != "node_modules"]
            if found := [name for name in names if name.endswith(_SUFFIXES) and not name.startswith("test_")]:
                folder = os.path.join(folder, "")
                (self._own if any(tree in folder for tree in _TREES) else common).append((folder, found))
        self._own.sort()
        self._common = self._files(common)

    def of(self, root: str) -> Sources:
        """The files without those of another Caffe than the one in the folder `root`."""
        start = os.path.join(root, "")
        first = bisect_left(self._own, (start, []))
        own = self._files(takewhile(lambda one: one[0].startswith(start), islice(self._own, first, None)))
        return Sources(own, self._common, self._complete and max(len(own), len(self._common)) <= _MOST_FILES)

    def _files(self, folders: Iterable[tuple[str, list[str]]]) -> tuple[SourceFile, ...]:
        """The files in these folders; of more than `_MOST_FILES`, not all."""
        found: list[SourceFile] = []
        for folder, names in folders:
            if len(found) > _MOST_FILES:
                break
            for name in names:
                try:
                    state = os.lstat(folder + name)
                except OSError:
                    continue
                found.append(SourceFile(folder + name, state.st_size, state.st_mtime_ns))
        return tuple(sorted(found))


class Told(NamedTuple):
    """What the texts of some files tell; `same` are the names of those that are BVLC's, `others` those of BVLC's names.

    `names_snapshots`: the files that name snapshots after the solver where it gives no prefix. `stores_in_test`: those
    of a BatchNorm that takes stored statistics in TEST, whatever its field says. `reads`: the blocks of a layer that
    registered ones read, each after the only type that its file registers. `says`: the texts in files of BVLC's names
    that are not BVLC's, each after that name.
    """

    layers: frozenset[str] = frozenset()
    solvers: frozenset[str] = frozenset()
    policies: frozenset[str] = frozenset()
    regularizations: frozenset[str] = frozenset()
    fillers: frozenset[str] = frozenset()
    same: frozenset[str] = frozenset()
    others: frozenset[str] = frozenset()
    names_snapshots: frozenset[str] = frozenset()
    stores_in_test: frozenset[str] = frozenset()
    reads: frozenset[str] = frozenset()
    says: frozenset[str] = frozenset()
    classes: Mapping[str, LayerClass] = MappingProxyType({})

    def as_json(self) -> list[Any]:
        """Its values, for `of_json`."""
        return [*map(sorted, self[:-1]), dict(sorted(self.classes.items()))]

    @classmethod
    def of_json(cls, values: Any) -> Told | None:
        """What `as_json` gave; None if that is not it."""
        try:
            *names, told = values
            classes = {
                str(name): LayerClass(str(base), counts and {str(what): int(count) for what, count in counts.items()})
                for name, (base, counts) in told.items()
            }
            types = [frozenset(map(str, found)) for found in names]
            layers, solvers, policies, regularizations, fillers, same, others, naming, storing, reads, says = types
            said = layers, solvers, policies, regularizations, fillers
            return cls(*said, same, others, naming, storing, reads, says, classes)
        except (TypeError, ValueError, AttributeError):
            return None


def registered(own: Told, common: Told) -> Registered:
    """What the sources of a Caffe register."""
    types = _bvlc()["types"]
    classes = {**common.classes, **own.classes}
    layers, same = own.layers | common.layers, own.same | common.same
    others = own.others | common.others - same
    changed = frozenset(type_ for type_ in layers if not same.issuperset(types.get(type_, ())))
    changed |= frozenset(type_ for type_, files in types.items() if not others.isdisjoint(files))
    return Registered(
        layers,
        own.solvers | common.solvers,
        own.policies | common.policies,
        own.regularizations | common.regularizations,
        own.fillers | common.fillers,
        changed,
        {type_: taken for type_ in map(_current, layers) if (taken := taken_counts(type_, classes))},
        bool(own.names_snapshots | common.names_snapshots),
        bool(own.stores_in_test),
        _reads(own.reads | common.reads),
        _says(own.says | common.says, {type_: types[type_] for type_ in changed if type_ in types}),
    )


def _says(texts: Iterable[str], files: Mapping[str, Collection[str]]) -> dict[str, frozenset[str]]:
    """What the sources of each of these types say. `files`: their names."""
    by_file: dict[str, set[str]] = {}
    for text in texts:
        file, _, said = text.partition(" ")
        by_file.setdefault(file, set()).add(said)
    return {type_: frozenset().union(*(by_file.get(name, ()) for name in names)) for type_, names in files.items()}


def _reads(pairs: Iterable[str]) -> dict[str, frozenset[str]]:
    """The layer types that read each block."""
    found: dict[str, set[str]] = {}
    for pair in pairs:
        type_, _, block = pair.partition(" ")
        found.setdefault(block, set()).add(_current(type_))
    return {block: frozenset(types) for block, types in found.items()}


def _current(type_: str) -> str:
    """The name of a layer type today: Caffes of 2014 register the values of an enum, as `INNER_PRODUCT`."""
    return provenance().v1_type(type_) or type_


@lru_cache(maxsize=1)
def _bvlc() -> Any:
    return json.loads(read_data("bvlc_sources.json"))


def told(files: Iterable[SourceFile]) -> Told:
    """What the files register, by the text of the functions that look names up.

    These are GetLearningRate of sgd_solver.cpp, or solver.cpp in older Caffes, and GetFiller of filler.hpp.
    """
    found: dict[str, set[str]] = {"LAYER": set(), "SOLVER": set()}
    policies: set[str] = set()
    regularizations: set[str] = set()
    fillers: set[str] = set()
    bvlc = _bvlc()["files"]
    same: set[str] = set()
    others: set[str] = set()
    names_snapshots: set[str] = set()
    stores_in_test: set[str] = set()
    reads: set[str] = set()
    says: set[str] = set()
    classes: dict[str, LayerClass] = {}
    for file in files:
        try:
            data = read_found(file.path, _LARGEST) if file.size <= _LARGEST else b""
        except ReadError:
            continue
        folder, name = os.path.split(file.path)
        is_of_fillers = name == _FILLERS
        if name.endswith(_HEADERS) and b"public " in data and b"Layer" in data:
            classes |= layer_classes(compiled(data.decode("utf-8", "replace")))
        if name in bvlc and folder.endswith(_LAYERS):
            text = data.decode("utf-8", "replace")
            if digest(text) in bvlc[name]:
                same.add(name)
            else:
                others.add(name)
                says.update(f"{name} {said}" for said in _texts(compiled(text)))
        if _NAMES_SNAPSHOTS in data:
            names_snapshots.add(name)
        if name == _NORMS and _STORED_IN_TEST.search(data):
            stores_in_test.add(name)
        if is_of_fillers or any(mark in data for mark in _MARKS):
            text = compiled(data.decode("utf-8", "replace"))
            registers = _REGISTERS.findall(text)
            for what, type_ in registers:
                found[what].add(type_)
            alone = registers[0][1] if len(registers) == 1 else ""
            reads.update(f"{alone} {block}" for block in _READS.findall(text))
            policies.update(_POLICY.findall(text))
            regularizations.update(_REGULARIZATION.findall(text))
            if is_of_fillers:
                fillers.update(_FILLER.findall(text))
    layers, solvers = frozenset(found["LAYER"]), frozenset(found["SOLVER"])
    said = frozenset(policies), frozenset(regularizations), frozenset(fillers)
    versions = frozenset(same), frozenset(others), frozenset(names_snapshots), frozenset(stores_in_test)
    return Told(layers, solvers, *said, *versions, frozenset(reads), frozenset(says), classes)


def _texts(text: str) -> Iterator[str]:
    """The texts in C++ that are sentences; those on several lines, which C++ joins, as one."""
    for found in _TEXTS.finditer(text):
        joined = "".join(_TEXT.findall(found[0]))
        if " " in joined:
            yield joined


def digest(text: str) -> str:
    """Of a C++ file; equal for files that differ in comments, layout and includes alone."""
    import hashlib

    plain = "".join(_INCLUDES.sub("", compiled(text)).split())
    return hashlib.sha1(plain.encode(), usedforsecurity=False).hexdigest()[:12]


def compiled(text: str) -> str:
    """The text of a C++ file without comments, macros, and what is between `#if 0` and its `#else` or `#endif`."""
    text = _DEFINES.sub("", without_comments(text.replace("\r\n", "\n")))
    if not _OFF.search(text):
        return text
    parts: list[str] = []
    kept = depth = 0
    for found in _CONDITION.finditer(text):
        word = found[1]
        if not depth:
            if _OFF.match(found[0]):
                parts.append(text[kept : found.start()])
                depth = 1
        elif word == "if":
            depth += 1
        elif word == "endif" or depth == 1:
            depth -= word == "endif" or depth == 1
            if not depth:
                kept = found.end()
    if not depth:
        parts.append(text[kept:])
    return "".join(parts)
