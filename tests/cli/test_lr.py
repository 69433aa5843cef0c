"""`caffelint lr`: the table holds what Caffe would use, and tells where the rate is not finite."""

from __future__ import annotations

from pathlib import Path

import pytest

from caffelint.caffe.learning_rate import schedule
from caffelint.cli.main import main
from caffelint.lint.file import load
from caffelint.report.lr_table import blocks, logarithmic, milestones


def rows(text: str) -> dict[int, str]:
    table = text[text.index("iteration  rate") :].splitlines()[1:]
    return {int(row.split()[0].replace(",", "")): row.split()[1] for row in table}


def run(tmp_path: Path, text: str, capsys: pytest.CaptureFixture[str], *options: str) -> tuple[int, str]:
    path = tmp_path / "solver.prototxt"
    path.write_text(text)
    status = main(["lr", str(path), *options])
    return status, capsys.readouterr().out


def test_steps(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = 'base_lr: 0.1 lr_policy: "multistep" gamma: 0.5 stepvalue: 10 stepvalue: 30 max_iter: 100'
    status, out = run(tmp_path, text, capsys)
    assert status == 0
    assert rows(out) == {0: "0.1", 10: "0.05", 30: "0.025", 99: "0.025"}


def test_a_rate_that_never_changes_is_not_drawn(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _, out = run(tmp_path, 'base_lr: 0.1 lr_policy: "fixed" max_iter: 100', capsys)
    assert rows(out) == {0: "0.1", 99: "0.1"}
    assert len(out.splitlines()) == 4


def test_rates_that_are_not_finite(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status, out = run(tmp_path, 'base_lr: 0.1 lr_policy: "poly" power: 2', capsys, "--iterations", "50")
    assert status == 1
    assert rows(out) == {0: "nan", 1: "inf", 49: "inf"}


def test_schedule_that_caffe_refuses(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status, out = run(tmp_path, 'base_lr: 0.1 lr_policy: "step" gamma: 0.1 max_iter: 10', capsys)
    assert status == 1
    assert "stepsize 0 must be greater than 0" in out


def test_errors_in_the_text_are_reported(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "solver.prototxt"
    path.write_text('base_lr: 0.1\nlr_policy: "fixed"\nmomentum: "0.9"\n')
    assert main(["lr", str(path)]) == 1
    out, err = capsys.readouterr()
    assert rows(out)[0] == "0.1"
    assumed, wrong = err.splitlines()
    assert assumed == "caffelint: max_iter is missing; 100,000 iterations are shown, --iterations N shows N"
    assert wrong.startswith(f"caffelint: {path}:3: ")
    assert "momentum takes" in wrong
    path.write_text('base_lr: 0.1\nlr_policy: "fixed"\nmax_iter: 100000\n')
    assert main(["lr", str(path)]) == 0
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("text", ["layer { }", ""])
def test_no_solver(tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str) -> None:
    assert run(tmp_path, text, capsys)[0] == 2


def test_unreadable_path(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["lr", str(tmp_path / "none.prototxt")]) == 2
    assert "no such file" in capsys.readouterr().err


def test_milestones_miss_no_change() -> None:
    text = b'base_lr: 1 lr_policy: "step" gamma: 0.5 stepsize: 7 max_iter: 50'
    solver = load(text).solver
    assert solver
    rates = schedule(solver.message)
    changes = [i for i in range(1, 50) if rates.rate(i) != rates.rate(i - 1)]
    assert milestones(rates, 50) == [0, *changes, 49] if changes[-1] != 49 else [0, *changes]


def test_blocks_scale_with_the_rate() -> None:
    heights = [sum(line[column] != " " for line in blocks([0.0, 0.5, 1.0])) for column in range(3)]
    assert heights == [0, 4, 8]


def test_blocks_of_rates_far_apart_are_logarithms() -> None:
    lines = blocks([1.0, 0.1, 0.01, 0.001, 0.0, float("inf")])
    heights = [sum(line[column : column + 1] not in ("", " ") for line in lines) for column in range(5)]
    assert heights[0] == 8
    assert 5 <= heights[1] <= 6
    assert 2 <= heights[2] <= 3
    assert heights[3:] == [1, 0]
    assert lines[0].endswith("  1 (log scale)")
    assert lines[-1].endswith("!  0.001")
    assert "log" not in blocks([1.0, 0.5, 0.02])[0]


def test_blocks_of_rates_at_the_ends_of_a_double() -> None:
    assert len(blocks([5e-324, 1e308])) == 8


def test_the_plot_is_logarithmic_where_the_chart_is() -> None:
    assert logarithmic([0.1, 0.001, 0.0])
    assert not logarithmic([0.1, 0.05, 0.0, float("inf")])
    assert not logarithmic([0.0, float("nan")])


def test_a_net_is_not_a_solver(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "net.prototxt").write_text('layer { name: "a" type: "ReLU" bottom: "x" top: "x" }')
    assert main(["lr", str(tmp_path / "net.prototxt")]) == 2
    assert capsys.readouterr().err.endswith("net.prototxt: this is a net; give a solver\n")


def test_what_is_for_suggest_alone_is_not_ignored(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(tmp_path, 'base_lr: 0.1 lr_policy: "fixed"', capsys, "--data") == (2, "")


def test_what_is_suggested_comes_before_the_schedule(capsys: pytest.CaptureFixture[str]) -> None:
    solver = Path(__file__).parents[2] / "fixtures/right/lenet/solver.prototxt"
    main(["lr", "--suggest", str(solver), "--input-shape", "data=64x1x28x28"])
    out = capsys.readouterr().out
    assert "base_lr 0.01 is below where SGD begins to fail, 0.022 to 0.189" in out
    assert out.index("base_lr 0.01") < out.index("10,000 iterations")
