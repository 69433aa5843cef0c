"""A page is whole in one file, strict about what runs, true to the model, and no name in it becomes markup."""

from __future__ import annotations

import hashlib
import json
import re
from base64 import b64encode
from pathlib import Path
from typing import Any

import pytest

from caffelint.cli.main import main

from .conftest import FIXTURES, Page, page_of

HOSTILE = "</script><script>alert(1)</script><!--\"'&<img src=x onerror=alert(1)>\u202e\u2066"
NET = """layer {{ name: "data" type: "Input" top: "x" input_param {{ shape {{ dim: 1 dim: 3 dim: 8 dim: 8 }} }} }}
layer {{ name: "{name}" type: "Convolution" bottom: "x" top: "{name}" convolution_param {{ num_output: 2 }} }}
layer {{ name: "{name} 2" type: "{name}" bottom: "{name}" top: "z" }}  # {name}
"""


@pytest.fixture(scope="module")
def lenet(tmp_path_factory: pytest.TempPathFactory) -> Page:
    return page_of(FIXTURES / "right/lenet/solver.prototxt", tmp_path_factory.mktemp("page"))


def quoted(name: str) -> str:
    return name.replace('"', '\\"')


def test_the_policy_allows_this_style_and_this_script_only(lenet: Page) -> None:
    policy = lenet.tree.xpath('//meta[@http-equiv="Content-Security-Policy"]/@content')[0]
    parts = dict(part.strip().split(" ", 1) for part in policy.split(";"))
    assert parts["default-src"] == "'none'"
    for directive, tag in (("script-src", "script[not(@type)]"), ("style-src", "style")):
        (one,) = lenet.tree.xpath(f"//{tag}")
        digest = b64encode(hashlib.sha256(one.text.encode()).digest()).decode()
        assert parts[directive] == f"'sha256-{digest}'"
    before = lenet.text[: lenet.text.index("Content-Security-Policy")]
    assert "<script" not in before
    assert "<style" not in before


def test_nothing_is_loaded_and_nothing_else_runs(lenet: Page) -> None:
    for one in lenet.tree.iter():
        for name, value in one.attrib.items():
            assert not name.startswith("on"), name
            assert name != "style"
            assert name not in ("src", "srcset", "data", "action", "poster", "background")
            assert name != "href" or value.startswith(("#", "https://")), value
        assert one.tag not in ("iframe", "object", "embed", "link", "img", "base", "form[action]")
    assert "url(" not in lenet.tree.xpath("//style")[0].text


