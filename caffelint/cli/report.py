"""`caffelint report`"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from caffelint.cli.settings import dialect_option, input_shape_option, input_shapes, settings, settings_options


@click.command("report")
@click.argument("path", type=click.Path(), metavar="SOLVER|NET|FOLDER")
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
    type=click.Choice(["html", "svg", "png"]),
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
@click.option("--pages/--no-pages", default=True, help="For a folder, also write a page for each project (default).")
@click.option(
    "--baseline", metavar="FILE", type=click.Path(), help="For a folder, show what has changed since this baseline."
)
@click.option("--read-data", is_flag=True, help="Read the shape of data from the sources.")
@dialect_option
@input_shape_option
@settings_options
def command(
    path: str,
    output: Path | None,
    format_: str,
    is_open: bool,
    given: tuple[Path, ...],
    pages: bool,
    **options: Any,
) -> int:
    """Write a page that shows a net, its findings, and what is known of its training.

    The page is one file. It opens from disk, loads nothing, and can be passed on. For a folder it is an index of all
    solvers and nets, with links to a page for each.

    \b
    Exit status: 0 the page or picture was written
                 2 a path cannot be read or written, or wrong usage or settings
                 3 caffelint itself failed
    """
    from caffelint.cli.reported import Asked, reported

    is_folder = Path(path).is_dir()
    if is_folder and (format_ != "html" or is_open or given):
        raise click.UsageError("--format, --open and --with need a solver or a net, not a folder")
    if is_open and format_ == "html":
        raise click.UsageError("--open needs --format svg or png")
    if not is_folder and (options["baseline"] or not pages):
        raise click.UsageError("--baseline and --no-pages need a folder")
    output = output or Path("report.html" if format_ == "html" else f"net.{format_}")
    asked = Asked(path, output, format_, is_open, given, input_shapes(options.pop("shapes")))
    config = settings([path], options)
    if is_folder:
        from caffelint.cli.indexed import indexed

        return indexed(asked, config, pages)
    return reported(asked, config)
