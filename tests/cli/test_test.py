"""`caffelint test`: runs the examples of somebody's rules."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

import pytest


def test_test_tells_what_fails(caffelint: Any, project: Path) -> None:
    caffelint("new-rule", "my-failing-rule", ".", "--kind", "solver")
    path = project / "my_failing_rule.py"
    path.write_text(path.read_text("utf-8").replace('span="snapshot: 1000"', 'span="snapshot: 100"'), "utf-8")
    run = caffelint("test", ".")
    assert run.status == 1
    assert run.out.startswith("FAIL U001 my-failing-rule\n     INVALID[0]: wanted")
    assert run.out.endswith("1 rule, 1 failed\n")


def test_test_runs_rules_of_a_package(caffelint: Any, project: Path) -> None:
    folder = project / "my_pack" / "inner"
    folder.mkdir(parents=True)
    for place in (folder, folder.parent):
        (place / "__init__.py").write_text("", "utf-8")
    caffelint("new-rule", "my-packed-rule", folder)
    (folder / "helper.py").write_text("LIMIT = 0.9\n", "utf-8")
    path = folder / "my_packed_rule.py"
    path.write_text(
        "from my_pack.inner.helper import LIMIT\n"
        + path.read_text("utf-8").replace("from __future__ import annotations\n", "").replace("> 0.9", "> LIMIT"),
        "utf-8",
    )
    run = caffelint("test", "my_pack")
    assert (run.status, run.out) == (0, "ok   U001 my-packed-rule (1 valid, 1 invalid)\n1 rule, none failed\n")


def test_test_runs_nothing_above_what_was_named(caffelint: Any, project: Path) -> None:
    folder = project / "my_rules"
    folder.mkdir()
    caffelint("new-rule", "my-rule", folder)
    for planted in (project / "planted_beside.py", folder / "__init__.py"):
        planted.write_text(f"open({str(project / 'ran')!r}, 'a')\n", "utf-8")
    assert caffelint("test", "my_rules/my_rule.py").status == 0
    assert not (project / "ran").exists()
    (folder / "my_other.py").write_text("import planted_beside\n", "utf-8")
    assert "ModuleNotFoundError" in caffelint("test", "my_rules/my_other.py").err
    (folder / "__init__.py").write_text("", "utf-8")
    assert "ModuleNotFoundError" in caffelint("test", "my_rules").err
    assert not (project / "ran").exists()


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("x = 1\n", "no rule in rule.py"),
        ("import gone_module\n", "rule.py: cannot be imported: ModuleNotFoundError"),
        ("exit(0)", "imported: SystemExit"),
    ],
)
def test_test_refuses(caffelint: Any, project: Path, text: str, line: str) -> None:
    (project / "rule.py").write_text(text, "utf-8")
    run = caffelint("test", "rule.py")
    sys.modules.pop("rule", None)
    assert run.status == 2
    assert line in run.err
    assert "gone.py: no such file or folder" in caffelint("test", "gone.py").err


@pytest.mark.parametrize("name", ["json", "my-rule", "rule.v2"])
def test_test_runs_the_file_it_was_given_whatever_its_name(caffelint: Any, project: Path, name: str) -> None:
    for number, folder in enumerate(("a", "b")):
        (project / folder).mkdir()
        caffelint("new-rule", "my-rule", folder, "--code", f"U00{number}")
        (project / folder / "my_rule.py").rename(project / folder / f"{name}.py")
    run = caffelint("test", "a", "b")
    assert (run.status, [line.split()[1] for line in run.out.splitlines()[:2]]) == (0, ["U000", "U001"])


@pytest.mark.parametrize(
    ("slip", "line"),
    [
        ("1 / 0", "VALID[0]: caffelint failed in my_rule.py:"),
        ("self.INVALID[0].spam", "AttributeError"),
        ("raise SystemExit(0)", "VALID[0]: SystemExit: 0"),
    ],
)
def test_test_of_a_rule_that_raises(caffelint: Any, project: Path, slip: str, line: str) -> None:
    caffelint("new-rule", "my-rule", ".")
    path = project / "my_rule.py"
    path.write_text(re.sub(r"(def check.*)", rf"\1\n        {slip}", path.read_text("utf-8")), "utf-8")
    run = caffelint("test", "my_rule.py")
    assert (run.status, run.err) == (1, "")
    assert line in run.out


@pytest.mark.parametrize("raised", ["BaseException('a')", "type('E', (Exception,), {'__str__': lambda self: 1 / 0})()"])
def test_test_of_a_module_that_raises_whatever(caffelint: Any, project: Path, raised: str) -> None:
    (project / "my_rule.py").write_text(f"raise {raised}\n", "utf-8")
    run = caffelint("test", "my_rule.py")
    assert run.status == 2
    assert "my_rule.py: cannot be imported: " in run.err


def test_test_of_an_example_that_is_none(caffelint: Any, project: Path) -> None:
    caffelint("new-rule", "my-rule", ".")
    path = project / "my_rule.py"
    path.write_text(path.read_text("utf-8").replace('span="dropout_ratio: 0.95"', "span=()"), "utf-8")
    run = caffelint("test", "my_rule.py")
    assert (run.status, run.err) == (1, "")
    assert "INVALID[0]: it has 0 spans and 1 messages" in run.out


def test_test_of_examples_that_are_no_list(caffelint: Any, project: Path) -> None:
    caffelint("new-rule", "my-rule", ".")
    path = project / "my_rule.py"
    path.write_text(re.sub(r"    VALID = ", "    VALID = 5 or ", path.read_text("utf-8"), count=1), "utf-8")
    run = caffelint("test", "my_rule.py")
    assert (run.status, run.err) == (1, "")
    assert "VALID and INVALID are lists of examples" in run.out
