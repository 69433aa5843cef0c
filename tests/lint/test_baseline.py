"""A baseline holds by rule, layer and field, so that it survives moved lines and nothing more."""

from __future__ import annotations

from pathlib import Path

import pytest

import caffelint
from caffelint.lint import baseline
from caffelint.lint.config import Config

NET = (
    'layer {{ name: "{}" type: "Pooling" bottom: "a" top: "b"'
    " pooling_param {{ pool: AVE stride: 5 kernel_size: 3 }} }}\n"
)


@pytest.fixture
def config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Config:
    monkeypatch.chdir(tmp_path)
    config = Config()
    config.cache = False
    config.select = ["pooling-stride-exceeds-kernel"]
    return config


def test_known_findings_stay_known_when_lines_move(tmp_path: Path, config: Config) -> None:
    net = tmp_path / "net.prototxt"
    net.write_text(NET.format("p1"))
    path = tmp_path / "known.json"
    assert baseline.write(path, caffelint.check([net], config).findings) == 1
    config.baseline = str(path)
    net.write_text("# a line more\n\n" + NET.format("p1") + NET.format("p2"))
    report = caffelint.check([net], config)
    assert [(finding.layer, finding.line) for finding in report.findings] == [("p2", 4)]
    assert report.baselined == 1


def test_a_second_one_of_the_same_key_is_new(tmp_path: Path, config: Config) -> None:
    net = tmp_path / "net.prototxt"
    net.write_text(NET.format("p1"))
    baseline.write(tmp_path / "known.json", caffelint.check([net], config).findings)
    config.baseline = str(tmp_path / "known.json")
    net.write_text(NET.format("p1") * 2)
    assert len(caffelint.check([net], config).findings) == 1


def test_holds_from_any_folder(tmp_path: Path, config: Config, monkeypatch: pytest.MonkeyPatch) -> None:
    inner = tmp_path / "models"
    inner.mkdir()
    (inner / "net.prototxt").write_text(NET.format("p1"))
    baseline.write(tmp_path / "known.json", caffelint.check(["models"], config).findings)
    config.baseline = str(tmp_path / "known.json")
    monkeypatch.chdir(inner)
    assert not caffelint.check(["net.prototxt"], config).findings


def test_holds_through_a_link(tmp_path: Path, config: Config) -> None:
    (tmp_path / "models").mkdir()
    (tmp_path / "models" / "net.prototxt").write_text(NET.format("p1"))
    (tmp_path / "link").symlink_to("models")
    path = tmp_path / "link" / "known.json"
    baseline.write(path, caffelint.check([tmp_path / "link" / "net.prototxt"], config).findings)
    for name in ("link", "models"):
        config.baseline = str(tmp_path / name / "known.json")
        for folder in ("link", "models"):
            assert not caffelint.check([tmp_path / folder / "net.prototxt"], config).findings


def test_a_baseline_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    with pytest.raises(baseline.BaselineError, match=r"gone/known\.json: the baseline cannot be written: no such file"):
        baseline.write(tmp_path / "gone" / "known.json", [])


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{}",
        "[]",
        '{"version": 9, "files": {}}',
        '{"version": 1, "files": []}',
        '{"version": 1, "files": {"net.prototxt": {"x": "y"}}}',
        '{"version": 1, "files": {"net.prototxt": ["x"]}}',
        "[" * 100_000,
    ],
)
def test_broken_baseline_is_named(tmp_path: Path, text: str) -> None:
    path = tmp_path / "known.json"
    path.write_text(text)
    with pytest.raises(baseline.BaselineError, match=r"known\.json"):
        baseline.read(path)


def test_a_layer_that_is_added_to_a_finding_on_several_is_new(tmp_path: Path) -> None:
    layer = 'layer {{ name: "{0}" type: "InnerProduct" bottom: "data" top: "{0}"'
    layer += " inner_product_param {{ num_output: 9 }} }}\n"
    data = 'layer { name: "data" type: "Data" top: "data" top: "label" include { phase: TRAIN } }\n'
    loss = 'layer { name: "loss" type: "SoftmaxWithLoss" bottom: "b" bottom: "label" top: "loss" }\n'
    net, known = tmp_path / "net.prototxt", tmp_path / "known.json"
    config = Config()
    config.select = ["missing-bias-filler"]
    net.write_text(data + layer.format("a") + layer.format("b") + loss)
    assert baseline.write(known, caffelint.check([net], config).findings) == 1
    config.baseline = str(known)
    assert not caffelint.check([net], config).findings
    net.write_text(data + layer.format("c") + layer.format("a") + layer.format("b") + loss)
    assert len(caffelint.check([net], config).findings) == 1
    net.write_text(data + layer.format("b") + loss)
    assert not caffelint.check([net], config).findings
