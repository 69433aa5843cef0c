"""A disk that fills up while something is written: one line tells, and what was there to keep stays whole.

The kernel refuses to write beyond a limit (setrlimit), with EFBIG in place of ENOSPC, in the middle of a file as a full
disk does.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from caffelint.text.pictures import write_plot

if sys.platform == "win32":
    pytest.skip("limits of POSIX", allow_module_level=True)

LIMIT = 1000
WRONG = 'layer { name: "in" type: Input top: "data" input_param { shape { dim: 1 } } }\n' + "# more\n" * LIMIT

_RUN = f"""
import resource, signal, sys
from caffelint.cli.main import main
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, ({LIMIT}, {LIMIT}))
sys.exit(main(sys.argv[1:]))
"""


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-B", "-c", _RUN, *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)


@pytest.fixture
def net(project: Path) -> Path:
    """One error, in a file larger than may be written."""
    path = project / "net.prototxt"
    path.write_text(WRONG, "utf-8")
    return path


def test_a_fix(net: Path, project: Path) -> None:
    done = run("check", "--fix", "--no-cache", "net.prototxt")
    assert done.returncode == 2
    assert done.stderr == "caffelint: net.prototxt: it cannot be written, and was left alone: file too large\n"
    assert "net.prototxt:1:" in done.stdout
    assert net.read_text("utf-8") == WRONG
    assert sorted(os.listdir(project)) == ["net.prototxt", "solver.prototxt"]


def test_a_new_rule_and_its_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    done = run("new-rule", "my-mistake")
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert os.listdir(tmp_path) == ["rules"]
    assert os.listdir(tmp_path / "rules") == []


def test_a_baseline(net: Path, project: Path) -> None:
    old = json.dumps({"version": 1, "files": {}})
    (project / "known.json").write_text(old, "utf-8")
    net.write_text("".join(f'layer {{ name: "in{number}" type: Input top: "t" }}\n' for number in range(40)), "utf-8")
    done = run("check", "--no-cache", "net.prototxt", "--write-baseline", "known.json")
    assert done.returncode == 2
    assert done.stderr == "caffelint: known.json: the baseline cannot be written: file too large\n"
    assert (project / "known.json").read_text("utf-8") == old
    assert sorted(os.listdir(project)) == ["known.json", "net.prototxt", "solver.prototxt"]


def test_a_report(net: Path, project: Path) -> None:
    for before in (None, '{\n  "version": 1,\n  "findings": []\n}\n'):
        if before:
            (project / "report.json").write_text(before, "utf-8")
        done = run("check", "--no-cache", "net.prototxt", "--format", "json:report.json")
        assert done.returncode == 2
        assert done.stderr == "caffelint: report.json: file too large\n"
        names = ["net.prototxt", *["report.json"] * bool(before), "solver.prototxt"]
        assert sorted(os.listdir(project)) == names
        assert not before or (project / "report.json").read_text("utf-8") == before


def test_a_plot(net: Path, project: Path) -> None:
    write_plot(pytest.importorskip("matplotlib.figure").Figure(), project / "rate.png", "old")
    old = (project / "rate.png").read_bytes()
    (project / "solver.prototxt").write_text('base_lr: 0.1 lr_policy: "fixed" max_iter: 9', "utf-8")
    done = run("lr", "solver.prototxt", "--plot", "rate.png")
    assert done.returncode == 2
    assert done.stderr.endswith("caffelint: rate.png: cannot be written: file too large\n")
    assert (project / "rate.png").read_bytes() == old
    assert sorted(os.listdir(project)) == ["net.prototxt", "rate.png", "solver.prototxt"]


def test_the_cache_is_no_reason_to_fail(net: Path, tmp_path: Path) -> None:
    net.write_text("".join(f'layer {{ name: "in{number}" type: Input top: "t" }}\n' for number in range(40)), "utf-8")
    done = run("check", "net.prototxt")
    assert (done.returncode, done.stderr) == (1, "")
    again = run("check", "net.prototxt")
    assert (again.returncode, again.stdout, again.stderr) == (1, done.stdout, "")
    assert [path for path in (tmp_path / "cache").rglob("*") if path.is_file()] == []
