"""`caffelint patch`"""

from __future__ import annotations

import os
import shlex
from typing import TYPE_CHECKING

import click

from caffelint.cli.main import USAGE

if TYPE_CHECKING:
    from caffelint.fix.finite import Patched


@click.command("patch")
@click.argument("net", required=False, type=click.Path())
@click.option(
    "--check-finite",
    "where",
    is_flag=False,
    flag_value="suspects",
    metavar="[suspects|losses|all|LAYER,...]",
    help="Check what is likely to turn nan (suspects, the default), what losses read, all, or the tops of layers.",
)
@click.option("--remove", is_flag=True, help="Take out the checks again: what is left is the text from before.")
@click.option("-o", "--output", metavar="OUT", type=click.Path(), help="Write to this file; - is stdout.")
@click.option("--in-place", is_flag=True, help="Write to NET itself.")
@click.option("--diff", is_flag=True, help="Show the changes alone, and write nothing.")
def command(net: str | None, where: str | None, remove: bool, output: str | None, in_place: bool, diff: bool) -> int:
    """Put layers into a net that stop Caffe at the first nan or inf, or take them out.

    Each is an in-place Python layer; what it does stands in check_finite_layer.py, which is written beside OUT or NET.
    Without --output or --in-place the net goes to stdout and no file is written. Exit status: 0 done, 2 the net cannot
    be read, patched or written.
    """
    if net is None and where is not None and (os.path.exists(where) or where.endswith(".prototxt")):
        net, where = where, "suspects"  # `--check-finite NET`
    if net is None:
        raise click.UsageError("name the net to patch: caffelint patch NET --check-finite")
    if (where is None) != remove:
        raise click.UsageError("say what to do, either --check-finite or --remove")
    if sum((output is not None, in_place, diff)) > 1:
        raise click.UsageError("--output, --in-place and --diff exclude each other")
    if net == "-":
        raise click.UsageError("patch takes a file, since its solver and folder play a part, not -")
    if output == "-":
        output = None
    from caffelint.cli.settings import settings
    from caffelint.fix.diff import diff as diff_of
    from caffelint.fix.finite import PatchError, insert_checks, remove_checks
    from caffelint.fix.finite.project import findings
    from caffelint.fix.write import SaveError, ending_cleanly, save
    from caffelint.lint.read import ReadError, read

    target = net if in_place else output
    at = net
    try:
        old = read(net)
        if where is None:
            patched = None
            new = remove_checks(old, net)
        else:
            known = findings(net, settings([net], {"jobs": 1})) if "suspects" in _words(where) else None
            patched = insert_checks(old, _words(where), net, known)
            new = patched.data
            _tell(patched, net)
        checks = patched is not None and len(patched.checks) > 0
        if target is None:
            click.echo(diff_of(net, old, new) if diff else new, nl=False)
        else:
            at = target
            with ending_cleanly():
                if checks:
                    _write_layer_file(target)
                if in_place and new == old:
                    _say(f"{target} is as it was")
                else:
                    save(target, old if in_place else None, new)
                    _say(f"{target} is written")
    except (ReadError, PatchError, SaveError) as error:
        _say(f"{at}: {error}")
        return USAGE
    if checks:
        _tell_how_to_run(net, target)
    return 0


def _write_layer_file(target: str) -> None:
    """First of all, for without it no net with checks loads; but not where the net cannot be written."""
    from caffelint.fix.finite.layer_file import NAME, write_beside
    from caffelint.fix.write import SaveError, objection
    from caffelint.lint.read import ReadError

    if reason := objection(target):
        raise SaveError(reason)
    try:
        _say(write_beside(target))
    except (ReadError, SaveError) as error:
        raise SaveError(f"{NAME} is needed beside it: {error}") from error


def _words(value: str) -> list[str]:
    return [word.strip() for word in value.split(",") if word.strip()]


def _say(line: str) -> None:
    click.echo(f"caffelint: {line}", err=True)


def _tell(patched: Patched, net: str) -> None:
    count = len(patched.checks)
    _say(f"{net}: {count or 'no'} {'check' if count == 1 else 'checks'}{':' if count else ''}")
    # TRAIN and TEST may each have a layer of that name.
    for line in dict.fromkeys(f'"{one.blob}" of layer "{one.layer}": {one.reason}' for one in patched.checks):
        click.echo(f"  {line}", err=True)
    if patched.left_out:
        click.echo("  left out:", err=True)
    for line in patched.left_out:
        click.echo(f"  - {line}", err=True)


def _tell_how_to_run(net: str, target: str | None) -> None:
    """The command that finds the layer's file, and what would stop that."""
    from caffelint.cli.settings import settings
    from caffelint.fix.finite.gpus import several_gpus
    from caffelint.fix.finite.layer_file import NAME
    from caffelint.fix.finite.project import solvers

    if target is None:
        folder = "FOLDER"
        _say(f"nothing was written; with -o OUT or --in-place {NAME}, which the checks need, is written beside it")
    else:
        folder = shlex.quote(os.path.dirname(os.path.abspath(target)))
    found = solvers(net, settings([net], {}))
    solver = shlex.quote(found[0]) if found else "SOLVER"
    _say("run it with a Caffe that was built WITH_PYTHON_LAYER := 1, so that it finds the layer's file:")
    click.echo(f"  PYTHONPATH={folder}:$PYTHONPATH caffe train -solver {solver}", err=True)
    if found and target is not None and os.path.realpath(target) != os.path.realpath(net):
        _say(f"{found[0]} names {net}: name {target} there")
    for place in several_gpus(found, os.path.normpath(net)):
        _say(f"{place}: several GPUs: caffe train aborts there on the Python layers of the checks; use one GPU")
