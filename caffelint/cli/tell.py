"""What commands say beside their output: a line on stderr, harmless whatever names it quotes."""

from __future__ import annotations

import click

from caffelint.text.visible import visible


def tell(line: str) -> None:
    """`caffelint: LINE` on stderr."""
    aside(f"caffelint: {line}")


def aside(line: str) -> None:
    """A line on stderr, without the name of the program."""
    click.echo(visible(line), err=True)
