"""What `caffelint report --format svg|png` writes."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from caffelint.cli.plots import plotting
from caffelint.page.drawing import draw
from caffelint.page.marks import marks
from caffelint.text.writing import write_report

if TYPE_CHECKING:
    from caffelint.page.html import Project


def pictured(project: Project, output: Path, is_open: bool) -> None:
    """Draw the first net that Caffe builds, as PNG or SVG by the name of the file. Raises `click.ClickException`."""
    if not project.views:
        raise click.ClickException(f"{project.path}: no net to draw")
    view = project.views[0]
    title = f"{view.net.path}, {view.title}"
    drawing = draw(view.built, is_open=is_open)
    found = marks(project.findings, view)
    with plotting(output):
        if output.suffix.lower() == ".png":
            from caffelint.page.png import paint

            paint(drawing, output, title, found)
        else:
            from caffelint.page.svg import picture

            write_report(output, picture(drawing, title, found).encode("utf-8", "backslashreplace"))
