"""The search for the largest rate, over runs that are made up, and over a real one."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest
from project_files import CONV, LOSS, NET, SOLVER, write

from caffelint.cli.main import main
from caffelint.smoke.events import Crashed, Iteration, NonFinite, Refused, TimedOut
from caffelint.smoke.find_lr import Trial, find_lr, trial, why


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
    assert len(runs) == len(set(runs)) <= 13


@pytest.mark.parametrize("limit", [3e-6, 0.04, 0.5, 70])
@pytest.mark.parametrize("start", [1e-4, 0.01, 1.0, 100.0])
@pytest.mark.parametrize("off", [1 / 3, 0.9, 1.1, 3])
def test_from_what_is_expected(limit: float, start: float, off: float) -> None:
    runs = []

    def run(rate: float) -> Trial:
        runs.append(rate)
        return Trial(rate, rate <= limit, 1 / rate if rate <= limit else math.nan)

    found = find_lr(start, run, limit * off)
    assert found.largest <= limit < 1.9 * found.largest
    assert found.largest / 20 < found.suggested <= found.largest / 10 * 1.001
    assert len(runs) == len(set(runs)) <= 7


@pytest.mark.parametrize("expected", [1e-9, 1e9])
def test_an_expectation_that_is_wrong_is_no_harm(expected: float) -> None:
    found = find_lr(0.01, lambda rate: Trial(rate, rate <= 0.3, rate), expected)
    assert found.largest <= 0.3 < 1.9 * found.largest
    assert find_lr(0.01, lambda rate: Trial(rate, False, math.nan), expected).largest == 0


def test_nothing_works() -> None:
    assert find_lr(0.01, lambda rate: Trial(rate, False, math.nan)).largest == 0


def test_only_a_rate_that_learns_is_suggested() -> None:
    """A net whose units die above 0.003 stays finite up to 0.5."""

    def run(rate: float) -> Trial:
        return Trial(rate, rate <= 0.5, 2.3 if rate > 0.003 else 1.0, idle="its units are dead" if rate > 0.003 else "")

    found = find_lr(0.04, run)
    assert 0.3 < found.largest <= 0.5
    assert 0 < found.suggested <= 0.003
    assert found.suggested in [one.rate for one in found.trials if one.learns]
    assert why(0.04, found.largest, found.suggested, "its units are dead").startswith(
        f"at base_lr 0.04 it learns nothing: its units are dead; suggested: {found.suggested:g}"
    )


def test_no_rate_is_suggested_where_none_learns() -> None:
    found = find_lr(0.01, lambda rate: Trial(rate, rate < 2, 2.3, idle="its labels are all 3"))
    assert (found.suggested, found.largest > 0) == (0, True)
    assert why(0.01, found.largest, 0, "its labels are all 3") == "no rate learns: its labels are all 3"


ONE = Iteration(0, 1, 2.3, {})
ELSEWHERE = [[TimedOut(3)], [ONE, TimedOut(3)], [Crashed(-11, "")], [Refused(0, "fc", "no", "load")]]


@pytest.mark.parametrize("events", ELSEWHERE)
def test_what_is_not_for_the_rate_ends_the_search(events: list[object]) -> None:
    runs = []

    def run(rate: float) -> Trial:
        runs.append(rate)
        return trial(rate, events)

    assert find_lr(0.01, run).largest == 0
    assert len(runs) == 1


def test_what_is_not_for_the_rate_leaves_what_was_found() -> None:
    found = find_lr(0.01, lambda rate: trial(rate, [ONE, TimedOut(3)] if rate > 0.5 else [ONE]))
    assert [(one.rate, one.finite) for one in found.trials] == [(0.01, True), (0.1, True), (1.0, False)]
    assert found.largest == 0.1
    assert not trial(1, [ONE, Crashed(-8, "")]).elsewhere


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
    assert "base_lr 3000     breaks" in out
    assert "base_lr 3000 breaks the run; the largest rate that stays finite is" in out
    assert "fix (unsafe): set base_lr: " in out


@pytest.mark.parametrize(
    ("start", "text"),
    [
        (0.01, "base_lr 0.01 is well below and fine; suggested to start with: 0.007, the highest rate whose loss"),
        (1e-4, "base_lr 0.0001 is low; suggested: 0.007"),
        (1.0, "suggested: 0.007, the highest rate"),
    ],
)
def test_what_is_said_of_the_rate_that_is_there(start: float, text: str) -> None:
    assert why(start, 0.32, 0.007).startswith(text)
    assert why(1.0, 0.32, 0.03).endswith("a tenth of that")


def test_how_a_rate_breaks() -> None:
    grew = [Iteration(number, 1, loss, {}) for number, loss in enumerate((2.3, 9, 40, 60, 70))]
    assert trial(1, grew).how == "the loss went from 2.3 to 40"
    bad = NonFinite(3, 0, "forward", "fc", "blob", "fc", 1, 0, 1, 0, 0, 1, {})
    assert trial(1, [grew[0], bad]).how == 'nan in iteration 3 at "fc"'


def test_pixels_as_they_are_come_before_the_rate(tmp_path: Path, caffe_python: Path, capsys: Any) -> None:
    net = NET.replace(" scale: 0.0125", "").replace('type: "xavier"', 'type: "gaussian" std: 0.3')
    solver = write(tmp_path, net, SOLVER.replace("0.01", "1000"))
    arguments = ["smoke", str(solver), "--caffe-python", str(caffe_python), "--find-lr", "--iterations", "5"]
    assert main([*arguments, "--force"]) == 1
    out = " ".join(capsys.readouterr().out.split())
    assert "base_lr 1000" in out
    assert "before any update" in out
    assert "with transform_param { scale: 0.00390625 }, or try base_lr: " in out


def test_labels_that_are_all_the_same_end_the_search(tmp_path: Path, caffe_python: Path, capsys: Any) -> None:
    h5py = pytest.importorskip("h5py")
    numpy = pytest.importorskip("numpy")
    with h5py.File(tmp_path / "train.h5", "w") as file:
        file["data"] = numpy.random.default_rng(1).random((64, 3, 8, 8), dtype=numpy.float32)
        file["label"] = numpy.zeros(64, numpy.float32)
    (tmp_path / "train.txt").write_text(f"{tmp_path / 'train.h5'}\n")
    net = f'layer {{ name: "data" type: "HDF5Data" top: "data" top: "label" hdf5_data_param {{ source: "{tmp_path}'
    net += '/train.txt" batch_size: 16 } }\n' + CONV + LOSS
    solver = write(tmp_path, net, 'net: "net.prototxt"\nbase_lr: 0.01\nlr_policy: "fixed"\nmax_iter: 100\n')
    arguments = ["smoke", str(solver), "--caffe-python", str(caffe_python), "--find-lr", "--iterations", "10"]
    main(arguments)
    out = capsys.readouterr().out
    assert out.count("base_lr ") == 1
    assert ": every label is 0, which any rate learns to give" in out
    assert "every label is 0, so the net learns to give that answer for any input" in out
