"""Runs a rule's own examples: exact spans, exact messages, exact fixed text."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from os.path import abspath, basename, dirname, isabs, relpath, split
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from caffelint.caffe.solver import Solver
from caffelint.lint.checker import Checker
from caffelint.lint.config import Config
from caffelint.lint.discover import NamedNet, are_near
from caffelint.lint.file import load
from caffelint.lint.finding import DISPLAY, Finding
from caffelint.lint.plan import Siblings
from caffelint.lint.plugins import said
from caffelint.lint.project.bases import called_after, layers_of, loaded_of, loading_of
from caffelint.lint.project.conversions import made_by
from caffelint.lint.project.datasets import datasets_of
from caffelint.lint.project.launched import launched, words
from caffelint.lint.project.misnamed import Misnamed, misnamed_of
from caffelint.lint.project.python_layers import classes_in
from caffelint.lint.project.python_scripts import (
    asked_by,
    channels_by,
    fed_by,
    judged_by,
    spoilt_by,
    supplied_by,
    uncleared_by,
    untrained_by,
)
from caffelint.lint.project.stopped import stopped_of
from caffelint.lint.project.strayed import strayed_of
from caffelint.lint.registry import all_rules, describe
from caffelint.lint.report import Failure
from caffelint.lint.rule import EvidenceRule, Files, Invalid, Rule, Valid
from caffelint.lint.run import RuleSet
from caffelint.project.mentions import Mention, NetRuns
from caffelint.project.scripts import Script
from caffelint.project.solver_runs import runs_of
from caffelint.schema.detect import NET_FIELDS
from caffelint.text.edits import apply_edits

_SCRIPTS = (".py", ".sh")
_LIST = ".txt"


@contextmanager
def _working_in(folder: str) -> Iterator[None]:
    before = os.getcwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)


def findings_of(rule: type[Rule], text: str | Files, options: Mapping[str, Any] | None = None) -> list[Finding]:
    """What one rule says of an example: of its files by themselves, and of its solvers with the nets they name.

    `options` are the rule's own, and `dialect`. Lists, which are looked for on disk, are written to a folder for it.
    """
    if issubclass(rule, EvidenceRule):
        return list(rule(options).check(rule.subject({"<text>": text} if isinstance(text, str) else text)))
    if isinstance(text, dict) and any(path.endswith(_LIST) for path in text):
        lists = {path: part for path, part in text.items() if path.endswith(_LIST)}
        with TemporaryDirectory() as folder, _working_in(folder):
            for path, part in lists.items():
                if isabs(path) or ".." in Path(path).parts:
                    raise ValueError(f'"{path}" of an example is outside its folder; give a path inside it')
                Path(path).parent.mkdir(parents=True, exist_ok=True)
                Path(path).write_text(part)
            return findings_of(rule, {path: part for path, part in text.items() if path not in lists}, options)
    settings = dict(options or {})
    dialect = settings.pop("dialect", None)
    config = Config()
    config.rules = {rule.name: settings}
    given = {"<text>": text} if isinstance(text, str) else text
    texts = {path: part for path, part in given.items() if not path.endswith(_SCRIPTS)}
    python = [(path, _bytes(part)) for path, part in given.items() if path.endswith(".py")]
    modules = {_module(path): [(path, data)] for path, data in python}
    for path, data in python:
        modules[f"import {path}"] = [other for other in python if other[0] != path]
        for name in classes_in(data):
            modules.setdefault(f"class {name}", []).append((path, data))
    files = {path: load(_bytes(part), path, dialect=dialect) for path, part in texts.items()}
    nets = [(path, _named(file.solver, texts)) for path, file in files.items() if file.solver and len(files) > 1]
    wrong: list[Failure] = []
    info = describe(rule)
    checker = Checker(config, infos=[info])
    # A built-in rule's examples hold whatever a pack claims.
    claiming = [other for other in all_rules() if other.is_built_in or not info.is_built_in]
    checker.judge.rules = RuleSet([info], config.rules, claiming)
    checker.judge.rules.add(rule)
    beside = Siblings(texts)
    siblings = [(path, beside.of(path)) for path in files]
    scripts = [Script(path, dirname(path), part) for path, part in given.items() if path not in texts]
    solvers = [path for path, file in files.items() if file.solver] if scripts else []
    stopped = stopped_of(
        scripts,
        lambda name: [""] if name in texts else [],
        lambda _: min(solvers, default=""),
        lambda _, name: given.get(f"{name}.py"),
    )
    runs = {
        path: runs_of(scripts, *split(path), ())._replace(stopped=stopped.get(path, ()), **_launches(given, path))
        for path in solvers
    }
    misnamed = misnamed_of(scripts, "", lambda name: name in given, lambda _: list(given))
    net_runs = (
        {path: _net_runs(scripts, path, misnamed)._replace(stopped=stopped.get(path, ())) for path in files}
        if scripts
        else {}
    )
    found, _ = checker.judge.findings(files, nets, frozenset(files), wrong, siblings, modules, runs, net_runs)
    if wrong:
        raise AssertionError(wrong[0].message)
    return found


def _net_runs(scripts: list[Script], net: str, misnamed: Misnamed) -> NetRuns:
    asked, supplied = asked_by(scripts, *split(net)), supplied_by(scripts, *split(net))
    channels = tuple(channels_by(scripts, *split(net)))
    judged = tuple((Mention(script.path, one.line), one) for script, one in judged_by(scripts))
    given = NetRuns(fed=tuple(fed_by(scripts)), asked=tuple(asked), supplied=tuple(supplied), judged=judged)
    return given._replace(
        made=made_by(scripts, lambda _: ()),
        datasets=datasets_of(scripts),
        misnamed=misnamed.get(net, ()),
        channels=channels,
        spoilt=tuple(spoilt_by(scripts)),
        uncleared=uncleared_by(scripts, *split(net)),
        untrained=untrained_by(scripts, *split(net)),
    )


def _launches(given: Mapping[str, str], solver: str) -> dict[str, Any]:
    """How the scripts among the example's files run a solver, as if these were in the working directory."""
    scripts = [Script(path, abspath(dirname(path)), part) for path, part in given.items() if path.endswith(_SCRIPTS)]
    found = launched(scripts, abspath("."), solver)
    solvers: dict[str, list[str]] = {}
    for path in given:
        if path.endswith(".prototxt") and "olver" in path:
            solvers.setdefault(basename(path), []).append(abspath(dirname(path)))
    strayed = strayed_of(scripts, abspath("."), solvers, given.__contains__).get(abspath(solver), ())
    loading = loading_of(scripts, abspath("."), lambda path: relpath(path) in given).get(abspath(solver), ())
    loaded = loaded_of(
        loading,
        abspath("."),
        lambda weights: [abspath(name) for name in called_after(weights) if name in given],
        lambda net: layers_of(_bytes(given[relpath(net)]), net),
    )
    return {"loaded": loaded, "launched": found, "words": words(scripts, solver) if found else (), "strayed": strayed}


