"""`caffelint report`: a page or a picture, and what it does not overwrite."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from lxml import etree

from .conftest import POLY, Caffelint


def test_a_page(project: Path, caffelint: Caffelint) -> None:
    assert caffelint("report", "solver.prototxt").status == 0
    text = (project / "report.html").read_text()
    assert text.startswith("<!doctype html>")
    assert "poly-without-max-iter" in text
    assert 'id="panel-schedule"' in text
    assert caffelint("report", "net.prototxt").status == 0, "a page replaces a page"


def test_a_net_that_is_missing_is_named(project: Path, caffelint: Caffelint) -> None:
    (project / "net.prototxt").unlink()
    assert caffelint("report", "solver.prototxt").status == 0
    assert "net &quot;net.prototxt&quot; does not exist" in (project / "report.html").read_text()


def test_a_picture(project: Path, caffelint: Caffelint) -> None:
    for _ in range(2):
        assert caffelint("report", "net.prototxt", "--format", "svg", "-o", "net.svg").status == 0
    tree = etree.parse(str(project / "net.svg"))
    assert tree.getroot().tag == "{http://www.w3.org/2000/svg}svg"
    assert "1x3x8x8" in "".join(tree.getroot().itertext())
    assert not tree.xpath("//*[local-name()='script']")


@pytest.mark.parametrize("name", ["solver.prototxt", "precious", "link.html", ".gitignore", "elsewhere/page.html"])
def test_nothing_else_is_replaced(project: Path, caffelint: Caffelint, name: str) -> None:
    (project / "precious").write_text("mine")
    (project / "link.html").symlink_to("precious")
    run = caffelint("report", "net.prototxt", "-o", name)
    assert run.status == 2
    assert run.err.count("\n") == 1
    assert (project / "precious").read_text() == "mine"
    assert (project / "solver.prototxt").read_text() == POLY


@pytest.mark.parametrize("text", ["{", "[]", '"x"', "[" * 100_000])
def test_json_that_is_none(project: Path, caffelint: Caffelint, text: str) -> None:
    (project / "given.json").write_text(text)
    run = caffelint("report", "net.prototxt", "--with", "given.json")
    assert (run.status, run.err.count("\n")) == (2, 1)
    assert not (project / "report.html").exists()


def test_json_of_other_commands(project: Path, caffelint: Caffelint) -> None:
    """Whatever is in it; all wrong types are left out."""
    wrong = [None, 1, "x", [1], {"a": 1}]
    smoke = {"losses": [1.0, 0.5, None], "verdict": "it learns", "engine": "torch", "device": "cpu", "experiments": [1]}
    (project / "smoke.json").write_text(json.dumps({"smoke": smoke, "logs": wrong, "data": wrong, "weights": wrong}))
    run = caffelint("report", "net.prototxt", "--with", "smoke.json")
    assert run.status == 0, run.err
    text = (project / "report.html").read_text()
    assert "it learns" in text
    assert 'id="panel-smoke"' in text


def test_neither_net_nor_solver(project: Path, caffelint: Caffelint) -> None:
    (project / "other.prototxt").write_text("item { name: 'x' id: 1 }")
    run = caffelint("report", "other.prototxt")
    assert (run.status, run.err.count("\n")) == (2, 1)
