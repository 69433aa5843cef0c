"""BVLC's own files in a copy of its Caffe are nobody's mistakes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import caffelint
from caffelint.lint.project import shipped
from caffelint.lint.registry import all_rules
from caffelint.rules.graph.deploy_mismatch import DeployMismatch

SHIPPED = {"examples/net.prototxt": ["7f15ead9"], "examples/mnist/net.prototxt": []}
TEXT = 'layer { name: "a" type: "Convolutoin" }\n'


@pytest.fixture
def repository(tmp_path: Path, root: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / ".git").mkdir()
    proto = tmp_path / "caffe/src/caffe/proto/caffe.proto"
    proto.parent.mkdir(parents=True)
    proto.write_text((root / "proto" / "caffe.proto").read_text())
    (tmp_path / "caffe/examples").mkdir()
    (tmp_path / "caffe/examples/net.prototxt").write_text(TEXT)
    monkeypatch.setattr("caffelint.lint.project.shipped._versions", lambda: dict(SHIPPED))
    monkeypatch.setattr(shipped, "_versions_by_fork", lambda: {"one/caffe": {"theirs.prototxt": ["7f15ead9"]}})
    monkeypatch.setattr(shipped, "_versions_by_name", shipped._versions_by_name.__wrapped__)
    return tmp_path


def found(path: Path) -> list[tuple[str, bool]]:
    report = caffelint.check(str(path))
    assert not report.failures
    return [
        (one.severity, one.evidence.endswith("the file is as BVLC ships it"))
        for one in report.findings
        if one.name == "unknown-layer-type"
    ]


def test_what_is_found_in_a_file_as_it_is_shipped_is_an_info(repository: Path) -> None:
    assert found(repository) == [("info", True)]


def test_a_file_that_a_fork_ships_is_the_forks(repository: Path) -> None:
    file = repository / "models/net/theirs.prototxt"
    file.parent.mkdir(parents=True)
    file.write_text(TEXT)
    [one] = caffelint.check(str(file)).findings
    assert (one.severity, one.evidence.split("; ")[-1]) == ("info", "the file is as one/caffe ships it")
    file.write_text("# mine\n" + TEXT)
    assert [one.severity for one in caffelint.check(str(file)).findings] == ["error"]


def test_a_file_that_was_changed_is_the_projects(repository: Path) -> None:
    with (repository / "caffe/examples/net.prototxt").open("a") as file:
        file.write("# mine\n")
    assert found(repository) == [("error", False)]


def test_a_copy_elsewhere_is_the_projects(repository: Path) -> None:
    (repository / "net.prototxt").write_text(TEXT)
    assert found(repository / "net.prototxt") == [("error", False)]


@pytest.mark.parametrize("is_checkout", [True, False], ids=["checkout", "downloaded"])
def test_a_net_among_the_examples_is_the_projects_if_a_solver_names_it(repository: Path, is_checkout: bool) -> None:
    if not is_checkout:
        (repository / ".git").rmdir()
        for name in ("README.md", "LICENSE"):
            (repository / name).write_text("of a project that holds a Caffe")
    folder = repository / "caffe/examples/mnist"
    folder.mkdir()
    (folder / "mine.prototxt").write_text(TEXT)
    assert found(folder) == [("info", False)]
    (folder / "solver.prototxt").write_text('net: "mine.prototxt" base_lr: 1 lr_policy: "fixed" max_iter: 9')
    assert found(folder) == [("error", False)]


def test_data_that_an_example_lacks_is_an_info_though_its_solver_is_there(repository: Path) -> None:
    folder = repository / "caffe/examples/mnist"
    folder.mkdir()
    (folder / "digits.txt").write_text("1.png 1")
    net = 'layer { name: "d" type: "ImageData" top: "a" image_data_param { source: "digts.txt" batch_size: 1 } }'
    (folder / "mine.prototxt").write_text(net)
    (folder / "solver.prototxt").write_text('net: "mine.prototxt" base_lr: 1 lr_policy: "fixed" max_iter: 9')
    (repository / "mine.prototxt").write_text(net)
    (repository / "digits.txt").write_text("1.png 1")
    told = [one for one in caffelint.check(str(repository)).findings if one.name == "source-not-found"]
    assert [one.severity for one in told] == ["info", "warning"]


def test_the_table_has_the_files_of_caffe_1(root: Path) -> None:
    table = json.loads((root / "proto" / "bvlc_files.json").read_text())
    assert "examples/mnist/lenet_solver.prototxt" in table
    assert all(len(blob) == 8 and int(blob, 16) >= 0 for blobs in table.values() for blob in blobs)


def test_the_tables_of_forks_and_of_bvlc_share_no_content(root: Path) -> None:
    bvlc = json.loads((root / "proto" / "bvlc_files.json").read_text())
    forks = [blob for files in shipped._versions_by_fork().values() for blobs in files.values() for blob in blobs]
    assert len(forks) > 300
    assert not set(forks).intersection(blob for blobs in bvlc.values() for blob in blobs)
    assert all(len(blob) == 8 for blob in forks)


def test_copies_of_the_examples_alone_are_no_mistakes(repository: Path) -> None:
    text = (repository / "caffe/examples/net.prototxt").read_text()
    folder = repository / "elsewhere/examples/backup"
    folder.mkdir(parents=True)
    (folder / "net.prototxt").write_text(text)
    assert found(folder) == [("info", True)]
    (folder / "net.prototxt").rename(folder / "mine.prototxt")
    assert found(folder) == [("error", False)]


@pytest.mark.parametrize(
    ("rule", "severity", "why"),
    [
        ("unknown-layer-type", "error", "in its commit 1234abcd this is mended"),
        ("unknown-bottom", "info", "the file is as BVLC ships it"),
    ],
)
def test_what_they_have_mended_since_stays_what_it_is(
    repository: Path, monkeypatch: pytest.MonkeyPatch, rule: str, severity: str, why: str
) -> None:
    monkeypatch.setattr(shipped, "_mended", lambda: {"7f15ead9": ["1234abcd", rule]})
    [one] = caffelint.check(str(repository / "caffe/examples/net.prototxt")).findings
    assert (one.severity, one.evidence.split("; ")[-1]) == (severity, why)


def test_what_differs_from_a_net_of_the_project_stays_what_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever fits the training net to other classes has to do so with the net that came with it."""
    files = DeployMismatch.INVALID[0].text
    assert isinstance(files, dict)
    folder = tmp_path / "models/net"
    folder.mkdir(parents=True)
    for name, text in files.items():
        (folder / name).write_text(text)
    blob = shipped._name(files["deploy.prototxt"].encode())
    monkeypatch.setattr(shipped, "_versions_by_name", lambda: {"deploy.prototxt": {blob: "one/caffe"}})
    told = [one for one in caffelint.check(str(folder)).findings if one.name == "deploy-mismatch"]
    assert [(one.severity, [also.file for also in one.related]) for one in told] == [
        ("warning", [str(folder / "train_val.prototxt")])
    ]


