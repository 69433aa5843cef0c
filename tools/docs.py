"""Write what is generated: a page for each rule, the index of rules, and the sample output in the handwritten pages.

- `docs/rules/*.md` come from the rules' docstrings and their first examples, with what caffelint says of these.
- `docs/schema/settings.schema.json` comes from the settings.
- `docs/index.md` is the README, with links as the site needs them.
- `docs/commands.md` and the man page `docs/caffelint.1` come from the help of the commands.
- `rules/index.json` says what each rule looks at, so that only rules that are needed are imported.
- In README.md, CONTRIBUTING.md and the pages of docs is what commands print; tools/pages.py says how. For the samples
  among them, run `python tools/pages.py PAGE`.

`--check` writes nothing, names what is stale, and exits with 1 if anything is.
"""

from __future__ import annotations

import argparse
import importlib
import inspect
import io
import json
import re
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from man import commands_page, man_page
from pages import ROOT, WIDTH, filled

from caffelint.lint.examples import accepted, findings_of
from caffelint.lint.file import load
from caffelint.lint.finding import DISPLAY, SAFE, UNSAFE
from caffelint.lint.registry import RuleInfo, rules_of
from caffelint.lint.report import Report, ReportedFinding, reported
from caffelint.lint.rule import Invalid
from caffelint.lint.select import FAMILIES
from caffelint.lint.settings_schema import schema
from caffelint.report import Look, write
from caffelint.report.words import visible

GENERATED = "<!-- Written by tools/docs.py from the rules; change those, then run `make docs`. -->\n"
REPOSITORY = "https://github.com/caffelint/caffelint"
_TOP = re.compile(r"\]\(([A-Z]+\.md)\)")
"""A link to a document in the top folder."""


def wanted() -> dict[Path, str]:
    """Each generated file and its text."""
    rules = built_in()
    files = {ROOT / "rules/index.json": index(rules), ROOT / "docs/rules/index.md": overview(rules)}
    files[ROOT / "docs/schema/settings.schema.json"] = json.dumps(schema(), indent=2) + "\n"
    files |= {ROOT / f"docs/rules/{info.name}.md": page(info) for info in rules}
    handwritten = (page for page in sorted((ROOT / "docs").rglob("*.md")) if page.parent.name != "rules")
    for path in [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *handwritten]:
        files[path] = filled(path.read_text("utf-8"))
    files[ROOT / "docs/commands.md"] = commands_page()
    files[ROOT / "docs/caffelint.1"] = man_page()
    files[ROOT / "docs/index.md"] = front(files[ROOT / "README.md"])
    return files


def front(readme: str) -> str:
    """The first page of the site."""
    text = readme.replace("](docs/", "](")
    return _TOP.sub(lambda match: f"]({REPOSITORY}/blob/main/{match[1]})", text)


@cache
def built_in() -> list[RuleInfo]:
    return sorted(rules_of(importlib.import_module("caffelint.rules")), key=lambda info: info.code)


def index(rules: list[RuleInfo]) -> str:
    """One row of `RuleInfo` a line, as `caffelint.lint.registry` reads it; `checks`, the last, where it is False."""
    return "[\n" + ",\n".join(json.dumps(list(info[:-1] if info.checks else info)) for info in rules) + "\n]\n"


def overview(rules: list[RuleInfo]) -> str:
    names = {letter: name for name, letter in FAMILIES.items()}
    lines = [GENERATED, "# Rules", ""]
    for family in dict.fromkeys(info.family for info in rules):
        lines += [f"## {names.get(family, family)} ({family})", "", "| code | name | severity | fix | what it finds |"]
        lines.append("|---|---|---|---|---|")
        for info in rules:
            if info.family == family:
                preview = ", preview" * info.preview
                summary = info.summary.replace("|", "\\|")
                name = f"[{info.name}]({info.name}.md)"
                lines.append(f"| {info.code} | {name} | {info.severity}{preview} | {fixes(info)} | {summary} |")
        lines.append("")
    return "\n".join(lines)


