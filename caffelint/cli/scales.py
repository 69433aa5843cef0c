"""`caffelint scales`"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

from caffelint.cli.plots import plot_option, plotting, ready_to_plot
from caffelint.cli.settings import input_shape_option, input_shapes, settings, settings_options


@click.command("scales")
@click.argument("path", type=click.Path(), metavar="SOLVER|NET")
@click.option(
    "--what-if",
    "changes",
    multiple=True,
    metavar="NAME=VALUE",
    help="With another value, as base_lr=0.1 or conv1.std=0.01 (LAYER.FIELD). Repeat for several.",
)
@click.option(
    "--data", "--read-data", "measure", is_flag=True, help="Measure the scale of the data instead of guessing it."
)
@click.option("--weights", type=click.Path(), metavar="MODEL", help="Start from these weights, not from the fillers.")
@input_shape_option
@click.option("--format", "format_", type=click.Choice(["text", "json"]), default="text", help="A table or JSON.")
@plot_option
@settings_options
def command(path: str, changes: tuple[str, ...], format_: str, plot: Path | None, **options: Any) -> int:
    """Show what a training starts with: the sizes of values, gradients and updates, layer by layer.

    They follow from fillers, shapes and the scale of the data; nothing is run. Of trained nets give the weights.

    \b
    Exit status: 0 the table was shown
                 2 the file cannot be read, holds no net to train, or wrong usage
    """
    from caffelint.cli.outputs import TABLE, use_color, width
    from caffelint.cli.scaled import Asked, scaled
    from caffelint.report import scales_table
    from caffelint.text.visible import json_text

    if plot:
        ready_to_plot(plot)
    shapes = input_shapes(options.pop("shapes"))
    asked = Asked(path, changes, options.pop("measure"), options.pop("weights"), shapes)
    found = scaled(asked, settings([path], options))
    if format_ == "json":
        click.echo(json_text(scales_table.as_json(found, path)))
    else:
        scales_table.write(found, path, sys.stdout, use_color(sys.stdout), width(sys.stdout, TABLE))
    if plot:
        with plotting(plot):
            scales_table.draw(found, plot, path)
    return 0
