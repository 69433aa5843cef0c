"""Where caffelint itself fails, that names the file, and what is checked together with it is checked all the same."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import caffelint
from caffelint.lint import checker, judge
from caffelint.lint.config import Config
from caffelint.lint.project import caffes, lowered, scripts

SOLVER = 'net: "net.prototxt" base_lr: 0.01 lr_policy: "poly" power: 1\n'
NET = 'layer { name: "p" type: "Pooling" bottom: "a" top: "b" pooling_param { pool: AVE stride: 5 kernel_size: 3 } }\n'
BROKEN = 'layer { name: "loss" type: "EuclideanLoss" bottom: "a" top: \n'
MODULE = 'layer { name: "q" type: "Python" bottom: "b" top: "c" python_param { module: "m" layer: "Q" } }\n'


@pytest.fixture
def config(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Config:
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    (tmp_path / "train.py").write_text("import caffe\n# net.prototxt\n")
    (tmp_path / "m.py").write_text("import caffe\nclass Q(caffe.Layer):\n    pass\n")
    config = Config()
    config.cache, config.jobs = False, 1
    return config


def _net_of(first: Any) -> str:
    """What the first argument of a function is about, whichever it is."""
    if hasattr(first, "source"):  # a document
        return str(first.path)
    if isinstance(first, list):  # nets, or findings
        return first[0].path if first and hasattr(first[0], "path") else first[0].place.document.path if first else ""
    return str(first)


@pytest.mark.parametrize(
    ("module", "name", "at"),
    [
        (caffes.Caffes, "of", 1),
        (scripts, "runs_of_net", 2),
        (judge, "tell_modules", 0),
        (judge, "silence", 1),
        (lowered, "_calm", 0),
    ],
)
def test_others_are_checked(
    config: Config, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, module: Any, name: str, at: int
) -> None:
    (tmp_path / "solver.prototxt").write_text(SOLVER)
    (tmp_path / "net.prototxt").write_text(f"{NET}{MODULE}# TRAIN")
    (tmp_path / "deploy.prototxt").write_text(f"{NET}# TRAIN")
    (tmp_path / "train.prototxt").write_text(BROKEN)
    before = caffelint.check(["."], config)
    real: Callable[..., Any] = getattr(module, name)

    def fail(*given: Any) -> Any:
        if _net_of(given[at]) in ("deploy.prototxt", str(tmp_path / "deploy.prototxt")):
            raise KeyError("x")
        return real(*given)

    monkeypatch.setattr(module, name, fail)
    report = caffelint.check(["."], config)
    assert [(failure.file, failure.internal) for failure in report.failures] == [("deploy.prototxt", True)]
    kept = [one for one in before.findings if one.file != "deploy.prototxt"]
    assert {one.file for one in kept} >= {"solver.prototxt", "net.prototxt", "train.prototxt"}
    assert [(one.file, one.name, one.severity) for one in report.findings] == [
        (one.file, one.name, one.severity) for one in kept
    ]
    assert report.exit_status() == 3


def test_what_keeps_all_of_them_from_it_names_each(
    config: Config, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "solver.prototxt").write_text(SOLVER)
        (tmp_path / folder / "net.prototxt").write_text(NET)
    real = checker.modules_of

    def fail(contents: Any, roots: Any) -> Any:
        if "a/net.prototxt" in contents:
            raise KeyError("x")
        return real(contents, roots)

    monkeypatch.setattr(checker, "modules_of", fail)
    report = caffelint.check(["."], config)
    first, other = report.failures
    assert (first.file, first.internal, other.file, other.internal) == (
        "a/net.prototxt",
        True,
        "a/solver.prototxt",
        True,
    )
    assert "KeyError" in first.message
    assert other.message == 'not checked, because caffelint failed on what it is checked with: "a/net.prototxt"'
    assert {one.file for one in report.findings} == {"b/net.prototxt", "b/solver.prototxt"}
    assert report.exit_status() == 3
