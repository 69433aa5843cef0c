"""`caffelint check`"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from caffelint.cli import complete

if TYPE_CHECKING:
    from collections.abc import Sequence

    from caffelint.lint.config import Config
    from caffelint.lint.report import Report

_LEVELS = ("error", "warning", "info", "never")
_STDIN = "<stdin>"


@click.command("check")
@click.argument("paths", nargs=-1, type=click.Path())
@click.option("--select", multiple=True, metavar="RULES", shell_complete=complete.rules,
              help="Run these rules alone: codes, names, families or prefixes, separated by commas.")
@click.option("--extend-select", multiple=True, metavar="RULES", shell_complete=complete.rules,
              help="Run these rules as well.")
@click.option("--ignore", multiple=True, metavar="RULES", shell_complete=complete.rules, help="Leave out these rules.")
@click.option("--preview/--no-preview", default=None, help="Run rules that are still on trial, too.")
@click.option("--severity", multiple=True, metavar="[RULE=]LEVEL",
              help="Report findings from LEVEL (error, warning, info) on alone; or give a rule another severity.")
@click.option("--dialect", metavar="NAME", shell_complete=complete.dialects,
              help="Hold files against one Caffe (bvlc, ssd, nvcaffe, ...) instead of inferring it.")
@click.option("--fail-on", metavar="LEVEL", help="Exit with 1 from here on: error (default), warning, info; or never.")
@click.option("--format", "formats", multiple=True, metavar="FORMAT[:FILE]", shell_complete=complete.formats,
              help="text, concise, statistics, json, sarif, github, gitlab or junit; repeat it for several outputs.")
@click.option("--statistics", is_flag=True, help="Show how often each rule speaks instead of the findings.")
@click.option("--baseline", metavar="FILE", type=click.Path(), help="Leave out the findings that this file holds.")
@click.option("--write-baseline", is_flag=True, help="Store today's findings in the baseline and end.")
@click.option("--changed-only", is_flag=True, help="Check what differs from --base-ref, and the solvers of such nets.")
@click.option("--base-ref", default="HEAD", metavar="REF", show_default=True, help="What to compare with in git.")
@click.option("--config", "config_file", type=click.Path(path_type=Path), metavar="FILE", help="Read these settings.")
@click.option("--jobs", type=click.IntRange(min=0), metavar="N", help="Processes to use; 0 (default) is one per core.")
@click.option("--no-cache", is_flag=True, help="Do not use or store earlier results.")
@click.option("--stdin-filename", metavar="PATH", type=click.Path(), help="The name of what stdin holds (PATHS is -).")
@click.option("-v", "--verbose", is_flag=True, help="Show infos, too.")
@click.option("-q", "--quiet", is_flag=True, help="Show findings alone, no summary.")
def command(**options: Any) -> int:
    """Find the mistakes in solvers and nets.

    PATHS are files and folders; - reads stdin; without any it is the working directory. A solver is judged together
    with the net it names.

    \b
    Exit status: 0 nothing at or above --fail-on
                 1 findings
                 2 wrong usage or settings, or a path that cannot be read
                 3 caffelint itself failed
    """
    from caffelint.cli.outputs import outputs, write_all
    from caffelint.cli.settings import level_of, settings
    from caffelint.report import Look

    wanted = outputs(options["formats"], options["statistics"])
    level = level_of(options["severity"])
    paths = list(options["paths"]) or (["-"] if options["stdin_filename"] else ["."])
    if "-" in paths and len(paths) > 1:
        raise click.UsageError("- reads stdin and stands alone")
    config = settings([options["stdin_filename"] or "."] if paths == ["-"] else paths, options)
    if options["write_baseline"]:
        return _write_baseline(paths, options, config)
    report = _checked(paths, options, config)
    if level:
        reported = _LEVELS[: _LEVELS.index(level) + 1]
        report.findings = [finding for finding in report.findings if finding.severity in reported]
    everything = options["verbose"] or "info" in (level, config.fail_on)
    look = Look(least="info" if everything else "warning", quiet=options["quiet"], fail_on=config.fail_on)
    write_all(report, wanted, look)
    return _status(report, config)


def _checked(paths: Sequence[str], options: dict[str, Any], config: Config) -> Report:
    import caffelint
    from caffelint.cli.progress import Progress

    named = [options["stdin_filename"] or "."] if paths == ["-"] else paths
    changed = _changed(options["base_ref"], named) if options["changed_only"] else None
    if paths == ["-"]:
        data = _stdin()
        if not options["stdin_filename"]:
            return caffelint.check_text(data, path=_STDIN, config=config)
        return caffelint.check([], config, changed=changed, texts={options["stdin_filename"]: data})
    with Progress(options["quiet"]) as progress:
        return caffelint.check(paths, config, progress=progress, changed=changed)


def _stdin() -> bytes:
    try:
        if sys.stdin is None:
            raise click.UsageError("stdin is closed")
        return sys.stdin.buffer.read()
    except OSError as error:
        raise click.UsageError(f"stdin cannot be read: {(error.strerror or str(error)).lower()}") from error


def _changed(base_ref: str, paths: Sequence[str]) -> set[str]:
    from caffelint.cli.settings import shared_folder
    from caffelint.lint.discover import changed_files

    try:
        return changed_files(base_ref, str(shared_folder(paths)))
    except ValueError as error:
        raise click.UsageError(str(error)) from error


def _write_baseline(paths: Sequence[str], options: dict[str, Any], config: Config) -> int:
    from caffelint.lint import baseline
    from caffelint.lint.discover import relative
    from caffelint.report.words import count

    if not config.baseline:
        raise click.UsageError("--write-baseline needs --baseline FILE, or baseline in the settings")
    target, config.baseline = Path(config.baseline), None
    report = _checked(paths, options, config)
    number = baseline.write(target, report.findings)
    click.echo(f"{count(number, 'finding')} stored in {relative(str(target))}")
    config.fail_on = "never"
    return _status(report, config)


def _status(report: Report, config: Config) -> int:
    for failure in report.failures:
        click.echo(f"caffelint: {failure.file}: {failure.message}", err=True)
    return report.exit_status(config.fail_on)
