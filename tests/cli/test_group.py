"""All commands: their help, and how one is found and loaded."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from caffelint.cli.group import COMMANDS


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_help_and_stays_small(caffelint: Any, root: Path, name: str) -> None:
    run = caffelint(name, "--help")
    assert (run.status, run.err) == (0, "")
    assert run.out.startswith(f"Usage: caffelint {name}")
    source = (root / f"caffelint/cli/{name.replace('-', '_')}.py").read_text("utf-8")
    assert source.count("\n") <= 200, "most of it should be options and their help"


def test_help_names_every_command(caffelint: Any) -> None:
    run = caffelint("--help")
    assert run.status == 0
    assert all(f"\n  {name} " in run.out for name in COMMANDS)
    assert caffelint().out == run.out


def test_version(caffelint: Any) -> None:
    import caffelint as package

    assert caffelint("--version").out == f"caffelint {package.__version__}\n"


def test_a_misspelt_command(caffelint: Any) -> None:
    run = caffelint("chek")
    assert (run.status, run.err) == (2, 'caffelint: no such command "chek"; did you mean check?\n')
    run = caffelint("solver.prototxt")
    assert run.err == 'caffelint: no such command "solver.prototxt"; did you mean caffelint check solver.prototxt?\n'


@pytest.mark.parametrize("command", ["lr", "smoke", "summary", "upgrade", "check"])
def test_a_path_is_named_as_it_is_and_no_help_with_it(caffelint: Any, command: str) -> None:
    run = caffelint(command, "NoSuch.prototxt")
    assert run.status == 2
    assert run.err.splitlines()[0].startswith("caffelint: NoSuch.prototxt: ")
    assert "--help" not in run.err


def test_a_command_is_imported_when_it_runs() -> None:
    code = (
        "import sys; from caffelint.cli.main import main; main(['--version'])\n"
        "print([name for name in sys.modules if name.startswith(('caffelint.cli.', 'caffelint.lint', 'google'))])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout.splitlines()[1] == "['caffelint.cli.status', 'caffelint.cli.main', 'caffelint.cli.group']"


def test_the_check_of_a_net_imports_nothing_that_it_does_not_use(tmp_path: Path) -> None:
    net = tmp_path / "net.prototxt"
    net.write_text('layer { name: "data" type: "Input" top: "data" input_param { shape { dim: 1 dim: 3 } } }')
    code = (
        "import sys; from caffelint.cli.main import main; main(['check', '--no-cache', sys.argv[1]])\n"
        "print(*sys.modules, file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(net)], capture_output=True, text=True, check=True, timeout=60
    )
    imported = set(done.stderr.split())
    assert "caffelint.lint.engine" in imported
    assert imported.isdisjoint(["caffelint.cli.overwriting", "caffelint.numerics.forward", "pickle", "statistics"])
