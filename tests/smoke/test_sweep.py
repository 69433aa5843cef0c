"""Sweeps: what a grid means, and that one which was killed goes on to the same end."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from cost import soon
from project_files import NET, SOLVER, write
from seeds import draws

from caffelint.cli.main import main
from caffelint.smoke.devices import gpus
from caffelint.smoke.session import Choice
from caffelint.smoke.sweep import BadGrid, Results, Row, Trial, read_grid, table

COMMAND = "from caffelint.cli.main import main; import sys; sys.exit(main(sys.argv[1:]))"
KILLED = """
import os, signal
from caffelint.smoke.sweep import Results
add = Results.add
Results.add = lambda self, row: (add(self, row), os.kill(os.getpid(), signal.SIGKILL))
"""


def grid(folder: Path, text: str) -> Path:
    path = folder / "grid.toml"
    path.write_text(text, "utf-8", "surrogateescape")
    return path


def test_a_grid_is_every_combination_in_order(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("b", "a"):
        Path(name).mkdir()
        Path(name, "solver.prototxt").touch()
    trials = read_grid(grid(Path(), 'solvers = ["*/solver.prototxt"]\nbase_lr = [1, 0.1]\nseeds = [3]'), None, 1)
    assert trials == [Trial(f"{name}/solver.prototxt", rate, 3) for name in "ab" for rate in (1, 0.1)]
    assert read_grid(grid(Path(), ""), "x.prototxt", 7) == [Trial("x.prototxt", None, 7)]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("base_lr = [0.1", "grid.toml: "),
        (f"base_lr = {'[' * 5000}", "is nested too deeply"),
        ("seeds = ['\udcff']", "codec can't decode byte"),
        ("base_lr = 0.1", "base_lr is not a list of numbers"),
        ("base_lr = [true]", "base_lr is not a list of numbers"),
        ("base_lr = [nan]", "each base_lr has to be a number above 0"),
        (f"base_lr = [{10**400}]", "contains a number with too many digits"),
        (f"solvers = {['a*'] * 1001}", "more than 1000 globs"),
        ("base_lr = []", "base_lr is empty"),
        ("seeds = [-1]", "from 0 to 2147483647"),
        ("solver = ['x']", '"solver" is not known; it takes solvers, base_lr, seeds'),
        ("solvers = ['no/*']", 'no file matches "no/*"'),
        ("solvers = ['*/../x']", 'goes up with ".." after a wildcard'),
        (f"solvers = ['{'[!' * 3000}']", "longer than 4096 characters"),
        ("seeds = [1]", "no solver is named"),
    ],
)
def test_a_bad_grid_is_one_line(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(BadGrid) as caught:
        read_grid(grid(tmp_path, text), None, 1)
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.skipif(os.name != "posix", reason="no links")
def test_globs_go_in_no_circles(tmp_path: Path) -> None:
    (tmp_path / "a" / "b").mkdir(parents=True)
    for name in ("up", "self", "other"):
        (tmp_path / "a" / "b" / name).symlink_to(tmp_path / "a")
    for name in ("a/s.prototxt", "a/.hidden", "a/b/s.prototxt", "a/b/s[1].prototxt"):
        (tmp_path / name).touch()

    def found(pattern: str) -> list[str]:
        return [os.path.relpath(trial.solver, tmp_path) for trial in read_grid(grid(tmp_path, pattern), None, 1)]

    with soon():
        every = found('solvers = ["**/**/**/**/s.prototxt"]')
    assert every == ["a/b/s.prototxt", "a/s.prototxt"]
    with pytest.raises(BadGrid, match="no file matches"):
        found('solvers = ["**/b/*/s.prototxt"]')
    assert found('solvers = ["a/b/self/s.prototxt", "a/b/s*f/s.prototxt"]') == ["a/b/self/s.prototxt"]
    assert found(f'solvers = ["{tmp_path}/a/*"]') == ["a/b", "a/s.prototxt"]
    assert found('solvers = ["a/b/s[[]1].prototxt", "./a/?/s.*"]') == ["a/b/s[1].prototxt", "a/b/s.prototxt"]


def test_globs_look_at_so_many_names(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(30):
        (tmp_path / f"{number}.prototxt").touch()
    text = 'solvers = ["*.prototxt", "**/*"]'
    assert len(read_grid(grid(tmp_path, text), None, 1)) == 31
    monkeypatch.setattr("caffelint.smoke.grid_paths.MOST", 50)
    with pytest.raises(BadGrid, match=r'"\*\*/\*" looks through too many files; name their folder$'):
        read_grid(grid(tmp_path, text), None, 1)


def test_names_without_wildcards_count_as_well(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a/0.prototxt").touch()
    monkeypatch.setattr("caffelint.smoke.grid_paths.MOST", 100)
    assert len(read_grid(grid(tmp_path, f'solvers = ["{"./" * 500}a/{"./" * 500}*"]'), None, 1)) == 1
    with pytest.raises(BadGrid, match="looks through too many files"):
        read_grid(grid(tmp_path, f'solvers = ["{"a/../" * 60}a/*"]'), None, 1)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--resume", "solver.prototxt"], "--resume needs --sweep"),
        (["--jobs", "2", "solver.prototxt"], "--jobs needs --sweep"),
        (["--sweep", "grid.toml", "--find-lr"], "--sweep cannot be combined with --find-lr"),
        (["--sweep", "grid.toml", "--format", "json"], "--sweep cannot be combined with --format"),
        (["--sweep", "grid.toml", "--epochs", "2"], "--sweep cannot be combined with --epochs"),
        (["--sweep", "grid.toml", "--jobs", "2", "--cluster", "x"], "--cluster and --jobs cannot be combined"),
        (["--sweep", "gone.toml"], "gone.toml: cannot be read: no such file or directory"),
        ([], "missing argument 'SOLVER'"),
    ],
)
def test_wrong_usage_is_one_line(
    tmp_path: Path,
    arguments: list[str],
    said: str,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["smoke", *arguments]) == 2
    err = capsys.readouterr().err
    assert said in err
    assert err.count("\n") == 1


def row(**values: Any) -> Row:
    usual = Row("s", 0.1, 1, "torch", 5, 2.0, 1.0, "it trains", "it trains: well", 0, "k")
    return usual._replace(**values)


def test_a_gpu_that_torch_does_not_see_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("caffelint.smoke.devices.any_gpu", lambda: True)
    monkeypatch.setattr("caffelint.smoke.env.can_import", lambda name: False)
    assert gpus(Choice()) == ()


def test_results_survive_a_line_that_was_cut(tmp_path: Path) -> None:
    path = tmp_path / "grid.results.jsonl"
    results = Results(path)
    results.add(row(key="a"))
    path.write_bytes(path.read_bytes() + b'{"solver": "s", "ba')
    results = Results(path)
    results.add(row(key="b"))
    assert [*Results(path).rows] == ["a", "b"]


@pytest.mark.skipif(os.name != "posix", reason="no links")
def test_results_are_not_written_through_a_link(tmp_path: Path) -> None:
    (tmp_path / "other").write_text("keep")
    (tmp_path / "grid.results.jsonl").symlink_to(tmp_path / "other")
    with pytest.raises(BadGrid, match="is a link"):
        Results(tmp_path / "grid.results.jsonl")
    assert (tmp_path / "other").read_text() == "keep"


@pytest.mark.parametrize(
    "value",
    [
        {"first": "x"},
        {"base_lr": {}},
        {"base_lr": 10**400},
        {"last": float("nan")},
        {"seed": "1"},
        {"iterations": None},
        {"status": "0"},
        {"status": 99},
        {"outcome": 3},
        {"key": []},
        {"more": 1},
    ],
    ids=str,
)
def test_a_row_that_no_sweep_has_written_is_none(tmp_path: Path, value: dict[str, Any]) -> None:
    lines = [json.dumps(row(key="a")._asdict()), json.dumps({**row()._asdict(), **value}), "[" * 100_000, "[]", "3", ""]
    (tmp_path / "grid.results.jsonl").write_text("\n".join(lines))
    rows = Results(tmp_path / "grid.results.jsonl").rows
    assert [*rows] == ["a"]
    assert [*table([*rows.values()])]


def test_no_name_and_no_stored_outcome_drives_a_terminal_or_a_build_server() -> None:
    evil = "\x1b]0;owned\x07\n::error::owned"
    lines = [*table([row(solver=f"::error::{evil}", outcome=evil)])]
    assert len(lines) == 4
    assert all(line.isprintable() and not line.startswith("::") for line in lines), lines


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="no devices")
def test_pipes_devices_and_files_without_end_are_one_line(tmp_path: Path) -> None:
    for path, open_it in (
        (tmp_path / "grid.toml", lambda: read_grid(tmp_path / "grid.toml", None, 1)),
        (tmp_path / "grid.results.jsonl", lambda: Results(tmp_path / "grid.results.jsonl")),
    ):
        os.mkfifo(path)
        with pytest.raises(BadGrid, match="is a pipe or a device"):
            open_it()
        path.unlink()
        path.touch()
        os.truncate(path, 1 << 40)
        with pytest.raises(BadGrid, match="is larger than"):
            open_it()
        path.unlink()
        path.symlink_to("/dev/zero")
        with pytest.raises(BadGrid, match=r"is a (link|pipe or a device)"):
            open_it()


@pytest.mark.skipif(os.name != "posix", reason="links")
def test_results_are_not_written_into_a_linked_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    outside, here = tmp_path / "outside", tmp_path / "here"
    for folder in (outside, here):
        folder.mkdir()
    grid(outside, "base_lr = [0.1]")
    (here / "linked").symlink_to(outside)
    monkeypatch.chdir(here)
    write(here, NET, SOLVER)
    assert main(["smoke", "solver.prototxt", "--sweep", "linked/grid.toml"]) == 2
    assert "linked is a link, which is not followed" in capsys.readouterr().err
    assert os.listdir(outside) == ["grid.toml"]


def test_what_holds_no_results_is_not_added_to(tmp_path: Path) -> None:
    (tmp_path / "grid.results.jsonl").write_text("precious\n")
    with pytest.raises(BadGrid, match="holds no results"):
        Results(tmp_path / "grid.results.jsonl")


def test_nothing_is_added_to_a_file_of_another_kind_or_name(tmp_path: Path) -> None:
    results = tmp_path / "grid.results.jsonl"
    results.write_text('{"mine": 1}\n')
    with pytest.raises(BadGrid, match="holds no results"):
        Results(results)
    results.write_text("")
    os.link(results, tmp_path / "elsewhere")
    with pytest.raises(BadGrid, match="another name"):
        Results(results)
    (tmp_path / "elsewhere").unlink()
    subprocess.run(["git", "init", "-q", "."], cwd=tmp_path, check=True)
    Results(results)
    subprocess.run(["git", "add", "."], cwd=tmp_path, check=True)
    with pytest.raises(BadGrid, match="git tracks"):
        Results(results)


def test_the_best_run_is_one_without_an_error() -> None:
    rows = [row(last=0.1, status=1), row(last=0.5, seed=2), row(last=0.7), row(last=None)]
    assert [*table(rows)][-1] == "lowest loss: s at base_lr 0.1, seed 2: 0.5"


@pytest.mark.skipif(os.name != "posix", reason="signals")
def test_a_sweep_that_was_killed_ends_as_one_that_ran_through(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    number = draws(2, 12)
    for name in ("whole", "killed"):
        folder = tmp_path / name
        for one in range(number):
            (folder / f"{one:02}").mkdir(parents=True)
            write(folder / f"{one:02}", NET, SOLVER.replace("0.01", f"0.0{one + 1}"))
        grid(folder, 'solvers = ["*/solver.prototxt"]\nseeds = [1, 2]')
    command = [sys.executable, "-c", COMMAND, "smoke", "--sweep", "grid.toml", "--iterations", "2", "--engine", "torch"]
    options: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    whole = subprocess.run([*command, "--jobs", "2"], cwd=tmp_path / "whole", check=False, **options)
    assert whole.stdout.count("solver.prototxt") == 2 * number + 1
    results = tmp_path / "killed" / "grid.results.jsonl"
    killed = [sys.executable, "-c", KILLED + COMMAND, *command[3:]]
    assert subprocess.run(killed, cwd=tmp_path / "killed", check=False, **options).returncode == -signal.SIGKILL
    assert len(results.read_text().splitlines()) == 1
    again = subprocess.run(command, cwd=tmp_path / "killed", check=False, **options)
    assert (again.returncode, again.stderr.count("\n")) == (2, 1)
    assert "give --resume to add to them" in again.stderr
    resumed = subprocess.run([*command, "--resume"], cwd=tmp_path / "killed", check=False, **options)
    assert (resumed.returncode, resumed.stdout) == (whole.returncode, whole.stdout)
    keyed = [json.loads(line) for line in results.read_text().splitlines()]
    assert results.read_text() == (tmp_path / "whole" / "grid.results.jsonl").read_text()
    assert len({one["key"] for one in keyed}) == 2 * number
