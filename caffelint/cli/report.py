"""`caffelint report`"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from caffelint.cli.settings import dialect_option, input_shape_option, input_shapes, settings, settings_options


@click.command("report")
@click.argument("path", type=click.Path(), metavar="SOLVER|NET")
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="The file to write (default: report.html, or net.svg or net.png with --format).",
)
@click.option(
    "--format",
    "format_",
    type=click.Choice(["html", "svg"]),
    default="html",
    show_default=True,
    help="The page, or a picture of the net only.",
)
@click.option("--open", "is_open", is_flag=True, help="In a picture, draw what repeats in full.")
@click.option(
    "--with",
    "given",
    multiple=True,
    type=click.Path(path_type=Path),
    metavar="FILE.json",
    help="Also show what caffelint smoke, log, data, weights or scales has written as JSON. Repeat for several.",
)
@dialect_option
@input_shape_option
@settings_options
def command(
    path: str, output: Path | None, format_: str, is_open: bool, given: tuple[Path, ...], **options: Any
) -> int:
    """Write a page that shows a net, its findings, and what is known of its training.

    The page is one file. It opens from disk, loads nothing, and can be passed on.

    \b
    Exit status: 0 the page or picture was written
                 2 a path cannot be read or written, or wrong usage or settings
    """
    from caffelint.cli.reported import Asked, reported

    output = output or Path("report.html" if format_ == "html" else f"net.{format_}")
    asked = Asked(path, output, format_, is_open, given, input_shapes(options.pop("shapes")))
    return reported(asked, settings([path], options))
