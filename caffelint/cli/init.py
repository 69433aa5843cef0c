"""`caffelint init`"""

from __future__ import annotations

import os
import sys
from pathlib import Path

import click

from caffelint.cli.tell import say, tell
from caffelint.text.visible import visible

_BASELINE = "caffelint-baseline.json"


@click.command("init")
@click.argument("folder", default=".", type=click.Path(path_type=Path))
@click.option("--baseline", is_flag=True, help=f"Also store the present findings, in {_BASELINE}.")
@click.option("-y", "--yes", is_flag=True, help="Write without asking.")
def command(folder: Path, baseline: bool, yes: bool) -> int:
    """Look at the nets and solvers of FOLDER (default: the working directory), and write a caffelint.toml that fits.

    The settings are shown first; nothing is written without --yes, or an answer at a terminal.

    \b
    Exit status: 0 written, or shown
                 2 there are settings already, or FOLDER cannot be read or written
    """
    from caffelint.cli.overwriting import misplaced, no_place_for_baseline
    from caffelint.lint.config import FILES, nearest
    from caffelint.lint.initial import Setting, initial, text_of
    from caffelint.text.writing import all_or_none, write_atomically

    if not folder.is_dir():
        raise click.UsageError(f"{folder}: not a folder")
    there = nearest(folder)
    if there is not None and there.parent == folder.resolve():
        how = "caffelint config shows them"
        if baseline:
            how = f"caffelint check . --write-baseline {_BASELINE} stores the findings"
            how += f'; add baseline = "{_BASELINE}" to the settings'
        raise click.UsageError(f"{relative(there)} holds settings already; {how}")
    target, stored = folder / FILES[0], folder / _BASELINE
    if reason := misplaced(str(target)):
        raise click.UsageError(f"{target}: {reason}")
    if baseline and (reason := no_place_for_baseline(str(stored))):
        raise click.UsageError(f"{stored}: {reason}")
    settings = initial(str(folder))
    alone = text_of(settings)
    if baseline:
        settings.append(Setting("baseline", _BASELINE, "findings that were there at the beginning"))
    text = text_of(settings)
    tell(f"{target} {'is' if yes else 'would be'}:")
    say("\n".join(map(visible, text.rstrip().split("\n"))))
    if not yes and not _agreed(target):
        return 0
    with all_or_none():
        write_atomically(target, alone.encode(), follow=False)
        if baseline:
            _store(folder)
            # Not before: if we are killed meanwhile, settings without their baseline would be an error in each check.
            write_atomically(target, text.encode(), follow=False)
    tell(f"{target} is written; caffelint check {folder} uses it")
    return 0


def relative(path: Path) -> str:
    from caffelint.lint.discover import relative

    return relative(str(path))


def _agreed(target: Path) -> bool:
    if not (sys.stdin and sys.stdin.isatty()):
        tell("nothing is written; give --yes to write it")
        return False
    return click.confirm(f"Write {visible(str(target))}?", default=True, err=True)


def _store(folder: Path) -> None:
    """The findings under the new settings, as a baseline."""
    import caffelint
    from caffelint.lint import baseline
    from caffelint.lint.config import load_config
    from caffelint.report.words import count

    config = load_config(folder)
    config.baseline = None
    number = baseline.write(folder / _BASELINE, caffelint.check([os.fspath(folder)], config).findings)
    tell(f"{count(number, 'finding')} stored in {folder / _BASELINE}")
