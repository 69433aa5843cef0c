"""What `caffelint patch` tells: which checks it put in and why, and how to run the net with them."""

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


def nothing(line: str) -> None:
    """In the place of `tell` where all goes well and --quiet is given."""


def tell_checks(patched: Patched, net: str, errors: Sequence[ReportedFinding], ranked: bool) -> None:
    """`errors` are those for which Caffe refuses the net; `ranked`: the likeliest suspects come first."""
    from caffelint.fix.finite.insert import ONE_OF_ALL
    from caffelint.report.words import count

    if errors:
        one = f"{errors[0].name} in line {errors[0].line or 1}"
        which = one if len(errors) == 1 else f"the first: {one}"
        tell(f"{net}: caffelint check finds {count(len(errors), 'error')} here ({which}): Caffe does not load it")
    number = len(patched.checks)
    told = [one for one in patched.checks if one.reason != ONE_OF_ALL]
    words = f"{count(number, 'check')}{', of all blobs' * (len(told) < number)}"
    words += ", the likeliest first" * (ranked and len(told) > 1)
    tell(f"{net}: {words}{':' if told else ''}")
    # TRAIN and TEST may each have a layer of that name.
    alike = Counter((one.blob, one.layer, one.reason) for one in told)
    for (blob, layer, reason), times in alike.items():
        twins = f" ({times} layers of that name)" if times > 1 else ""
        aside(f'  "{blob}" of layer "{layer}"{twins}: {reason}')
    if patched.left_out:
        aside("  left out:")
    for line in patched.left_out:
        aside(f"  - {line}")


def objection(target: str, net: str, new: bytes) -> str:
    """Why an existing file must not be replaced; empty where none exists, or it is an earlier net with checks."""
    from caffelint.cli.overwriting import link_above
    from caffelint.fix.finite.layer_file import NAME
    from caffelint.lint.read import ReadError, read

    if link := link_above(target):
        return f"{link} is a link, and was not followed; name the folder that it leads to"
    if not os.path.isfile(target):
        return ""
    if os.path.exists(net) and os.path.samefile(target, net):
        return "it is NET itself, and was left alone; --in-place writes there"
    try:
        there = read(target)
    except ReadError as error:
        return str(error)
    if there in (b"", new) or NAME.removesuffix(".py").encode() in there:
        return ""
    return "it already exists, holds no checks, and was left alone; remove it first"


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


def tell_how_to_run(
    net: str | None, target: str | None, config: Config, has_loss: bool, diff: bool, quiet: bool
) -> None:
    """The command that finds the layer's file, and what would stop that."""
    from caffelint.fix.finite.gpus import several_gpus
    from caffelint.fix.finite.layer_file import NAME
    from caffelint.fix.finite.project import runs

    found = runs(net, config) if net else []
    if target is None and not (diff or quiet):
        tell(f"nothing was written; with -o OUT or --in-place {NAME}, which the checks need, is written beside it")
    if not (diff or quiet):
        _tell_command(net, target, found, has_loss)
    for place in several_gpus([run.solver for run in found], os.path.normpath(net or target or "")):
        tell(f"{place}: several GPUs: caffe train aborts there on the Python layers of the checks; use one GPU")


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
    what = "it" if run or has_loss else "the script that loads it"
    tell(f"run {what} with a Caffe that was built WITH_PYTHON_LAYER := 1, so that it finds the layer's file:")
    aside(f"  {command}")
    if len(found) > 1:
        tell(f"other solvers name it too: {found[1].solver}{f' and {len(found) - 2} more' if len(found) > 2 else ''}")
    if run and not run.trains:
        tell(f"{run.solver} only tests with {net} and trains another net; patch that too")


def _tell_to_name(net: str, target: str | None, run: Runs) -> None:
    """What the solver has to name, if not what it names now."""
    file = net if target is None else target
    if run.found and os.path.realpath(file) == os.path.realpath(net):
        return
    name = _seen_from(run.folder, file)
    tell(f'first, in {run.solver}, write {run.field}: "{name}" instead of "{run.name}"')


def _seen_from(folder: str, path: str) -> str:
    """A path from a folder, empty for the working directory; the absolute path of what does not lie below."""
    try:
        inside = os.path.relpath(path, folder or None)
    except ValueError:  # on another drive of Windows
        return os.path.abspath(path)
    return os.path.abspath(path) if inside.startswith(os.pardir) else inside
