"""What is checked together: a net with all the solvers that name it, and the solver's other nets with those."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from heapq import nsmallest

from caffelint.lint.discover import NamedNet, named_nets, relative
from caffelint.lint.reach import SUFFIXES, Reach, real_path
from caffelint.lint.role import mentions_a_net, names_a_net
from caffelint.text.patterns import compiled_later
from caffelint.text.records import NamedTuple

_WORD = compiled_later(r"trainval|train|[a-z]+|\d+")
_DEPLOYS = frozenset(["deploy", "test"])
_TRAINS = frozenset(["train", "trainval", "training"])
_ROLES = _DEPLOYS | _TRAINS | {"val", "net"}
_MOST_SIBLINGS = 4


class Job(NamedTuple):
    """Files that are judged together; plain values, so that another process can do it.

    `report` are the files whose own findings are wanted; `nets` are the nets that each solver names, `siblings` which
    files may hold the training net of a deploy net.
    """

    files: tuple[str, ...]
    report: frozenset[str]
    nets: tuple[tuple[str, tuple[NamedNet, ...]], ...]
    siblings: tuple[tuple[str, tuple[str, ...]], ...] = ()


def plan(
    files: Sequence[str],
    roots: Sequence[str] = (),
    changed: set[str] | None = None,
    texts: Mapping[str, bytes] | None = None,
) -> list[Job]:
    """Group files into jobs. `changed` (absolute paths) leaves those, and solvers and deploy nets of changed nets.

    `texts` holds content in place of what is on disk.

    A net that a given solver names is checked even where it was not given; a solver beside a given net is read for
    what the two say together, and its own findings are not reported. So is what may be a deploy net's training net.
    """
    # Remembered for this run alone: another one may find other files.
    files_beside = cache(_files_beside)
    siblings_in = cache(lambda folder: Siblings(files_beside(folder)))
    nets_of = cache(lambda solver, data: named_nets(solver, roots, data))
    names_one = cache(names_a_net)

    @cache
    def solvers_in(folder: str) -> dict[str, list[tuple[str, tuple[NamedNet, ...]]]]:
        """The solvers of a folder with all their nets, by each of these."""
        found: dict[str, list[tuple[str, tuple[NamedNet, ...]]]] = {}
        for path in files_beside(folder):
            data = (texts or {}).get(path)
            if names_one(path) if data is None else mentions_a_net(data):
                solver = same.setdefault(real_path(path), relative(path))
                named = _by_known_names(nets_of(solver, data), same)
                for net in set(_paths(named)):
                    found.setdefault(net, []).append((solver, named))
        return found

    same: dict[str, str] = {}
    for file in files:
        same.setdefault(real_path(file), file)
    given = list(same.values())
    nets: dict[str, tuple[NamedNet, ...]] = {}
    report = set(given)
    for file in given:
        data = (texts or {}).get(file)
        if data is not None or names_one(os.path.abspath(file)):
            named = nets_of(file, data)
            if named:
                nets[file] = _by_known_names(named, same)
                report.update(_paths(nets[file]))
    solved = {path for named in nets.values() for path in _paths(named)}
    for file in given:
        if file not in solved and file not in nets:
            for solver, beside in solvers_in(os.path.dirname(os.path.abspath(file))).get(file, ()):
                nets.setdefault(solver, beside)
    solved = {path for named in nets.values() for path in _paths(named)}
    siblings: dict[str, tuple[str, ...]] = {}
    for file in given:
        if file in report and file not in solved and file not in nets:
            found = siblings_in(os.path.dirname(os.path.abspath(file))).of(file)
            if found:
                siblings[file] = tuple(same.setdefault(real_path(path), relative(path)) for path in found)
    if changed is not None:
        report = _changed(report, nets, siblings, changed)
        siblings = {file: beside for file, beside in siblings.items() if file in report}
    return _components(given, nets, report, siblings)


class Siblings:
    """The files of a folder that may hold the training nets of others, by the words of their names.

    One of the two names has to hold all words of the other: `resnet_deploy` may go with `train` and `resnet_18_train`.
    """

    def __init__(self, paths: Iterable[str]) -> None:
        written = {path: _words(path) for path in paths}
        self._written = frozenset(written.values())
        named = {path: self._own(words) for path, words in written.items()}
        self._words = {path: words for path, words in named.items() if not _is_deploy(words) and "solver" not in words}
        self._models = {words - _ROLES for words in self._words.values()}
        self._deployed = {words - _ROLES for words in named.values() if "deploy" in words and _is_deploy(words)}
        self._holding: dict[str, list[str]] = {}
        for path, words in self._words.items():
            for word in words - _ROLES:
                self._holding.setdefault(word, []).append(path)
        self._by_rarest: dict[str, list[str]] = {}
        """Each under one word alone, "" where it has none, so that names of many words are not compared with all."""
        for path, words in self._words.items():
            self._by_rarest.setdefault(self._rarest(words - _ROLES), []).append(path)

    def of(self, file: str) -> list[str]:
        """Those of a net, the likeliest first and few of them; none where its own name is that of a training net.

        A file called `train` goes with all that are called `deploy` or `test`, but not with `lenet`; nor with
        `lenet_deploy` where there is a `deploy`.
        """
        own = self._own(_words(file))
        if not own.isdisjoint(_TRAINS):
            return []
        model = own - _ROLES
        if _is_deploy(own) and all(map(str.isdigit, model)) and model not in self._models:
            model = frozenset()  # `deploy_2` is the second one, not that of `train_v2`
        keys = ("", *model) if _is_deploy(own) else model
        shorter = [path for word in keys for path in self._by_rarest.get(word, ())]
        longer = self._holding.get(self._rarest(model), ()) if model else self._words
        found = {path for path in shorter if self._words[path] - _ROLES <= model}
        found.update(path for path in longer if model <= self._words[path])
        found = {path for path in found if os.path.basename(path) != os.path.basename(file)}
        found = {path for path in found if (its := self._words[path] - _ROLES) == model or its not in self._deployed}

        def distance(path: str) -> tuple[int, bool, str]:
            words = self._words[path]
            return len(model ^ (words - _ROLES)), words.isdisjoint(_TRAINS), path

        return nsmallest(_MOST_SIBLINGS, found, distance)

    def _own(self, words: frozenset[str]) -> frozenset[str]:
        """`deploy_lenet_train_test` beside `lenet_train_test` is its deploy net, and none that trains."""
        return words - _TRAINS if "deploy" in words and words - {"deploy"} in self._written else words

    def _rarest(self, words: frozenset[str]) -> str:
        return min(words, key=lambda word: (len(self._holding.get(word, ())), word), default="")


def _words(path: str) -> frozenset[str]:
    """`resnet50_train-val.prototxt`: resnet, 50, train, val."""
    return frozenset(_WORD.findall(os.path.basename(path).lower().partition(".prototxt")[0]))


def _is_deploy(words: frozenset[str]) -> bool:
    return not words.isdisjoint(_DEPLOYS) and words.isdisjoint(_TRAINS)


def _by_known_names(nets: Iterable[NamedNet], same: dict[str, str]) -> tuple[NamedNet, ...]:
    """The same nets, each file by the name under which it was met first, so that none is read twice."""
    return tuple(net._replace(path=same.setdefault(real_path(net.path), net.path)) if net.path else net for net in nets)


def _paths(nets: Iterable[NamedNet]) -> list[str]:
    return [net.path for net in nets if net.path]


def _changed(
    report: set[str], nets: dict[str, tuple[NamedNet, ...]], siblings: dict[str, tuple[str, ...]], changed: set[str]
) -> set[str]:
    real = {real_path(path) for path in changed}
    wanted = {file for file in report if real_path(file) in real}
    gone = [path for path in real if not os.path.exists(path)]
    for solver, named in nets.items():
        if any(real_path(path) in real for path in _paths(named)):
            wanted.add(solver)
        ends = tuple(os.sep + os.path.normpath(net.name).lstrip("." + os.sep) for net in named if net.path is None)
        if any(path.endswith(ends) for path in gone):
            wanted.add(solver)
    for file, beside in siblings.items():
        if any(real_path(path) in real for path in beside):
            wanted.add(file)
    return wanted


def _files_beside(folder: str) -> tuple[str, ...]:
    try:
        names = sorted(os.listdir(folder))
    except OSError:
        return ()
    paths = [os.path.join(folder, name) for name in names if name.endswith(SUFFIXES)]
    reach = Reach(folder) if any(map(os.path.islink, paths)) else None
    return tuple(path for path in paths if os.path.isfile(path) and not (reach and not reach.holds(path)))


def _components(
    given: Iterable[str],
    nets: dict[str, tuple[NamedNet, ...]],
    report: set[str],
    siblings: dict[str, tuple[str, ...]],
) -> list[Job]:
    parent: dict[str, str] = {}

    def root(file: str) -> str:
        parent.setdefault(file, file)
        while parent[file] != file:
            parent[file] = parent[parent[file]]
            file = parent[file]
        return file

    for file in given:
        root(file)
    for solver, named in nets.items():
        for path in _paths(named):
            parent[root(path)] = root(solver)
    for file, paths in siblings.items():
        for path in paths:
            parent[root(path)] = root(file)
    groups: dict[str, list[str]] = {}
    for file in parent:
        groups.setdefault(root(file), []).append(file)
    jobs = []
    for members in groups.values():
        wanted = report.intersection(members)
        if wanted:
            solvers = tuple((file, nets[file]) for file in members if file in nets)
            beside = tuple((file, siblings[file]) for file in members if file in siblings)
            jobs.append(Job(tuple(members), frozenset(wanted), solvers, beside))
    return jobs