@cache
def fixes(info: RuleInfo) -> str:
    """How safe the fixes in the examples of a rule are: `safe, unsafe`; `suggested only` for those never applied."""
    rule = info.load()
    found = [finding for one in rule.INVALID for finding in findings_of(rule, one.text, one.options)]
    kinds = [fix.safety for finding in found for fix in finding.fixes[:1]]
    return ", ".join("suggested only" if kind == DISPLAY else kind for kind in (SAFE, UNSAFE, DISPLAY) if kind in kinds)


def page(info: RuleInfo) -> str:
    """A rule's page: its docstring, its options, and its first examples with what caffelint says of them."""
    rule = info.load()
    facts = [info.severity, f"[{info.certainty}](../json.md#check)"]
    facts += [f"looks at {_LOOKS_AT[info.kind]}", f"since {info.since}"]
    facts += ["in preview"] * info.preview + [f"fix: {kinds}" for kinds in [fixes(info)] if kinds]
    parts = [GENERATED, f"# {info.name} ({info.code})\n", f"*{', '.join(facts)}*\n"]
    parts.append(inspect.cleandoc(rule.__doc__ or ""))
    if rule.OPTIONS:
        parts += ["\n## Options\n", "| option | default | what it does |", "|---|---|---|"]
        parts += (f"| `{name}` | `{json.dumps(o.default)}` | {o.help} |" for name, o in rule.OPTIONS.items())
    parts.append("\n## What caffelint says")
    parts += (f"\n{_text(example.text)}\n\n```text\n{said(rule, example)}```" for example in rule.INVALID[:2])
    parts.append("\nNot reported:")
    parts += (f"\n{_text(example.text)}" for example in accepted(rule)[:1])
    parts.append(f"\n## Silence it\n\nWith a comment: `# caffelint: ignore[{info.name}]` and the reason.\n")
    return "\n".join(parts)


_LOOKS_AT = {
    "text": "the text",
    "problem": "the text",
    "solver": "solvers",
    "layer": "layers",
    "refusal": "what Caffe refuses",
    "net": "nets",
    "project": "solvers with their nets",
    "smoke": "training runs",
    "log": "logs of training",
    "dataset": "data sets",
    "weights": "trained weights",
}


def _text(example: Any) -> str:
    """An example as fenced blocks, one for each of its files."""
    files = {"": example} if isinstance(example, str) else example
    blocks = []
    for name, text in files.items():
        lines = "\n".join(visible(line) for line in text.rstrip().splitlines())
        blocks.append((f"`{name}`\n" if name else "") + f"```\n{lines}\n```")
    return "\n".join(blocks)


def said(rule: Any, example: Invalid) -> str:
    """What caffelint prints about an example of a rule."""
    found = [reported(finding) for finding in findings_of(rule, example.text, example.options)]
    text = example.text if isinstance(example.text, str) else ""
    name = f"{load(text.encode('utf-8', 'surrogateescape')).kind}.prototxt"
    out = io.StringIO()
    report = Report([_named(finding, name) for finding in found])
    write("text", report, out, Look(width=WIDTH, least="info", quiet=True))
    return out.getvalue().rstrip("\n") + "\n"


def _named(finding: ReportedFinding, name: str) -> ReportedFinding:
    """The finding with a file name for a text that has none."""
    related = tuple(one._replace(file=one.file.replace("<text>", name)) for one in finding.related)
    return finding._replace(file=finding.file.replace("<text>", name), related=related)


def orphans(files: dict[Path, str]) -> Iterator[Path]:
    """Pages of rules that are gone."""
    return (path for path in (ROOT / "docs/rules").glob("*.md") if path not in files)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="write nothing; exit with 1 if anything is stale")
    check = parser.parse_args().check
    if not check:  # the examples on the pages run with the index as it will be
        (ROOT / "rules/index.json").write_text(index(built_in()), "utf-8")
    files = wanted()
    stale = [path for path, text in files.items() if not path.is_file() or path.read_text("utf-8") != text]
    gone = list(orphans(files))
    for path in stale:
        print(f"{'stale' if check else 'wrote'}: {path.relative_to(ROOT)}")
        if not check:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(files[path], "utf-8")
    for path in gone:
        print(f"{'stale' if check else 'removed'}: {path.relative_to(ROOT)}")
        if not check:
            path.unlink()
    if check and (stale or gone):
        print("run `make docs`", file=sys.stderr)
    return int(check and bool(stale or gone))


if __name__ == "__main__":
    sys.exit(main())
