"""A real editor drives the server: Neovim (Debian has 0.7), without a window."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from small_project import NET, SOLVER

SCRIPT = Path(__file__).with_name("neovim.lua")


def test_neovim(tmp_path: Path) -> None:
    unpacked = Path(__file__).parents[2] / ".cache" / "neovim" / "nvim"
    nvim = str(unpacked) if unpacked.exists() else shutil.which("nvim")
    if nvim is None:
        (pytest.fail if os.environ.get("CI") else pytest.skip)("no Neovim to ask: run tools/install_neovim.sh")
    net = NET.replace('name: "relu1" type: "ReLU" bottom: "conv1"', 'name: "relu1" type: "ReLU"\n  bottom: "Conv1"')
    (tmp_path / "net.prototxt").write_text(net)
    (tmp_path / "solver.prototxt").write_text(SOLVER)
    done = subprocess.run(
        [nvim, "--headless", "--clean", "-n", "-l" if _has_l(nvim) else "-S", str(SCRIPT)],
        cwd=tmp_path,
        env={**os.environ, "CAFFELINT_PYTHON": sys.executable, "XDG_STATE_HOME": str(tmp_path / "state")},
        capture_output=True,
        text=True,
        timeout=300,
    )
    told = dict(json.loads(line) for line in done.stdout.splitlines() if line.startswith("["))
    assert "unknown-bottom" in told["diagnostics"], (told, done.stderr)
    assert 'top "conv1" 8x16x30x30' in told["hover"]
    assert "8x16x30x30" in told["hints"]
    assert "432 parameters" in told["hints"]
    assert told["completion"][0] == "conv1"
    assert told["fixed"].strip().startswith('bottom: "conv1"')
    assert told["renamed"] == 4
    assert told["definition"] == 1
    assert "timeout" not in told


def _has_l(nvim: str) -> bool:
    """Whether it runs a Lua script by itself, as from 0.9 on."""
    version = subprocess.run([nvim, "--version"], capture_output=True, text=True).stdout
    return tuple(map(int, version.split()[1].lstrip("v").split(".")[:2])) >= (0, 9)
