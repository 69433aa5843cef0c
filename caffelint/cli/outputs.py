"""Where the report goes: `--format F[:FILE]`, as often as one likes."""

from __future__ import annotations

import io
import os
import stat
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

import click

from caffelint.cli.errors import unknown
from caffelint.report import FORMATS, Look, write
from caffelint.text.records import NamedTuple
from caffelint.text.visible import visible_lines
from caffelint.text.writing import write_report

if TYPE_CHECKING:
    from caffelint.lint.report import Report


PROSE = 120
"""Columns, which is as far as a line reads well."""
TABLE = 200
"""Columns of the widest window that a table makes use of."""
_LEAST = 20


class Output(NamedTuple):
    """A format and the file it goes to, None for stdout."""

    format: str
    file: Path | None


def outputs(values: Sequence[str], statistics: bool, more: Sequence[str] = ()) -> list[Output]:
    """The outputs that a command line asks for. Raises `click.UsageError` before anything is checked.

    `more` are formats that the command knows besides.
    """
    formats = (*FORMATS, *more)
    found = [Output("statistics", None)] if statistics else []
    for value in values:
        name, _, file = value.partition(":")
        if name not in formats:
            raise unknown(f'no such format "{name}"', name, formats, rest=f"; the formats are {', '.join(formats)}")
        if value.endswith(":"):
            raise click.UsageError(f"--format {value}: the file name is missing")
        if file and not (Path(file).parent.is_dir() and not Path(file).is_dir()):
            raise click.UsageError(f"--format {value}: {file} cannot be written: no such folder")
        if file:
            from caffelint.cli.overwriting import objection

            if reason := objection(file, name):
                raise click.UsageError(f"--format {value}: {reason}")
        found.append(Output(name, Path(file) if file else None))
    for target in {output.file for output in found}:
        names = [output.format for output in found if output.file == target]
        if len(names) > 1:
            where = f"to {target}" if target else "to stdout; send one to a file, as in --format sarif:out.sarif"
            raise click.UsageError(f"{' and '.join(names)} both go {where}")
    return found or [Output("text", None)]


def write_all(report: Report, wanted: Sequence[Output], look: Look) -> None:
    """Write the report to each output; only what goes to a terminal is coloured and wrapped."""
    for output in sorted(wanted, key=lambda output: output.file is None):  # files first: a pipe may close early
        if output.file:
            try:
                text = io.StringIO()
                write(output.format, report, text, look)
                write_report(output.file, text.getvalue().encode("utf-8", "backslashreplace"))
            except OSError as error:
                error.filename = str(output.file)  # a write that fails names no file
                raise
        else:
            here = look._replace(color=use_color(sys.stdout), width=width(sys.stdout))
            write(output.format, report, sys.stdout, here)


def use_color(stream: TextIO) -> bool:
    """On a terminal; NO_COLOR (https://no-color.org) and FORCE_COLOR (https://force-color.org) decide where set."""
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR"):
        return True
    return stream.isatty() and os.environ.get("TERM") != "dumb"


def width(stream: TextIO, most: int = PROSE) -> int | None:
    """Columns of a terminal, at most `most`; None for anything else, which gets its lines whole."""
    if not stream.isatty():
        return None
    from shutil import get_terminal_size

    return max(_LEAST, min(get_terminal_size().columns, most))


def show_diff(path: str, old: bytes, new: bytes) -> None:
    """The changes of a file, to stdout; byte by byte where that is a file, else with what commands a terminal shown.

    A build server reads what goes to a pipe, and `patch` may: it gets back all that is harmless, in any encoding.
    """
    from caffelint.fix.diff import colored, diff

    text = diff(path, old, new)
    if not _is_file(sys.stdout):
        text = visible_lines(text, exact_bytes=not sys.stdout.isatty())
    _write(colored(text) if use_color(sys.stdout) else text)


def write_bytes(data: bytes) -> None:
    """A file's new text to stdout: as it is for another program, made harmless for a terminal."""
    _write(visible_lines(data) if sys.stdout.isatty() else data)


def _is_file(stream: TextIO) -> bool:
    try:
        return stat.S_ISREG(os.fstat(stream.fileno()).st_mode)
    except (OSError, ValueError):
        return False


def _write(data: bytes) -> None:
    sys.stdout.flush()
    if hasattr(sys.stdout, "buffer"):
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()
    else:
        sys.stdout.write(data.decode("utf-8", "replace"))
