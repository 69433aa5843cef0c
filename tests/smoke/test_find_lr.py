"""The search for the largest rate, over runs that are made up, and over a real one."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest
from project_files import SOLVER, write

from caffelint.cli.main import main
from caffelint.smoke.events import Iteration, NonFinite
from caffelint.smoke.find_lr import Trial, find_lr, trial


@pytest.mark.parametrize("limit", [3e-6, 0.04, 0.5, 70])
@pytest.mark.parametrize("start", [1e-4, 0.01, 1.0, 100.0])
def test_it_finds_the_limit(limit: float, start: float) -> None:
    runs = []

    def run(rate: float) -> Trial:
        runs.append(rate)
        return Trial(rate, rate <= limit, 1 / rate if rate <= limit else math.nan)

    found = find_lr(start, run)
    assert found.largest <= limit < 1.5 * found.largest
    assert found.largest / 20 < found.suggested <= found.largest / 10 * 1.001
    assert len(runs) == len(set(runs)) <= 12


def test_nothing_works() -> None:
    assert find_lr(0.01, lambda rate: Trial(rate, False, math.nan)).largest == 0


def test_a_loss_that_grew_is_no_success() -> None:
    grew = [Iteration(number, 1, loss, {}) for number, loss in enumerate((2.3, 9, 40, 60, 70))]
    assert not trial(1, grew).finite
    assert trial(1, grew[:1]).finite
    bad = NonFinite(3, 0, "forward", "fc", "blob", "fc", 1, 0, 1, 0, 0, 1, {})
    assert not trial(1, [grew[0], bad]).finite


def test_the_suggestion_is_a_fix(tmp_path: Path, caffe_python: Path, capsys: Any) -> None:
    solver = write(tmp_path, solver=SOLVER.replace("0.01", "3000"))
    arguments = ["smoke", str(solver), "--caffe-python", str(caffe_python), "--find-lr", "--iterations", "10"]
    assert main([*arguments, "--force"]) == 1
    out = capsys.readouterr().out
    assert "base_lr 3000     it breaks" in out
    assert "base_lr 3000 breaks the run; the largest that stays finite is" in out
    assert "fix (unsafe): base_lr: " in out
