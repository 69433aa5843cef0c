"""`caffelint new-rule`"""

from __future__ import annotations

import re
from pathlib import Path

import click

from caffelint.cli.errors import near
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
    help="What the rule looks at: solver, layer, refusal (by Caffe), net, project (a solver with its nets) or text.",
)
@click.option("--code", default="U001", metavar="CODE", show_default=True, help="Letters and three digits.")
def command(name: str, folder: Path, kind: str, code: str) -> None:
    """Write the start of a rule of your own.

    NAME says what is wrong, so that it reads well behind "allow": missing-bias-filler. The file goes into FOLDER and
    works as it is: caffelint test runs its examples. Nothing is overwritten.
    """
    from caffelint.cli.templates import KINDS, rule_text
    from caffelint.lint.registry import find_rule

    if not _NAME.fullmatch(name):
        raise click.UsageError(f"a rule's name is lower case words with hyphens, as in missing-bias-filler, not {name}")
    if not _CODE.fullmatch(code):
        raise click.UsageError(f"a rule's code is capital letters and three digits, such as U001, not {code}")
    if kind not in KINDS:
        raise click.UsageError(f"no such kind {kind}{near(kind, KINDS)}; there are {', '.join(KINDS)}")
    if not folder.is_dir():
        raise click.ClickException(f"{folder}: no such folder")
    for taken in filter(None, (find_rule(name), find_rule(code))):
        raise click.UsageError(f"there is a rule {taken.code} {taken.name} already")
    path = folder / f"{name.replace('-', '_')}.py"
    try:
        with path.open("x", encoding="utf-8", newline="\n") as out:
            out.write(rule_text(kind, code, name))
    except FileExistsError:
        raise click.ClickException(f"{path}: is there already and was left alone") from None
    click.echo(visible(f"wrote {path}; caffelint test {path} runs its examples"))
