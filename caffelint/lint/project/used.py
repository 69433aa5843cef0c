"""Which files of a project are used: what its solvers, scripts and pages name, and why the others seem not to be."""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Mapping, Sequence
from functools import cached_property
from itertools import chain, islice

from caffelint.lint.discover import relative
from caffelint.lint.project.find import PROTO
from caffelint.lint.project.stages import may_go_on
from caffelint.lint.project.texts import Texts
from caffelint.lint.project.twins import twin_of
from caffelint.lint.reach import is_below
from caffelint.lint.read import ReadError, read
from caffelint.lint.role import TRAIN, is_called_deploy, role_of
from caffelint.text.patterns import compiled_later

_WORD = 4
_MOST_TWINS = 50
_MOST_READERS = 20
_MOST_BESIDE = 100
"""Solvers of one net that are looked at for each of them."""
_A_LIST = 3
"""Nets of a folder that solvers name in comments, from which on these are all that are tried."""
_LARGEST = 1 << 20
_NAMED_NET = compiled_later(rb"^[ \t]*#[^\n]{0,200}?\b(?:\w+_)?net[ \t]*:[ \t]*[\"']([^\"'\n]{1,300})[\"']", re.M)
_VERSION = compiled_later(r"(?<![a-z])v(?:er(?:sion)?)?[_-]?(\d{1,4})(?!\d)", re.I)
_PUT_AWAY = compiled_later(
    r"(?:^|[_.-])(?:old|bak|bk|backups?|back_?up|obsolete|deprecated|trash|attic|unused|not_?used)(?:$|[_.-])", re.I
)
"""A folder by such a name holds what its author has put away."""
_PLACEHOLDER = compiled_later(rb"^[^#\n]*\$[{(]\w+[})]", re.M)
_HEAD = compiled_later(rb"^[ \t]*layers?[ \t]*\{", re.M)
_BOTTOM = compiled_later(rb"^[^#\n]*\bbottom[ \t]*:", re.M)
_INPUT = compiled_later(rb"^[^#\n]*(?:\binput(?:_\w+)?[ \t]*[:{]|Data\b|DATA\b|\"(?:Input|Python|Parameter)\")", re.M)


