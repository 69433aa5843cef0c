"""Errors as one clear line: lower case, no traceback, with what was probably meant."""

from __future__ import annotations

from collections.abc import Iterable
from importlib.util import find_spec

import click

from caffelint.cli.status import INTERNAL, USAGE

_EXTRAS = {
    **dict.fromkeys(("PIL", "h5py", "lmdb", "numpy", "plyvel"), "data"),
    **dict.fromkeys(("dask", "dask_jobqueue", "distributed", "fsspec"), "cluster"),
    "lsprotocol": "lsp",
    "matplotlib": "plot",
    "pygls": "lsp",
    "torch": "smoke",
    "watchfiles": "watch",
}
"""What brings each optional module."""


def near(name: str, known: Iterable[str]) -> str:
    """`; did you mean X?` if one of the known names is similar, else nothing."""
    from difflib import get_close_matches

    by_lower = {candidate.lower(): candidate for candidate in known}
    found = get_close_matches(name.lower(), by_lower, 1, 0.6)
    return f"; did you mean {by_lower[found[0]]}?" if found else ""


def need_numpy(option: str) -> None:
    """Raises `click.UsageError` where an option cannot do without it."""
    if find_spec("numpy") is None:
        raise click.UsageError(f"--{option} needs numpy: pip install 'caffelint[data]'")


_OF_DATA = {"lmdb": "LMDB", "plyvel": "LevelDB", "h5py": "HDF5", "PIL": "images"}


def data_not_read() -> str:
    """One line on the kinds of data that cannot be read here, "" where all can."""
    lacking = [kind for module, kind in _OF_DATA.items() if find_spec(module) is None]
    return f"{', '.join(lacking)}: not read; pip install 'caffelint[data]' brings what reads them" if lacking else ""


class Helpful(click.UsageError):
    """A mistake whose message says what to type instead, or where to look, so that no help is named."""


def unknown(text: str, word: str, known: Iterable[str], otherwise: str = "", rest: str = "") -> click.UsageError:
    """An error of `text`, then the known word that is near, or else `otherwise`, then `rest`."""
    hint = near(word, known)
    return (Helpful if hint else click.UsageError)(f"{text}{hint or otherwise}{rest}")


def one_line(error: click.ClickException) -> str:
    """The line for an error: for wrong usage with a pointer to --help; a message about a file begins with its path."""
    if not isinstance(error, click.UsageError):
        from caffelint.report.words import sentence

        return sentence(" ".join(error.format_message().split()))
    command = error.ctx.command_path if error.ctx else "caffelint"
    if isinstance(error, click.NoSuchOption):
        options = [name for option in error.ctx.command.params for name in option.opts] if error.ctx else []
        error = unknown(f"no such option {error.option_name}", error.option_name, options)
    text = plain(error.format_message())
    return text if isinstance(error, Helpful) else f"{text} (see {command} --help)"


def plain(text: str) -> str:
    """One line, lower case start, no final dot."""
    line = " ".join(text.split()).removesuffix(".")
    return line[:1].lower() + line[1:]


def status_and_line(error: Exception) -> tuple[int, str]:
    """The exit status and the line for anything that a command did not catch."""
    from caffelint.lint.baseline import BaselineError
    from caffelint.lint.config import ConfigError
    from caffelint.lint.registry import NoRulesError

    if isinstance(error, NoRulesError):
        return INTERNAL, str(error)
    if isinstance(error, ConfigError | BaselineError):
        return USAGE, str(error)
    if isinstance(error, OSError):
        where = "" if error.filename is None else f"{error.filename}: "
        return USAGE, f"{where}{(error.strerror or str(error)).lower()}"
    if isinstance(error, ModuleNotFoundError) and (extra := _EXTRAS.get((error.name or "").partition(".")[0])):
        return USAGE, f"this needs {error.name}: pip install 'caffelint[{extra}]'"
    if isinstance(error, MemoryError):
        return INTERNAL, "not enough memory"
    trace = error.__traceback__
    while trace and trace.tb_next:
        trace = trace.tb_next
    where = f" in {trace.tb_frame.f_code.co_filename}:{trace.tb_lineno}" if trace else ""
    return INTERNAL, f"failed{where}: {type(error).__name__}: {plain(str(error))}; please report it"
