"""`caffelint deploy`"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import click

from caffelint.cli import complete
from caffelint.cli.settings import input_shape_option, input_shapes, settings, settings_options
from caffelint.cli.status import FINDINGS, USAGE
from caffelint.text.visible import json_text, visible

if TYPE_CHECKING:
    from caffelint.lint.config import Config


@click.command("deploy")
@click.argument("net", type=click.Path())
@click.option("-o", "--output", type=click.Path(), metavar="FILE", help="Write the net to FILE (default: stdout).")
@click.option(
    "--check",
    "given",
    type=click.Path(),
    metavar="FILE",
    help="Write nothing; say what the deploy net in FILE has otherwise than the one that NET leads to.",
)
@click.option("--card", type=click.Path(), metavar="FILE", help="Write how inputs are made to FILE, as JSON.")
@input_shape_option
@click.option("--dialect", metavar="NAME", shell_complete=complete.dialects, help="The Caffe that the net is for.")
@settings_options
def command(
    net: str,
    output: str | None,
    given: str | None,
    card: str | None,
    shapes: tuple[str, ...],
    dialect: str | None,
    config_file: Path | None,
    isolated: bool,
) -> int:
    """Make the net for deployment out of the text of a training net.

    Data layers become Input layers with a batch of 1, losses what they make of scores (SoftmaxWithLoss becomes
    Softmax), and what only trains or measures goes. Layers keep their names, so the weights fit, and their text.
    How an image becomes the input is a comment, and with --card a file. If NET is a solver, its net is taken.

    \b
    Exit status: 0 the net was made, or that of --check has the same layers, weights and fields
                 1 --check found a difference that matters
                 2 the file cannot be read or written, holds no net that loads, or wrong usage
    """
    from caffelint.cli.nets import net_of
    from caffelint.cli.outputs import write_bytes
    from caffelint.cli.overwriting import no_place_for
    from caffelint.cli.tell import aside, say, tell
    from caffelint.fix.deploy import DeployError, compare, deploy
    from caffelint.fix.write import SaveError, save
    from caffelint.lint.read import ReadError, read

    if given and (output or card):
        raise click.UsageError("--check writes nothing; leave --output and --card out")
    config = settings([net], {"config_file": config_file, "isolated": isolated, "dialect": dialect})
    given_shapes = input_shapes(shapes)
    at = net = net_of(net, config.roots)
    try:
        old = read(net)
        if given:
            at = given
            there = read(given)
            at = net
            differences = compare(old, there, net, given, config.dialect)
            for one in differences:
                place = f"{given}:{one.line}" if one.line else given
                say(visible(f"{place}: {'' if one.matters else 'does not matter: '}{one.message}"))
            if not any(one.matters for one in differences):
                say(visible(f"{given} fits: it has the layers, weights and fields that {net} leads to"))
            return FINDINGS if any(one.matters for one in differences) else 0
        made = deploy(old, net, given_shapes or _set(old, net, config), config.dialect)
        cards = json_text([one.as_json() for one in made.cards]).encode()
        for what, path, data in (("net", output, made.data), ("card", card, cards)):
            if path is None:
                continue
            at = path
            if reason := no_place_for(what, path) or _objection(path, net, data):
                raise SaveError(reason)
            save(path, None, data)
            aside(f"{path} is written")
        if output is None:
            write_bytes(made.data)
        for note in made.notes:
            tell(f"{net}: {note}")
    except (ReadError, DeployError, SaveError) as error:
        tell(f"{at}: {error}")
        return USAGE
    return 0


def _set(data: bytes, path: str, config: Config) -> dict[str, tuple[int, ...]]:
    """The shapes that the settings give for tops of this net."""
    from caffelint.lint.file import loaded
    from caffelint.lint.joined import given_shapes

    net = loaded(data, path, config.dialect).net
    tops = {top for layer in net.layers for top in layer.tops} if net else set()
    return {top: shape for top, shape in given_shapes(config).items() if top in tops}


def _objection(path: str, net: str, data: bytes) -> str:
    """Why an existing file must not be replaced; empty if none exists, or one with this text."""
    from caffelint.cli.overwriting import is_free
    from caffelint.lint.read import ReadError, read

    if not os.path.exists(path) or is_free(path):
        return ""
    if os.path.samefile(path, net):
        return "this is NET itself; give another name"
    try:
        return "" if read(path) == data else "this file exists; remove it first"
    except ReadError as error:
        return str(error)
