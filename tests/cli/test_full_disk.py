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
from typing import Any

import pytest

from caffelint.fix.finite.layer_file import content as finite_content
from caffelint.text.pictures import write_plot

if sys.platform == "win32":
    pytest.skip("limits of POSIX", allow_module_level=True)

LIMIT = 1000
WRONG = 'layer { name: "in" type: Input top: "data" input_param { shape { dim: 1 } } }\n' + "# more\n" * LIMIT

_LIMIT = """
import resource, signal, sys
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, ({limit}, {limit}))
"""
_RUN = "from caffelint.cli.main import main\nsys.exit(main(sys.argv[1:]))"


def run(*arguments: str, limit: int = LIMIT) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-B", "-c", _LIMIT.format(limit=limit) + _RUN, *arguments]
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
    assert (done.returncode, done.stderr) == (2, "caffelint: rules/my_mistake.py: file too large\n")
    assert os.listdir(tmp_path) == []
    (tmp_path / "rules").mkdir()
    assert run("new-rule", "my-mistake").returncode == 2
    assert (os.listdir(tmp_path), os.listdir(tmp_path / "rules")) == (["rules"], [])


def test_a_new_rule_without_its_settings(
    caffelint: Any, project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The rule may be written, but what is written after it may not."""
    (tmp_path / "data").write_text("no folder")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    done = caffelint("new-rule", "my-mistake")
    assert (done.status, done.err.count("\n"), done.out) == (2, 1, "")
    assert sorted(os.listdir(project)) == ["net.prototxt", "solver.prototxt"]


def test_settings_without_their_baseline(project: Path) -> None:
    net = "".join(f'layer {{ name: "in{number}" type: Input top: "t" }}\n' for number in range(40))
    (project / "net.prototxt").write_text(net, "utf-8")
    done = run("init", "--yes", "--baseline")
    assert done.returncode == 2
    assert done.stderr.endswith("caffelint-baseline.json: the baseline cannot be written: file too large\n")
    assert sorted(os.listdir(project)) == ["net.prototxt", "solver.prototxt"]


def test_checks_without_their_net(net: Path, project: Path) -> None:
    net.write_text(WRONG.replace("# more", "# more and more"), "utf-8")
    layer = len(finite_content())
    assert layer < net.stat().st_size
    done = run("patch", "net.prototxt", "--check-finite", "all", "-q", "-o", "checked.prototxt", limit=layer)
    assert done.returncode == 2
    told = "caffelint: checked.prototxt: it cannot be written, and was left alone: file too large\n"
    assert done.stderr == told
    assert sorted(os.listdir(project)) == ["net.prototxt", "solver.prototxt"]


def test_results_of_a_sweep(tmp_path: Path) -> None:
    write = "from pathlib import Path\nfrom caffelint.smoke.sweep import Results, Row\nimport sys\n"
    write += "Results(Path(sys.argv[1])).add(Row('s' * 600, None, 1, '', 1, None, None, '', '', 0))"
    path = tmp_path / "grid.results.jsonl"
    for left in (0, 1):
        done = subprocess.run(
            [sys.executable, "-c", _LIMIT.format(limit=500 + left * LIMIT) + write, str(path)],
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 1 - left, done.stderr
        assert path.exists() == bool(left)
    whole = path.read_bytes()
    done = subprocess.run([sys.executable, "-c", _LIMIT.format(limit=LIMIT) + write, str(path)], check=False)
    assert (done.returncode, path.read_bytes()) == (1, whole)


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
