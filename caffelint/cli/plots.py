"""What all commands with `--plot` do before and after they draw."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import click

from caffelint.cli.overwriting import objection

plot_option = click.option(
    "--plot",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Also draw a plot to a file that ends in .png, .svg, .pdf or .html.",
)


def ready_to_plot(path: Path) -> None:
    """Raise `click.UsageError` before anything runs, if no plot could be written in the end."""
    import importlib.util

    from caffelint.text.pictures import SUFFIXES

    if importlib.util.find_spec("matplotlib") is None:
        raise click.UsageError("--plot needs matplotlib: pip install 'caffelint[plot]'")
    if path.suffix.lower() not in SUFFIXES:
        raise click.UsageError(f'--plot "{path}": the name must end with .png, .svg, .pdf or .html')
    if not path.parent.is_dir():
        raise click.UsageError(f'--plot "{path}": its folder does not exist')
    if reason := objection(path, path.suffix.lower()):
        raise click.UsageError(f'--plot "{path}": {reason}')


@contextmanager
def plotting(path: Path) -> Iterator[None]:
    """While a plot is drawn and written: say in one line why it could not be."""
    try:
        yield
    except OSError as error:
        raise click.ClickException(f"{path}: cannot be written: {(error.strerror or str(error)).lower()}") from error
