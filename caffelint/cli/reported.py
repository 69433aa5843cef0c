"""What `caffelint report` reads and writes."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

import caffelint
from caffelint.cli.overwriting import objection
from caffelint.cli.tell import say
from caffelint.lint.file import File, load
from caffelint.lint.joined import NotJoined, load_joined, set_shapes
from caffelint.lint.read import ReadError, read
from caffelint.lint.report import Failure
from caffelint.page.html import Project, page
from caffelint.page.views import views
from caffelint.text.visible import visible
from caffelint.text.writing import write_report

if TYPE_CHECKING:
    from caffelint.lint.config import Config

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
    """Write the page or the picture. Raises `click.ClickException`."""
    _ready(asked.output, "page" if asked.format == "html" else ".svg")
    project = project_of(asked, config)
    if asked.format == "html":
        text = page(project)
    else:
        text = _picture(project, asked.is_open)
    try:
        write_report(asked.output, text.encode("utf-8", "backslashreplace"))
    except OSError as error:
        why = (error.strerror or str(error)).lower()
        raise click.ClickException(f"{asked.output}: cannot be written: {why}") from error
    say(visible(f"{asked.output} written"))
    return 0


def project_of(asked: Asked, config: Config) -> Project:
    """All that is to be shown: the findings of a check, and the nets as they are built."""
    report = caffelint.check([asked.path], config)
    files, failures = _files(asked.path, config)
    file = files[asked.path]
    if file.solver is None and file.net is None:
        raise click.ClickException(f"{asked.path}: neither a solver nor a net")
    shapes = {top: tuple(int(dim) for dim in dims.split("x")) for top, dims in config.input_shape.items()}
    set_shapes(file, shapes | dict(asked.shapes))
    texts = {path: one.document.source.data for path, one in files.items()}
    given = [_json(path) for path in asked.given]
    return Project(asked.path, file.solver, views(file), report.findings, texts, (*report.failures, *failures), given)


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


def _ready(output: Path, format_: str) -> None:
    if not output.parent.is_dir():
        raise click.UsageError(f'--output "{output}": its folder does not exist')
    if reason := objection(output, format_):
        raise click.UsageError(f'--output "{output}": {reason}')


def _json(path: Path) -> Mapping[str, Any]:
    try:
        data = path.read_bytes() if path.stat().st_size <= _LARGEST_JSON else None
    except OSError as error:
        raise click.ClickException(f"{path}: {(error.strerror or str(error)).lower()}") from error
    if data is None:
        raise click.ClickException(f"{path}: more than 64 MiB of JSON, which is not read")
    try:
        value = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise click.ClickException(f"{path}: not JSON: {error}") from error
    if not isinstance(value, dict):
        what = "give what caffelint smoke, log, data, weights or scales writes with --format json"
        raise click.ClickException(f"{path}: no object of JSON; {what}")
    return value


def _picture(project: Project, is_open: bool) -> str:
    from caffelint.page.drawing import draw
    from caffelint.page.findings import counts
    from caffelint.page.svg import picture

    if not project.views:
        raise click.ClickException(f"{project.path}: no net to draw")
    view = project.views[0]
    title = f"{view.net.path}, {view.title}"
    return picture(draw(view.built, is_open=is_open), title, counts(project.findings, view))
