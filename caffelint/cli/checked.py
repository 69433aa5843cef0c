"""What `caffelint check` looks at, paths or stdin, what it prints, and where it stores a baseline."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from caffelint.cli.errors import data_not_read
from caffelint.cli.settings import LEVELS
from caffelint.cli.tell import say, tell
from caffelint.text.patterns import compiled_later
from caffelint.text.visible import visible

if TYPE_CHECKING:
    from caffelint.cli.outputs import Output
    from caffelint.lint.config import Config
    from caffelint.lint.report import Report
    from caffelint.report import Look

STDIN = "<stdin>"
_NAMED = 3
_WEIGHTS = compiled_later(rb"^[ \t]*weights[ \t]*:", re.MULTILINE)
_SOLVER_SIZE = 1 << 16
_NOT_SHARED = ("fix", "diff", "interactive", "add_ignores", "timing", "watch")
_OTHER = "not-caffe"
_UNREAD = (_OTHER, "unfilled-template")
"""The rules that say of a file that it is no net."""
_OF_ANY_TEXT = (_OTHER, "syntax-error", "unreadable-character")
"""Those that look at files that hold neither a net nor a solver."""


def chosen(options: dict[str, Any]) -> list[str]:
    """The paths to check; `-` alone for stdin."""
    paths = list(options["paths"])
    name = options["stdin_filename"]
    if name and paths not in ([], ["-"]):
        raise click.UsageError(f"--stdin-filename names the file that stdin is read as; give - instead of {paths[0]}")
    if options["timing"] and (name or paths == ["-"]):
        raise click.UsageError("--timing needs files or folders, not stdin")
    if "-" in paths and len(paths) > 1:
        raise click.UsageError("- reads stdin and must be the only path")
    if options["cluster"]:
        others = [name for name in _NOT_SHARED if options[name]] + ["-"] * (name is not None or paths == ["-"])
        if others:
            other = others[0].replace("_", "-")
            raise click.UsageError(f"--cluster cannot be combined with {'-' if other == '-' else f'--{other}'}")
    return paths or (["-"] if name else ["."])


def checked(paths: Sequence[str], options: dict[str, Any], config: Config) -> Report:
    import caffelint
    from caffelint.cli.progress import Progress
    from caffelint.lint.engine import check_text

    named = [options["stdin_filename"] or "."] if paths == ["-"] else paths
    changed = changed_since(options["base_ref"], named) if options["changed_only"] else None
    if paths == ["-"]:
        data = stdin()
        if not options["stdin_filename"]:
            return check_text(data, path=STDIN, config=config, folder=".")
        return caffelint.check([], config, changed=changed, texts={options["stdin_filename"]: data})
    with Progress(options["quiet"]) as progress:
        if options["timing"]:
            from caffelint.cli.timed import timed

            report = timed(paths, config, progress, changed)
        elif options["cluster"] or any("://" in path or "::" in path for path in paths):
            from caffelint.cli.clustered import clustered

            report = clustered(paths, config, options["cluster"], progress, changed)
        else:
            report = caffelint.check(paths, config, progress=progress, changed=changed)
    if not report.files and not report.failures and changed is None:
        tell(f"no prototxt files in {', '.join(paths)}")
    return report


def reporting(
    paths: Sequence[str],
    options: dict[str, Any],
    config: Config,
    wanted: Sequence[Output],
    look: Look,
    level: str | None,
) -> int:
    """Check, and print what is found or store it as a baseline; the exit status."""
    from caffelint.cli.outputs import write_all
    from caffelint.lint.finding import ERROR

    for name, others in (("unsafe_fixes", "--fix or --diff"), ("reason", "--add-ignores")):
        if options[name]:
            raise click.UsageError(f"--{name.replace('_', '-')} needs {others}")
    if options["write_baseline"] is not None:
        report = write_baseline(paths, options, config)
    else:
        report = checked(paths, options, config)
        taking = paths if options["weights"] else naming_weights(paths)
        if taking:
            from caffelint.cli.weighed import with_weights

            report = with_weights(report, taking, options["weights"], config)
        if config.read_data:
            from caffelint.evidence.data.kept import with_kept

            report = with_kept(report, paths, config)
            if config.is_asked("read_data") and paths != ["-"]:
                from caffelint.cli.data_at_hand import solvers
                from caffelint.evidence.data.sampled import with_samples

                report = with_samples(report, [*solvers(paths, config)], config)
            if not options["quiet"] and (lacking := data_not_read()):
                tell(lacking)
        if config.target and not options["quiet"]:
            tell_of_unread(report, config.target)
        whole, report = report, only_from(level, report)
        write_all(report, wanted, look)
        if not options["quiet"] and look.least != "info":
            tell_of_others(whole, paths)
        is_read = any(output.format == "text" and output.file is None for output in wanted)
        if is_read and not options["quiet"] and not config.read_data and not report.count(ERROR):
            tell_of_data(paths, config)
    tell_of_files(report, options["quiet"], options["verbose"])
    return report.exit_status(config.fail_on, config.max_warnings)


def naming_weights(paths: Sequence[str]) -> list[str]:
    """The files among the paths that look like solvers that name weights."""
    from caffelint.lint.read import beginning

    return [path for path in paths if os.path.isfile(path) and _WEIGHTS.search(beginning(path, _SOLVER_SIZE))]


def only_from(level: str | None, report: Report) -> Report:
    """The report with only the findings of that severity or above; `level` None: with all."""
    return report.only(LEVELS[: LEVELS.index(level) + 1]) if level else report


def tell_of_unread(report: Report, targets: Sequence[str]) -> None:
    """Name on stderr the files without a net to hold against targets: no finding would look like a good sign."""
    for finding in report.findings:
        if finding.name in _UNREAD:
            tell(f"{finding.file}: not checked for {', '.join(targets)}: {finding.message}")


def tell_of_others(report: Report, paths: Sequence[str]) -> None:
    """Name on stderr the files that somebody has named and that hold no net or solver: nothing in them was checked.

    An error says more. Below a folder there may be many, such as label maps, and each has its info.
    """
    from caffelint.lint.discover import relative
    from caffelint.lint.finding import INFO

    named = {relative(path) for path in paths if os.path.isfile(path)}
    told = {finding.file for finding in report.findings if finding.severity != INFO}
    for finding in report.findings:
        file = finding.file
        if file not in named or file in told or finding.name not in _OF_ANY_TEXT:
            continue
        from caffelint.lint.file import loaded
        from caffelint.lint.read import ReadError, read
        from caffelint.schema.detect import OTHER

        told.add(file)
        try:
            is_other = loaded(read(file), file).kind == OTHER
        except ReadError:
            continue
        if is_other:
            says = finding.message if finding.name == _OTHER else "holds no Caffe net or solver; not checked"
            tell(f"{file}: {says}")


def tell_of_data(paths: Sequence[str], config: Config) -> None:
    """Say on stderr how data that is at hand is looked at, to whoever checks a folder."""
    folders = [path for path in paths if os.path.isdir(path)]
    if folders:
        from caffelint.cli.data_at_hand import advice

        if said := advice(folders, config):
            tell(said)


def tell_of_files(report: Report, quiet: bool, verbose: bool = False) -> None:
    """Name on stderr the files that could not be checked or written, and those left out because of their suffix.

    So is the Caffe that files were held against if `verbose`, and always one that could not be read, as data that
    cannot.
    """
    from caffelint.report.words import count

    for caffe in report.caffes if not quiet else ():
        if caffe.note:
            tell(caffe.note)
        elif verbose:
            types = f", {caffe.layer_types} layer types" if caffe.layer_types is not None else ""
            tell(f"{count(caffe.files, 'file')} checked for {caffe.name} ({caffe.why}{types})")
    for note in report.notes if not quiet else ():
        tell(note)
    for failure in report.failures:
        tell(f"{failure.file}: {failure.message}")
    if report.lookalikes and not quiet:
        first, number = report.lookalikes[:_NAMED], len(report.lookalikes)
        more = f" and {number - _NAMED} more" if number > _NAMED else ""
        looks, do, are = ("file looks", "does", "was") if number == 1 else ("files look", "do", "were")
        what = f"{number} {looks} like a net or solver but {do} not end in .prototxt and {are} not checked"
        tell(f"{what}: {', '.join(first)}{more}")


def stdin() -> bytes:
    from caffelint.lint.read import ReadError, read_stream

    try:
        if sys.stdin is None:
            raise click.UsageError("stdin is closed")
        return read_stream(sys.stdin.buffer)
    except ReadError as error:
        raise click.UsageError(f"stdin {error}") from error
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
    from caffelint.cli.overwriting import no_place_for_baseline
    from caffelint.lint import baseline
    from caffelint.lint.discover import relative
    from caffelint.report.words import count

    name = options["write_baseline"] or config.baseline
    if not name:
        raise click.UsageError("--write-baseline needs a FILE, here or from --baseline or the settings")
    if why := no_place_for_baseline(name):
        raise click.UsageError(f"--write-baseline {name}: {why}; PATHS go before this option")
    target, config.baseline = Path(name), None
    report = checked(paths, options, config)
    number = baseline.write(target, report.findings)
    say(visible(f"{count(number, 'finding')} stored in {relative(str(target))}"))
    config.fail_on = "never"
    return report
