"""`caffelint new-rule`"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest


@pytest.mark.skipif(os.name != "posix", reason="links")
@pytest.mark.parametrize("folder", [None, "rules"])
def test_no_rule_is_written_through_a_link(caffelint: Any, tmp_path: Path, folder: str | None) -> None:
    here, outside = tmp_path / "here", tmp_path / "outside"
    here.mkdir()
    outside.mkdir()
    os.chdir(here)
    (here / "rules").symlink_to(outside)
    run = caffelint("new-rule", "my-mistake", *([folder] if folder else []))
    assert (run.status, run.err.count("\n")) == (2, 1)
    assert "rules is a link, which is not followed" in run.err
    assert (os.listdir(outside), os.listdir(here)) == ([], ["rules"])


@pytest.mark.parametrize("kind", ["solver", "layer", "net", "project", "refusal", "text"])
def test_a_new_rule_works_as_it_is(caffelint: Any, project: Path, root: Path, kind: str) -> None:
    run = caffelint("new-rule", f"my-{kind}-rule", "--kind", kind)
    path = project / "rules" / f"my_{kind}_rule.py"
    wrote = f"rules/{path.name} is written; caffelint test rules/{path.name} runs its examples\n"
    runs = "caffelint check runs it (plugins in caffelint.toml); after each change, run caffelint trust .\n"
    assert (run.status, run.out) == (0, wrote + runs)
    assert (project / "caffelint.toml").read_text() == 'plugins = ["rules"]\n'
    run = caffelint("test", path)
    assert (run.status, run.out) == (0, f"ok   U001 my-{kind}-rule (1 valid, 1 invalid)\n1 rule, none failed\n")
    style = [sys.executable, "-m", "ruff", "check", "--config", str(root / "pyproject.toml"), str(path)]
    if (done := subprocess.run(style, capture_output=True, text=True, check=False)).returncode:
        assert "No module named ruff" in done.stderr, done.stdout


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (["My-Rule"], "is not lower-case words with hyphens"),
        (["my-rule", "gone"], "gone: no such folder"),
        (["my-rule", "--kind", "layr"], 'no such kind "layr"; did you mean layer?'),
        (["my-rule", "--code", "x1"], "is not capital letters and three digits"),
        (["my-rule", "--code", "S101"], "rule S101 poly-without-max-iter already exists"),
        (["poly-without-max-iter"], "rule S101 poly-without-max-iter already exists"),
    ],
)
def test_new_rule_refuses(caffelint: Any, project: Path, arguments: list[str], line: str) -> None:
    run = caffelint("new-rule", *arguments)
    assert run.status == 2
    assert line in run.err
    assert list(project.glob("**/*.py")) == []


@pytest.mark.skipif(sys.platform != "linux", reason="the name of a folder is text elsewhere")
def test_a_folder_that_settings_cannot_name(caffelint: Any, project: Path) -> None:
    folder = os.fsdecode(b"rules-\xff")
    os.mkdir(folder)
    run = caffelint("new-rule", "my-rule", folder)
    assert (run.status, "its name is not UTF-8" in run.err) == (2, True)
    assert os.listdir(folder) == []
    assert not (project / "caffelint.toml").exists()


def test_new_rule_never_overwrites(caffelint: Any, project: Path) -> None:
    (project / "my_rule.py").write_text("mine", "utf-8")
    run = caffelint("new-rule", "my-rule", ".")
    assert (run.status, run.err.startswith("caffelint: my_rule.py: already exists")) == (2, True)
    assert (project / "my_rule.py").read_text("utf-8") == "mine"


@pytest.mark.parametrize("folder", [".", "rules", None])
def test_files_that_were_there_do_not_run(caffelint: Any, project: Path, folder: str | None) -> None:
    """A `train.py` beside the nets, or what a stranger put into a folder called rules."""
    planted = project / (folder or "rules")
    (planted / "sub").mkdir(parents=True)
    for name in ("train.py", "sub/other.py"):
        (planted / name).write_text(f"open({str(project / 'ran')!r}, 'a')\n")
    run = caffelint("new-rule", "my-rule", *([folder] if folder else []))
    assert run.status == 0
    assert "train.py" in run.out
    assert run.out.endswith("caffelint trust\n")
    assert "plugins is not honoured" in caffelint("check", ".").err
    run = caffelint("new-rule", "another-rule", *([folder] if folder else []), "--code", "U002")
    assert (run.status, "\nto run it: caffelint trust " in run.out) == (0, True)
    assert "plugins is not honoured" in caffelint("check", ".").err
    assert not (project / "ran").exists()


def test_a_second_rule_gets_the_next_code(caffelint: Any, project: Path) -> None:
    for name in ("no-dropout", "no-dropout2"):
        assert caffelint("new-rule", name).status == 0
    assert 'code = "U002"' in (project / "rules" / "no_dropout2.py").read_text()
    assert caffelint("check", ".").status != 2
    run = caffelint("new-rule", "no-dropout3", "--code", "U001")
    assert (run.status, "code U001 is already used by rules/no_dropout.py" in run.err) == (2, True)
    rule = (project / "rules" / "no_dropout2.py").read_text()
    (project / "rules" / "no_dropout2.py").write_text(rule.replace("U002", "U001"))
    caffelint("trust")
    said = "rules/no_dropout.py; change code in no_dropout2.py"
    assert said in caffelint("check", ".").err


def test_settings_here_and_a_folder_elsewhere(caffelint: Any, project: Path) -> None:
    (project / "caffelint.toml").write_text('fail-on = "never"\n')
    (project.parent / "elsewhere").mkdir()
    run = caffelint("new-rule", "my-rule", "../elsewhere")
    assert (run.status, run.err) == (0, "")
    assert 'add "../elsewhere" to plugins in' in run.out
    assert (project / "caffelint.toml").read_text() == 'fail-on = "never"\n'
