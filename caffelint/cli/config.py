"""`caffelint config`"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

import click

from caffelint.cli.settings import settings, settings_options
from caffelint.text.visible import json_text, visible


@click.command("config")
@click.argument("path", default=".", type=click.Path())
@settings_options
@click.option("--format", "format_", type=click.Choice(["text", "json"]), default="text", help="A table or JSON.")
def command(path: str, config_file: Path | None, isolated: bool, format_: str) -> None:
    """Show the settings in effect for PATH and where each comes from."""
    from caffelint.cli.outputs import use_color
    from caffelint.lint.config import NO_SETTINGS
    from caffelint.lint.project.caffes import Caffes
    from caffelint.report.words import painter

    config = settings([path], {"config_file": config_file, "isolated": isolated}, unused=())
    values = {name: value for name, value in vars(config).items() if name not in NO_SETTINGS}
    rows = {
        name.replace("_", "-"): {"value": value, "source": config.sources.get(name, "default")}
        for name, value in values.items()
    }
    taken = Caffes(config).of(os.path.join(path, "net.prototxt") if os.path.isdir(path) else path)
    if config.dialect is None and (taken.why or taken.note):
        rows["dialect" if taken.forks else "proto"] = {"value": taken.name or None, "source": taken.why or taken.note}
    if format_ == "json":
        click.echo(json_text({"version": 1, "settings": rows}))
        return
    longest = max(len(name) for name in rows)
    shown = {name: visible(_toml(row["value"])) for name, row in rows.items()}
    column = min(40, max(len(text) for text in shown.values()))
    paint = painter(use_color(sys.stdout))
    for name, row in rows.items():
        source = paint(visible(str(row["source"])), "dim" if row["source"] == "default" else "")
        click.echo(f"{name:<{longest}} = {shown[name]:<{column}}  {source}")


def _toml(value: Any) -> str:
    """A value as one would write it in caffelint.toml."""
    if value is None:
        return '""'
    if isinstance(value, dict):
        return "{" + ", ".join(f"{json.dumps(key)} = {_toml(item)}" for key, item in value.items()) + "}"
    return json.dumps(value, ensure_ascii=False)
