"""What `caffelint patch` prints: the checks that it inserted and why, and how to run the net with them."""

from __future__ import annotations

import os
import shlex
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

from caffelint.cli.tell import aside, tell

if TYPE_CHECKING:
    from caffelint.fix.finite import Patched
    from caffelint.fix.finite.project import Runs
    from caffelint.lint.config import Config
    from caffelint.lint.report import ReportedFinding

_MOST_LISTED = 5


def nothing(line: str) -> None:
    """Instead of `tell` with --quiet, for what is neither an error nor a warning."""


def tell_checks(patched: Patched, net: str, errors: Sequence[ReportedFinding], ranked: bool) -> None:
    """`errors` are those for which Caffe refuses the net; `ranked`: the most likely suspects come first."""
    from caffelint.fix.finite.insert import ONE_OF_ALL
    from caffelint.report.words import count

    if errors:
        tell(f"{net}: Caffe refuses this net, with checks or without:")
    for error in errors:
        aside(f"  line {error.line or 1}: {error.message} [{error.code} {error.name}]")
    tell(f"{net}: {count(len(patched.checks), 'check')}{', the most likely suspects first' * ranked}:")
    # TRAIN and TEST may each have a layer of that name.
    several = Counter((one.blob, one.layer) for one in patched.checks)
    for one in patched.checks:
        phase = f" ({' and '.join(one.phases)})" if several[one.blob, one.layer] > 1 else ""
        why = "" if one.reason == ONE_OF_ALL else f": {one.reason}"
        of = f' of layer "{one.layer}"' if one.layer else ""
        aside(f'  "{one.blob}"{of}{phase}{why}')
    if patched.left_out:
        aside("  not checked:")
    for line in patched.left_out:
        aside(f"  {line}")


def objection(target: str, net: str, new: bytes) -> str:
    """Why an existing file must not be replaced; empty if none exists, or if it is an earlier net with checks."""
    from caffelint.cli.overwriting import is_free, no_place_for
    from caffelint.fix.finite.remove import own_checks
    from caffelint.lint.read import ReadError, read
    from caffelint.text.parser import parse

    if why := no_place_for("net", target):
        return why
    if not os.path.isfile(target):
        return ""
    if os.path.exists(net) and os.path.samefile(target, net):
        return "this is NET itself; give --in-place to overwrite it"
    try:
        there = read(target)
    except ReadError as error:
        return str(error)
    if there == new or is_free(target) or any(own_checks(parse(there))):
        return ""
    return "this file already exists, has no checks, and was left alone; remove it first"


def write_layer_file(target: str) -> str:
    """Write the layer's file before the net, which does not load without it; but not if the net cannot be written."""
    from caffelint.fix.finite.layer_file import NAME, write_beside
    from caffelint.fix.write import SaveError, objection
    from caffelint.lint.read import ReadError

    if reason := objection(target):
        raise SaveError(reason)
    try:
        return write_beside(target)
    except (ReadError, SaveError) as error:
        raise SaveError(f"{NAME} is needed next to it: {error}") from error


def tell_how_to_run(
    net: str | None, target: str | None, config: Config, has_loss: bool, diff: bool, quiet: bool
) -> None:
    """The command that finds the layer's file, and what would stop that."""
    from caffelint.fix.finite.gpus import several_gpus
    from caffelint.fix.finite.layer_file import NAME
    from caffelint.fix.finite.project import runs

    found = runs(net, config) if net else []
    if target is None and not (diff or quiet):
        tell(f"no file was written; -o OUT or --in-place writes the net, and {NAME}, which the checks need, next to it")
    if not (diff or quiet):
        _tell_command(net, target, found, has_loss)
    for place in several_gpus([run.solver for run in found], os.path.normpath(net or target or "")):
        tell(f"{place}: on several GPUs caffe train aborts on the Python layers of the checks; use one GPU")


def _tell_command(net: str | None, target: str | None, found: Sequence[Runs], has_loss: bool) -> None:
    run = found[0] if found else None
    if run and net:
        _tell_to_name(net, target, run)
    folder = "FOLDER" if target is None else shlex.quote(os.path.dirname(os.path.abspath(target)))
    command = f"PYTHONPATH={folder}${{PYTHONPATH:+:$PYTHONPATH}}"
    if run:
        solver = _seen_from(run.folder, run.solver)
        command += f" caffe train -solver {shlex.quote(solver)}"
        if run.folder:
            command = f"cd {shlex.quote(run.folder)} && {command}"
    else:
        command += " caffe train -solver SOLVER" if has_loss else " python SCRIPT"
    what = "the net" if run or has_loss else "the script that loads the net"
    tell(f"to run {what}, with a Caffe that was built WITH_PYTHON_LAYER := 1:")
    aside(f"  {command}")
    if len(found) > 1:
        others = [one.solver for one in found[1:]]
        more = f" and {len(others) - _MOST_LISTED} more" if len(others) > _MOST_LISTED else ""
        tell(f"other solvers that name this net: {', '.join(others[:_MOST_LISTED])}{more}")
    if run and not run.trains:
        tell(f"{run.solver} only tests with {net} and trains another net; patch that one, too")


def _tell_to_name(net: str, target: str | None, run: Runs) -> None:
    """The name to write into the solver, if it names another file."""
    file = net if target is None else target
    if run.found and os.path.realpath(file) == os.path.realpath(net):
        return
    name = _seen_from(run.folder, file)
    tell(f'first, in {run.solver}, write {run.field}: "{name}" instead of "{run.name}"')


def _seen_from(folder: str, path: str) -> str:
    """A path relative to a folder, empty for the working directory; absolute if it is not below that folder."""
    try:
        inside = os.path.relpath(path, folder or None)
    except ValueError:  # on another drive of Windows
        return os.path.abspath(path)
    return os.path.abspath(path) if inside.startswith(os.pardir) else inside
