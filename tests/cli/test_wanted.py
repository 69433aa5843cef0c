"""Which files the settings and the command line include and exclude."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from caffelint.lint.discover import EVERY, Wanted, discover

NET = 'layer { name: "a" type: "ReLU" bottom: "x" top: "y" }\n'


@pytest.fixture
def folder(project: Path) -> Path:
    for file in project.iterdir():
        file.unlink()
    (project / "old").mkdir()
    for name in ("a.prototxt", "b.pbtxt", "c.tpl", "old/d.prototxt", "old/e.pbtxt"):
        (project / name).write_text(NET)
    (project / "weights.pt").write_bytes(b"PK\x03\x04\0\0")
    return project


def files(which: Wanted = EVERY, *paths: str) -> list[str]:
    return discover(paths or ["."], which).files


def test_included_files_are_those_that_look_like_nets(folder: Path) -> None:
    assert files() == ["a.prototxt", "old/d.prototxt"]
    assert files(Wanted(include=["*.pbtxt"])) == ["a.prototxt", "b.pbtxt", "old/d.prototxt", "old/e.pbtxt"]
    assert files(Wanted(include=["*.tpl"])) == ["a.prototxt", "c.tpl", "old/d.prototxt"]
    assert discover(["."], Wanted(include=["*.pbtxt"])).lookalikes == []


def test_nets_that_are_called_as_weights_and_schemas_are_checked(folder: Path) -> None:
    (folder / "old/train.pt").write_text(NET)
    (folder / "solver.proto").write_text('train_net: "old/train.pt"\n')
    (folder / "caffe.proto").write_text('syntax = "proto2";\nmessage NetParameter {\n  optional string net = 1;\n}\n')
    assert files() == ["a.prototxt", "old/d.prototxt", "old/train.pt", "solver.proto"]
    assert files(Wanted(exclude=["old"])) == ["a.prototxt", "solver.proto"]


def test_included_files_of_a_checkout(folder: Path) -> None:
    import subprocess

    (folder / ".gitignore").write_text("old\n")
    subprocess.run(["git", "init", "-q", "."], check=True)
    assert files(Wanted(include=["*.pbtxt", "*.tpl"])) == ["a.prototxt", "b.pbtxt", "c.tpl"]


def test_exclude_wins_over_include_and_with_force_over_names(folder: Path) -> None:
    assert files(Wanted(include=["*.pbtxt"], exclude=["old"])) == ["a.prototxt", "b.pbtxt"]
    assert files(Wanted(exclude=["old"]), "old/d.prototxt") == ["old/d.prototxt"]
    assert files(Wanted(exclude=["old"], force=True), "old/d.prototxt", "a.prototxt") == ["a.prototxt"]


def test_on_the_command_line(folder: Path, caffelint: Any) -> None:
    (folder / "caffelint.toml").write_text('exclude = ["old/*"]\ninclude = ["*.tpl"]\n')
    shown = caffelint("config", "--show-files").out
    assert shown.splitlines() == ["a.prototxt", "c.tpl"]
    assert "in 1 file" in caffelint("check", "old/d.prototxt", "--no-cache").out
    run = caffelint("check", "--force-exclude", "old/d.prototxt", "--no-cache")
    assert (run.status, run.out) == (0, "no prototxt file was checked\n")
    assert "in 3 files" in caffelint("check", ".", "--exclude", "a.prototxt", "--include", "*.pbtxt", "--no-cache").out
    run = caffelint("upgrade", "--force-exclude", "old/d.prototxt")
    assert run.status == 0


def test_a_folder_of_other_names(project: Path, caffelint: Any) -> None:
    """Where none is called prototxt, all that begins like a net or a solver is checked; a script that holds one not."""
    for file in project.iterdir():
        file.unlink()
    layer = 'layer { name: "a" type: "Rel" bottom: "x" top: "y" }\n'
    (project / "a.model").write_text("# a net\n\n" + layer)
    (project / "a.solver").write_text('type: "Adam"\nbase_lr: 0.1\nnet: "a.model"\n')
    (project / "make.py").write_text(f'"""\n{layer}"""\n')
    (project / "README.md").write_text(f"# Net\n\nIt has one layer:\n{layer}")
    (project / "a.pickle").write_bytes(b"\0\n" + layer.encode())
    (project / "a.solver.template").write_text('net: "a.model" base_lr: LR')
    (project / "link.model").symlink_to("/etc/hostname")
    run = caffelint("check", ".", "--no-cache")
    assert "a.model:3:" in run.out
    assert "in 2 files" in run.out
    (project / "b.prototxt").write_text('name: "b"\n')
    assert "in 1 file" in caffelint("check", ".", "--no-cache").out


def test_max_warnings(folder: Path, caffelint: Any) -> None:
    solver = 'net: "a.prototxt"\nbase_lr: 5 momentum: 0.9 lr_policy: "fixed" max_iter: 9\n'
    (folder / "solver.prototxt").write_text(solver)
    (folder / "a.prototxt").write_text(
        'layer { name: "data" type: "DummyData" top: "a" top: "b" dummy_data_param { shape { dim: 8 dim: 9 } } }\n'
        'layer { name: "fc" type: "InnerProduct" bottom: "a" top: "fc" inner_product_param { num_output: 9 } }\n'
        'layer { name: "loss" type: "EuclideanLoss" bottom: "fc" bottom: "b" top: "loss" }\n'
    )
    warnings = caffelint("check", "solver.prototxt", "--format", "concise").out.count(" warning: ")
    assert warnings
    options = ["check", "solver.prototxt", "--fail-on", "never"]
    assert caffelint(*options).status == 0
    assert caffelint(*options, "--max-warnings", str(warnings)).status == 0
    assert caffelint(*options, "--max-warnings", str(warnings - 1)).status == 1


@pytest.mark.parametrize("names", ["S1", "S", "solver", "S101", "S2, S1"])
def test_comments_take_what_settings_take(names: str) -> None:
    import caffelint

    text = f'base_lr: 0.1\nlr_policy: "poly"  # caffelint: ignore[{names}] so be it\npower: 1 net: "a"\n'
    report = caffelint.check_text(text, kind="solver")
    assert "poly-without-max-iter" not in {finding.name for finding in report.findings}
    assert "unused-suppression" not in {finding.name for finding in report.findings}
    assert report.suppressed == 1
