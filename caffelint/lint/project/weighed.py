"""How loud findings are in view of all their project: is a file used, did its net train?"""

from __future__ import annotations

import os
import re
from array import array
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property

from caffelint.lint.alike import tell_first_of_alike
from caffelint.lint.consequences import lower_consequences
from caffelint.lint.discover import relative
from caffelint.lint.finding import ERROR, INFO, WARNING
from caffelint.lint.plan import Job
from caffelint.lint.project.border import top_of
from caffelint.lint.project.find import PROTO
from caffelint.lint.project.texts import Texts
from caffelint.lint.project.trained import Ran, Trained, are_one, path_parts, snapshot_prefix
from caffelint.lint.reach import is_below
from caffelint.lint.read import ReadError, read
from caffelint.lint.report import ReportedFinding

_SOLVER = re.compile(rb"^[^#\n]*\b(?:base_lr|lr_policy|snapshot_prefix|(?:train_|test_)?net|train_state)[ \t]*:", re.M)
_LAYER = re.compile(rb"^[^#\n]*\blayers?[ \t]*\{", re.M)
_LOSS = re.compile(rb"oss\b|LOSS\b")
_OF_TRAINING = re.compile(r"[ILN]\d|B00[135678]|S2\d")
"""Codes of rules that say of a net or a rate that it learns badly or not at all, which a run that learned disproves."""

_OF_SNAPSHOTS = "snapshot-prefix-unusable"
_MAX_ITER = re.compile(rb"^[^#\n]*\bmax_iter[ \t]*:[ \t]*(\d{1,9})\b", re.M)
_SHORTEST = 30
"""Iterations: of runs of fewer nobody expects that anything is learned."""
_WORD = 4
_OF_LOADING = re.compile(r"P\d|S0\d")
"""Codes of rules that say that a file is not loaded as it is."""
_DIVERGES = re.compile(r"N10[126]|S2\d")
"""Codes of rules that say that training diverges: of more, snapshots that are in use tell nothing."""
_OF_LEARNING = re.compile(r"[ILN]\d|B00[135678]|S2\d|D013|S110")
"""Codes of rules that do not matter where nothing is to be learned."""


class _Project:
    """A project by its top. `nets`: those that each of its solvers names; `others`: nets that none does.

    All paths are absolute.
    """

    def __init__(self, top: str):
        self.nets: dict[str, tuple[str, ...]] = {}
        self.others: list[str] = []
        self._top = top
        self._unused: dict[tuple[str, bool], str] = {}

    @cached_property
    def _texts(self) -> Texts:
        return Texts(self._top)

    @cached_property
    def solvers(self) -> Mapping[str, Sequence[str]]:
        """The solvers of each net."""
        found: dict[str, list[str]] = {}
        for solver, nets in self.nets.items():
            for net in nets:
                found.setdefault(net, []).append(solver)
        return found

    @cached_property
    def _trained(self) -> Trained:
        return Trained(self._texts, len(self.solvers))

    def ran(self, path: str) -> Ran | None:
        """What shows that a net was trained, or the nets of a solver."""
        if path in self.nets:
            return self._trained.of((self.nets[path] or (path,))[0], [path])
        return self._trained.of(path, self.solvers.get(path, ()))

    def is_solved(self, path: str) -> bool:
        return path in self.solvers or path in self.nets

    def unused(self, path: str, *, is_refused: bool) -> str:
        """Why nobody seems to load a file, or has ever loaded one that Caffe refuses; empty where that is not known."""
        if (path, is_refused) not in self._unused:
            known = self.is_solved(path) or self._texts.names_file(path) is not None
            self._unused[path, is_refused] = "" if known else self._why_unused(path, is_refused)
        return self._unused[path, is_refused]

    def _why_unused(self, path: str, is_refused: bool) -> str:
        role = _role(path)
        if role == "deploy":
            return self._beside_named(path)
        if not role and is_refused:
            return "no solver, script or page names the file, and it holds neither a layer nor a solver"
        if role != "train" or self._is_variant(path):
            return ""
        # Where a solver is, authors try nets by turns: it names the one of today. But what is refused is a draft.
        if os.path.dirname(path) in self._folders and not is_refused:
            return ""
        net = next((net for net in self.solvers if not _is_of_another_caffe(net, path)), "")
        if net:
            return f'no solver, script or page names the file, and "{relative(self.solvers[net][0])}" names another'
        return ""

    @cached_property
    def _folders(self) -> set[str]:
        """Those of solvers and of their nets."""
        return {os.path.dirname(path) for path in (*self.nets, *self.solvers)}

    def _beside_named(self, path: str) -> str:
        """Why a deploy net seems to be unused of which a text names a variant beside it."""
        folder, name = os.path.split(path)
        for other in self.others:
            if other != path and os.path.dirname(other) == folder and _begin_alike(name, os.path.basename(other)):
                if (named := self._texts.names_file(other)) and _role(other) == "deploy":
                    return f'no script or page names the file, and {named.where} names "{relative(other)}"'
        return ""

    def trial(self, path: str) -> str:
        """Why nobody expects that a net learns anything; empty where one does."""
        solvers = (path,) if path in self.nets else self.solvers.get(path, ())
        found = [_max_iter(solver) for solver in solvers]
        if found and all(0 < count < _SHORTEST for count in found):
            return f"max_iter is {max(found)}, so the run is a trial"
        return ""

    def made(self, solver: str) -> str:
        """Where a script makes the folder of the snapshots; empty where none does."""
        wanted = path_parts(os.path.dirname(snapshot_prefix(solver)))
        made = (where for name, where in self._texts.made_folders if are_one(path_parts(name), wanted))
        return next((f"{where} makes the folder" for where in made), "")

    def _is_variant(self, path: str) -> bool:
        """Is it named as a net that a solver names, but for digits: one of a series, or of another folder?"""
        return any(_bare(path) == _bare(net) and not _is_of_another_caffe(net, path) for net in self.solvers)


