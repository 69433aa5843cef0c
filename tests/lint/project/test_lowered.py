"""Findings that the file explains in which they are: they are infos."""

from __future__ import annotations

from pathlib import Path

import pytest
from own_caffe import NET, Make

import caffelint
from caffelint.lint.config import Config

LOSS = 'layer { name: "loss" type: "EuclideanLoss" bottom: "a" top: "loss" }\n'


def severities(path: str = ".") -> dict[str, str]:
    config = Config()
    config.cache = False
    report = caffelint.check(path, config)
    assert not report.failures
    return {one.name: one.severity for one in report.findings}


@pytest.mark.parametrize(
    ("name", "severity"),
    [
        ("net.prototxt", "error"),
        ("templates/net.prototxt", "info"),
        ("net_template.prototxt", "info"),
        ("job/original.prototxt", "info"),
        ("contemplates/net.prototxt", "error"),
    ],
)
def test_templates(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, severity: str) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".git").mkdir()
    (tmp_path / name).parent.mkdir(exist_ok=True)
    (tmp_path / name).write_text(NET.format(LOSS))
    assert severities()["wrong-blob-count"] == severity
    (tmp_path / name).write_text(NET.format('layer { name: "r" type: "ReLU" botom: "a" top: "r" }'))
    assert severities()["unknown-field"] == "error", "nobody fills in a name"


def test_outside_a_project_no_folder_makes_a_template(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "templates/nets"
    folder.mkdir(parents=True)
    (folder / "net.prototxt").write_text(NET.format(LOSS))
    for here, path in ((folder, "net.prototxt"), (tmp_path, "templates/nets"), (tmp_path / "templates", "nets")):
        monkeypatch.chdir(here)
        assert severities(path)["wrong-blob-count"] == "error"


@pytest.mark.parametrize(("remarks", "severity"), [(40, "info"), (5, "error")])
def test_notes_are_no_net(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, remarks: int, severity: str) -> None:
    monkeypatch.chdir(tmp_path)
    net = NET.format(LOSS) + 'layer { name: "r" type: "ReLU" bottom: "x" top: "loss" }\n' * 2
    (tmp_path / "notes.prototxt").write_text("# top names what a layer makes, bottom what it reads\n" * remarks + net)
    assert set(severities().values()) == {severity}
    (tmp_path / "solver.prototxt").write_text('net: "notes.prototxt" base_lr: 1 lr_policy: "fixed" max_iter: 9')
    assert "error" in severities().values()


def test_a_file_for_another_caffe_is_one_error(make: Make) -> None:
    other = 'layer { name: "n" type: "Normalize" bottom: "a" top: "n" }\n'
    make(NET.format(other + other.replace('"Normalize"', '"Nowhere"').replace('"n"', '"o"')))
    report = caffelint.check("net.prototxt")
    found = [(one.severity, one.evidence) for one in report.findings if one.name == "unknown-layer-type"]
    seems = "the file seems to be for another Caffe"
    assert found == [
        ("error", f"Caffe says: Unknown layer type: Normalize; {seems}: 1 more of its names is unknown, too"),
        ("info", f"Caffe says: Unknown layer type: Nowhere; {seems}, see line 1"),
    ]


def test_a_backup_is_nobodys_mistake(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "net.prototxt.txt").write_text(NET.format(LOSS))
    config = Config()
    config.cache, config.include = False, ["*.txt"]
    severity = [one.severity for one in caffelint.check(".", config).findings if one.name == "wrong-blob-count"]
    assert severity == ["error"], "there is no other"
    (tmp_path / "net.prototxt").write_text(NET.format(""))
    severity = [one.severity for one in caffelint.check(".", config).findings if one.name == "wrong-blob-count"]
    assert severity == ["info"]
