"""`caffelint targets`"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from caffelint.cli import complete
from caffelint.cli.tell import say
from caffelint.text.visible import json_text

if TYPE_CHECKING:
    from caffelint.deploy.facts import Fact, Target

_STATES = {"run": "seen beside Caffe", "read": "read in its sources", "heard": "told by users"}


@click.command("targets")
@click.argument("names", nargs=-1, shell_complete=complete.targets)
@click.option("--format", "format_", type=click.Choice(["text", "json"]), default="text", help="A table or JSON.")
def command(names: tuple[str, ...], format_: str) -> int:
    """List the converters that --target accepts, or what is known of some of them.

    \b
    Exit status: 0 listed
                 2 there is no such target
    """
    from caffelint.deploy import facts

    try:
        found = [facts.target(facts.known(name)) for name in names or facts.names()]
    except ValueError as error:
        raise click.UsageError(str(error)) from error
    if format_ == "json":
        click.echo(json_text({"version": 1, "targets": [_as_json(one, bool(names)) for one in found]}))
    elif names:
        _facts(found)
    else:
        _table(found)
    return 0


def _as_json(target: Target, whole: bool) -> dict[str, object]:
    told: dict[str, object] = {
        "name": target.name,
        "title": target.title,
        "target_version": target.version,
        "known": target.known,
        "facts": len(target.facts),
        "takes": sorted(target.takes),
    }
    if whole:
        kept = ("verdict", "types", "does", "remedy", "fields", "source", "known")
        told["facts"] = [{name: getattr(fact, name) for name in kept} for fact in target.facts]
    return told


def _table(found: list[Target]) -> None:
    from caffelint.cli.outputs import TABLE, use_color, width
    from caffelint.report.fit import Column, table
    from caffelint.report.words import painter

    paint = painter(use_color(sys.stdout))
    heads = (
        Column("target"),
        Column("layer types", goes=1),
        Column("facts", goes=2),
        Column("known as", goes=3),
        Column("what and which version", least=20),
    )
    rows = [
        (
            one.name,
            str(len(one.takes) or "?"),
            str(len(one.facts)),
            _STATES[one.known],
            f"{one.title}: {one.version}",
        )
        for one in found
    ]
    head, *lines = table(heads, rows, width(sys.stdout, TABLE))
    click.echo("\n".join([paint(head, "dim"), *lines, ""]))
    say(f"{len(found)} targets; caffelint check --target NAME checks nets for one, caffelint targets NAME tells all")


def _facts(found: list[Target]) -> None:
    from caffelint.cli.outputs import TABLE, width
    from caffelint.report.fit import Column, table

    heads = (Column("verdict"), Column("layers", least=12), Column("what it does", least=24), Column("source", goes=1))
    for target in found:
        say(f"{target.title}: {target.version}" + (f"; {target.note}" if target.note else ""))
        say(f"takes {', '.join(sorted(target.takes)) or 'layer types that nobody listed'}")
        rows = [(one.verdict, ", ".join(one.types) or "the net", _sentence(one), one.source) for one in target.facts]
        click.echo("\n".join([*table(heads, rows, width(sys.stdout, TABLE)), ""]))


def _sentence(fact: Fact) -> str:
    return f"{fact.does}; {fact.remedy}" if fact.remedy else fact.does