def weigh(
    findings: Sequence[ReportedFinding], jobs: Sequence[Job], kept: frozenset[str]
) -> Iterator[Sequence[ReportedFinding]]:
    """The findings project by project, with infos for those that their project explains; not of the rules `kept`."""
    if all(one.severity == INFO or one.name in kept for one in findings):
        yield findings
        return
    projects = _Projects(jobs)
    for places in _together(findings, projects):
        yield _weighed([findings[place] for place in places], projects, kept)


def _weighed(findings: Sequence[ReportedFinding], projects: _Projects, kept: frozenset[str]) -> list[ReportedFinding]:
    weighed = list(findings)
    for number, one in enumerate(findings):
        if one.severity != INFO and one.name not in kept and (why := projects.explains(one)):
            weighed[number] = one._replace(severity=INFO, evidence="; ".join(filter(None, [one.evidence, why])))
    weighed = lower_consequences(weighed, projects.nets_of)
    weighed = tell_first_of_alike(weighed, projects.around, projects.is_solved)
    return [one if one.name not in kept else findings[number] for number, one in enumerate(weighed)]


def _together(findings: Sequence[ReportedFinding], projects: _Projects) -> Iterable[Sequence[int]]:
    """The places of findings that tell of one another: those of a project, and of others that its files name."""
    joined: dict[str, str] = {}

    def root(top: str) -> str:
        while joined.setdefault(top, top) != top:
            joined[top] = top = joined[joined[top]]
        return top

    tops: dict[str, int] = {}
    of = array("I")
    last, top = None, ""
    for one in findings:
        others = [related.file for related in one.related]
        if one.file != last:
            last, top = one.file, projects.around(one.file)
            others += projects.nets_of(one.file)
        for file in others:
            if file != one.file:
                joined[root(projects.around(file))] = root(top)
        of.append(tops.setdefault(top, len(tops)))
    roots = [root(top) for top in tops]
    groups: dict[str, array[int]] = {}
    for place, number in enumerate(of):
        groups.setdefault(roots[number], array("I")).append(place)
    return groups.values()


class _Projects:
    def __init__(self, jobs: Sequence[Job]):
        self._tops: dict[str, str] = {}
        self._found: dict[str, _Project] = {}
        for job in jobs:
            for solver, nets in job.nets:
                path = os.path.abspath(solver)
                if project := self._of(path):
                    named = (os.path.abspath(net.path) for net in nets if net.path)
                    project.nets[path] = tuple(dict.fromkeys(named))
            if not job.nets:
                for file in job.files:
                    if project := self._of(path := os.path.abspath(file)):
                        project.others.append(path)

    def top(self, file: str) -> str:
        given = os.path.dirname(file)
        if given not in self._tops:
            folder = os.path.abspath(given)
            self._tops[given] = (os.path.isdir(folder) and top_of(folder)) or ""
        return self._tops[given]

    def around(self, file: str) -> str:
        """The top of the project, or the folder of a file that is in none."""
        return self.top(file) or os.path.dirname(os.path.abspath(file))

    def nets_of(self, file: str) -> Collection[str]:
        """The nets that a solver names, as they are given in findings."""
        path = os.path.abspath(file)
        project = self._of(path)
        return [relative(net) for net in project.nets.get(path, ())] if project else ()

    def is_solved(self, file: str) -> bool:
        path = os.path.abspath(file)
        project = self._of(path)
        return project is not None and project.is_solved(path)

    def explains(self, one: ReportedFinding) -> str:
        path = os.path.abspath(one.file)
        project = self._of(path)
        if project is None:
            return ""
        is_warning = one.severity == WARNING
        if why := project.unused(path, is_refused=one.severity == ERROR):
            return why
        if is_warning and _OF_LEARNING.match(one.code) and (why := project.trial(path)):
            return why
        if one.name == _OF_SNAPSHOTS and (why := project.made(path)):
            return why
        is_of_training = is_warning and _OF_TRAINING.match(one.code) is not None
        if not (is_of_training or one.severity == ERROR or _OF_LOADING.match(one.code)):
            return ""
        ran = project.ran(path)
        if ran and (ran.shown or is_of_training and (not ran.is_weak or _DIVERGES.match(one.code))):
            return ran.how
        return ""

    def _of(self, path: str) -> _Project | None:
        top = self.top(path)
        return self._found.setdefault(top, _Project(top)) if top else None


def _role(path: str) -> str:
    try:
        data = read(path)
    except ReadError:
        return ""
    if not _LAYER.search(data):
        return "solver" if _SOLVER.search(data) else ""
    return "train" if _LOSS.search(data) else "deploy"


def _is_of_another_caffe(path: str, other: str) -> bool:
    """Is a file among the examples of a copy of Caffe that does not hold the other one?"""
    folder = os.path.dirname(path)
    while os.path.dirname(folder) != folder and not os.path.isfile(os.path.join(folder, PROTO)):
        folder = os.path.dirname(folder)
    return os.path.dirname(folder) != folder and not is_below(other, folder)


def _max_iter(solver: str) -> int:
    try:
        found = _MAX_ITER.search(read(solver))
    except ReadError:
        return 0
    return int(found[1]) if found else 0


def _begin_alike(name: str, other: str) -> bool:
    """Are two names those of variants, as `deploy` and `deploy_small`?"""
    return name[:_WORD] == other[:_WORD]


def _bare(path: str) -> str:
    return re.sub(r"\d+", "#", os.path.basename(path))