def test_what_was_mended_is_not_shipped_today(root: Path) -> None:
    mended = json.loads((root / "proto" / "mended_files.json").read_text())
    bvlc = json.loads((root / "proto" / "bvlc_files.json").read_text())
    forks = [blob for files in shipped._versions_by_fork().values() for blobs in files.values() for blob in blobs]
    assert mended.keys() <= {*forks, *(blob for blobs in bvlc.values() for blob in blobs)}
    names = {rule.name for rule in all_rules()}
    assert all(set(rules) <= names and rules for _, *rules in mended.values())


def test_the_scripts_of_caffe_1(root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    table = json.loads((root / "proto" / "bvlc_scripts.json").read_text())
    assert "examples/01-learning-lenet.ipynb" in table
    assert all(len(blob) == 8 and int(blob, 16) >= 0 for blobs in table.values() for blob in blobs.split())
    data = b"#!/bin/sh\ncaffe train\n"
    monkeypatch.setattr(shipped, "_scripts", lambda: {shipped._name(data): ["examples/mnist/train.sh"]})
    monkeypatch.setattr(shipped, "_script_names", lambda: {"train.sh"})
    assert shipped.shipped_script("/top/caffe/examples/mnist/train.sh", data) == "/top/caffe"
    assert shipped.shipped_script("/top/mine/train.sh", data) == "/top/mine"
    assert shipped.shipped_script("/top/mine/train.sh", data + b"#") == ""
    assert shipped.shipped_script("/top/caffe/examples/mnist/other.sh", data) == ""
