"""How loud findings are in view of all their project: is a file used, did its net train?"""

from __future__ import annotations

import os
import re
from array import array
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property

from caffelint.lint.alike import construct, tell_first_of_alike
from caffelint.lint.consequences import lower_consequences
from caffelint.lint.discover import relative
from caffelint.lint.finding import ERROR, INFO, WARNING
from caffelint.lint.plan import Job
from caffelint.lint.project.border import top_of
from caffelint.lint.project.memory import once
from caffelint.lint.project.templates import why_filled
from caffelint.lint.project.texts import Texts
from caffelint.lint.project.trained import Ran, Trained, are_one, path_parts, snapshot_prefix
from caffelint.lint.project.twins import scaled_twin_of
from caffelint.lint.project.used import Used
from caffelint.lint.project.written_anew import WrittenAnew
from caffelint.lint.read import ReadError, read
from caffelint.lint.report import ReportedFinding
from caffelint.lint.role import TRAIN, is_called_deploy, role_of
from caffelint.text.patterns import compiled_later
from caffelint.text.strangers import stranger

_OF_TRAINING = compiled_later(r"[ILN]\d|B00[135678]|S2\d|D028")
"""Codes of rules that say of a net or a rate that it learns badly or not at all, which a run that learned disproves."""

_OF_THE_GRAMMAR = frozenset(["syntax-error", "unreadable-character"])
_OF_A_CAFFE = frozenset(["wrong-blob-count", "fork-field", "unknown-field", "unknown-layer-type", "unknown-enum-value"])
"""Rules whose errors are about what a Caffe knows, and not about the one net."""
_OF_ITS_LAYERS = frozenset(["wrong-blob-count", "unknown-layer-type"])
"""Those of them that are no slip of a pen, which may have come after what was trained."""
_OF_ANOTHER_CAFFE = frozenset(["fork-field", "unknown-layer-type"])
_OF_EVERY_CAFFE = frozenset(
    [
        "blob-too-large",
        "duplicate-top",
        "in-place-not-supported",
        "mixed-layer-formats",
        "syntax-error",
        "targets-of-two-sizes",
        "unknown-bottom",
    ]
)
"""Rules whose errors no Caffe loads a file with: who keeps a file does not keep it for that."""
_UNKNOWN_FIELD = "unknown-field"
_WITHOUT_LOSS = "no-loss"
_OF_SOLVERS = "unknown-solver-type"
_OF_TEMPLATES = "unfilled-template"
_OF_DEPLOYED = "deploy-"
"""How the names of rules begin that hold a deploy net against the net that was trained."""
_MAX_ITER = compiled_later(rb"^[^#\n]*\bmax_iter[ \t]*:[ \t]*(\d{1,9})\b", re.M)
_MOST_BESIDE = 100
"""Files of a folder that are compared with one."""
_MANY, _WAYS = 5, 3
"""Nets of a folder that Caffe does not load, and rules that say why."""
_SHORTEST = 30
"""Iterations: of runs of fewer nobody expects that anything is learned."""
_GOES_ON = compiled_later(r"[\w.-]")
_WEIGHTS = compiled_later(r"[\w.-]{1,200}?\.caffemodel")
_STOPS = compiled_later(r"P\d|G00[123]|D015|L001")
"""Codes of rules that say that no Caffe, or none that is known, loads a net."""
_OF_LOADING = compiled_later(r"P\d|S0\d")
"""Codes of rules that say that a file is not loaded as it is."""
_DIVERGES = compiled_later(r"N10[126]|S2\d")
"""Codes of rules that say that training diverges: of more, snapshots that are in use tell nothing."""
_OF_LEARNING = compiled_later(r"[ILN]\d|B00[135678]|S2\d|D013|S110")
"""Codes of rules that do not matter where nothing is to be learned."""


