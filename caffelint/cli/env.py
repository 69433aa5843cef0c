"""`caffelint env`"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import click

from caffelint.cli.settings import caffe_python_option, settings, settings_options
from caffelint.text.visible import json_text

_WIDTH = 100


@click.command("env")
@click.argument("solver", required=False, type=click.Path())
@caffe_python_option
@settings_options
@click.option("--format", "format_", type=click.Choice(["text", "json"]), default="text", help="A table or JSON.")
@click.option("-v", "--verbose", is_flag=True, help="Show the layer types that each engine runs.")
def command(
    solver: str | None, caffe_python: str | None, config_file: Path | None, isolated: bool, format_: str, verbose: bool
) -> None:
    """Show what caffelint smoke can run with: engines and their versions, devices, data libraries; and what to install.

    With SOLVER, also show whether the files and Python layers that it and its nets name are found, by caffelint and by
    your Caffe. None of them is run.

    \b
    Exit status: 0 shown
                 2 SOLVER cannot be read, or wrong usage or settings
    """
    from caffelint.cli.tell import aside, say
    from caffelint.report.words import sentence
    from caffelint.smoke.engines import OPTION, NoEngine
    from caffelint.smoke.env import environment
    from caffelint.smoke.project import NoProject
    from caffelint.text.signals import ENDING, ending_once

    config = settings(
        [solver or "."],
        {"config_file": config_file, "isolated": isolated},
        unused=("caffe_python",) if caffe_python else (),
    )
    source = OPTION if caffe_python else config.sources.get("caffe_python", OPTION)
    if config.caffe_python and not caffe_python:
        aside(sentence(f"runs {config.caffe_python}, which {source} names"))
    try:
        with ending_once("SIGINT", *ENDING):
            found = environment(caffe_python or config.caffe_python, source, config, solver)
    except (NoProject, NoEngine) as error:
        raise click.ClickException(str(error)) from error
    if format_ == "json":
        click.echo(json_text(found))
        return
    for name, value in _rows(found, verbose):
        say(f"{name:<12}{sentence(value)}".rstrip(), indent=12)


def _rows(found: dict[str, Any], verbose: bool) -> Iterator[tuple[str, str]]:
    machine = found["machine"]
    yield "caffelint", f"{found['caffelint']}, Python {found['python']}, protobuf {found['protobuf']}"
    yield "machine", f"{machine['processors']} processors{_memory(', {} of memory', machine['memory'])}"
    for gpu in machine["gpus"] or found["torch"].get("gpus") or ():
        yield "", f"{gpu['device']}: {gpu['name']}{_memory(', {}', gpu['memory'])}{_memory(', {} free', gpu['free'])}"
    yield "libraries", ", ".join(f"{name} {value or 'missing'}" for name, value in found["libraries"].items())
    yield "", ""
    yield from _caffe(found["caffe"], verbose)
    yield from _torch(found["torch"], verbose)
    smoke = found["smoke"]
    yield "smoke runs", f"with {smoke['engine']} on {smoke['device']}" if smoke["engine"] else "not possible"
    if found["solver"]:
        yield "", ""
        yield from _solver(found["solver"])
    if found["to_do"]:
        yield "", ""
        for number, line in enumerate(found["to_do"]):
            yield "" if number else "to do", line


def _caffe(caffe: dict[str, Any], verbose: bool) -> Iterator[tuple[str, str]]:
    if caffe["problem"]:
        yield "caffe", caffe["problem"]
        if caffe["command"]:
            yield "", f"command: {' '.join(caffe['command'])} ({caffe['why']})"
        return
    yield "caffe", f"{caffe['caffe']}, Python {caffe['python']}, numpy {caffe['numpy']}, protobuf {caffe['protobuf']}"
    yield "", f"command: {' '.join(caffe['command'])} ({caffe['why']}), in {caffe['place']}"
    yield "", f"GPU: {'yes' if caffe['gpu'] else 'no, ' + caffe['no_gpu']}"
    if caffe["libraries"] is not None:
        yield "", f"libraries: {', '.join(caffe['libraries']) or 'none loaded by name'}"
    python = "Python layers run" if caffe["python_layers"] else "no Python layers (WITH_PYTHON_LAYER)"
    yield "", f"{len(caffe['layers'])} layer types; {python}"
    if verbose:
        yield from _list(caffe["layers"])


def _torch(torch: dict[str, Any], verbose: bool) -> Iterator[tuple[str, str]]:
    if torch["problem"]:
        yield "torch", torch["problem"]
        return
    yield "torch", f"{torch['torch']}; GPU: {'yes' if torch['gpus'] else 'no, ' + torch['no_gpu']}"
    yield "", f"{len(torch['layers'])} layer types; Python layers run"
    if verbose:
        yield from _list(sorted(torch["layers"]))


def _solver(solver: dict[str, Any]) -> Iterator[tuple[str, str]]:
    yield "solver", solver["path"]
    for row in solver["names"]:
        if row["what"] == "solver":
            continue
        of = f' of layer "{row["layer"]}"' if row["layer"] else ""
        if row["what"] == "module":
            there = (
                row["place"] if row["caffe"] else "not found" if row["caffe"] is False else "unknown without a Caffe"
            )
        else:
            there = "found" if row["here"] else "missing"
            if row["caffe"] is not None and row["caffe"] != row["here"]:
                there += "; Caffe sees it" if row["caffe"] else "; Caffe does not see it"
        yield "", f'{row["what"]} "{row["name"]}"{of}: {there}'
    for name, lacking in solver["lacks"].items():
        if lacking:
            yield "", f"engine {name} lacks {', '.join(lacking)}"


def _memory(text: str, size: int | None) -> str:
    return text.format(f"{size / 2**30:.1f} GiB") if size else ""


def _list(names: Sequence[str]) -> Iterator[tuple[str, str]]:
    from textwrap import wrap

    for line in wrap(", ".join(names), _WIDTH):
        yield "", line
