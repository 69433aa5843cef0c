"""A smoke run of a project."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

# The nets here are small: torch's threads, which spin while they wait, took most of the time.
os.environ.setdefault("OMP_NUM_THREADS", "1")

from caffelint.lint.config import Config
from caffelint.smoke.prepare import Wishes
from caffelint.smoke.session import Choice, Request, Session, Watcher
from caffelint.smoke.train import smoke


@pytest.fixture
def in_engine(caffe_python: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Session]:
    """Runs a solver with an engine, `caffe` or `torch`, in the solver's folder."""

    def run(solver: Path, engine: str, force: bool = True, diagnose: str = "quick", **wishes: Any) -> Session:
        if engine == "torch":
            pytest.importorskip("torch")
        monkeypatch.chdir(solver.parent)
        config = Config()
        config.cache = False
        config.jobs = 1
        wanted = Wishes(**{"timeout": 60.0, **wishes})
        choice = Choice(engine, caffe_python=str(caffe_python) if engine == "caffe" else None)
        return smoke(Request(solver.name, config, wanted, choice, force, diagnose=diagnose), Watcher())

    return run


@pytest.fixture
def in_caffe(in_engine: Callable[..., Session]) -> Callable[..., Session]:
    """Runs a solver with the real Caffe, in the solver's folder."""

    def run(solver: Path, **wishes: Any) -> Session:
        return in_engine(solver, "caffe", **wishes)

    return run
