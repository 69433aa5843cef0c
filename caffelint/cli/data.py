"""`caffelint data`"""

from __future__ import annotations

from typing import Any

import click

from caffelint.cli.plots import plot_option
from caffelint.cli.settings import fail_on_option, format_option, settings, settings_options


@click.command("data")
@click.argument("paths", nargs=-1, required=True, type=click.Path(), metavar="SOLVER|NET...")
@click.option(
    "--sample", type=click.IntRange(min=1), metavar="N", help="Read N records of each source, spread evenly, not all."
)
@plot_option
@settings_options
@fail_on_option
@click.option(
    "--jobs", type=click.IntRange(min=0), default=0, metavar="N", help="Processes to use; 0 (default) is one per core."
)
@click.option("--write-shapes", is_flag=True, help="Also write the shapes of the data into the settings (input-shape).")
@click.option("--no-cache", is_flag=True, help="Read everything anew, and keep nothing for later runs.")
@format_option("json holds all numbers")
@click.option("-v", "--verbose", is_flag=True, help="Also show infos.")
@click.option("-q", "--quiet", is_flag=True, help="Show only the findings.")
def command(paths: tuple[str, ...], **options: Any) -> int:
    """Look into the data sets that a net, or the nets of a solver, read.

    Every record of every source is read: labels, values, sizes, what is damaged, blank, there twice, or in TRAIN and
    in TEST. Nothing is written beside the data. What was read is kept, so that a run that was stopped goes on where it
    was, and another one of unchanged data takes no time.

    \b
    Exit status: 0 nothing at or above --fail-on
                 1 findings at or above --fail-on
                 2 wrong usage or settings, or a file that cannot be read
                 3 caffelint itself failed
    """
    from caffelint.cli.looked import Wanted, looked, report
    from caffelint.cli.outputs import outputs

    if options["write_shapes"] and options["isolated"]:
        raise click.UsageError("--write-shapes and --isolated cannot be combined; give one")
    wanted = outputs(list(options["formats"]), False)
    config = settings(list(paths), options)
    asked = Wanted(
        paths,
        options["sample"] or 0,
        options["plot"],
        options["jobs"],
        options["quiet"],
        options["verbose"],
        any(output.format == "text" and output.file is None for output in wanted),
    )
    result = looked(asked, config)
    status = report(result, asked, wanted, config)
    if options["write_shapes"]:
        from caffelint.cli.shapes_kept import keep_shapes

        keep_shapes(result.found, paths[0], options["config_file"])
    return status
