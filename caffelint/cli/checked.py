"""What `caffelint check` looks at, paths or stdin, and where it stores what it found as a baseline."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from caffelint.cli.settings import LEVELS
from caffelint.cli.tell import say, tell
from caffelint.text.visible import visible

if TYPE_CHECKING:
    from caffelint.lint.config import Config
    from caffelint.lint.report import Report

STDIN = "<stdin>"
_NAMED = 3
_WEIGHTS = re.compile(rb"^[ \t]*weights[ \t]*:", re.MULTILINE)
_SOLVER_SIZE = 1 << 16


def chosen(options: dict[str, Any]) -> list[str]:
    """The paths to check; `-` alone for stdin."""
    paths = list(options["paths"])
    name = options["stdin_filename"]
    if name and paths not in ([], ["-"]):
        raise click.UsageError(f"--stdin-filename names the file that stdin is read as; give - instead of {paths[0]}")
    if "-" in paths and len(paths) > 1:
        raise click.UsageError("- reads stdin and must be the only path")
    return paths or (["-"] if name else ["."])


def checked(paths: Sequence[str], options: dict[str, Any], config: Config) -> Report:
    import caffelint
    from caffelint.cli.progress import Progress

    named = [options["stdin_filename"] or "."] if paths == ["-"] else paths
    changed = changed_since(options["base_ref"], named) if options["changed_only"] else None
    if paths == ["-"]:
        data = stdin()
        if not options["stdin_filename"]:
            return caffelint.check_text(data, path=STDIN, config=config)
        return caffelint.check([], config, changed=changed, texts={options["stdin_filename"]: data})
    with Progress(options["quiet"]) as progress:
        report = caffelint.check(paths, config, progress=progress, changed=changed)
    if not report.files and not report.failures and changed is None:
        tell(f"no prototxt files in {', '.join(paths)}")
    return report


def naming_weights(paths: Sequence[str]) -> list[str]:
    """The files among the paths that look like solvers that name weights."""
    from caffelint.lint.read import beginning

    return [path for path in paths if os.path.isfile(path) and _WEIGHTS.search(beginning(path, _SOLVER_SIZE))]


def only_from(level: str | None, report: Report) -> Report:
    """The report with only the findings of that severity or above; `level` None: with all."""
    return report.only(LEVELS[: LEVELS.index(level) + 1]) if level else report


def tell_of_files(report: Report, quiet: bool, verbose: bool = False) -> None:
    """Name on stderr the files that could not be checked or written, and those left out because of their suffix.

    So is the Caffe that files were held against if `verbose`, and always one that could not be read.
    """
    from caffelint.report.words import count

    for caffe in report.caffes if not quiet else ():
        if caffe.note:
            tell(caffe.note)
        elif verbose:
            types = f", {caffe.layer_types} layer types" if caffe.layer_types is not None else ""
            tell(f"{count(caffe.files, 'file')} checked for {caffe.name} ({caffe.why}{types})")
    for failure in report.failures:
        tell(f"{failure.file}: {failure.message}")
    if report.lookalikes and not quiet:
        first, number = report.lookalikes[:_NAMED], len(report.lookalikes)
        more = f" and {number - _NAMED} more" if number > _NAMED else ""
        looks, do, are = ("file looks", "does", "was") if number == 1 else ("files look", "do", "were")
        what = f"{number} {looks} like a net or solver but {do} not end in .prototxt and {are} not checked"
        tell(f"{what}: {', '.join(first)}{more}")


def stdin() -> bytes:
    try:
        if sys.stdin is None:
            raise click.UsageError("stdin is closed")
        return sys.stdin.buffer.read()
    except OSError as error:
        raise click.UsageError(f"stdin cannot be read: {(error.strerror or str(error)).lower()}") from error


def changed_since(base_ref: str, paths: Sequence[str]) -> set[str]:
    from caffelint.cli.settings import shared_folder
    from caffelint.lint.changed import changed_files

    try:
        return changed_files(base_ref, str(shared_folder(paths)))
    except ValueError as error:
        raise click.UsageError(str(error)) from error


def write_baseline(paths: Sequence[str], options: dict[str, Any], config: Config) -> Report:
    """Store the findings in the file that `--write-baseline` names, else in that of the settings."""
    from caffelint.lint import baseline
    from caffelint.lint.discover import relative
    from caffelint.report.words import count

    name = options["write_baseline"] or config.baseline
    if not name:
        raise click.UsageError("--write-baseline needs a FILE, here or from --baseline or the settings")
    if not _may_hold_a_baseline(name):
        raise click.UsageError(
            f"--write-baseline {name}: this is not a baseline and would be overwritten; give PATHS before the option"
        )
    target, config.baseline = Path(name), None
    report = checked(paths, options, config)
    number = baseline.write(target, report.findings)
    say(visible(f"{count(number, 'finding')} stored in {relative(str(target))}"))
    config.fail_on = "never"
    return report


def _may_hold_a_baseline(path: str) -> bool:
    """Whether a baseline may be written there: if no file exists, or an empty one, or an earlier baseline."""
    from caffelint.cli.overwriting import misplaced
    from caffelint.lint import baseline

    if misplaced(path):
        return False
    if not os.path.exists(path):
        return True
    if not os.path.isfile(path):
        return False
    try:
        return os.path.getsize(path) == 0 or baseline.read(Path(path)) is not None
    except baseline.BaselineError:
        return False
