"""`caffelint upgrade`"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

import click

from caffelint.cli import complete
from caffelint.cli.settings import force_exclude_option, settings, settings_options
from caffelint.cli.status import FINDINGS, INTERNAL, USAGE
from caffelint.cli.tell import aside, say, tell
from caffelint.text.visible import visible

if TYPE_CHECKING:
    from caffelint.fix.upgrade import Left, UpgradeResult


_WORDS = {
    "current": "already in the current format",
    "as its Caffe": "in the newest format that their Caffe reads",
    "ignored": "left alone as a comment or the settings say",
    "stuck": "not upgraded",
    "failed": "not read or not written",
}


@click.command("upgrade")
@click.argument("paths", nargs=-1, required=True, type=click.Path())
@click.option(
    "--diff",
    is_flag=True,
    help="Show what would change, as a patch, and write nothing; exit with status 1 if there is anything to change.",
)
@click.option(
    "--dialect",
    metavar="NAME",
    shell_complete=complete.dialects,
    help="The Caffe that the files are for (default: inferred); caffelint dialects lists the names.",
)
@force_exclude_option
@settings_options
@click.option("-q", "--quiet", is_flag=True, help="Show only the files that could not be upgraded.")
@click.option(
    "-v", "--verbose", is_flag=True, help="List all files left in an old format because their fork reads nothing newer."
)
def command(
    paths: tuple[str, ...],
    diff: bool,
    dialect: str | None,
    config_file: Path | None,
    isolated: bool,
    force_exclude: bool,
    quiet: bool,
    verbose: bool,
) -> int:
    """Convert nets and solvers of older formats to the current one, in place, and keep all comments and the layout.

    PATHS are files and folders; - reads stdin and writes to stdout. What is converted: layers { ... } of 2013 and 2014
    (V0, V1), input and input_dim of a net, transformation fields outside transform_param, and solver_type.

    Not converted: nets for a fork that reads only an older format; other files of such a project that the same fork
    reads, too (use --dialect bvlc to convert them); and files with this comment:

    \b
    # caffelint: ignore-file[legacy-format]

    \b
    Exit status: 0 nothing is left to upgrade
                 1 something could not be upgraded, or --diff found something to upgrade
                 2 wrong usage or settings, or a path that cannot be read or written
                 3 caffelint itself failed
    """
    from caffelint.cli.outputs import show_diff

    if "-" in paths:
        if len(paths) > 1:
            raise click.UsageError("- reads stdin and must be the only path")
        config = settings(["."], {"config_file": config_file, "isolated": isolated, "dialect": dialect})
        return _stdin(diff, quiet, config.dialect)
    options = {"config_file": config_file, "isolated": isolated, "dialect": dialect, "force_exclude": force_exclude}
    config = settings(paths, options)
    from caffelint.fix.upgrade import lines_about
    from caffelint.fix.upgrade.files import upgrade_files
    from caffelint.lint.discover import discover, wanted

    found = discover(paths, wanted(config), config.roots)
    status = USAGE if found.unreadable else 0
    for path, reason in found.unreadable:
        tell(f"{path}: {reason}")
    became: Counter[str] = Counter()
    intended: list[tuple[str, Left]] = []
    for path, old, result, failure in upgrade_files(found.files, paths, config, not diff):
        became.update(["failed"] if failure else _outcomes(result))
        if failure:
            tell(f"{path}: {failure.message}")
            status = max(status, INTERNAL if failure.internal else USAGE)
            continue
        _tell(lines_about((path, left) for left in result.left if not left.intended))
        intended += ((path, left) for left in result.left if left.intended)
        if result.changed and not quiet:
            if diff:
                show_diff(path, old, result.data)
            else:
                say(visible(f"{path}: {', '.join(result.done)}"))
    if not quiet:
        _tell(lines_about(intended, None) if verbose else lines_about(intended, hint=" (-v names all)"))
        _say_summary(became, diff)
    return status or (FINDINGS if became["stuck"] or (diff and became["changed"]) else 0)


def _stdin(diff: bool, quiet: bool, dialect: str | None) -> int:
    from caffelint.cli.checked import STDIN, stdin
    from caffelint.cli.outputs import show_diff, write_bytes
    from caffelint.fix.upgrade import lines_about, upgrade_text

    old = stdin()
    result = upgrade_text(old, STDIN, dialect=dialect)
    if not diff:
        write_bytes(result.data)
    elif not quiet:
        show_diff(STDIN, old, result.data)
    _tell(lines_about((STDIN, left) for left in result.left if not (quiet and left.intended)))
    return FINDINGS if "stuck" in _outcomes(result) or (diff and result.changed) else 0


def _outcomes(result: UpgradeResult) -> list[str]:
    found = ["changed"] * result.changed + ["ignored"] * result.ignored
    if any(not left.intended for left in result.left):
        return [*found, "stuck"]
    return found or ["as its Caffe" if result.left else "current"]


def _tell(lines: Iterable[str]) -> None:
    for line in lines:
        tell(line)


def _say_summary(became: Counter[str], diff: bool) -> None:
    from caffelint.report.words import count

    if not became:
        tell("no prototxt files found")
        return
    parts = [f"{'would upgrade' if diff else 'upgraded'} {count(became['changed'], 'file')}"]
    parts += [f"{became[key]} {words}" for key, words in _WORDS.items() if became[key]]
    aside("; ".join(parts))
    if became["stuck"]:
        tell("to leave a file in its old format, write # caffelint: ignore-file[legacy-format] into it")