class Used:
    """What uses the files of a project.

    `nets`: those that each of its solvers names; `missing`: the names of those that are not there, and those that they
    may mean; `files`: all that are; `others`: nets that no solver names, nor one of a net that goes with them. All
    paths are absolute.
    """

    def __init__(
        self,
        texts: Texts,
        nets: Mapping[str, Sequence[str]],
        missing: Mapping[str, Sequence[str]],
        files: Sequence[str],
        others: Sequence[str],
    ):
        self._texts = texts
        self._nets = nets
        self._missing = missing
        self._files = files
        self._others = others

    @cached_property
    def solvers(self) -> Mapping[str, Sequence[str]]:
        """The solvers of each net."""
        found: dict[str, list[str]] = {}
        for solver, nets in self._nets.items():
            for net in nets:
                found.setdefault(net, []).append(solver)
        return found

    def is_solved(self, path: str) -> bool:
        return path in self.solvers or path in self._nets

    def is_used(self, path: str) -> bool:
        """Is a file a solver, or named by one or by a text, and not by one that writes it or names any?"""
        if self._why_put_away(path):
            return False
        return self._is_of_a_solver(path) or self._is_named(path) and not self._why_only_read(path)

    def _is_of_a_solver(self, path: str) -> bool:
        return self.is_solved(path) or os.path.basename(path) in self._lost or path in self._by_turns

    def _is_named(self, path: str) -> bool:
        named = self._texts.names_file(path)
        return named is not None and not named.is_vague

    @cached_property
    def _lost(self) -> set[str]:
        """The last names of the nets that are not where a solver names them, and of those that they are slips of."""
        return {os.path.basename(name.replace("\\", "/")) for names in self._missing.values() for name in names}

    @cached_property
    def _by_turns(self) -> set[str]:
        """The nets that solvers name in comments, too: their authors train one after the other."""
        found: set[str] = set()
        for solver in self._nets:
            try:
                names = _NAMED_NET.findall(read(solver, _LARGEST))
            except ReadError:
                continue
            found.update(os.path.join(os.path.dirname(solver), os.path.basename(os.fsdecode(name))) for name in names)
        return found.intersection(self._files)

    def why_unused(self, path: str, is_refused: bool, is_unreadable: bool, refused: Collection[str]) -> str:
        """Why nobody seems to load a file that is not used, or has ever loaded one that Caffe refuses.

        Who loads a file whose grammar is broken, `is_unreadable`, sees it at once. `refused`: the files with errors.
        """
        if why := self._why_put_away(path) or self._why_only_read(path):
            return why
        if self._is_filled_in(path):
            return ""
        role = role_of(path)
        if is_refused and role in (TRAIN, "deploy") and (why := self._why_left_over(path, role, refused)):
            return why
        if self._texts.names_file(path) and (not is_refused or self._texts.may_give(path)):
            return ""
        if not role and is_refused:
            return "no solver, script or page names the file, and it holds neither a layer nor a solver"
        if role not in (TRAIN, "deploy"):
            return ""
        if role == "deploy" and (why := self._beside_named(path)):
            return why
        if later := self._later_version(path):
            return f'no solver, script or page names the file, and a solver names "{relative(later)}", a later version'
        if is_refused and (why := self._beside_loaded(path)):
            return why
        if self._may_be_tried(path, role, is_refused, is_unreadable) or self._is_variant(path, is_refused):
            return ""
        solver = next((solver for solver in self._whole if self._is_of_one_model(solver, path)), "")
        return f'no solver, script or page names the file, and "{relative(solver)}" names another' if solver else ""

    def _is_of_one_model(self, solver: str, path: str) -> bool:
        """May a solver be one for a net, if it named that: is it, or one of its nets, in the same folder at the top?"""
        wanted = self._at_top(path)
        known = (solver, *self._nets[solver])
        return not _is_of_another_caffe(known[1], path) and any(
            not wanted or self._at_top(file) in ("", wanted) for file in known
        )

    def _at_top(self, path: str) -> str:
        """The folder at the top of the project that a file is in; empty for one at the top itself."""
        return os.path.relpath(path, self._texts.top).rpartition(os.sep)[0].partition(os.sep)[0]

    def filled_by(self, path: str) -> str:
        """Where code opens a file itself, as one does that fills in what is missing; empty where none does."""
        opening = (
            one
            for one in self._texts.all_names(path)
            if one.is_opened and not one.is_written and one.parts[0][0] != "*"
        )
        return next((f"{one.where} opens the file, as to fill it in" for one in opening), "")

    def why_superseded(self, path: str) -> str:
        """Why nobody seems to train by a solver: a text names another one beside it, for the same nets.

        One that goes on from what the other has trained is run by hand, though no text says so.
        """
        mine = self._nets.get(path)
        if not mine or self._texts.names_file(path):
            return ""
        beside = (one for one in self.solvers[mine[0]][:_MOST_BESIDE] if os.path.dirname(one) == os.path.dirname(path))
        for other in beside:
            named = self._texts.names_file(other)
            if not named or named.is_vague or named.is_of_page or set(self._nets[other]) != set(mine):
                continue
            if not may_go_on(path, other):
                return f'no text names the solver, and {named.where} names "{relative(other)}" for the same net'
        return ""

    def why_of_elsewhere(self, path: str, foreign: Collection[str]) -> str:
        """Why nobody can have run a file here: no text names it, its solvers or their nets, one of these is `foreign`,
        which this project's Caffe refuses for what only others know, and texts name solvers that are not so.
        """
        group = {path, *self.solvers.get(path, ()), *self._nets.get(path, ())}
        group.update(net for solver in list(group) for net in self._nets.get(solver, ()))
        if group.isdisjoint(foreign) or any(map(self._may_be_named, group)) or not self._named_solver:
            return ""
        solver, where = self._named_solver
        itself = "no script or page names the file, its solver or a net of that"
        return f'{itself}, which this project\'s Caffe does not load, and {where} names "{relative(solver)}"'

    def _may_be_named(self, path: str) -> bool:
        """Does a text name it, or a text of its own folder or one beside it names whatever is called so?"""
        named = self._texts.all_names(path)
        return any("*" not in one.parts[0] or is_below(path, os.path.dirname(one.folder)) for one in named)

    @cached_property
    def _named_solver(self) -> tuple[str, str] | None:
        """A solver that a text names without doubt, and where it does."""
        named = ((solver, self._texts.names_file(solver)) for solver in self._whole)
        return next(((solver, one.where) for solver, one in named if one and not one.is_vague), None)

    def is_draft(self, path: str, is_of_a_phase: bool, refused: Collection[str]) -> bool:
        """Is it a whole net that is not used, beside nets that are, and neither kept for what it once was nor left over
        from one that works?

        `is_of_a_phase`: what speaks against it does so in one phase only, of which a net for deployment has no more.
        """
        role = role_of(path)
        if self.is_used(path) or role not in (TRAIN, "deploy") or is_of_a_phase and role != "deploy":
            return False
        kept = self._why_put_away(path) or _is_part(path)
        return not (kept or self._better(path, role, refused))

    def _is_filled_in(self, path: str) -> bool:
        """Is it a template beside a solver that is one for its nets? Others like it are made of it."""
        beside = (names for solver, names in self._missing.items() if os.path.dirname(solver) == os.path.dirname(path))
        if not any("$" in name for names in beside for name in names):
            return False
        try:
            return _PLACEHOLDER.search(read(path, _LARGEST)) is not None
        except ReadError:
            return False

    def _may_be_tried(self, path: str, role: str, is_refused: bool, is_unreadable: bool) -> bool:
        """Does somebody run it now and then, though nothing names it?

        Where a solver is, authors try nets by turns: it names the one of today, if no text tells which is run. But
        what is refused is a draft, unless it lies among files that are used.
        """
        folder = os.path.dirname(path)
        if not is_refused:
            return role == "deploy" or folder in self._folders - self._told
        if is_unreadable or sum(os.path.dirname(net) == folder for net in self._by_turns) >= _A_LIST:
            return False
        if role == "deploy":
            return folder in self._folders | self._named_folders
        return folder in self._named_folders - self._folders

    def _why_put_away(self, path: str) -> str:
        """Why a file in a folder of backups is not used, whatever solvers there name: no text elsewhere names it."""
        folder = _put_away(os.path.dirname(path), self._texts.top)
        if not folder or all(is_below(net, folder) for net in self.solvers):
            return ""
        beside = (*self.solvers.get(path, ()), *self._nets.get(path, ()))
        together = (path, *(file for file in beside if is_below(file, folder)))
        named = (one for file in together for one in self._texts.all_names(file) if not one.is_vague)
        if any(not is_below(one.folder, folder) for one in named):
            return ""
        return f'no script or page elsewhere names the file, which is in "{relative(folder)}", and solvers name others'

    def _why_only_read(self, path: str) -> str:
        """Why no Caffe loads a file that scripts name: all of them read it as text with code of their own."""
        named = self._texts.all_names(path)
        if self._is_of_a_solver(path) or not 0 < len(named) <= _MOST_READERS:
            return ""
        if not all(map(self._texts.is_read_alone, named)):
            return ""
        return f"{named[0].where} reads the file as text, and nothing else names it"

    def _why_left_over(self, path: str, role: str, refused: Collection[str]) -> str:
        """Why nobody loads a net that Caffe refuses: there is a better one of it, or it is a part of one."""
        if self._is_named(path):
            return ""
        itself = "no solver, script or page names the file itself"
        if self._known_by_folder and _is_part(path):
            return f"{itself}, which holds a part of a net"
        other = self._better(path, role, refused)
        return f'{itself}, and "{relative(other)}" is nearly the same without an error' if other else ""

    def _better(self, path: str, role: str, refused: Collection[str]) -> str:
        """A net that is nearly the same as one that nothing names, and that Caffe does not refuse; empty if none."""
        near = () if self._texts.may_give(path) else self._known_by_folder.get(os.path.dirname(path), ())
        above = (net for net in self._by_names.get(_bare(path), ()) if net.count(os.sep) < path.count(os.sep))
        # A training net without an error is no better deploy net, however much of it the two share.
        sound = (
            net
            for net in chain(near, above)
            if net not in refused and role_of(net) == role and is_called_deploy(net) == is_called_deploy(path)
        )
        return twin_of(path, islice(sound, _MOST_TWINS))

    @cached_property
    def _by_names(self) -> Mapping[str, Sequence[str]]:
        """All files by their names but for digits."""
        found: dict[str, list[str]] = {}
        for path in self._files:
            found.setdefault(_bare(path), []).append(path)
        return found

    @cached_property
    def _known_by_folder(self) -> Mapping[str, Sequence[str]]:
        """The nets that solvers or texts name, by their folders."""
        found: dict[str, list[str]] = {}
        for path in self._files:
            if path in self.solvers or self._is_named(path):
                found.setdefault(os.path.dirname(path), []).append(path)
        return found

    @cached_property
    def _whole(self) -> Sequence[str]:
        """The solvers all of whose nets are there: one that is not may be meant by another name."""
        return [solver for solver, nets in self._nets.items() if nets and not self._missing.get(solver)]

    @cached_property
    def _folders(self) -> set[str]:
        """Those of solvers and of their nets."""
        return {os.path.dirname(path) for path in (*self._nets, *self.solvers)}

    @cached_property
    def _told(self) -> set[str]:
        """The folders in which a text tells what is run: those of the solvers that it names, and of their nets."""
        named = [solver for solver in self._whole if self._texts.names_file(solver)]
        return {os.path.dirname(path) for solver in named for path in (solver, *self._nets[solver])}

    @cached_property
    def _named_folders(self) -> set[str]:
        """Those of the files that a text names."""
        return {os.path.dirname(path) for path in self._files if self._texts.names_file(path)}

    def _beside_named(self, path: str) -> str:
        """Why a deploy net seems to be unused of which a text names a variant beside it."""
        for other, where in self._named_deploys.get(_start(path), ()):
            if other != path:
                return f'no script or page names the file, and {where} names "{relative(other)}"'
        return ""

    @cached_property
    def _named_deploys(self) -> Mapping[tuple[str, str], Sequence[tuple[str, str]]]:
        """The deploy nets that a text names, and where it does, by how their paths start."""
        found: dict[tuple[str, str], list[tuple[str, str]]] = {}
        for path in self._others:
            named = self._texts.names_file(path)
            if named and self._texts.may_mean(named, path) and role_of(path) == "deploy":
                found.setdefault(_start(path), []).append((path, named.where))
        return found

    def _beside_loaded(self, path: str) -> str:
        """Why nobody seems to load a net beside those that scripts do."""
        for other, where in self._loaded_by_folder.get(os.path.dirname(path), ()):
            return f'no solver, script or page names the file, and {where} names "{relative(other)}"'
        return ""

    @cached_property
    def _loaded_by_folder(self) -> Mapping[str, Sequence[tuple[str, str]]]:
        """The nets that code names, and where it does, by their folders; not what it opens itself."""
        found: dict[str, list[tuple[str, str]]] = {}
        for path in self._files:
            named = (
                one
                for one in self._texts.all_names(path)
                if not (one.is_of_page or one.is_vague or one.is_opened) and self._texts.may_mean(one, path)
            )
            if (one := next(named, None)) and role_of(path) in (TRAIN, "deploy"):
                found.setdefault(os.path.dirname(path), []).append((path, one.where))
        return found

    def _later_version(self, path: str) -> str:
        """The net of a solver that has the name of a file with a higher version: `net_v3` of `net_v2`."""
        own = _VERSION.search(os.path.basename(path))
        for net in self.solvers if own else ():
            other = _VERSION.search(os.path.basename(net))
            if own and other and _without_digits(path) == _without_digits(net) and int(own[1]) < int(other[1]):
                return net
        return ""

    def _is_variant(self, path: str, is_refused: bool) -> bool:
        """Is it named as a net that a solver names, but for digits: one of a series?

        If it is not refused, its folder may be another, too.
        """
        bare = _without_digits if is_refused else _bare
        return any(bare(path) == bare(net) and not _is_of_another_caffe(net, path) for net in self.solvers)


