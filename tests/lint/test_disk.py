"""Files that a net or a solver names, and that do not exist where the rest of its data does."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

import caffelint
from caffelint.lint import disk
from caffelint.lint.config import Config

NET = """
layer { name: "d" type: "HDF5Data" top: "x" top: "y" include { phase: TRAIN }
  hdf5_data_param { source: "data/train.txt" batch_size: 2 } }
layer { name: "d" type: "HDF5Data" top: "x" top: "y" include { phase: TEST }
  hdf5_data_param { source: "TEST" batch_size: 2 } }
layer { name: "f" type: "InnerProduct" bottom: "x" top: "f"
  inner_product_param { num_output: 1 weight_filler { type: "xavier" } } }
layer { name: "l" type: "EuclideanLoss" bottom: "f" bottom: "y" top: "l" }
"""
SOLVER = (
    'net: "net.prototxt" base_lr: 0.1 lr_policy: "fixed" max_iter: 9 test_iter: 1 test_interval: 5 snapshot: 5'
    ' snapshot_prefix: "PREFIX"\n'
)


@pytest.fixture
def config(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Config:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".git").mkdir()
    config = Config()
    config.select = ["source-not-found", "snapshot-prefix-unusable"]
    return config


def found(config: Config, test: str = "data/test.txt", prefix: str = "net") -> list[tuple[str, str, str]]:
    Path("net.prototxt").write_text(NET.replace("TEST", test, 2).replace(f"phase: {test}", "phase: TEST"))
    Path("solver.prototxt").write_text(SOLVER.replace("PREFIX", prefix))
    findings = caffelint.check(["solver.prototxt"], config).findings
    return [(one.name, one.severity, one.message.partition(",")[0]) for one in findings]


def data(*names: str) -> None:
    for name in names:
        path = Path("data", name)
        path.parent.mkdir(exist_ok=True)
        path.touch()


def test_a_source_is_missed_where_another_one_exists(config: Config) -> None:
    assert found(config) == []
    data("train.txt")
    missing = 'HDF5Data "d": source "data/test.txt" does not exist in the working directory or beside this file'
    assert found(config) == [("source-not-found", "error", missing)]
    data("test.txt")
    assert found(config) == []


def test_data_that_git_keeps_is_no_sign_that_caffe_runs_here(config: Config, tmp_path: Path) -> None:
    (tmp_path / ".git").rmdir()
    (tmp_path / "data").mkdir()
    (tmp_path / "data/train.txt").write_text("a.h5")
    for command in (["init", "-q"], ["add", "data"]):
        subprocess.run(["git", *command], cwd=tmp_path, check=True)
    assert found(config, prefix="out/net") == []
    subprocess.run(["git", "rm", "-q", "--cached", "data/train.txt"], cwd=tmp_path, check=True)
    # Though no file has changed that was looked at.
    assert [(name, severity) for name, severity, _ in found(config, prefix="out/net")] == [
        ("source-not-found", "error"),
        ("snapshot-prefix-unusable", "error"),
    ]


def test_data_that_git_ignores_is_not_there_in_each_clone(config: Config) -> None:
    data("train.txt")
    assert [severity for _, severity, _ in found(config)] == ["error"]
    Path(".gitignore").write_text("data/\n")
    assert [severity for _, severity, _ in found(config)] == ["warning"], "not what was remembered"
    Path(".gitignore").write_text("*.log\n")
    assert [severity for _, severity, _ in found(config)] == ["error"]


def test_a_template_and_another_machine_are_not_looked_for(
    config: Config, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    data("train.txt")
    assert found(config, "/path/to/test.txt") == []
    assert found(config, "CAFFEROOT/data/test.txt") == found(config, "DATA_DIR/test.txt") == []
    assert found(config, "VOC/data/test.txt") != []
    asked: list[str] = []
    monkeypatch.setattr("os.path.exists", lambda path: bool(asked.append(str(path))))
    assert not disk.exists("//host/share/test.txt")
    assert not disk.exists("\\\\host\\share\\test.txt")
    assert not disk.exists("/dev/fd/0")
    assert asked == []


def test_a_folder_for_snapshots_is_missed_where_the_data_exists(config: Config) -> None:
    assert found(config, prefix="models/net") == []
    data("train.txt", "test.txt")
    missing = 'the folder "models" of snapshot_prefix does not exist'
    assert found(config, prefix="models/net") == [("snapshot-prefix-unusable", "error", missing)]
    Path("models").mkdir()
    assert found(config, prefix="models/net") == []
    assert found(config, prefix=f"{Path.cwd()}/absent/net")[0][0] == "snapshot-prefix-unusable"
    assert found(config, prefix="/home/of-another-machine/models/net") == []
    assert found(config, prefix="net") == []


def test_a_folder_is_looked_for_from_where_the_data_is(
    config: Config, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Caffe runs where it finds the data, wherever the check runs."""
    data("train.txt", "test.txt")
    Path("models").mkdir()
    Path("elsewhere/models/below").mkdir(parents=True)
    assert found(config, prefix="models/below/net")
    monkeypatch.chdir(tmp_path / "elsewhere")
    findings = caffelint.check(["../solver.prototxt"], config).findings
    assert [one.name for one in findings] == ["snapshot-prefix-unusable"]
