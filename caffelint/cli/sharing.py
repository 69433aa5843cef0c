"""The options of work that is shared with other processes or machines."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from caffelint.cli import complete

_F = TypeVar("_F", bound=Callable[..., Any])


def check_options(command: _F) -> _F:
    """`--jobs` and `--cluster`."""
    said = "Share the work with the machines of a Dask cluster: tcp://HOST:PORT of its scheduler, the file that this"
    command = _cluster(f"{said} wrote, local:N or slurm:N.")(command)
    least = click.IntRange(min=0)
    return click.option("--jobs", type=least, metavar="N", help="Processes to use; 0 (default) is one per core.")(
        command
    )


def _cluster(help: str) -> Callable[[_F], _F]:
    return click.option("--cluster", metavar="ADDRESS", shell_complete=complete.clusters, help=help)


def sweep_options(command: _F) -> _F:
    """`--sweep`, and those that belong to it."""
    for option in (
        _cluster("With --sweep: run on a Dask cluster, as caffelint check does."),
        click.option(
            "--jobs", type=click.IntRange(min=1), metavar="N", help="With --sweep: N runs at a time, one a GPU."
        ),
        click.option("--resume", is_flag=True, help="With --sweep: run only what GRID.results.jsonl does not hold."),
        click.option(
            "--sweep",
            type=click.Path(path_type=Path),
            metavar="GRID.toml",
            help="Run each of the solvers, base_lr and seeds that this file lists, and show a table of outcomes.",
        ),
    ):
        command = option(command)
    return command
