"""Runs a rule's own examples: exact spans, exact messages, exact fixed text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from caffelint.caffe.solver import NET_FIELDS, NetUse
from caffelint.lint.file import File, load
from caffelint.lint.finding import DISPLAY, Finding
from caffelint.lint.registry import describe
from caffelint.lint.rule import Files, Invalid, Rule
from caffelint.lint.run import RuleSet, join
from caffelint.text.edits import Edit, apply_edits


def findings_of(rule: type[Rule], text: str | Files, options: Mapping[str, Any] | None = None) -> list[Finding]:
    """What one rule says of an example: of its files by themselves, and of its solvers with the nets they name."""
    files = _load(text, (options or {}).get("dialect"))
    rules = RuleSet([describe(rule)], {rule.name: {k: v for k, v in (options or {}).items() if k != "dialect"}})
    rules._loaded[rule.name] = rule({k: v for k, v in (options or {}).items() if k != "dialect"})
    for file in files.values():
        if file.solver:
            uses = [
                NetUse(field, files[path].net)  # type: ignore[arg-type]
                for field in NET_FIELDS
                for path in _paths(getattr(file.solver.message, field))
                if path in files and files[path].net
            ]
            join(file.solver, uses + file.solver.inline_nets())
    found: list[Finding] = []
    for file in files.values():
        found += rules.check_file(file)
        if file.solver:
            for use in file.solver.nets:
                if use.net.document is file.document:
                    found += rules.check_net(use.net)
            found += rules.check_project(file.solver)
    return found


def _load(text: str | Files, dialect: str | None = None) -> dict[str, File]:
    if isinstance(text, str):
        return {"<text>": load(text.encode("utf-8", "surrogateescape"), dialect=dialect)}
    return {path: load(part.encode("utf-8", "surrogateescape"), path, dialect=dialect) for path, part in text.items()}


def _paths(value: Any) -> Sequence[str]:
    return [value] if isinstance(value, str) else list(value)


def failures(rule: type[Rule]) -> list[str]:
    """What is wrong with a rule's examples, one line each; empty if all hold."""
    wrong: list[str] = []
    for number, example in enumerate(rule.VALID):
        for finding in findings_of(rule, example):
            wrong.append(f"VALID[{number}]: unexpected: {finding.place.text!r}: {finding.message}")
    for number, invalid in enumerate(rule.INVALID):
        wrong += (f"INVALID[{number}]: {line}" for line in _invalid(rule, invalid))
    return wrong


def _invalid(rule: type[Rule], example: Invalid) -> list[str]:
    found = findings_of(rule, example.text, example.options)
    spans = [example.span] if isinstance(example.span, str) else list(example.span)
    messages = [example.message] if isinstance(example.message, str) else list(example.message)
    got = [(finding.place.text, finding.message) for finding in found]
    wanted = list(zip(spans, messages, strict=True))
    wrong = []
    if got != wanted:
        wrong.append(f"wanted {wanted}\n            got    {got}")
    if example.fixed is not None and isinstance(example.text, str):
        fixed = apply_fixes(example.text, found)
        if fixed != example.fixed:
            wrong.append(f"wanted fixed {example.fixed!r}\n            got          {fixed!r}")
    elif example.fixed is None and any(fix.safety != DISPLAY for finding in found for fix in finding.fixes):
        wrong.append("the rule offers a fix, but the example does not show the fixed text")
    return wrong


def apply_fixes(text: str, findings: Sequence[Finding]) -> str:
    """The text with the first fix of every finding applied."""
    edits = {
        Edit(edit.start, edit.end, edit.text)
        for finding in findings
        for fix in finding.fixes[:1]
        if fix.safety != DISPLAY
        for edit in fix.edits
    }
    return apply_edits(text.encode("utf-8", "surrogateescape"), edits).decode("utf-8", "surrogateescape")
