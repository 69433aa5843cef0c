"""What `caffelint report` reads and writes."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import click

import caffelint
from caffelint.cli.overwriting import objection
from caffelint.cli.tell import say
from caffelint.lint.config import Config
from caffelint.lint.file import File, load
from caffelint.lint.joined import NotJoined, given_shapes, load_joined, set_shapes
from caffelint.lint.read import ReadError, read
from caffelint.lint.report import Failure, Report
from caffelint.page.html import Project, page
from caffelint.page.views import views
from caffelint.report.words import accepted
from caffelint.text.records import NamedTuple
from caffelint.text.visible import visible
from caffelint.text.writing import write_report

_LARGEST_JSON = 64 << 20


class Asked(NamedTuple):
    """What the command line asks for."""

    path: str
    output: Path
    format: str
    is_open: bool
    given: Sequence[Path]
    shapes: Mapping[str, tuple[int, ...]]


def reported(asked: Asked, config: Config) -> int:
    """Write the page or the picture of a solver or a net. Raises `click.ClickException`."""
    is_page = asked.format == "html"
    if not is_page and asked.output.suffix.lower() != f".{asked.format}":
        raise click.UsageError(f'--output "{asked.output}": the name must end with .{asked.format}')
    ready(asked.output, "page" if is_page else f".{asked.format}")
    if asked.format == "png" and find_spec("matplotlib") is None:
        raise click.UsageError("--format png needs matplotlib: pip install 'caffelint[plot]'")
    given = [_json(path) for path in asked.given]
    report = caffelint.check([asked.path], config)
    project = project_of(asked, config, report)
    if not is_page:
        from caffelint.cli.pictured import pictured

        pictured(project, asked.output, asked.is_open)
    else:
        scales = _scales(asked, config, project)
        write(asked.output, page(project._replace(given=[*given, *scales])))
    say(visible(f"{asked.output} written"))
    return 0


def project_of(asked: Asked, config: Config, report: Report) -> Project:
    """A solver with its nets as they are built, or a net, and their findings. Raises `click.ClickException`."""
    files, failures = _files(asked.path, config)
    file = files[asked.path]
    if file.solver is None and file.net is None:
        raise click.ClickException(f"{asked.path}: neither a solver nor a net")
    set_shapes(file, given_shapes(config) | dict(asked.shapes))
    texts = {path: one.document.source.data for path, one in files.items()}
    shown, is_cut = views(file, config)
    if is_cut:
        failures.append(Failure(asked.path, f"no more than {len(shown)} of its nets and their states are shown"))
    return Project(
        asked.path,
        file.solver,
        shown,
        report.findings,
        texts,
        (*report.failures, *failures),
        accepted=accepted(report),
    )


def _files(path: str, config: Config) -> tuple[dict[str, File], list[Failure]]:
    """The file with the nets that it names; alone, and why, if one of them cannot be read."""
    try:
        return load_joined(path, config), []
    except NotJoined as error:
        try:
            file = load(read(path), path)
        except ReadError as problem:
            raise click.ClickException(f"{path}: {problem}") from problem
        return {path: file}, [Failure(path, str(error).removeprefix(f"{path}: "))]


def _scales(asked: Asked, config: Config, project: Project) -> list[dict[str, Any]]:
    """Those that the training starts with, if they are known."""
    from caffelint.cli.scaled import Asked as AskedForScales
    from caffelint.cli.scaled import scaled
    from caffelint.report.scales_table import as_json

    trained = [view for view in project.views if "TRAIN" in view.built.phases and view.built.has_loss]
    if not trained:
        return []
    inputs = {blob.name for blob in trained[0].built.inputs}  # a shape may be for another phase
    shapes = {top: shape for top, shape in {**trained[0].read, **asked.shapes}.items() if top in inputs}
    try:
        return [as_json(scaled(AskedForScales(asked.path, shapes=shapes), config), asked.path)]
    except click.ClickException:
        return []


def ready(output: Path, format_: str) -> None:
    """Raise `click.UsageError` before anything is read, if the file cannot be written in the end."""
    if not output.parent.is_dir():
        raise click.UsageError(f'--output "{output}": its folder does not exist')
    if reason := objection(output, format_):
        raise click.UsageError(f'--output "{output}": {reason}')


def write(output: Path, text: str) -> None:
    """Raises `click.ClickException`."""
    if reason := not_written(output, text):
        raise click.ClickException(f"{output}: {reason}")


def not_written(output: Path, text: str) -> str:
    """Write a file; why it could not be, or nothing."""
    try:
        write_report(output, text.encode("utf-8", "backslashreplace"))
    except OSError as error:
        return f"cannot be written: {(error.strerror or str(error)).lower()}"
    return ""


def _json(path: Path) -> Mapping[str, Any]:
    try:
        value = json.loads(read(str(path), _LARGEST_JSON))
    except ReadError as error:
        raise click.ClickException(f"{path}: {error}") from error
    except (ValueError, RecursionError) as error:
        raise click.ClickException(f"{path}: not JSON: {error}") from error
    if not isinstance(value, dict):
        what = "give what caffelint smoke, log, data, weights or scales writes with --format json"
        raise click.ClickException(f"{path}: no object of JSON; {what}")
    return value
