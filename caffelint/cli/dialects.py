"""`caffelint dialects`"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from caffelint.text.visible import json_text

if TYPE_CHECKING:
    from caffelint.schema.provenance import Fork

_FORMATS = ("layers { layer", "layers", "layer")
"""What the newest nets of a generation are written with."""
_SHOWN = 3


@click.command("dialects")
@click.option("--format", "format_", type=click.Choice(["text", "json"]), default="text", help="A table or JSON.")
def command(format_: str) -> None:
    """List the versions and forks of Caffe that --dialect accepts, best known first."""
    from caffelint.schema.provenance import provenance

    forks = [provenance().about(name) for name in provenance().forks]
    if format_ == "json":
        click.echo(json_text({"version": 1, "dialects": [fork._asdict() for fork in forks]}))
    else:
        _table(forks)


def _table(forks: list[Fork]) -> None:
    from caffelint.cli.outputs import use_color, width
    from caffelint.report.words import painter

    paint = painter(use_color(sys.stdout))
    rows = [("dialect", "repository", "newest format", "known as, and layer types that few others have")]
    rows += [(fork.name, fork.repository, _FORMATS[fork.generation], _known_for(fork)) for fork in forks]
    widths = [max(len(row[i]) for row in rows) for i in range(3)]
    room = width(sys.stdout)
    for row in rows:
        line = "  ".join(f"{cell:<{w}}" for cell, w in zip(row, [*widths, 0], strict=True))
        if room and len(line) > room:
            line = line[: room - 1].rstrip() + "…"
        click.echo(paint(line, "dim") if row is rows[0] else line)
    click.echo(f"\n{len(forks)} dialects; caffelint check --dialect NAME checks files for one")


def _known_for(fork: Fork) -> str:
    types = ", ".join(fork.layer_types[:_SHOWN]) + (", ..." if len(fork.layer_types) > _SHOWN else "")
    return f"{fork.title}: {types}" if types else fork.title
