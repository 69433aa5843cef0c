"""`caffelint clean`"""

from __future__ import annotations

import click

from caffelint.cli.tell import say
from caffelint.text.visible import visible


@click.command("clean")
def command() -> None:
    """Remove the stored results of earlier runs. Settings and trusted folders stay."""
    from caffelint.lint.cache import clean, folder
    from caffelint.report.summary_table import size
    from caffelint.report.words import count

    try:
        where = folder()
    except RuntimeError as error:
        raise click.ClickException("you have no home folder, so nothing is stored") from error
    files, bytes_ = clean()
    say(visible(f"{count(files, 'result')} removed from {where}" + (f" ({size(bytes_)})" if files else "")))
