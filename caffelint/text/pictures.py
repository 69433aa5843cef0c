"""Plots as files: of one size on a page, and with the mark by which a later one knows that it may replace them."""

from __future__ import annotations

import io
import logging
import math
import os
import sys
import warnings
from pathlib import Path
from typing import Any

from caffelint.text.writing import write_report

SUFFIXES = (".png", ".svg", ".pdf", ".html")
MOST_LINES = 12
"""Of a diagram; more cannot be told apart."""
_LONGEST = 60
"""Of a name, in letters."""
_FOLDERS = ("HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "MPLCONFIGDIR")
"""Variables by which matplotlib finds where to store what it made."""
_AUTHOR = {"png": "Software", "svg": "Creator", "pdf": "Creator"}
"""The field of each format that says who drew it."""
_HEAD = (
    "<!doctype html><meta charset=utf-8><meta name=generator content=caffelint><title>{}</title>"
    "<style>svg {{ display: block; margin: auto; width: 100%; max-width: 1100px; height: auto }}</style>"
)


def new_figure(**options: Any) -> Any:
    """A figure of matplotlib. Raises ImportError without it.

    It is imported in another working directory: matplotlib takes settings from a `matplotlibrc` there, and these may
    run LaTeX on a text of theirs. A relative folder of the user would be one of ours then.
    """
    if "matplotlib" not in sys.modules:
        try:
            here = os.getcwd()
        except OSError:  # it is gone, and no file can be in it
            here = ""
        os.chdir(os.path.dirname(os.path.abspath(__file__)))
        relative = {name: os.environ.pop(name) for name in _FOLDERS if not os.path.isabs(os.environ.get(name, "/"))}
        logging.getLogger("matplotlib.font_manager").setLevel(logging.ERROR)  # it tells of a cache that it cannot write
        try:
            import matplotlib.figure  # noqa: F401
        finally:
            os.environ.update(relative)
            if here:
                os.chdir(here)
    from matplotlib.figure import Figure

    for message in ("Glyph ", "Data has no positive values"):  # of a name that no font has; of weights near 0
        warnings.filterwarnings("ignore", message, UserWarning)
    return Figure(**options, layout="constrained")


def drawable(value: float) -> float:
    """The value; where an axis has no place for it, 0 or nan, which leaves a gap."""
    if not abs(value) < 1e30:
        return math.nan
    return value if abs(value) > 1e-30 else 0.0


def span(low: float, high: float) -> tuple[float, float]:
    """The ends of a histogram of values from `low` to `high`: so far apart that there are numbers for its bins."""
    size = max(abs(low), abs(high))
    room = 0.0 if high - low > 1e-9 * size else max(1e-6 * size, 0.5)
    return low - room, high + room


def write_plot(figure: Any, path: Path, title: str) -> None:
    """Write a figure of matplotlib in the format that the name asks for. title: of the page. Raises OSError."""
    format = path.suffix[1:].lower()
    is_page = format == "html"
    drawn = io.BytesIO()
    format = "svg" if is_page else format
    figure.savefig(drawn, format=format, metadata={_AUTHOR[format]: "caffelint"})
    data = drawn.getvalue()
    if is_page:
        head = _HEAD.format(title.replace("&", "&amp;").replace("<", "&lt;"))
        data = head.encode("utf-8", "replace") + data[data.index(b"<svg") :]
    write_report(path, data)


def plain(text: str) -> str:
    """A name as matplotlib shows it: no formula, nothing that an SVG may not hold, and no longer than fits."""
    short = text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"
    shown = "".join(char if char.isprintable() else "?" for char in short).replace("$", r"\$")
    return f" {shown}" if shown.startswith("_") else shown  # a legend leaves out what begins so