class _Project:
    """A project by its top. `nets`: those that each of its solvers names; `missing`: the names of those that are not
    there, and those that they may mean; `others`: nets that no solver names, nor the solver of a net beside it;
    `files`: all of them; `refused`: those with errors; `unloaded`: those that Caffe does not load, with the rules that
    say so.

    All paths are absolute.
    """

    def __init__(self, top: str):
        self.nets: dict[str, tuple[str, ...]] = {}
        self.missing: dict[str, tuple[str, ...]] = {}
        self.files: list[str] = []
        self.others: list[str] = []
        self._top = top
        self.refused: frozenset[str] = frozenset()
        self.unloaded: Mapping[str, Collection[str]] = {}
        self._foreign: dict[str, str] = {}

    @cached_property
    def _texts(self) -> Texts:
        return Texts(self._top, self.files)

    @cached_property
    def _used(self) -> Used:
        return Used(self._texts, self.nets, self.missing, self.files, self.others)

    @cached_property
    def _written_anew(self) -> WrittenAnew:
        return WrittenAnew(self._texts)

    @cached_property
    def _trained(self) -> Trained:
        return Trained(self._texts, len(self._used.solvers))

    @once
    def ran(self, path: str) -> Ran | None:
        """What shows that a net was trained, or the nets of a solver."""
        if path in self.nets:
            return self._trained.of_solver((self.nets[path] or (path,))[0], path)
        return self._trained.of(path, self._used.solvers.get(path, ()))

    @once
    def takes_type(self, solver: str) -> str:
        """Where a log shows that a Caffe took the type of a solver."""
        return self._trained.takes_type((self.nets.get(solver) or (solver,))[0], solver)

    def is_solved(self, path: str) -> bool:
        return self._used.is_solved(path)

    @once
    def unused(self, path: str, is_refused: bool, is_unreadable: bool) -> str:
        """Why nobody seems to load a file, or has ever loaded one that Caffe refuses; empty where that is not known."""
        is_used = self._used.is_used(path)
        return "" if is_used else self._used.why_unused(path, is_refused, is_unreadable, self.refused)

    @once
    def is_used(self, path: str) -> bool:
        return self._used.is_used(path)

    def stale(self, path: str, one: ReportedFinding) -> str:
        """Why a finding is no longer in a file once a script has written it anew."""
        return self._written_anew.why_stale(path, one)

    @once
    def is_of_another_kind(self, path: str) -> bool:
        """Is a file a web page, JSON or binary data?"""
        data = _content(path)
        return b"\0" in data or stranger(data.decode("utf-8", "replace"), 0) is not None

    @once
    def superseded(self, solver: str) -> str:
        return self._used.why_superseded(solver)

    def filled(self, path: str, one: ReportedFinding) -> str:
        return self._used.filled_by(path) or why_filled(self._texts, one)

    @once
    def is_draft(self, path: str, is_of_a_phase: bool) -> bool:
        return self._used.is_draft(path, is_of_a_phase, self.refused)

    @once
    def trial(self, path: str) -> str:
        """Why nobody expects that a net learns anything; empty where one does."""
        solvers = (path,) if path in self.nets else self._used.solvers.get(path, ())
        found = [_max_iter(solver) for solver in solvers]
        if found and all(0 < count < _SHORTEST for count in found):
            return f"max_iter is {max(found)}, so the run is a trial"
        return ""

    @once
    def compared(self, path: str) -> str:
        """The training net beside one that is the same with a Scale after each BatchNorm; empty if there is none."""
        beside = self._by_folder.get(os.path.dirname(path), ())[:_MOST_BESIDE]
        other = scaled_twin_of(path, (file for file in beside if role_of(file) == TRAIN))
        return f'"{relative(other)}" has the Scales, and the two may be there to be compared' if other else ""

    @cached_property
    def _by_folder(self) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        for file in self.files:
            found.setdefault(os.path.dirname(file), []).append(file)
        return found

    @property
    def sets_paths(self) -> str:
        """Where a page tells its reader to write the paths of data; empty where none does."""
        where = self._texts.sets_paths
        return f"{where} tells to set the paths" if where else ""

    @once
    def told_of(self, field: str) -> str:
        """Where a page speaks of a field that is false; empty where none does."""
        spoken = (where for where, line in self._texts.lines_with(field) if "false" in line)
        return next((f"{where} speaks of {field}" for where in spoken), "")

    @once
    def of_another_program(self, path: str) -> str:
        """Why the nets of a folder seem to be there for another program: Caffe loads less than half of them, for one
        reason and another, and of so many the first one would have been mended; empty where that is not known, or a
        text names the file.
        """
        folder = os.path.dirname(path)
        if folder not in self._foreign:
            self._foreign[folder] = self._why_foreign(folder)
        why = self._foreign[folder]
        return why if why and path not in self.nets and not self._texts.names_file(path) else ""

    def _why_foreign(self, folder: str) -> str:
        nets = [file for file in self._by_folder.get(folder, ()) if file not in self.nets]
        unloaded = [self.unloaded[net] for net in nets if net in self.unloaded]
        if len(unloaded) < _MANY or 2 * len(unloaded) <= len(nets) or len(set().union(*unloaded)) < _WAYS:
            return ""
        if any(map(self.is_solved, nets)):
            return ""
        return f"Caffe loads {len(nets) - len(unloaded)} of the {len(nets)} nets here, so another program may read them"

    @once
    def of_elsewhere(self, path: str) -> str:
        foreign = [file for file, rules in self.unloaded.items() if not _OF_ANOTHER_CAFFE.isdisjoint(rules)]
        return self._used.why_of_elsewhere(path, foreign) if foreign else ""

    def broken_beside(self, one: ReportedFinding) -> str:
        """That Caffe refuses the net which a net for deployment is held against, so that another one was trained.

        Not where a log shows that it was trained all the same: then its Caffe is another one.
        """
        path = os.path.abspath(one.file)
        others = [related.file for related in one.related if os.path.abspath(related.file) != path]
        unloaded = (other for other in others if os.path.abspath(other) in self.unloaded)
        found = [other for other in unloaded if not ((ran := self.ran(os.path.abspath(other))) and ran.shown)]
        return f'Caffe refuses "{found[0]}", so something else was trained' if found else ""

    @once
    def copied(self, solver: str) -> str:
        """That a net in another folder is the one of its name beside the solver; empty where it is not."""
        folder = os.path.dirname(solver)
        beside = [(net, os.path.join(folder, os.path.basename(net))) for net in self.nets.get(solver, ())]
        same = (own for net, own in beside if own != net and _content(own) == _content(net) != b"")
        return next((f'"{relative(own)}" has the same content' for own in same), "")

    def _loads_from(self, solver: str, folder: str) -> str:
        """Where a text that names the solver names weights in its folder of snapshots that are none of these."""
        own, name = os.path.basename(snapshot_prefix(solver)), os.path.basename(solver)
        place = folder.removeprefix("./") + "/"
        for text in self._texts.all if folder else ():
            at = text.text.find(place) if name in text.text else -1
            while at >= 0:
                found = _WEIGHTS.match(text.text, at + len(place))
                begins = at == 0 or not _GOES_ON.match(text.text[at - 1])
                if found and begins and not found[0].startswith(f"{own}_iter_"):
                    return text.line(at)
                at = text.text.find(place, at + 1)
        return ""

    @once
    def made(self, solver: str) -> str:
        """Where a script makes the folder of the snapshots, or a page has it; empty where none does."""
        folder = os.path.dirname(snapshot_prefix(solver))
        wanted = path_parts(folder)
        made = (where for name, where in self._texts.made_folders if are_one(path_parts(name), wanted))
        if where := next(made, ""):
            return f"{where} makes the folder"
        if where := self._loads_from(solver, folder):
            return f"{where} loads weights from the folder, so whoever runs it has it"
        return next((f"{where} has the folder" for where in self._texts.in_pages(folder)), "")


