"""`caffelint summary`"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from functools import lru_cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from caffelint.cli import complete
from caffelint.cli.settings import dialect as dialect_of
from caffelint.cli.settings import input_shape_option, input_shapes, only_inputs, settings, settings_options
from caffelint.text.visible import json_text

if TYPE_CHECKING:
    from caffelint.cli.nets import Shown
    from caffelint.lint.config import Config
    from caffelint.lint.project.caffes import Caffes
    from caffelint.lint.report import Failure
    from caffelint.lint.summary import Summary


@click.command("summary")
@click.argument("paths", nargs=-1, required=True, type=click.Path())
@click.option("--phase", type=click.Choice(["train", "test"], case_sensitive=False), help="Show only this phase.")
@click.option(
    "--stage",
    "stages",
    multiple=True,
    metavar="NAME",
    help="A stage of the net's state. Repeat for several.",
)
@click.option("--level", type=int, help="The level of the net's state, for min_level and max_level.")
@input_shape_option
@click.option("--read-data", is_flag=True, help="Read the shape of data from the sources.")
@click.option(
    "--dialect",
    metavar="NAME",
    shell_complete=complete.dialects,
    help="Refuse layer types and fields that this Caffe lacks; caffelint dialects lists the names.",
)
@click.option("--format", "format_", type=click.Choice(["text", "json"]), default="text", help="A table or JSON lines.")
@settings_options
@click.option(
    "--jobs", type=click.IntRange(min=0), default=0, metavar="N", help="Processes to use; 0 (default) is one per core."
)
def command(
    paths: Sequence[str],
    phase: str | None,
    stages: Sequence[str],
    level: int | None,
    shapes: Sequence[str],
    read_data: bool,
    dialect: str | None,
    format_: str,
    config_file: Path | None,
    isolated: bool,
    jobs: int,
) -> int:
    """Show the nets that Caffe builds: shapes, parameters, multiply-adds, memory.

    PATHS are net files, solvers (for the nets that they name) and folders. By default, a net that exists in only
    one phase is shown in that phase.

    \b
    Exit status: 0 every net loads, or may load
                 1 a net does not load
                 2 a path cannot be read, there is no net, or wrong usage or settings
                 3 caffelint itself failed
    """
    from caffelint.cli.nets import nets
    from caffelint.cli.tell import tell
    from caffelint.lint.discover import discover
    from caffelint.lint.joined import given_shapes
    from caffelint.lint.report import Failure, Report

    config = settings(paths, {"config_file": config_file, "isolated": isolated})
    given = input_shapes(shapes)
    roots = config.roots
    found = discover(paths, roots=roots)
    options: dict[str, Any] = {
        "phases": (phase.upper(),) if phase else ("TRAIN", "TEST"),
        "stages": tuple(stages),
        "level": level,
        "input_shapes": given_shapes(config) | given,
        "dialect": dialect_of(dialect),
        "read_data": read_data,
        "assume": format_ == "text",
        "roots": roots,
    }
    config.dialect = options["dialect"]
    both = phase is None and format_ == "text"
    failed = [Failure(path, reason) for path, reason in found.unreadable]
    outright = {os.path.normpath(path) for path in paths}
    shown = dict.fromkeys(net for file in found.files for net in nets(file, file in outright, roots, failed))
    solved = {net.file for net in shown if net.solver}
    files = [net for net in shown if net.solver or net.file not in solved]
    refused = False
    seen, is_whole = False, True
    inputs: list[str] = []
    from caffelint.cli.outputs import TABLE, use_color, width
    from caffelint.report import summary_table

    for number, (file, summaries, failure) in enumerate(_each(files, options, both, jobs, config)):
        if not summaries and not failure and file in outright:
            tell(f"{file}: not a net")
        if failure:
            failed.append(failure)
        for summary in summaries:
            refused = refused or summary.loads is False
            seen = True
            is_whole = is_whole and summary.error is None
            inputs += summary.inputs
            if format_ == "json":
                sys.stdout.write(json_text(summary.as_json(), None) + "\n")
            else:
                sys.stdout.write("\n" if number or summary is not summaries[0] else "")
                summary_table.write(summary, sys.stdout, use_color(sys.stdout), width(sys.stdout, TABLE))
    for failure in failed:
        tell(f"{failure.file}: {failure.message}")
    if failed:
        return Report(failures=tuple(failed)).exit_status()
    if not seen:
        raise click.UsageError(f"there is no net in {', '.join(paths)}")
    if is_whole:
        only_inputs(given, inputs)
    return int(refused)


_Result = tuple[str, "list[Summary]", "Failure | None"]


_caffes: list[Caffes] = []
"""The one that finds the Caffe of each file; each process has its own."""


def _use(config: Config) -> None:
    from caffelint.lint.project.caffes import Caffes

    _caffes[:] = [Caffes(config)]


def _each(files: Sequence[Shown], options: dict[str, Any], both: bool, jobs: int, config: Config) -> Iterator[_Result]:
    """`both`: no phase was given, so a net that is made for only one is shown in that one."""
    from caffelint.lint.workers import WorkerEnded, can_share, share

    _data.cache_clear()
    _use(config)
    workers = min(jobs or os.cpu_count() or 1, len(files))
    if workers < 2 or len(files) < 8 or not can_share():
        yield from map(partial(_one, options, both), files)
        return
    try:
        yield from share(partial(_one, options, both), files, workers, chunk=4, start=_use, given=(config,))
    except WorkerEnded as error:
        lost = [net.file for net in files[error.done :]]
        yield lost[0], [], error.failure(lost, "shown")


@lru_cache(maxsize=2)
def _data(path: str) -> bytes:
    """A file, read once for all of its nets. Raises `ReadError`."""
    from caffelint.lint.read import read

    return read(path)


def _one(options: dict[str, Any], both: bool, net: Shown) -> _Result:
    from caffelint.cli.nets import as_meant
    from caffelint.lint.file import loaded
    from caffelint.lint.garbage import rare_collections
    from caffelint.lint.read import ReadError
    from caffelint.lint.report import Failure, own_failure
    from caffelint.lint.summary import summarize

    file = net.file.replace(os.sep, "/")
    try:
        with rare_collections():
            data = _data(file)
            caffe = _caffes[0].of(net.solver or file).caffe
            solver = loaded(_data(net.solver), net.solver, options["dialect"], caffe).solver if net.solver else None
            of_solver = (solver, net.build) if solver and net.build else None
            found = list(summarize(data, file, **options, of_solver=of_solver, caffe=caffe))
            return file, as_meant(found, data) if both and not net.solver else found, None
    except ReadError as error:
        return file, [], Failure(file, str(error))
    except Exception as error:
        return file, [], own_failure(file, error)
