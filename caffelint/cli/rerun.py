"""`caffelint check --watch`: checks again whenever a file changes."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import click

from caffelint.cli.settings import settings
from caffelint.cli.tell import tell
from caffelint.lint.config import FILES, Config
from caffelint.lint.discover import matches_glob
from caffelint.lint.project.memory import forget
from caffelint.lint.reach import SUFFIXES

if TYPE_CHECKING:
    from watchfiles import Change

_ONCE = ("fix", "diff", "interactive", "add_ignores", "write_baseline", "changed_only", "stdin_filename")
_READ = (*SUFFIXES, ".pt", ".proto", ".py", ".sh", *FILES, ".gitignore")
"""How the names of files that a check reads end; others may be of `include`."""
_WAKES_MS = 250


def rerun(paths: Sequence[str], options: Mapping[str, Any], run: Callable[[Config], int]) -> int:
    """Call `run` with the settings, now and after each change below the paths, until Ctrl-C."""
    for name in _ONCE:
        if options[name] not in (None, False):
            raise click.UsageError(f"--watch and --{name.replace('_', '-')} cannot be combined; give one")
    if paths == ["-"]:
        raise click.UsageError("--watch needs files or folders; stdin never changes")
    try:
        from watchfiles import DefaultFilter, watch
    except ImportError:
        raise click.UsageError("--watch needs watchfiles: pip install 'caffelint[watch]'") from None

    ignores = DefaultFilter()
    folders = {path if os.path.isdir(path) else os.path.dirname(path) or "." for path in paths}
    for folder in sorted(folders):
        if not os.path.isdir(folder):
            raise click.UsageError(f"--watch: {folder}: no such folder")

    config = Config()

    def matters(change: Change, path: str) -> bool:
        is_read = path.endswith(_READ) or matches_glob(path, config.include, config.folder_of("include"))
        return is_read and ignores(change, path)

    def check() -> None:
        nonlocal config
        forget()
        if sys.stdout.isatty():
            click.clear()
        try:
            config = settings(paths, options)
            run(config)
        except Exception as error:  # settings may be wrong while someone writes them
            tell(_line(error))
        tell(f"checked at {time.strftime('%H:%M:%S')}; watching for changes until Ctrl-C")
        sys.stdout.flush()

    begun, seen = False, frozenset[tuple[str, int, int]]()
    while True:
        # Changes are collected from the first step on, so that none during a check is lost.
        try:
            for changes in watch(*folders, watch_filter=matters, rust_timeout=_WAKES_MS, yield_on_timeout=True):
                if changes or not begun:
                    begun = True
                    check()
            return 0
        except RuntimeError as error:  # of a file whose name is not in the encoding of the system
            if not begun:
                raise
            # That it was read, by the check itself, is an event of it as well.
            before, seen = seen, _state(folders)
            if seen != before:
                begun = False
                tell(f"{error}; watching again")


def _state(folders: Iterable[str]) -> frozenset[tuple[str, int, int]]:
    """The files below, with their sizes and times."""
    found = []
    for top in folders:
        for folder, _, files in os.walk(top):
            for name in files:
                try:
                    state = os.lstat(os.path.join(folder, name))
                except OSError:
                    continue
                found.append((os.path.join(folder, name), state.st_size, state.st_mtime_ns))
    return frozenset(found)


def _line(error: Exception) -> str:
    from caffelint.cli.errors import one_line, status_and_line

    return one_line(error) if isinstance(error, click.ClickException) else status_and_line(error)[1]
