"""What commands say beside their output: lines on stderr, harmless whatever names they quote."""

from __future__ import annotations

import click

from caffelint.text.visible import visible


def tell(line: str) -> None:
    """`caffelint: LINE` on stderr; a line that begins with two spaces belongs to the one above, and stays as it is."""
    aside(line if line.startswith("  ") else f"caffelint: {line}")


def aside(line: str) -> None:
    """A line on stderr, without the name of the program."""
    click.echo(visible(line), err=True)
