"""What `caffelint patch` tells: which checks it put in and why, and how to run the net with them."""

from __future__ import annotations

import os
import shlex
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from caffelint.fix.finite import Patched
    from caffelint.fix.finite.project import Runs
    from caffelint.lint.config import Config
    from caffelint.lint.report import ReportedFinding


def say(line: str) -> None:
    click.echo(f"caffelint: {line}", err=True)


def nothing(line: str) -> None:
    """In the place of `say` where all goes well and --quiet is given."""


def tell_checks(patched: Patched, net: str, errors: Sequence[ReportedFinding]) -> None:
    from caffelint.report.words import count

    if errors:
        one = f"{errors[0].name} in line {errors[0].line or 1}"
        which = one if len(errors) == 1 else f"the first: {one}"
        say(f"{net}: caffelint check finds {count(len(errors), 'error')} here ({which}): Caffe may not load it")
    number = len(patched.checks)
    say(f"{net}: {count(number, 'check')}{':' if number else ''}")
    # TRAIN and TEST may each have a layer of that name.
    alike = Counter((one.blob, one.layer, one.reason) for one in patched.checks)
    for (blob, layer, reason), times in alike.items():
        twins = f" ({times} layers of that name)" if times > 1 else ""
        click.echo(f'  "{blob}" of layer "{layer}"{twins}: {reason}', err=True)
    if patched.left_out:
        click.echo("  left out:", err=True)
    for line in patched.left_out:
        click.echo(f"  - {line}", err=True)


def write_layer_file(target: str) -> str:
    """First of all, for without it no net with checks loads; but not where the net cannot be written."""
    from caffelint.fix.finite.layer_file import NAME, write_beside
    from caffelint.fix.write import SaveError, objection
    from caffelint.lint.read import ReadError

    if reason := objection(target):
        raise SaveError(reason)
    try:
        return write_beside(target)
    except (ReadError, SaveError) as error:
        raise SaveError(f"{NAME} is needed beside it: {error}") from error


def tell_how_to_run(net: str | None, target: str | None, config: Config, diff: bool, quiet: bool) -> None:
    """The command that finds the layer's file, and what would stop that."""
    from caffelint.fix.finite.gpus import several_gpus
    from caffelint.fix.finite.layer_file import NAME
    from caffelint.fix.finite.project import runs

    found = runs(net, config) if net else []
    if target is None and not (diff or quiet):
        say(f"nothing was written; with -o OUT or --in-place {NAME}, which the checks need, is written beside it")
    if not (diff or quiet):
        _tell_command(net, target, found)
    for place in several_gpus([run.solver for run in found], os.path.normpath(net or target or "")):
        say(f"{place}: several GPUs: caffe train aborts there on the Python layers of the checks; use one GPU")


def _tell_command(net: str | None, target: str | None, found: Sequence[Runs]) -> None:
    folder = "FOLDER" if target is None else shlex.quote(os.path.dirname(os.path.abspath(target)))
    solver = found[0].solver if found else "SOLVER"
    say("run it with a Caffe that was built WITH_PYTHON_LAYER := 1, so that it finds the layer's file:")
    click.echo(f"  PYTHONPATH={folder}:$PYTHONPATH caffe train -solver {shlex.quote(solver)}", err=True)
    if len(found) > 1:
        say(f"other solvers name it, too: {found[1].solver}{f' and {len(found) - 2} more' if len(found) > 2 else ''}")
    if found and not found[0].trains:
        say(f"{solver} tests with {net} alone, and trains another net: patch that, too")
    if found and net and target is not None and os.path.realpath(target) != os.path.realpath(net):
        say(f"{solver} names {net}: name {target} there")
