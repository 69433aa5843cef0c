"""Pages of texts and projects, and what is in them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NamedTuple

import lxml.html

from caffelint.cli.main import main

FIXTURES = Path(__file__).parents[2] / "fixtures"


class Page(NamedTuple):
    """A page as text, as a tree, and the data for its script."""

    text: str
    tree: Any
    data: dict[str, Any]


def read_page(path: Path) -> Page:
    text = path.read_text("utf-8")
    tree = lxml.html.fromstring(text.encode())
    return Page(text, tree, json.loads(tree.get_element_by_id("data").text))


def page_of(path: Path, folder: Path, *options: str) -> Page:
    """What `caffelint report` writes of a file."""
    output = folder / "page.html"
    assert main(["report", str(path), "-o", str(output), "--isolated", *options]) == 0
    return read_page(output)
