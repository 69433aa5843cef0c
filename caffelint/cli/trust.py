"""`caffelint trust`"""

from __future__ import annotations

import os
from pathlib import Path

import click

from caffelint.cli.status import FINDINGS, OK
from caffelint.text.visible import visible


@click.command("trust")
@click.argument("folder", default=".", type=click.Path(path_type=Path))
@click.option("--list", "show", is_flag=True, help="Show the folders that are trusted.")
@click.option("--remove", is_flag=True, help="Stop trusting FOLDER.")
def command(folder: Path, show: bool, remove: bool) -> int:
    """Let the settings of FOLDER choose what runs: caffe-python and plugins, and roots outside the checkout.

    Without this, a repository's own settings choose none of these. Trust covers the present files, and ends when a
    settings file or a rule changes. It is stored outside the folder.

    Exit status: 0 done, 1 with --remove: FOLDER was not trusted, 2 the settings are missing or wrong.
    """
    from caffelint.lint import trust
    from caffelint.lint.config import chain_of, nearest

    if show and remove:
        raise click.UsageError("--list and --remove exclude each other")
    if show:
        for known in trust.trusted():
            click.echo(visible(known))
        return OK
    if remove:
        was = trust.forget(os.fspath(folder))
        click.echo(visible(f"{folder} is {'no longer trusted' if was else 'not trusted'}"))
        return OK if was else FINDINGS
    if not folder.is_dir():
        raise click.ClickException(f"{folder}: no such folder")
    path = nearest(folder)
    if path is None:
        raise click.ClickException(f"{folder}: no caffelint settings in it or above it")
    files, plugins = chain_of(path)
    where = trust.trust(files, plugins)
    rules = [file for plugin in plugins for file in trust.python_files(plugin)]
    click.echo(visible(f"{where} is trusted: {', '.join(files + rules)}"))
    return OK
