"""Fixtures that make repositories with a Caffe of their own."""

from __future__ import annotations

from pathlib import Path

import pytest
from own_caffe import OWN, Make, caffe
from scripted import SOLVER, clear


@pytest.fixture
def proto(root: Path) -> str:
    """The caffe.proto of a fork."""
    base = (root / "proto" / "caffe.proto").read_text()
    head, rest = base.split("message LayerParameter {", 1)
    start = rest.index("\n}")
    pool = "enum PoolMethod {"
    return f"{head}message LayerParameter {{{rest[:start]}{OWN}{rest[start:]}".replace(pool, f"{pool} MEDIAN = 77;")


@pytest.fixture
def make(tmp_path: Path, proto: str, monkeypatch: pytest.MonkeyPatch) -> Make:
    """Makes a repository with a Caffe and one file, and goes there."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))

    def made(net: str, at: str = "caffe", text: str = proto, types: str = "") -> Path:
        top = tmp_path / "repository"
        (top / ".git").mkdir(parents=True, exist_ok=True)
        monkeypatch.chdir(top)
        caffe(top / at, text, types)
        (top / "net.prototxt").write_text(net)
        return top

    return made


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The top of a checkout, which is the working directory."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".git").mkdir()
    return tmp_path


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A checkout with a solver in its folder `models`, which is the working directory."""
    clear()
    (tmp_path / ".git").mkdir()
    (tmp_path / "models").mkdir()
    (tmp_path / "models/solver.prototxt").write_text(SOLVER)
    monkeypatch.chdir(tmp_path)
    return tmp_path
