"""`caffelint weights`"""

from __future__ import annotations

from typing import Any

import click

from caffelint.cli.plots import plot_option
from caffelint.cli.settings import (
    fail_on_option,
    format_option,
    input_shape_option,
    input_shapes,
    settings,
    settings_options,
)


@click.command("weights")
@click.argument("files", nargs=-1, required=True, type=click.Path(), metavar="[NET|SOLVER] MODEL...")
@click.option("--snapshot", type=click.Path(), metavar="FILE", help="A .solverstate to hold against the solver.")
@click.option("--stats", is_flag=True, help="Show a table of the values of each blob.")
@click.option("--diff", is_flag=True, help="Show what differs between two MODELs: what a training moved, and what not.")
@plot_option
@input_shape_option
@settings_options
@fail_on_option
@format_option()
@click.option("-v", "--verbose", is_flag=True, help="Also show infos.")
@click.option("-q", "--quiet", is_flag=True, help="Show only the findings.")
def command(files: tuple[str, ...], **options: Any) -> int:
    """Say whether trained weights fit a net, and what is wrong with them.

    MODEL is a .caffemodel, binary or HDF5; several are loaded one after the other, as by caffe train. A solver stands
    for all its nets. Nothing is run.

    \b
    Exit status: 0 nothing at or above --fail-on
                 1 findings at or above --fail-on
                 2 wrong usage or settings, or a file that cannot be read
                 3 caffelint itself failed
    """
    from caffelint.cli.outputs import outputs
    from caffelint.cli.weighed import Wanted, reported, reports

    wanted = outputs(options["formats"], False)
    shapes = input_shapes(options.pop("shapes"))
    config = settings(list(files), options)
    on_stdout = any(output.format == "text" and output.file is None for output in wanted)
    as_json = any(output.format == "json" for output in wanted)
    asked = Wanted(
        files,
        options["quiet"],
        on_stdout,
        as_json,
        options["stats"],
        options["snapshot"],
        options["diff"],
        options["plot"],
        shapes,
    )
    return reported(reports(asked, config), asked, wanted, config, options["verbose"])
