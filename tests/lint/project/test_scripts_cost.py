"""What scripts tell of solvers takes time with the number of both, and with the folders of a checkout."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import bench_curves
import pytest
from weighing import write

import caffelint
from caffelint.lint.config import Config
from caffelint.lint.project import memory, scripts, unsolved

SOLVER = 'train_net: "t.prototxt"\nbase_lr: 0.01\nlr_policy: "fixed"\nmax_iter: 1000\n'


def check() -> None:
    config = Config()
    config.cache, config.jobs = False, 1
    assert not caffelint.check(".", config).failures


def test_a_checkout_is_gone_through_once_for_all_missing_nets(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    walked: list[str] = []
    real = scripts.walk

    def counted(top: str) -> Any:
        walked.append(top)
        return real(top)

    monkeypatch.setattr(scripts, "walk", counted)
    for number in range(6):
        nets = "".join(f'test_net: "x/q{number}_{one}.prototxt"\n' for one in range(8))
        write({f"s{number}solver.prototxt": nets + SOLVER})
    check()
    assert len(walked) <= 2  # for the scripts, and for all files


def test_nets_that_solvers_name_are_looked_up(project: Path) -> None:
    def work(number: int) -> int:
        memory.forget()
        names = [f"q{one}.prototxt" for one in range(number)]
        write({"solver.prototxt": "".join(f'test_net: "x/{name}"\n' for name in names) + SOLVER})
        return bench_curves.calls(lambda: [unsolved.named_beside(name, str(project)) for name in names])

    work(5)
    assert work(400) < 4.6 * work(100)
