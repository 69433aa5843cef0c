"""Runs the command line in process, in an empty folder of its own."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from caffelint.cli.main import main

POLY = 'net: "net.prototxt"\nbase_lr: 0.01\nlr_policy: "poly"\npower: 1\n'
"""A solver with one error, and the net beside it."""
NET = 'layer { name: "in" type: "Input" top: "data" input_param { shape { dim: 1 dim: 3 dim: 8 dim: 8 } } }\n'


class Run(NamedTuple):
    """How a command ended and what it printed."""

    status: int
    out: str
    err: str


Caffelint = Callable[..., Run]


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a wrong solver and a sound net; the working directory."""
    for name in ("NO_COLOR", "FORCE_COLOR", "CI"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "solver.prototxt").write_text(POLY, "utf-8")
    (folder / "net.prototxt").write_text(NET, "utf-8")
    monkeypatch.chdir(folder)
    return folder


@pytest.fixture
def caffelint(project: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Caffelint:
    """`caffelint("check", "-", stdin=b"...")`."""

    def run(*arguments: str | Path, stdin: bytes = b"") -> Run:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin)))
        capsys.readouterr()
        status = main([str(argument) for argument in arguments])
        return Run(status, *capsys.readouterr())

    return run


@pytest.fixture
def check(caffelint: Caffelint) -> Caffelint:
    """`caffelint check` with one rule alone, so that a new rule changes no test here."""

    def run(*arguments: str | Path, stdin: bytes = b"") -> Run:
        return caffelint("check", "--select", "poly-without-max-iter", *arguments, stdin=stdin)

    return run
