"""What is run is shown before, whoever named it, and the contents of a file cannot drive a terminal."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from project_files import NET, python_layer, write

from caffelint.cli.main import main


@pytest.fixture(autouse=True)
def _home(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """Trust of the settings is kept here."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path_factory.mktemp("data")))


@pytest.mark.parametrize("more", [[], ["-q"], ["--format", "json"]])
def test_a_command_of_the_settings(tmp_path: Path, caffe_python: Path, capfd: Any, monkeypatch: Any, more: Any) -> None:
    """Even with -q."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "caffelint.toml").write_text(f"caffe-python = \"sh -c 'exec {caffe_python} $0 $1'\"\n")
    write(tmp_path, python_layer(tmp_path, ""))
    assert main(["trust"]) == 0
    assert main(["smoke", "solver.prototxt", "--iterations", "1", *more]) in (0, 1)
    told = "".join(capfd.readouterr())
    line = f"engine caffe on cpu: {tmp_path}/caffelint.toml names sh -c 'exec {caffe_python} $0 $1'\n"
    assert line in told
    assert "runs your code: Python layers mine.Mine\n" in told


def test_env_tells_it_first(tmp_path: Path, capsys: Any, monkeypatch: Any) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "caffelint.toml").write_text('caffe-python = "/no/such/python"\n')
    assert main(["trust"]) == 0
    assert main(["env", "--format", "json"]) == 0
    assert f"runs /no/such/python, which {tmp_path}/caffelint.toml names" in capsys.readouterr().err


@pytest.mark.parametrize("command", [["env"], ["smoke", "--caffe-python", "true", "--no-python-layers"]])
def test_modules_cannot_drive_a_terminal(tmp_path: Path, capsys: Any, monkeypatch: Any, command: list[str]) -> None:
    monkeypatch.setattr("caffelint.smoke.env.torch_devices", lambda: {"problem": "none"})
    net = python_layer(tmp_path, "").replace('module: "mine"', r'module: "mi\033[2Kne"')
    main([*command, str(write(tmp_path, net))])
    told = "".join(capsys.readouterr())
    assert "mi<U+001B>[2Kne" in told
    assert "\x1b" not in told


def test_names_cannot_drive_a_terminal(tmp_path: Path, capsys: Any) -> None:
    pytest.importorskip("torch")
    net = NET.replace('top: "loss"', r'top: "loss\033[2J\n\nit trains: all is well"')
    assert main(["smoke", str(write(tmp_path, net)), "--engine", "torch", "--iterations", "1"]) == 0
    out = capsys.readouterr().out
    assert "loss<U+001B>[2J<U+000A><U+000A>it trains: all is well" in out
    assert "\x1b" not in out


def test_a_quiet_run_still_tells_its_verdict(tmp_path: Path, capsys: Any) -> None:
    """The exit status is that of the findings: nothing else tells of a net that does not learn."""
    pytest.importorskip("torch")
    assert main(["smoke", str(write(tmp_path, NET)), "--engine", "torch", "--iterations", "1", "-q"]) == 0
    first, *others = capsys.readouterr().out.splitlines()
    assert first.startswith("it runs")
    assert all(line.startswith("  ") for line in others)
