"""`caffelint upgrade`"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from caffelint.cli import complete
from caffelint.cli.main import FINDINGS, INTERNAL, USAGE

if TYPE_CHECKING:
    from caffelint.fix.upgrade import Left


@click.command("upgrade")
@click.argument("paths", nargs=-1, required=True, type=click.Path())
@click.option("--diff", is_flag=True, help="Show what would change and write nothing; exit with 1 if anything.")
@click.option(
    "--dialect",
    metavar="NAME",
    shell_complete=complete.dialects,
    help="The Caffe that is to read the files, instead of inferring it; caffelint dialects lists them.",
)
@click.option("--config", "config_file", type=click.Path(path_type=Path), metavar="FILE", help="Read these settings.")
@click.option("-q", "--quiet", is_flag=True, help="Say only what could not be upgraded, and show no diffs.")
def command(paths: tuple[str, ...], diff: bool, dialect: str | None, config_file: Path | None, quiet: bool) -> int:
    """Write nets and solvers of older formats in the current one, in place, with all comments and the layout kept.

    PATHS are files and folders; - reads stdin and writes to stdout. Upgraded are layers { ... } of 2013 and 2014 (V0,
    V1), input and input_dim of a net, transformation fields outside of transform_param, and solver_type.

    \b
    Exit status: 0 all is in the current format now
                 1 something could not be upgraded; with --diff: or would change
                 2 wrong usage or settings, or a path that cannot be read or written
                 3 caffelint itself failed
    """
    from caffelint.cli.settings import settings

    if "-" in paths:
        if len(paths) > 1:
            raise click.UsageError("- reads stdin and stands alone")
        config = settings(["."], {"config_file": config_file, "dialect": dialect})
        return _stdin(diff, quiet, config.dialect)
    config = settings(paths, {"config_file": config_file, "dialect": dialect})
    from caffelint.fix.upgrade.files import upgrade_files
    from caffelint.fix.write import ending_cleanly
    from caffelint.lint.discover import discover

    found = discover(paths, config.exclude, config.folder_of("exclude"))
    status = USAGE if found.unreadable else 0
    for path, reason in found.unreadable:
        _say(f"{path}: {reason}")
    files = changed = current = 0
    left = False
    with ending_cleanly():
        for file in upgrade_files(found.files, not diff, config.dialect):
            files += 1
            if file.failure:
                _say(f"{file.path}: {file.failure.message}")
                status = max(status, INTERNAL if file.failure.internal else USAGE)
                continue
            left |= _tell_left(file.path, file.result.left)
            changed += file.result.changed
            current += not file.result.changed and not file.result.left
            if file.result.changed and not quiet:
                if diff:
                    _show_diff(file.path, file.old, file.result.data)
                else:
                    click.echo(f"{file.path}: upgraded {', '.join(file.result.done)}")
    if not quiet:
        _say_summary(changed, current, files, diff)
    return status or int(left or (diff and changed > 0)) * FINDINGS


def _stdin(diff: bool, quiet: bool, dialect: str | None) -> int:
    from caffelint.cli.checked import STDIN, stdin
    from caffelint.fix.upgrade import upgrade_text

    old = stdin()
    result = upgrade_text(old, STDIN, dialect=dialect)
    if not diff:
        _write(result.data)
    elif not quiet:
        _show_diff(STDIN, old, result.data)
    left = _tell_left(STDIN, result.left)
    return int(left or (diff and result.changed)) * FINDINGS


def _tell_left(path: str, left: Sequence[Left]) -> bool:
    for line, message in left:
        _say(f"{path}:{line}: left alone: {message}")
    return bool(left)


def _show_diff(path: str, old: bytes, new: bytes) -> None:
    from caffelint.cli.outputs import use_color
    from caffelint.fix.diff import colored, diff

    text = diff(path, old, new)
    _write(colored(text) if use_color(sys.stdout) else text)


def _write(data: bytes) -> None:
    """Bytes to stdout, as they are where it takes bytes."""
    sys.stdout.flush()
    if hasattr(sys.stdout, "buffer"):
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()
    else:
        sys.stdout.write(data.decode("utf-8", "replace"))


def _say_summary(changed: int, current: int, files: int, diff: bool) -> None:
    from caffelint.report.words import count

    if not files:
        _say("no prototxt files there")
        return
    verb = "would upgrade" if diff else "upgraded"
    others = files - changed - current
    already = f"; {current} in the current format" if current else ""
    unable = f"; {others} left alone" if others else ""
    click.echo(f"{verb} {count(changed, 'file')}{already}{unable}", err=True)


def _say(line: str) -> None:
    click.echo(f"caffelint: {line}", err=True)