_BY_RULE: Mapping[str, Callable[[_Project, str], str]] = {
    "source-not-found": lambda project, _: project.sets_paths,
    "batchnorm-without-scale": _Project.compared,
    "solver-of-another-net": _Project.copied,
    "snapshot-prefix-unusable": _Project.made,
    # Who writes a page on that field knows what it does in testing.
    "batch-stats-in-testing": lambda project, _: project.told_of("use_global_stats"),
}
"""Why a project explains what one rule says of a file, by the name of the rule; empty where it does not."""


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
    shown: dict[tuple[str, ...], ReportedFinding] = {}
    unreadable = {one.file for one in findings if one.name in _OF_THE_GRAMMAR and one.severity == ERROR}
    filled = _filled_together(findings)
    projects.tell_refused({one.file for one in findings if one.severity == ERROR})
    projects.tell_unloaded(findings)
    for number, one in enumerate(findings):
        if one.severity == INFO or one.name in kept:
            continue
        if why := filled.get(number) or projects.explains(one, one.file in unreadable):
            weighed[number] = one.because(why, WARNING if projects.is_of_a_draft(one) else INFO)
            if one.severity == ERROR and one.name in _OF_A_CAFFE and projects.is_shown(one):
                shown.setdefault((projects.around(one.file), *construct(one)), one)
    for number, one in enumerate(weighed):
        # What the Caffe of a project was seen to take in one net, it takes in another.
        if shown and one.severity == ERROR and one.name in _OF_A_CAFFE - kept:
            if same := shown.get((projects.around(one.file), *construct(one))):
                weighed[number] = one.because(
                    f"this project's Caffe takes the same in {same.file}:{same.line or 1}, which was trained", INFO
                )
    weighed = lower_consequences(weighed, projects.nets_of)
    weighed = tell_first_of_alike(weighed, projects.around, projects.is_solved)
    return [one if one.name not in kept else findings[number] for number, one in enumerate(weighed)]


