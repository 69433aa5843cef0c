"""`caffelint config`"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

import click

from caffelint.cli.settings import settings, settings_options
from caffelint.cli.status import OK, USAGE
from caffelint.cli.tell import tell
from caffelint.text.visible import json_text, visible


@click.command("config")
@click.argument("path", default=".", type=click.Path())
@settings_options
@click.option("--format", "format_", type=click.Choice(["text", "json"]), default="text", help="A table or JSON.")
@click.option("--show-files", is_flag=True, help="List the files below PATH that check looks at, one a line.")
def command(path: str, config_file: Path | None, isolated: bool, format_: str, show_files: bool) -> int:
    """Show the settings in effect for PATH and where each comes from."""
    from caffelint.cli.outputs import TABLE, use_color, width
    from caffelint.lint.config import NO_SETTINGS
    from caffelint.lint.project.caffes import Caffes
    from caffelint.report.fit import Column, table
    from caffelint.report.words import painter

    config = settings([path], {"config_file": config_file, "isolated": isolated}, unused=())
    if show_files:
        from caffelint.lint.discover import discover, wanted

        found = discover([path], wanted(config), config.roots)
        for file in found.files:
            click.echo(visible(file.replace(os.sep, "/")))
        for file, why in found.unreadable:
            tell(f"{file}: {why}")
        return USAGE if found.unreadable else OK
    values = {name: value for name, value in vars(config).items() if name not in NO_SETTINGS}
    rows = {
        name.replace("_", "-"): {"value": value, "source": config.sources.get(name, "default")}
        for name, value in values.items()
    }
    taken = Caffes(config).of(os.path.join(path, "net.prototxt") if os.path.isdir(path) else path)
    if config.dialect is None and (taken.why or taken.note):
        if taken.forks:
            first, *others = taken.forks.forks
            why = f"{taken.name} is {taken.why}" + (f"; {', '.join(others)} where files need it" if others else "")
            rows["dialect"] = {"value": first, "source": why}
        else:
            rows["proto"] = {"value": taken.name or None, "source": taken.why or taken.note}
    if format_ == "json":
        click.echo(json_text({"version": 1, "settings": rows}))
        return OK
    paint = painter(use_color(sys.stdout))
    cells = []
    for name, row in rows.items():
        source = paint(visible(str(row["source"])), "dim" if row["source"] == "default" else "")
        cells.append((name, f"= {visible(_toml(row['value']))}", source))
    for line in table([Column("", least=17), Column(""), Column("")], cells, width(sys.stdout, TABLE) or TABLE):
        click.echo(line)
    return OK


def _toml(value: Any) -> str:
    """A value as one would write it in caffelint.toml."""
    if value is None:
        return '""'
    if isinstance(value, dict):
        return "{" + ", ".join(f"{json.dumps(key)} = {_toml(item)}" for key, item in value.items()) + "}"
    return json.dumps(value, ensure_ascii=False)