def _put_away(folder: str, top: str) -> str:
    """The folder below the top of a project that is called so and that a folder is in or is; empty if there is none."""
    below = os.path.relpath(folder, top).split(os.sep)
    number = next((number for number, name in enumerate(below) if is_put_away(name)), None)
    return os.path.join(top, *below[: number + 1]) if number is not None else ""


def is_put_away(folder: str) -> bool:
    """Does the name of a folder say that its author has put away what is in it?"""
    return _PUT_AWAY.search(folder) is not None


def _is_part(path: str) -> bool:
    """Does a net begin with a layer that reads a blob, and have neither data nor an input?"""
    try:
        data = read(path)
    except ReadError:
        return False
    heads = [head.start() for head in islice(_HEAD.finditer(data), 2)]
    return bool(heads) and _BOTTOM.search(data, *heads) is not None and _INPUT.search(data) is None


def _is_of_another_caffe(path: str, other: str) -> bool:
    """Is a file among the examples of a copy of Caffe that does not hold the other one?"""
    folder = os.path.dirname(path)
    while os.path.dirname(folder) != folder and not os.path.isfile(os.path.join(folder, PROTO)):
        folder = os.path.dirname(folder)
    return os.path.dirname(folder) != folder and not is_below(other, folder)


def _start(path: str) -> tuple[str, str]:
    """The folder and the first letters, which variants share, as `deploy` and `deploy_small`."""
    folder, name = os.path.split(path)
    return folder, name[:_WORD]


def _bare(path: str) -> str:
    return _without_digits(os.path.basename(path))


def _without_digits(path: str) -> str:
    return re.sub(r"\d+", "#", path)
