"""`caffelint report`: a page or a picture, and what it does not overwrite."""

from __future__ import annotations

import json
import os
from pathlib import Path
from urllib.parse import unquote

import pytest
from lxml import etree, html

from .conftest import NET, POLY, Caffelint


def test_a_page(project: Path, caffelint: Caffelint) -> None:
    assert caffelint("report", "solver.prototxt").status == 0
    text = (project / "report.html").read_text()
    assert text.startswith("<!doctype html>")
    assert "poly-without-max-iter" in text
    assert 'id="panel-schedule"' in text
    assert caffelint("report", "net.prototxt").status == 0, "a page replaces a page"


def test_accepted_findings_are_counted(project: Path, caffelint: Caffelint) -> None:
    (project / "solver.prototxt").write_text(f"# caffelint: ignore-file[poly-without-max-iter]\n{POLY}")
    assert caffelint("check", "solver.prototxt", "--write-baseline", "known.json").status == 0
    (project / "caffelint.toml").write_text('baseline = "known.json"\n')
    assert caffelint("report", "solver.prototxt").status == 0
    badges = html.parse(str(project / "report.html")).xpath("//p[@class='badges']/span/text()")
    assert badges[0] == "no other findings"
    assert "1 suppressed" in badges
    assert badges[-1].endswith(" in the baseline")


def test_a_shape_of_a_test_net_leaves_the_scales_of_training(project: Path, caffelint: Caffelint) -> None:
    data = 'layer { name: "%s" type: "Data" top: "data" top: "label" %s data_param { source: "gone" batch_size: 4 } }'
    text = data % ("d", "include { phase: TRAIN }") + data % ("e", 'top: "extra" include { phase: TEST }')
    text += 'layer { name: "ip" type: "InnerProduct" bottom: "data" top: "ip" inner_product_param { num_output: 3 } }'
    text += 'layer { name: "loss" type: "SoftmaxWithLoss" bottom: "ip" bottom: "label" top: "loss" }'
    (project / "net.prototxt").write_text(text)
    given = ("--input-shape", "data=4x3x8x8", "--input-shape", "extra=4")
    assert caffelint("report", "net.prototxt", *given).status == 0
    assert 'id="panel-scales"' in (project / "report.html").read_text()


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


def test_json_is_read_from_files_only(project: Path, caffelint: Caffelint) -> None:
    os.mkfifo(project / "pipe.json")
    for name in ("pipe.json", "/dev/zero"):
        run = caffelint("report", "net.prototxt", "--with", name)
        assert (run.status, run.err.count("\n")) == (2, 1)
        assert not (project / "report.html").exists()


@pytest.mark.parametrize("values", [[5e-324, 1e-323, 5e-324], [-5e-324, 5e-324], [1e-310, 1.0], [1e299, -1e299]])
def test_values_that_no_axis_can_divide(project: Path, caffelint: Caffelint, values: list[float]) -> None:
    output = {"name": "loss", "phase": "TRAIN", "iterations": values, "values": values}
    logs = [{"file": "train.log", "runs": [{"line": 1, "iteration": 1, "outputs": [output]}]}]
    given = {"smoke": {"losses": values}, "logs": logs, "rows": [{"size": value} for value in values]}
    (project / "given.json").write_text(json.dumps(given))
    run = caffelint("report", "net.prototxt", "--with", "given.json")
    assert (run.status, run.err) == (0, "")


def test_neither_net_nor_solver(project: Path, caffelint: Caffelint) -> None:
    (project / "other.prototxt").write_text("item { name: 'x' id: 1 }")
    run = caffelint("report", "other.prototxt")
    assert (run.status, run.err.count("\n")) == (2, 1)


def test_a_folder_has_an_index_and_pages(project: Path, caffelint: Caffelint) -> None:
    (project / "sub").mkdir()
    (project / "sub/other net.prototxt").write_text(NET)
    for _ in range(2):
        run = caffelint("report", ".", "-o", "all.html")
        assert (run.status, run.err) == (0, "")
    tree = html.parse(str(project / "all.html"))
    links = tree.xpath('//*[@id="panel-projects"]//a/@href')
    assert len(links) == 2
    for link in links:
        page = html.parse(str(project / unquote(link)))
        assert page.xpath('//header//a[text()="All projects"]/@href') == ["../all.html"]
    assert "poly-without-max-iter" in "".join(tree.xpath('//*[@id="panel-rules"]')[0].itertext())


def test_a_net_of_many_solvers_is_shown_on_some_pages(project: Path, caffelint: Caffelint) -> None:
    """Or a folder of short solvers and one long net would take as long as their product."""
    for number in range(30):
        (project / f"solver{number}.prototxt").write_text((project / "solver.prototxt").read_text())
    assert caffelint("report", ".", "-o", "all.html").status == 0
    assert len(list((project / "all-pages").iterdir())) == 20
    links = html.parse(str(project / "all.html")).xpath('//*[@id="panel-projects"]//a/@href')
    assert len(links) == 20


def test_the_trend_against_a_baseline(project: Path, caffelint: Caffelint) -> None:
    caffelint("check", ".", "--write-baseline", "baseline.json")
    (project / "solver.prototxt").write_text('net: "net.prototxt"\nbase_lr: 0.01\nlr_policy: "step"\nmax_iter: 10\n')
    run = caffelint("report", ".", "-o", "all.html", "--no-pages", "--baseline", "baseline.json")
    assert run.status == 0, run.err
    assert not (project / "all-pages").exists()
    rows = html.parse(str(project / "all.html")).xpath('//*[@id="panel-trend"]//tbody/tr')
    found = {row[0].text.split()[-1]: [int(cell.text) for cell in row[1:]] for row in rows}
    assert found["poly-without-max-iter"] == [1, 0, 1, 0]
    assert any(before == gone == 0 and new == now > 0 for before, new, gone, now in found.values())


@pytest.mark.parametrize("options", [["--format", "svg"], ["--with", "a.json"], ["--format", "png"]])
def test_what_a_folder_has_not(project: Path, caffelint: Caffelint, options: list[str]) -> None:
    assert caffelint("report", ".", "-o", "all.html", *options).status == 2


def test_a_png(project: Path, caffelint: Caffelint) -> None:
    pytest.importorskip("matplotlib")
    for _ in range(2):
        assert caffelint("report", "net.prototxt", "--format", "png", "-o", "net.png").status == 0
    assert (project / "net.png").read_bytes().startswith(b"\x89PNG")
    assert caffelint("report", "net.prototxt", "--format", "png", "-o", "net.gif").status == 2


def test_a_finding_on_what_a_layer_reads_marks_the_line(project: Path, caffelint: Caffelint) -> None:
    """Eltwise of two shapes: its second bottom is to blame."""
    (project / "net.prototxt").write_text(
        NET + 'layer { name: "pool" type: "Pooling" bottom: "data" top: "p" pooling_param { kernel_size: 2 } }\n'
        'layer { name: "sum" type: "Eltwise" bottom: "data" bottom: "p" top: "sum" }\n'
    )
    assert caffelint("report", "net.prototxt", "--format", "svg", "-o", "net.svg").status == 0
    tree = etree.parse(str(project / "net.svg"))
    assert tree.xpath("//*[local-name()='path'][contains(@class, 'line error')]")
