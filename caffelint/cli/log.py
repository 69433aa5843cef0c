"""`caffelint log`"""

from __future__ import annotations

from typing import Any

import click

from caffelint.cli import complete
from caffelint.cli.plots import plot_option
from caffelint.cli.settings import fail_on_option, format_option, settings, settings_options


@click.command("log")
@click.argument("logs", nargs=-1, required=True, type=click.Path(), metavar="FILE...")
@click.option("--solver", type=click.Path(), metavar="FILE", help="Hold the run against this solver and its net.")
@plot_option
@click.option("--follow", is_flag=True, help="Keep reading while the log grows, until the run ends.")
@click.option(
    "--until",
    metavar="nan,stuck",
    shell_complete=complete.words(nan="a number that is not finite", stuck="the loss does not fall"),
    help="With --follow: end with 1 at the first number that is not finite (nan), or once the loss does not fall"
    " (stuck).",
)
@click.option("--no-check", is_flag=True, help="Do not check the solver and the net that the log holds.")
@settings_options
@fail_on_option
@format_option("json holds all numbers", "csv is one line for each")
@click.option("-v", "--verbose", is_flag=True, help="Also show infos.")
@click.option("-q", "--quiet", is_flag=True, help="Show only the findings.")
def command(logs: tuple[str, ...], **options: Any) -> int:
    """Say what a log of training tells: what broke, where, and why.

    FILE is what Caffe printed, as it is, packed with gzip, or - for stdin. The solver and the net that it holds are
    checked as well. Nothing is run.

    \b
    Exit status: 0 nothing at or above --fail-on
                 1 findings at or above --fail-on
                 2 wrong usage or settings, or a log that cannot be read
                 3 caffelint itself failed
    """
    from caffelint.cli.logged import Wanted, reported, reports
    from caffelint.cli.outputs import outputs

    if options["until"] and not options["follow"]:
        raise click.UsageError("--until is for --follow")
    if options["follow"] and len(logs) > 1:
        raise click.UsageError("--follow takes one log")
    found = outputs(options["formats"], False, ["csv"])
    tables = [output.file for output in found if output.format == "csv"]
    wanted = [output for output in found if output.format != "csv"]
    config = settings(list(logs), options)
    asked = Wanted(
        logs,
        options["solver"],
        options["plot"],
        options["follow"],
        options["until"] or "",
        not options["no_check"],
        tables,
        any(output.format == "json" for output in wanted),
        options["quiet"],
        any(output.format == "text" and output.file is None for output in wanted),
    )
    return reported(reports(asked, config), asked, wanted, config, options["verbose"])
