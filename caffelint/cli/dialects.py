"""`caffelint dialects`"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from caffelint.cli.tell import say
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
    from caffelint.cli.outputs import TABLE, use_color, width
    from caffelint.report.fit import Column, table
    from caffelint.report.words import painter

    paint = painter(use_color(sys.stdout))
    heads = (
        Column("dialect"),
        Column("repository", goes=1),
        Column("newest format", goes=2),
        Column("known as, and layer types that few others have", least=20),
    )
    rows = [(fork.name, fork.repository, _FORMATS[fork.generation], _known_for(fork)) for fork in forks]
    head, *lines = table(heads, rows, width(sys.stdout, TABLE))
    click.echo("\n".join([paint(head, "dim"), *lines, ""]))
    say(f"{len(forks)} dialects; caffelint check --dialect NAME checks files for one")


def _known_for(fork: Fork) -> str:
    types = ", ".join(fork.layer_types[:_SHOWN]) + (", ..." if len(fork.layer_types) > _SHOWN else "")
    return f"{fork.title}: {types}" if types else fork.title
