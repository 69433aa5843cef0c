"""`caffelint trust`"""

from __future__ import annotations

import os
from pathlib import Path

import click

from caffelint.cli.status import FINDINGS, OK
from caffelint.cli.tell import say
from caffelint.text.visible import visible


@click.command("trust")
@click.argument("folder", default=".", type=click.Path(path_type=Path))
@click.option("--list", "show", is_flag=True, help="Show the folders that you have trusted.")
@click.option("--remove", is_flag=True, help="Stop trusting FOLDER.")
def command(folder: Path, show: bool, remove: bool) -> int:
    """Allow the settings of FOLDER (default: the working directory) to choose what runs.

    Until you trust them, the settings of a repository can neither run code (caffe-python, plugins) nor open data
    (read-data) nor read files outside the repository (roots, extend, baseline). Trust holds for the
    settings and rules as they are now; after a change, run the command again. It is stored in your home directory, not
    in FOLDER.

    \b
    Exit status: 0 done
                 1 with --remove: FOLDER was not trusted
                 2 FOLDER has no settings, or they are wrong
    """
    from caffelint.lint import trust
    from caffelint.lint.config import chain_of, nearest

    if show and remove:
        raise click.UsageError("--list and --remove cannot be combined; give one")
    try:
        trust.store()
    except RuntimeError as error:
        raise click.ClickException("you have no home folder, where trust is kept; set HOME or XDG_DATA_HOME") from error
    if show:
        for known in trust.stored():
            ended = "" if _is_held(Path(known)) else "  (no longer trusted: files have changed or are gone)"
            say(visible(f"{known}{ended}"))
        return OK
    if remove:
        was = trust.forget(os.fspath(folder))
        say(visible(f"{folder} {'is no longer trusted' if was else 'was not trusted'}"))
        return OK if was else FINDINGS
    if not folder.is_dir():
        raise click.ClickException(f"{folder}: no such folder")
    path = nearest(folder)
    if path is None:
        raise click.ClickException(f"{folder}: no caffelint settings in this folder or above it")
    contents, _ = chain_of(path)
    say(visible(f"{trust.trust(contents)} is trusted: {', '.join(contents)}"))
    return OK


def _is_held(folder: Path) -> bool:
    """Whether the settings of a folder are as they were trusted."""
    from caffelint.lint.config import ConfigError, chain_of, nearest
    from caffelint.lint.trust import is_trusted

    try:
        path = nearest(folder)
        return path is not None and is_trusted(chain_of(path)[0])
    except ConfigError:
        return False
