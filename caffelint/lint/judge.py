"""Judges files that are read: runs the selected rules over them, and takes away what comments and settings silence."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from caffelint.caffe.solver import NetName, NetUse
from caffelint.lint.config import SKIP, Config
from caffelint.lint.discover import NamedNet, matching_globs
from caffelint.lint.file import File, load
from caffelint.lint.finding import DISPLAY, Finding
from caffelint.lint.joined import given_shapes
from caffelint.lint.project.python_layers import NO_MODULES, tell_modules
from caffelint.lint.registry import RuleInfo, all_rules, find_rule
from caffelint.lint.report import Failure, ReportedFinding, own_failure, reported
from caffelint.lint.rule import EVIDENCE
from caffelint.lint.run import RuleSet
from caffelint.lint.select import FAMILIES, matches, most_exact, selected
from caffelint.lint.suppress import Suppression, silence
from caffelint.schema.provenance import provenance
from caffelint.schema.readers import readers
from caffelint.text.edits import Edit
from caffelint.text.parser import MOST_PROBLEMS
from caffelint.text.tree import Problem

if TYPE_CHECKING:
    from caffelint.caffe.net import Net
    from caffelint.lint.checker import Measure
    from caffelint.lint.project.named import NamedForks
    from caffelint.project.mentions import NetRuns
    from caffelint.project.solver_runs import Runs
    from caffelint.schema.project import ProjectCaffe

_MOST_SUGGESTIONS = 100
_MOST_NAMED = 5
"""In a file: each misspelt name is compared with every rule's."""
_NO_RUNS: Mapping[str, Runs] = MappingProxyType({})
_NO_NET_RUNS: Mapping[str, NetRuns] = MappingProxyType({})


def _wanted(config: Config) -> list[RuleInfo]:
    """The rules that are turned on; those on targets only where there is one, for importing them takes a moment."""
    return [info for info in selected(config) if config.target or info.family != FAMILIES["deploy"]]


def _options(config: Config) -> Mapping[str, Mapping[str, Any]]:
    """The options of rules, with the targets for those that take any."""
    if not config.target:
        return config.rules
    ours = {"targets": config.target}
    taking = [info.name for info in all_rules() if info.family == FAMILIES["deploy"]]
    return config.rules | {name: ours | config.rules.get(name, {}) for name in taking}


