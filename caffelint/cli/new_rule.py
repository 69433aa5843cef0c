"""`caffelint new-rule`"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable
from contextlib import suppress
from itertools import count
from pathlib import Path

import click

from caffelint.cli import complete
from caffelint.cli.errors import unknown
from caffelint.cli.tell import say
from caffelint.text.visible import visible
from caffelint.text.writing import all_or_none, write_atomically

FOLDER = "rules"
_MOST_LISTED = 3
_NAME = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")
_CODE = re.compile(r"[A-Z]+[0-9]{3}")
_GIVEN = re.compile(rb"""(?m)^[ \t]+code[ \t]*=[ \t]*["']([A-Z]+[0-9]{3})["']""")


@click.command("new-rule")
@click.argument("name")
@click.argument("folder", required=False, type=click.Path(path_type=Path))
@click.option(
    "--kind",
    default="layer",
    metavar="KIND",
    shell_complete=complete.words(
        layer="one layer",
        net="a net",
        project="a solver and its nets",
        refusal="an error at which Caffe stops",
        solver="a solver",
        text="the text of a file",
    ),
    show_default=True,
    help="What the rule looks at: solver, layer, refusal (an error at which Caffe stops), net, project (a solver"
    " and its nets) or text.",
)
@click.option(
    "--code", metavar="CODE", help="Capital letters and three digits (default: the first from U001 that is free)."
)
def command(name: str, folder: Path | None, kind: str, code: str | None) -> None:
    """Create a file for your own rule in FOLDER (default: rules, which is created if it is missing).

    NAME names the mistake, for example missing-bias-filler; it is also the name that ignore comments use.
    The new rule works at once: caffelint test runs its examples, and caffelint check runs it if the settings list
    FOLDER under plugins. If there are no settings, a caffelint.toml that lists FOLDER under plugins is written. No file
    is overwritten. Other Python files in FOLDER run only after caffelint trust.
    """
    from caffelint.cli.templates import KINDS, rule_text
    from caffelint.lint.registry import find_rule

    if not _NAME.fullmatch(name):
        raise click.UsageError(f'name "{name}" is not lower-case words with hyphens, as in missing-bias-filler')
    if code is not None and not _CODE.fullmatch(code):
        raise click.UsageError(f'--code "{code}" is not capital letters and three digits, as in U001')
    if kind not in KINDS:
        raise unknown(f'no such kind "{kind}"', kind, KINDS, rest=f"; the kinds are {', '.join(KINDS)}")
    if folder is not None and not folder.is_dir():
        raise click.ClickException(f"{folder}: no such folder")
    if folder is not None and not _is_text(os.path.relpath(folder)):
        raise click.ClickException(f"{folder}: its name is not UTF-8, so settings cannot name it; give another folder")
    used = _codes_in(folder or Path(FOLDER))
    if code in used:
        raise click.UsageError(f"code {code} is already used by {visible(used[code])}")
    for taken in filter(None, map(find_rule, filter(None, (name, code)))):
        raise click.UsageError(f"rule {taken.code} {taken.name} already exists")
    code = code or next(free for free in map("U{:03}".format, count(1)) if free not in used and not find_rule(free))
    with all_or_none() as made:
        if folder is None:
            folder = Path(FOLDER)
            if not os.path.lexists(folder):
                made.append(folder)
                folder.mkdir()
        trusted = _runs_already(folder)
        path = folder / f"{name.replace('-', '_')}.py"
        _write(path, rule_text(kind, code, name))
        how = _plugged(path, trusted)
    say(visible(f"{path} is written; caffelint test {path} runs its examples"))
    say(visible(how))


def _write(path: Path, text: str) -> None:
    """A file that is not there yet, whole or not at all."""
    from caffelint.cli.overwriting import misplaced

    if os.path.lexists(path):
        raise click.ClickException(f"{path}: already exists and was left alone")
    if reason := misplaced(str(path)):
        raise click.ClickException(f"{path}: {reason}")
    write_atomically(path, text.encode(), follow=False)


def _is_text(path: str) -> bool:
    """Whether a path has no byte that is not UTF-8."""
    return not any("\ud800" <= character <= "\udfff" for character in path)


def _codes_in(folder: Path) -> dict[str, str]:
    """The codes that the text of a folder's files gives to rules, each with its file. No file is run."""
    from caffelint.lint.read import ReadError, read
    from caffelint.lint.trust import python_files

    found: dict[str, str] = {}
    for file in python_files(str(folder)) if folder.is_dir() else ():
        with suppress(ReadError):
            for code in _GIVEN.findall(read(file)):
                found.setdefault(code.decode(), file)
    return found


def _runs_already(folder: Path) -> bool:
    """Whether the settings for the working directory name a folder as a plugin and are trusted as they are now."""
    from caffelint.lint import trust
    from caffelint.lint.config import chain_of, nearest

    settings = nearest(Path())
    if settings is None:
        return False
    contents, plugins = chain_of(settings)
    return _is_named(folder, plugins) and trust.is_trusted(contents)


def _is_named(folder: Path, plugins: Iterable[str]) -> bool:
    return os.path.realpath(folder) in map(os.path.realpath, plugins)


def _plugged(rule: Path, trusted: bool) -> str:
    """Let the next check run the rule, but nothing that the user has neither written by this nor trusted before."""
    from caffelint.lint import trust
    from caffelint.lint.config import chain_of, nearest
    from caffelint.lint.own import way_to_trust

    folder, settings = rule.parent, nearest(Path())
    if settings is None:
        settings = Path("caffelint.toml")
        _write(settings, f"plugins = [{_named_from(settings, folder)}]\n")
        others = [file for file in trust.python_files(str(folder)) if not os.path.samefile(file, rule)]
        if others:
            listed = ", ".join(others[:_MOST_LISTED]) + (", ..." if len(others) > _MOST_LISTED else "")
            return f"to run it, and the other Python files of {folder} ({listed}): caffelint trust"
        trusted = True
    contents, plugins = chain_of(settings)
    if not _is_named(folder, plugins):
        named = _named_from(settings, folder)
        return f"to run it: add {named} to plugins in {settings}, then {way_to_trust(settings.parent)}"
    if not trusted:
        return f"to run it: {way_to_trust(settings.parent)}"
    trust.trust(contents)
    again = way_to_trust(settings.parent)
    return f"caffelint check runs it (plugins in {settings}); after each change, run {again}"


def _named_from(settings: Path, folder: Path) -> str:
    """A folder as settings name it."""
    return json.dumps(Path(os.path.relpath(folder, settings.parent)).as_posix())
