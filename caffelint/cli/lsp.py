"""`caffelint lsp`"""

from __future__ import annotations

import os
import sys
from pathlib import Path

import click

from caffelint.cli.settings import settings_options


@click.command("lsp")
@settings_options
@click.option("--stdio", is_flag=True, help="Talk over stdin and stdout, as it always does.")
def command(config_file: Path | None, isolated: bool, stdio: bool) -> None:
    """Serve an editor: findings while you type, completion, shapes, explanations.

    The editor starts this command and talks to it over stdin and stdout; docs/editors.md has the settings for each.
    Needs pygls: pip install 'caffelint[lsp]'.
    """
    from caffelint.lsp.messages import UnreadableError, serve
    from caffelint.lsp.server import server

    if isolated and config_file:
        raise click.UsageError("--isolated and --config cannot be combined; give one")
    if sys.stdin is None:
        raise click.UsageError("stdin is closed, and the editor talks over it")
    # What anything else prints would break the protocol: only the server keeps what was stdout. Its own stdin is never
    # closed, as Python would do at the end, which crashes while a thread reads it.
    stdin = open(os.dup(sys.stdin.fileno()), "rb")  # noqa: SIM115
    with os.fdopen(os.dup(sys.stdout.fileno()), "wb") as out:
        sys.stdout = sys.stderr
        try:
            raise click.exceptions.Exit(serve(server(config_file, isolated), stdin, out))
        except UnreadableError as error:
            raise click.ClickException(str(error)) from error