def test_shapes_are_those_of_the_summary(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Of all nets that load: what the page shows is what Caffe makes, as `summary` says, which a real Caffe judges."""
    compared = 0
    for path in sorted(FIXTURES.glob("right/*/*.prototxt")):
        capsys.readouterr()
        assert main(["summary", str(path), "--format", "json", "--isolated"]) == 0
        summaries = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
        page = page_of(path, tmp_path)
        for net in page.data["nets"]:
            shapes: dict[str, Any] = {}
            for layer in net["layers"].values():
                shapes |= dict(layer["tops"])
            for one in summaries:
                if one["phase"] not in net["title"]:
                    continue
                for name, shape in shapes.items():
                    assert one["blobs"][name] in (shape, None), (path, name)
                    compared += one["blobs"][name] == shape
    assert compared > 80


def test_boxes_say_the_shapes_of_their_last_layer(tmp_path: Path) -> None:
    page = page_of(FIXTURES / "right/detection/deploy.prototxt", tmp_path)
    drawn = page.tree.xpath('//*[@data-state="0"]//*[local-name()="text"][@class="foot"]/text()')
    layers = page.data["nets"][0]["layers"].values()
    shapes = [layer["tops"][0][1] for layer in layers if layer["type"] == "Convolution"]
    assert shapes
    for shape in shapes:
        assert any(text.startswith("x".join(map(str, shape))) for text in drawn), shape


def test_hostile_names_stay_text(tmp_path: Path) -> None:
    path = tmp_path / "net.prototxt"
    path.write_text(NET.format(name=quoted(HOSTILE)), "utf-8")
    page = page_of(path, tmp_path)
    assert len(page.tree.xpath("//script")) == 2
    assert not page.tree.xpath("//img")
    assert page.text.count("<script") == 2
    assert "\u202e" not in page.text
    assert "\u2066" not in json.dumps(page.data, ensure_ascii=False)
    assert any("alert(1)" in layer["name"] for net in page.data["nets"] for layer in net["layers"].values())


def test_a_name_of_ten_megabytes_is_cut(tmp_path: Path) -> None:
    path = tmp_path / "net.prototxt"
    path.write_text(NET.format(name="a" * 10_000_000), "utf-8")
    page = page_of(path, tmp_path)
    assert len(page.text) < 2_000_000


@pytest.mark.parametrize("path", sorted(FIXTURES.glob("wrong/*/**/*.prototxt"))[::9], ids=lambda path: path.parent.name)
def test_wrong_files_have_pages_too(path: Path, tmp_path: Path) -> None:
    page = page_of(path, tmp_path)
    listed = page.tree.xpath('//ol[@class="findings"]/li')
    assert len(listed) == len(page.data["findings"])


@pytest.mark.parametrize(
    "text", ["", "layer {", "layer { }", "name: 'x'", "base_lr: 1", "layer { name: 'a' top: 'b' }"]
)
def test_broken_texts_have_a_page_or_a_line(text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "net.prototxt"
    path.write_text(text)
    status = main(["report", str(path), "-o", str(tmp_path / "page.html"), "--isolated"])
    assert status in (0, 2)
    assert len(capsys.readouterr().err.splitlines()) <= 1


def test_findings_lead_to_lines_and_boxes(tmp_path: Path) -> None:
    path = tmp_path / "net.prototxt"
    path.write_text(NET.format(name="c").replace('type: "c"', 'type: "ReLU"'))
    page = page_of(path, tmp_path)
    ids = set(page.tree.xpath("//@id"))
    links = [link[1:] for link in page.tree.xpath('//a[starts-with(@href, "#")]/@href')]
    assert links
    assert set(links) <= ids
    assert len(ids) == len(page.tree.xpath("//@id")), "no id twice"
    severity, message, on = page.data["findings"][0]
    assert severity == "error"
    assert re.search(r"\[\w+ [\w-]+\]$", message)
    assert on["0"] == [1]


def test_a_net_whose_data_has_no_shape_in_the_text_says_how_to_give_it(tmp_path: Path) -> None:
    text = 'layer { name: "cifar" type: "Data" top: "data" top: "label" data_param { source: "db" batch_size: 9 } }\n'
    text += 'layer { name: "pool" type: "Pooling" bottom: "data" top: "pool" pooling_param { kernel_size: 2 } }\n'
    net = tmp_path / "net.prototxt"
    net.write_text(text)
    assert (
        "give --input-shape data=9xCxHxW (with numbers for the letters)" in page_of(net, tmp_path).tree.text_content()
    )
    assert "or --read-data" in page_of(net, tmp_path).tree.text_content()
    given = page_of(net, tmp_path, "--input-shape", "data=9x3x8x8").tree.text_content()
    assert "--input-shape" not in given


def test_data_that_code_makes_are_not_said_to_be_readable(tmp_path: Path) -> None:
    text = 'layer { name: "own" type: "Python" top: "data" python_param { module: "m" layer: "L" } }\n'
    text += 'layer { name: "pool" type: "Pooling" bottom: "data" top: "pool" pooling_param { kernel_size: 2 } }\n'
    net = tmp_path / "net.prototxt"
    net.write_text(text)
    said = page_of(net, tmp_path).tree.text_content()
    assert "give --input-shape data=NxCxHxW" in said
    assert "--read-data" not in said


def test_a_page_shows_a_hundred_nets_at_most(tmp_path: Path) -> None:
    path = tmp_path / "solver.prototxt"
    for number, is_cut in ((101, True), (100, False)):
        net = 'test_net_param { layer { name: "a" type: "ReLU" bottom: "x" top: "y" } }\n'
        path.write_text("base_lr: 1\n" + net * number)
        page = page_of(path, tmp_path)
        assert len(page.data["nets"]) == 100
        assert ("no more than 100 of its nets and their states are shown" in page.text) == is_cut


def test_a_page_shows_so_many_layers_at_most(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("caffelint.page.views.MOST_LAYERS", 100)
    layers = 'layer { name: "in" type: "Input" top: "x" }\n'
    layers += "".join(f'layer {{ name: "{number}" type: "ReLU" bottom: "x" top: "x" }}\n' for number in range(45))
    stages = "".join(f'layer {{ name: "s" type: "Input" top: "s" include {{ stage: "{number}" }} }}' for number in "ab")
    (tmp_path / "net.prototxt").write_text(layers + stages)
    page = page_of(tmp_path / "net.prototxt", tmp_path)
    assert len(page.data["nets"]) == 2
    assert "no more than 2 of its nets and their states are shown" in page.text