def _filled_together(findings: Sequence[ReportedFinding]) -> dict[int, str]:
    """Why something fills in what a layer lacks in several nets of a folder: nobody runs these as they are."""
    lacking: dict[tuple[str, str], list[int]] = {}
    for number, one in enumerate(findings):
        if one.name == _OF_TEMPLATES and one.layer:
            lacking.setdefault((os.path.dirname(one.file), one.key), []).append(number)
    why: dict[int, str] = {}
    for numbers in lacking.values():
        if len({file for number in numbers if not is_called_deploy(file := findings[number].file)}) < 2:
            continue  # the training net and the deploy net of one model
        for number, other in zip(numbers, (*numbers[1:], numbers[0]), strict=True):
            if (file := findings[other].file) != findings[number].file:
                why[number] = f'"{file}" has the same gap, so something may fill in both'
    return why


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
        self._nets: dict[str, tuple[str, ...]] = {}  # also of solvers that are in no project
        for job in jobs:
            for solver, nets in job.nets:
                path = os.path.abspath(solver)
                named = (os.path.abspath(net.path) for net in nets if net.path)
                self._nets[path] = tuple(dict.fromkeys(named))
                if project := self._of(path):
                    project.nets[path] = self._nets[path]
                    project.missing[path] = tuple(
                        name for net in nets if not net.path for name in (net.name, net.near) if name
                    )
            for file in job.files:
                if project := self._of(path := os.path.abspath(file)):
                    project.files.append(path)
                    if not job.nets:
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

    def tell_refused(self, files: Iterable[str]) -> None:
        """Tell projects which of their files have errors."""
        found: dict[str, set[str]] = {}
        for file in files:
            found.setdefault(self.top(file), set()).add(os.path.abspath(file))
        for top, paths in found.items():
            if project := self._found.get(top):
                project.refused = frozenset(paths)

    def tell_unloaded(self, findings: Sequence[ReportedFinding]) -> None:
        """Tell projects which of their files Caffe does not load, and for which rules."""
        found: dict[str, dict[str, set[str]]] = {}
        for one in findings:
            if one.severity == ERROR and _STOPS.match(one.code):
                whose = found.setdefault(self.top(one.file), {})
                whose.setdefault(os.path.abspath(one.file), set()).add(one.name)
        for top, paths in found.items():
            if project := self._found.get(top):
                project.unloaded = paths

    def nets_of(self, file: str) -> Collection[str]:
        """The nets that a solver names, as they are given in findings."""
        return [relative(net) for net in self._nets.get(os.path.abspath(file), ())]

    def is_solved(self, file: str) -> bool:
        path = os.path.abspath(file)
        project = self._of(path)
        return project is not None and project.is_solved(path)

    def explains(self, one: ReportedFinding, is_unreadable: bool) -> str:
        path = os.path.abspath(one.file)
        project = self._of(path)
        if project is None:
            return ""
        is_warning = one.severity == WARNING
        if why := project.of_another_program(path) or project.of_elsewhere(path):
            return why
        if why := project.unused(path, one.severity == ERROR, is_unreadable):
            return why
        if one.name in _OF_THE_GRAMMAR and not project.is_used(path) and project.is_of_another_kind(path):
            return "no solver, script or page names the file, which is no prototxt at all"
        if is_warning and (why := project.superseded(path) or project.stale(path, one)):
            return why
        if is_warning and _OF_LEARNING.match(one.code) and (why := project.trial(path)):
            return why
        if (asked := _BY_RULE.get(one.name)) and (why := asked(project, path)):
            return why
        if one.name == _OF_TEMPLATES and (why := project.filled(path, one)):
            return why
        if is_warning and one.name.startswith(_OF_DEPLOYED) and (why := project.broken_beside(one)):
            return why
        is_of_training = is_warning and _OF_TRAINING.match(one.code) is not None
        if not (is_of_training or one.severity == ERROR or _OF_LOADING.match(one.code)):
            return ""
        # Without a loss a log shows 0: one that shows another was of an earlier text.
        ran = project.ran(path) if one.name != _WITHOUT_LOSS else None
        if ran is None and one.name == _OF_SOLVERS and (why := project.takes_type(path)):
            return why
        if ran and (ran.shown or is_of_training and (not ran.is_weak or _DIVERGES.match(one.code))):
            return ran.how
        if ran and ran.is_weak and one.name in _OF_ITS_LAYERS:
            return f"{ran.how}, so this project's Caffe takes it"
        return ""

    def is_shown(self, one: ReportedFinding) -> bool:
        """Does a log or a snapshot in use show that a Caffe took the file of a finding as it is?"""
        path = os.path.abspath(one.file)
        project = self._of(path)
        ran = project.ran(path) if project else None
        return ran is not None and (ran.shown or ran.is_weak and one.name in _OF_ITS_LAYERS)

    def is_of_a_draft(self, one: ReportedFinding) -> bool:
        """Does it keep every Caffe from loading a net that nothing names, and that nobody has put away?

        A field that no known Caffe has is no fork's if one of its block is meant. Of a blob that one phase of a
        training net lacks, the other phase may be all that is built.
        """
        is_slip = one.name == _UNKNOWN_FIELD and bool(one.fixes)
        if one.severity != ERROR or not (is_slip or one.name in _OF_EVERY_CAFFE):
            return False
        path = os.path.abspath(one.file)
        project = self._of(path)
        if project is None or project.of_another_program(path) or project.of_elsewhere(path):
            return False
        return project.is_draft(path, len(one.phases) == 1)

    def _of(self, path: str) -> _Project | None:
        top = self.top(path)
        return self._found.setdefault(top, _Project(top)) if top else None


def _content(path: str) -> bytes:
    try:
        return read(path)
    except ReadError:
        return b""


def _max_iter(solver: str) -> int:
    try:
        found = _MAX_ITER.search(read(solver))
    except ReadError:
        return 0
    return int(found[1]) if found else 0