class Judge:
    """The rules of one configuration, each imported once, and what they say of files."""

    def __init__(
        self,
        config: Config,
        infos: Sequence[RuleInfo] | None = None,
        most_problems: int | None = None,
        measure: Measure | None = None,
    ):
        """The rest as in `Checker`. Raises `NoRulesError`."""
        self.config = config
        self.measure = measure
        self.notes: list[str] = []
        self.most_problems = MOST_PROBLEMS if most_problems is None else most_problems
        self.infos = _wanted(config) if infos is None else infos
        self.rules = RuleSet(self.infos, _options(config))
        self.names = {info.name for info in self.infos}
        self._problems = {info.name for info in self.infos if info.kind == "problem"}
        self._severities = {
            info.name: config.severity[selector]
            for info in self.infos
            if (selector := most_exact(info, config.severity)) is not None
        }
        self._per_file_ignores = {
            glob: {info.name for info in self.infos if any(matches(info, name) for name in names)}
            for glob, names in config.per_file_ignores.items()
        }

    def load(
        self,
        data: bytes,
        path: str,
        kind: str | None,
        dialect: str | None,
        failures: list[Failure],
        caffe: ProjectCaffe | None = None,
        forks: NamedForks | None = None,
    ) -> File | None:
        try:
            file = load(data, path, kind, dialect, self.most_problems, caffe)
            if forks and file.bound:
                reading = readers(file.bound)
                others = [load(data, path, kind, fork, self.most_problems) for fork in forks.forks if fork in reading]
                file = next(filter(is_for_its_dialect, others), file)
            file.known_types = frozenset(self.config.known_layer_types)
            return file
        except Exception as error:
            failures.append(own_failure(path, error))
            return None

    def _tell_shapes(self, net: Net) -> None:
        """Give a net the shapes of its data: those of the settings, and those that its sources tell where asked to."""
        tops = {top for layer in net.layers for top in layer.tops}
        shapes = {top: shape for top, shape in given_shapes(self.config).items() if top in tops}
        net.input_shapes = shapes
        if self.config.read_data:
            from caffelint.lint.source_shapes import source_shapes

            confined = not self.config.is_asked("read_data")
            for built in net.states():
                found = source_shapes(built, net.path, self.config.roots, confined=confined, keep=self.config.cache)
                shapes = found.shapes | shapes
                self.notes += (f"{net.path}: {note}" for note in found.damaged)
            if shapes != net.input_shapes:
                net.input_shapes = shapes
            if self.measure is not None:
                net.measure = partial(self.measure, net, self.config)

    def join(
        self,
        files: Mapping[str, File],
        nets: Sequence[tuple[str, Sequence[NamedNet]]],
        failures: list[Failure],
    ) -> None:
        """Let solvers and nets know each other, and nets the shapes of their data."""
        for path, named in nets:
            solver = files[path].solver if path in files else None
            if solver:
                for net in named:
                    where = NetName(net.field, net.position, net.name, net.near, net.is_guess)
                    if net.outside:
                        solver.outside.append(where)
                    elif net.path is None:
                        solver.missing.append(where)
                    elif net.beside:
                        solver.beside.append(where)
                    elif net.path in files and files[net.path].solver:
                        solver.solvers.append(where)
                reachable = [(net, files[net.path].net) for net in named if net.path and net.path in files]
                solver.join(NetUse(name.field, net, name.position) for name, net in reachable if net)
        for file in files.values():
            if file.solver:
                file.solver.join(file.solver.inline_nets)
        if self.config.input_shape or self.config.read_data:
            for path, file in files.items():
                try:
                    for own in file.nets:
                        self._tell_shapes(own)
                except Exception as error:
                    failures.append(own_failure(path, error))

    def _findings(
        self,
        files: Mapping[str, File],
        nets: Sequence[tuple[str, Sequence[NamedNet]]],
        report: frozenset[str],
        failures: list[Failure],
    ) -> Iterator[Finding]:
        self.join(files, nets, failures)
        for path, file in files.items():
            steps: list[Callable[[], Iterator[Finding]]] = []
            if path in report:
                steps.append(partial(self.rules.check_file, file))
                if file.solver:
                    steps += [partial(self.rules.check_net, net) for net in file.nets]
            if file.solver:
                steps.append(partial(self.rules.check_project, file.solver))
            for step in steps:
                try:
                    yield from step()
                except Exception as error:
                    failures.append(own_failure(path, error))
            failures += (
                Failure(path, f"solvers build it in {net.unbuilt} more states than are checked")
                for net in file.nets
                if net.unbuilt and path in report
            )

    def findings(
        self,
        files: Mapping[str, File],
        nets: Sequence[tuple[str, Sequence[NamedNet]]],
        report: frozenset[str],
        failures: list[Failure],
        siblings: Sequence[tuple[str, Sequence[str]]] = (),
        modules: Mapping[str, Sequence[tuple[str, bytes]]] = NO_MODULES,
        runs: Mapping[str, Runs] = _NO_RUNS,
        net_runs: Mapping[str, NetRuns] = _NO_NET_RUNS,
    ) -> tuple[list[Finding], int]:
        """The findings of files that belong together, and how many comments and settings silenced.

        `nets` are the nets that each solver names; `report` are the files whose own findings are wanted; `siblings` are
        the files that may hold the training net of a deploy net; `modules` what the modules of Python layers may be;
        `runs` and `net_runs` what scripts tell of each solver and net.
        """
        for path, told in runs.items():
            if path in files and (solver := files[path].solver):
                solver.runs = told
        for path, of_net in net_runs.items():
            if path in files and (net := files[path].net):
                net.runs = of_net
        skipped = self._skipped(files)
        failed: set[str] = set()
        for path, file in files.items():
            try:
                tell_modules(file.nets, modules)
            except Exception as error:
                failures.append(own_failure(path, error))
                failed.add(path)
        for path, beside in siblings:
            if path in files and (net := files[path].net):
                others = [files[other].net for other in beside if other in files and other not in skipped]
                net.siblings = [other for other in others if other]
                for other in net.siblings:
                    other.deployed.append(net)
        by_file: dict[str, list[Finding]] = {path: [] for path in files}
        for finding in self._findings(files, nets, report, failures):
            by_file[finding.place.document.path].append(finding)
        for path in failed:
            del by_file[path]
        return self._settled(files, by_file, report, failures)

    def evidence(self, kind: str, subject: Any, files: Mapping[str, File]) -> tuple[tuple[ReportedFinding, ...], int]:
        """The findings of rules of that kind in these files or elsewhere, and how many were silenced."""
        by_file: dict[str, list[Finding]] = {path: [] for path in files}
        for finding in self.rules.check_evidence(kind, subject):
            by_file.setdefault(finding.place.document.path, []).append(finding)
        found, suppressed = self._settled(files, by_file, frozenset(), None)
        return self.reported(found), suppressed

    def _skipped(self, files: Mapping[str, File]) -> set[str]:
        """The templates, if they are not to be checked, but for those that lack nothing but data."""
        if self.config.templates != SKIP:
            return set()
        return {path for path, file in files.items() if file.is_template and not file.lacks_only_data}

    def _settled(
        self,
        files: Mapping[str, File],
        by_file: Mapping[str, Sequence[Finding]],
        report: frozenset[str],
        failures: list[Failure] | None,
    ) -> tuple[list[Finding], int]:
        """What comments and settings leave of findings; of the files of `report` with the comments that do nothing.

        failures: where a file is put that this fails for; None to raise what it fails with.
        """
        suppressed = 0
        result: list[Finding] = []
        skipped = self._skipped(files)
        for path, findings in by_file.items():
            ignored = self._ignored(path)
            if path not in files:  # no prototxt, which has no comments
                result += (finding for finding in findings if finding.name not in ignored)
                continue
            try:
                left = silence(findings, files[path].document)
                unused = self._unused(files[path], left.unused) if path in report else ()
                kept = [finding for finding in (*left.findings, *unused) if finding.name not in ignored]
            except Exception as error:
                if failures is None:
                    raise
                failures.append(own_failure(path, error))
                continue
            suppressed += left.silenced
            if path in skipped:
                by_value = files[path].lacks_only_values
                kept = [one for one in kept if one.name == "unfilled-template" or (by_value and one.holds_in_templates)]
            result += kept
        return result, suppressed

    def reported(self, findings: Iterable[Finding]) -> tuple[ReportedFinding, ...]:
        """In plain values, with the severities that were set; each once, with all the phases it was found in."""
        result: dict[Any, ReportedFinding] = {}
        for finding in findings:
            finding.severity = self._severities.get(finding.name, finding.severity)
            row = reported(finding)
            same = (row.name, row.file, row.line, row.column, row.message)
            if same in result:
                phases = tuple(dict.fromkeys((*result[same].phases, *row.phases)))
                row = row._replace(phases=phases)
            result[same] = row
        return self._one_value_each(result.values())

    def _one_value_each(self, rows: Iterable[ReportedFinding]) -> tuple[ReportedFinding, ...]:
        """The same, but to quote a value that is unknown besides offers the known one: `type: ADAM` is "Adam"."""
        problems = self._problems
        known = {_replaced(row): row.fixes for row in rows if row.name not in problems and row.fix()}
        known.pop(None, None)
        return tuple(
            row._replace(fixes=known.get(_replaced(row), row.fixes)) if row.name in problems else row for row in rows
        )

    def _ignored(self, path: str) -> set[str]:
        if not self.config.per_file_ignores:
            return set()
        folder = self.config.folder_of("per_file_ignores")
        return {
            name
            for glob in matching_globs(path, self._per_file_ignores, folder)
            for name in self._per_file_ignores[glob]
        }

    def _unused(self, file: File, comments: Iterable[Suppression]) -> Iterator[Finding]:
        """Comments that silenced nothing, as far as this run can tell: all the rules they name did run."""
        if "unused-suppression" not in self.names:
            return
        info = next(info for info in self.infos if info.name == "unused-suppression")
        suggestions = 0
        kinds = {"text", "problem", "solver", "layer", "refusal", "net"}
        if (file.solver and file.solver.nets) or (file.net and file.net.solvers):
            kinds.add("project")
        for comment in comments:
            start, end = comment.comment_start, comment.comment_end
            if not comment.rules:
                message = "this is not a directive; write ignore[RULE] or ignore-file[RULE] and the reason"
                yield from self.rules.rule(info).report(Problem(info.name, start, end, message), file)
                continue
            meant = [rule for name in comment.rules if (rule := find_rule(name))]
            if "all" in comment.rules:
                meant = [rule for rule in all_rules() if not rule.preview and rule.kind not in EVIDENCE]
            unknown = [name for name in comment.rules if name != "all" and find_rule(name) is None]
            ran = [rule.name for rule in meant if rule.name in self.names and rule.kind in kinds]
            if not unknown and not comment.in_vain and len(ran) < len(meant):
                continue
            repairs: tuple[Edit, ...] = () if comment.in_vain else (Edit(start, end, ""),)
            safe = True
            if unknown:
                listed = ", ".join(f'"{name}"' for name in sorted(unknown))
                message = f"no rule is called {listed}, so this comment silences nothing"
                suggestions += len(unknown) == 1
                if near := _like(unknown[0]) if len(unknown) == 1 and suggestions <= _MOST_SUGGESTIONS else "":
                    message += f"; did you mean {near}?"
                    wrong = re.finditer(re.escape(unknown[0]), file.document.source.text[start:end], re.I)
                    repairs, safe = tuple(Edit(start + one.start(), start + one.end(), near) for one in wrong), False
            elif comment.in_vain:
                message = "no field follows this comment in its block, so it silences nothing; write it above a field"
            elif "all" not in comment.rules:
                more = f" and {len(ran) - _MOST_NAMED} more rules" if len(ran) > _MOST_NAMED else ""
                names = ", ".join(sorted(ran)[:_MOST_NAMED]) + more
                message = f"{names} finds nothing here, so this comment silences nothing"
            else:
                message = "no rule finds anything here, so this comment silences nothing"
            problem = Problem(info.name, start, end, message, True, "", repairs, safe)
            yield from self.rules.rule(info).report(problem, file)


def _like(name: str) -> str:
    """The rule that a misspelt name most likely means, empty if none is similar."""
    from difflib import get_close_matches

    return next(iter(get_close_matches(name, [rule.name for rule in all_rules()], 1, 0.8)), "")


def is_for_its_dialect(file: File) -> bool:
    """Has its dialect all fields, values and layer types of a file?"""
    known, dialect = provenance(), file.dialect or ""
    # What Caffe's upgrade makes of `input` points to the file itself, which has no name.
    layers = [layer for net in file.nets for layer in net.layers if layer.node and layer.node.name]
    types = {layer.type for layer in layers}
    has_types = all(known.may_have_type(dialect, type_) for type_ in types)
    return has_types and not any(problem.kind == "fork-field" or problem.own for problem in file.problems)


def _replaced(row: ReportedFinding) -> tuple[str, int, int] | None:
    """The bytes in whose place the one fix of a finding puts others."""
    if len(row.fixes) != 1 or row.fixes[0].safety == DISPLAY or len(row.fixes[0].edits) != 1:
        return None
    file, edit = row.fixes[0].edits[0]
    return (file, edit.start, edit.end) if edit.start < edit.end else None
