"""What commands say: lines that fit the window, harmless whatever names they quote."""

from __future__ import annotations

import sys

import click

from caffelint.text.visible import visible


def tell(line: str) -> None:
    """`caffelint: LINE` on stderr; a line that begins with two spaces belongs to the one above, and stays as it is."""
    aside(line if line.startswith("  ") else f"caffelint: {line}")


def aside(line: str) -> None:
    """A line on stderr, without the name of the program."""
    say(visible(line), err=True)


def say(text: str = "", err: bool = False, indent: int = 2) -> None:
    """Lines that are harmless already, on stdout or stderr. On a terminal, those that are too long are wrapped, and go
    on with `indent` more blanks than they begin with; elsewhere, a line stays one."""
    if not (sys.stderr if err else sys.stdout).isatty():
        click.echo(text, err=err)
        return
    from caffelint.cli.outputs import width
    from caffelint.report.fit import hanging

    room = width(sys.stderr if err else sys.stdout)
    for line in text.split("\n"):
        for part in hanging(line, room, indent):
            click.echo(part, err=err)
