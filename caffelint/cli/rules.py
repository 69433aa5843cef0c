"""`caffelint rules`"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from caffelint.cli import complete
from caffelint.cli.errors import unknown
from caffelint.cli.settings import plug_in, settings_options
from caffelint.cli.tell import say
from caffelint.text.visible import json_text

if TYPE_CHECKING:
    from caffelint.lint.registry import RuleInfo


@click.command("rules")
@click.option(
    "--family",
    metavar="NAME",
    shell_complete=complete.families,
    help="Show only this family: a letter or a name, such as S or solver.",
)
@click.option("--format", "format_", type=click.Choice(["text", "json"]), default="text", help="A table or JSON.")
@settings_options
def command(family: str | None, format_: str, config_file: Path | None, isolated: bool) -> None:
    """List the rules."""
    from caffelint.lint.registry import all_rules

    plug_in(config_file, isolated)
    letter = _letter(family) if family else None
    chosen = [info for info in all_rules() if letter in (None, info.family)]
    if format_ == "json":
        click.echo(json_text({"version": 1, "rules": [row(info) for info in chosen]}))
    else:
        _table(chosen)


def row(info: RuleInfo) -> dict[str, Any]:
    """A rule as docs/json.md has it."""
    from caffelint.lint.site import rule_page

    options = info.load().OPTIONS if info.options else {}
    return {
        "code": info.code,
        "name": info.name,
        "kind": info.kind,
        "severity": info.severity,
        "certainty": info.certainty,
        "preview": info.preview,
        "since": info.since,
        "aliases": list(info.aliases),
        "layer_types": list(info.layer_types),
        "summary": info.summary,
        "options": [{"name": name, "default": o.default, "help": o.help} for name, o in options.items()],
        "url": rule_page(info.name),
    }


def _letter(family: str) -> str:
    from caffelint.lint.registry import all_rules
    from caffelint.lint.select import FAMILIES

    letters = {info.family for info in all_rules()} | set(FAMILIES.values())
    letter = FAMILIES.get(family.lower(), family.upper())
    if letter not in letters:
        raise unknown(f'no such family "{family}"', family, FAMILIES, f"; the families are {', '.join(FAMILIES)}")
    return letter


def _table(infos: list[RuleInfo]) -> None:
    from caffelint.cli.outputs import TABLE, use_color, width
    from caffelint.lint.select import FAMILIES
    from caffelint.report.fit import Column, table
    from caffelint.report.words import count, painter

    paint = painter(use_color(sys.stdout))
    names = {letter: name for name, letter in FAMILIES.items()}
    rows = [
        (info.code, info.name, paint(info.severity, info.severity), "(preview) " * info.preview + info.summary)
        for info in infos
    ]
    lines = iter(table([Column(""), Column(""), Column(""), Column("")], rows, width(sys.stdout, TABLE)))
    family = None
    for line in lines:
        code = line.partition(" ")[0]
        if code and code[0] != family:
            if family is not None:
                click.echo()
            family = code[0]
            click.echo(paint(names.get(family, family), "bold"))
        click.echo(line)
    say(f"\n{count(len(infos), 'rule')}; caffelint explain RULE explains one")
