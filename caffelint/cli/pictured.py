"""What `caffelint report --format svg|png` writes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from caffelint.page.drawing import draw
from caffelint.page.marks import marks

if TYPE_CHECKING:
    from caffelint.cli.reported import Asked
    from caffelint.page.html import Project


def pictured(project: Project, asked: Asked) -> None:
    """Write the first net that Caffe builds. Raises `click.ClickException`."""
    if not project.views:
        raise click.ClickException(f"{project.path}: no net to draw")
    view = project.views[0]
    title = f"{view.net.path}, {view.title}"
    drawing = draw(view.built, is_open=asked.is_open)
    found = marks(project.findings, view)
    if asked.format == "svg":
        from caffelint.cli.reported import write
        from caffelint.page.svg import picture

        write(asked.output, picture(drawing, title, found))
    else:
        from caffelint.cli.plots import plotting
        from caffelint.page.png import paint

        with plotting(asked.output):
            paint(drawing, asked.output, title, found)