def _named(solver: Solver, texts: Mapping[str, str]) -> list[NamedNet]:
    """The nets among the example's files that a solver names."""
    named = []
    for field in NET_FIELDS:
        value = getattr(solver.message, field)
        names = [value] if isinstance(value, str) else list(value)
        for i, name in enumerate(names):
            net = NamedNet(field, i, name, name if name in texts else None)
            if name:
                named.append(net if net.path else net._replace(near=next((x for x in texts if are_near(name, x)), "")))
    return named


def _module(path: str) -> str:
    """The name by which a Python file of an example is imported."""
    return path.removesuffix(".py").replace("/", ".")


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")


def accepted(rule: type[Rule]) -> list[Valid]:
    """The rule's VALID, each with its options."""
    return [example if isinstance(example, Valid) else Valid(example) for example in rule.VALID]


def texts_of(rule: type[Rule]) -> list[str | Files]:
    """The texts of all examples of a rule, valid and invalid."""
    return [*(example.text for example in accepted(rule)), *(example.text for example in rule.INVALID)]


def failures(rule: type[Rule]) -> list[str]:
    """What is wrong with a rule's examples, one line each; empty if all hold."""
    if not isinstance(rule.VALID, (list, tuple)) or not isinstance(rule.INVALID, (list, tuple)):
        return ["VALID and INVALID are lists of examples"]
    wrong: list[str] = []
    for number, example in enumerate(accepted(rule)):
        wrong += (f"VALID[{number}]: {line}" for line in _held(_valid, rule, example))
    for number, invalid in enumerate(rule.INVALID):
        wrong += (f"INVALID[{number}]: {line}" for line in _held(_invalid, rule, invalid))
    return wrong


def _held(judge: Callable[[type[Rule], Any], list[str]], rule: type[Rule], example: Any) -> list[str]:
    """What is wrong with an example; also if the rule raises, or if it is not an example at all."""
    try:
        return judge(rule, example)
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        return [str(error) if isinstance(error, AssertionError) else said(error)]


def _valid(rule: type[Rule], example: Valid) -> list[str]:
    found = findings_of(rule, example.text, example.options)
    return [f"unexpected: {finding.place.text!r}: {finding.message}" for finding in found]


def _invalid(rule: type[Rule], example: Invalid) -> list[str]:
    found = findings_of(rule, example.text, example.options)
    spans = [example.span] if isinstance(example.span, str) else list(example.span)
    messages = [example.message] if isinstance(example.message, str) else list(example.message)
    got = [(finding.place.text, finding.message) for finding in found]
    wrong = []
    if len(spans) != len(messages):
        wrong.append(f"it has {len(spans)} spans and {len(messages)} messages")
    wanted = list(zip(spans, messages, strict=False))
    if got != wanted:
        wrong.append(f"wanted {wanted}\n            got    {got}")
    if example.fixed is not None:
        fixed = apply_fixes(example.text, found)
        if fixed != example.fixed:
            wrong.append(f"wanted fixed {example.fixed!r}\n            got          {fixed!r}")
    elif any(fix.safety != DISPLAY for finding in found for fix in finding.fixes):
        wrong.append("the rule offers a fix, but the example does not show the fixed text")
    return wrong


def apply_fixes(text: str | Files, findings: Sequence[Finding]) -> str | Files:
    """The text, or each of the files, with the first fix of every finding applied."""
    if not isinstance(text, str):
        return {path: _apply(part, path, findings) for path, part in text.items()}
    return _apply(text, "<text>", findings)


def _apply(text: str, path: str, findings: Sequence[Finding]) -> str:
    edits = {
        edit
        for finding in findings
        for fix in finding.fixes[:1]
        if fix.safety != DISPLAY
        for file, edit in fix.edits
        if file == path
    }
    return apply_edits(_bytes(text), edits).decode("utf-8", "surrogateescape")
