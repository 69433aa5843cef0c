"""`caffelint new-rule`"""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import click

from caffelint.cli.errors import unknown
from caffelint.text.visible import visible

_NAME = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")
_CODE = re.compile(r"[A-Z]+[0-9]{3}")


@click.command("new-rule")
@click.argument("name")
@click.argument("folder", default=".", type=click.Path(path_type=Path))
@click.option(
    "--kind",
    default="layer",
    metavar="KIND",
    show_default=True,
    help="What the rule looks at: solver, layer, refusal (by Caffe), net, project (a solver and its nets) or text.",
)
@click.option("--code", default="U001", metavar="CODE", show_default=True, help="Capital letters and three digits.")
def command(name: str, folder: Path, kind: str, code: str) -> None:
    """Write the start of a rule of your own.

    NAME says what is wrong and reads well after "allow": missing-bias-filler. The file in FOLDER works at once:
    caffelint test runs its examples, and caffelint check runs the rule if the settings list FOLDER under plugins. If
    there are no settings, a caffelint.toml is written. Nothing is overwritten.
    """
    from caffelint.cli.templates import KINDS, rule_text
    from caffelint.lint.registry import find_rule

    if not _NAME.fullmatch(name):
        raise click.UsageError(f"a rule's name is lower-case words with hyphens, as in missing-bias-filler, not {name}")
    if not _CODE.fullmatch(code):
        raise click.UsageError(f"a rule's code is capital letters and three digits, such as U001, not {code}")
    if kind not in KINDS:
        raise unknown(f"no such kind {kind}", kind, KINDS, rest=f"; the kinds are {', '.join(KINDS)}")
    if not folder.is_dir():
        raise click.ClickException(f"{folder}: no such folder")
    for taken in filter(None, (find_rule(name), find_rule(code))):
        raise click.UsageError(f"rule {taken.code} {taken.name} already exists")
    before = _settings_of(folder)
    path = folder / f"{name.replace('-', '_')}.py"
    try:
        with path.open("x", encoding="utf-8", newline="\n") as out:
            out.write(rule_text(kind, code, name))
    except FileExistsError:
        raise click.ClickException(f"{path}: already exists and was left alone") from None
    click.echo(visible(f"wrote {path}; caffelint test {path} runs its examples"))
    click.echo(visible(_plugged(folder, before)))


def _settings_of(folder: Path) -> tuple[Path, bool] | None:
    """The settings for a folder that name it as a plugin, and whether they are trusted as it is now."""
    from caffelint.lint import trust
    from caffelint.lint.config import chain_of, nearest

    path = nearest(folder)
    if path is None:
        return None
    files, plugins = chain_of(path)
    if os.path.realpath(folder) not in map(os.path.realpath, plugins):
        return None
    return path, trust.is_trusted(files, plugins)


def _plugged(folder: Path, before: tuple[Path, bool] | None) -> str:
    """Let the next check run the rule, as far as the user has said so before; a line about it."""
    from caffelint.lint import trust
    from caffelint.lint.config import chain_of, nearest

    if before is None and nearest(folder) is None:
        path = Path("caffelint.toml")
        name = json.dumps(Path(os.path.relpath(folder)).as_posix())
        with path.open("x", encoding="utf-8") as out:
            out.write(f"plugins = [{name}]\n")
        before = (path, True)
    elif before is None:
        return f'to run it, write plugins = ["{folder}"] into the settings, then caffelint trust'
    path, trusted = before
    if not trusted:
        return f"to run it: caffelint trust {path.parent}"
    trust.trust(*chain_of(path))
    return f"caffelint check runs it, as {path} says; after each change of it: caffelint trust {path.parent}"
