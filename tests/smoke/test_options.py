"""Options that mean nothing are refused in a line, or told."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
from project_files import write

from caffelint.cli.main import main


@pytest.mark.parametrize(
    ("option", "value", "said"),
    [
        ("--timeout", "nan", "nan"),
        ("--timeout", "inf", "inf"),
        ("--timeout", "1e30", "1e30"),
        ("--iterations", "1000000000000", "1000000"),
        ("--device", "cuda:²", "give auto, cpu or cuda:N"),
        ("--device", "cuda:99999999999999999999", "give auto, cpu or cuda:N"),
        ("--gpu", "99999999999999999999", "999"),
        ("--compare", "cpu,cuda:²", "give two of cpu, cuda:N"),
        ("--weights", "pipe", '--weights "pipe" is not a file'),
        ("--weights", "gone", '--weights "gone" does not exist'),
        ("--input-shape", "data=0x3x8x8", "is not a shape"),
        ("--input-shape", "data=99999999999x3x8x8", "is not a shape"),
        ("--input-shape", "dota=4x3x8x8", '--input-shape "dota": no layer of these nets has such a top'),
    ],
)
def test_refused(tmp_path: Path, capsys: Any, monkeypatch: Any, option: str, value: str, said: str) -> None:
    monkeypatch.chdir(tmp_path)
    os.mkfifo(tmp_path / "pipe")
    assert main(["smoke", write(tmp_path).name, "--engine", "torch", option, value]) == 2
    error = capsys.readouterr().err
    assert said in error
    assert error.count("\n") == 1


def test_a_name_to_watch_that_is_none(tmp_path: Path, capsys: Any) -> None:
    pytest.importorskip("torch")
    arguments = ["--engine", "torch", "--iterations", "1", "--watch", "conv,covn"]
    assert main(["smoke", str(write(tmp_path)), *arguments]) == 0
    out = capsys.readouterr().out
    assert 'note: --watch "covn": the TRAIN net has no such blob or layer' in out
    assert '--watch "conv":' not in out


def test_what_is_watched_is_shown(tmp_path: Path, capsys: Any) -> None:
    pytest.importorskip("torch")
    assert main(["smoke", str(write(tmp_path)), "--engine", "torch", "--iterations", "3", "--watch", "fc"]) == 0
    lines = capsys.readouterr().out.splitlines()
    start = next(number for number, line in enumerate(lines) if line.startswith("watched"))
    assert lines[start].split() == ["watched", "iteration", "min", "max", "mean", "std", "zeros"]
    named = [line[: lines[start].index("iteration")].strip() for line in lines[start + 1 :]]
    told = list(filter(None, (name.partition("  ")[0] for name in named)))
    assert told[:2] == ["fc", "fc gradient"]
    assert "fc parameter 0 update" in told
    assert [line.split()[-6] for line in lines[start + 1 : start + 4]] == ["0", "1", "2"]


def test_a_pipe_is_reported_how_far_it_is(tmp_path: Path, capsys: Any, monkeypatch: Any) -> None:
    pytest.importorskip("torch")
    monkeypatch.setattr("caffelint.cli.smoked._SILENCE", 0)
    assert main(["smoke", str(write(tmp_path)), "--engine", "torch", "--iterations", "2"]) == 0
    assert "iteration 2 of 2  rate 0.01  loss " in capsys.readouterr().err
