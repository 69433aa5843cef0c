"""The commands other than check."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from caffelint.cli.group import COMMANDS
from caffelint.lint.registry import all_rules


def validate(value: Any, schema: Path) -> None:
    import jsonschema

    jsonschema.validate(value, json.loads(schema.read_text("utf-8")))


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_help_and_stays_small(caffelint: Any, root: Path, name: str) -> None:
    run = caffelint(name, "--help")
    assert (run.status, run.err) == (0, "")
    assert run.out.startswith(f"Usage: caffelint {name}")
    source = (root / f"caffelint/cli/{name.replace('-', '_')}.py").read_text("utf-8")
    assert source.count("\n") <= 150


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
    assert (run.status, run.err) == (2, "caffelint: no such command chek; did you mean check?\n")
    run = caffelint("solver.prototxt")
    assert run.err == "caffelint: no such command solver.prototxt; did you mean caffelint check solver.prototxt?\n"


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
    assert done.stdout.splitlines()[1] == "['caffelint.cli.main', 'caffelint.cli.group']"


@pytest.mark.parametrize("name", ["S101", "s101", "poly-without-max-iter", "Poly-Without-Max-Iter"])
def test_explain(caffelint: Any, name: str) -> None:
    run = caffelint("explain", name)
    assert run.status == 0
    assert run.out.startswith("S101 poly-without-max-iter  error, certain")
    assert "\nWhy is this bad?\n" in run.out
    assert "\n    base_lr: 0.01" in run.out
    assert "```" not in run.out
    assert "# caffelint: ignore[poly-without-max-iter]" in run.out


def test_explain_suggests(caffelint: Any) -> None:
    run = caffelint("explain", "poly-without-maxiter")
    assert run.status == 2
    assert run.err == "caffelint: no such rule poly-without-maxiter; did you mean poly-without-max-iter?\n"


@pytest.mark.parametrize("info", all_rules(), ids=lambda info: info.name)
def test_every_rule_can_be_explained(caffelint: Any, info: Any) -> None:
    run = caffelint("explain", info.name)
    assert run.status == 0
    assert info.code in run.out


def test_rules(caffelint: Any, root: Path) -> None:
    run = caffelint("rules", "--format", "json")
    value = json.loads(run.out)
    validate(value, root / "docs/schema/rules.schema.json")
    assert [rule["code"] for rule in value["rules"]] == [info.code for info in all_rules()]
    table = caffelint("rules").out
    assert all(f"{info.code:<5} {info.name} " in table for info in all_rules())


def test_rules_of_a_family(caffelint: Any) -> None:
    for name in ("S", "s", "solver"):
        rules = json.loads(caffelint("rules", "--family", name, "--format", "json").out)["rules"]
        assert rules
        assert all(rule["code"].startswith("S") for rule in rules)
    assert "did you mean solver?" in caffelint("rules", "--family", "sovler").err


def test_dialects(caffelint: Any, root: Path) -> None:
    value = json.loads(caffelint("dialects", "--format", "json").out)
    validate(value, root / "docs/schema/dialects.schema.json")
    names = [dialect["name"] for dialect in value["dialects"]]
    assert names[0] == "bvlc"
    table = caffelint("dialects").out.splitlines()
    assert [line.split()[0] for line in table[1 : len(names) + 1]] == names
    ssd = next(line for line in table if line.startswith("ssd "))
    assert ssd.split()[1:4] == ["weiliu89/caffe", "layer", "SSD:"]
    for name in ("bvlc", names[-1]):
        assert caffelint("check", "--dialect", name, "net.prototxt").status in (0, 1)
    assert "caffelint dialects" in caffelint("check", "--dialect", "keras", "net.prototxt").err


def test_config(caffelint: Any, project: Path, root: Path) -> None:
    (project / "caffelint.toml").write_text('fail-on = "warning"\nper-file-ignores = { "a/*" = ["S101"] }\n', "utf-8")
    value = json.loads(caffelint("config", "--format", "json").out)
    validate(value, root / "docs/schema/config.schema.json")
    assert value["settings"]["fail-on"] == {"value": "warning", "source": str(project / "caffelint.toml")}
    assert value["settings"]["jobs"] == {"value": 0, "source": "default"}
    text = caffelint("config").out
    assert 'fail-on          = "warning"' in text
    assert 'per-file-ignores = {"a/*" = ["S101"]}' in text


@pytest.mark.parametrize("kind", ["solver", "layer", "net", "project", "text"])
def test_a_new_rule_works_as_it_is(caffelint: Any, project: Path, root: Path, kind: str) -> None:
    run = caffelint("new-rule", f"my-{kind}-rule", "--kind", kind)
    path = project / f"my_{kind}_rule.py"
    assert (run.status, run.out) == (0, f"wrote {path.name}; caffelint test {path.name} runs its examples\n")
    run = caffelint("test", path.name)
    assert (run.status, run.out) == (0, f"ok   U001 my-{kind}-rule (1 valid, 1 invalid)\n1 rule, none failed\n")
    style = [sys.executable, "-m", "ruff", "check", "--config", str(root / "pyproject.toml"), str(path)]
    if (done := subprocess.run(style, capture_output=True, text=True, check=False)).returncode:
        assert "No module named ruff" in done.stderr, done.stdout


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (["My-Rule"], "a rule's name is lower case words with hyphens"),
        (["my-rule", "gone"], "gone: no such folder"),
        (["my-rule", "--kind", "layr"], "no such kind layr; did you mean layer?"),
        (["my-rule", "--code", "x1"], "a rule's code is capital letters and three digits"),
        (["my-rule", "--code", "S101"], "there is a rule S101 poly-without-max-iter already"),
        (["poly-without-max-iter"], "there is a rule S101 poly-without-max-iter already"),
    ],
)
def test_new_rule_refuses(caffelint: Any, project: Path, arguments: list[str], line: str) -> None:
    run = caffelint("new-rule", *arguments)
    assert run.status == 2
    assert line in run.err
    assert list(project.glob("*.py")) == []


def test_new_rule_never_overwrites(caffelint: Any, project: Path) -> None:
    (project / "my_rule.py").write_text("mine", "utf-8")
    run = caffelint("new-rule", "my-rule")
    assert (run.status, run.err.startswith("caffelint: my_rule.py: is there already")) == (2, True)
    assert (project / "my_rule.py").read_text("utf-8") == "mine"


def test_test_tells_what_fails(caffelint: Any, project: Path) -> None:
    caffelint("new-rule", "my-failing-rule", "--kind", "solver")
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
    ],
)
def test_test_of_a_rule_that_raises(caffelint: Any, project: Path, slip: str, line: str) -> None:
    caffelint("new-rule", "my-rule")
    path = project / "my_rule.py"
    path.write_text(re.sub(r"(def check.*)", rf"\1\n        {slip}", path.read_text("utf-8")), "utf-8")
    run = caffelint("test", "my_rule.py")
    assert (run.status, run.err) == (1, "")
    assert line in run.out


def test_test_of_an_example_that_is_none(caffelint: Any, project: Path) -> None:
    caffelint("new-rule", "my-rule")
    path = project / "my_rule.py"
    path.write_text(path.read_text("utf-8").replace('span="dropout_ratio: 0.95"', "span=()"), "utf-8")
    run = caffelint("test", "my_rule.py")
    assert (run.status, run.err) == (1, "")
    assert "INVALID[0]: it has 0 spans and 1 messages" in run.out


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion(caffelint: Any, shell: str) -> None:
    run = caffelint("completion", shell)
    assert run.status == 0
    assert "_CAFFELINT_COMPLETE" in run.out


@pytest.mark.parametrize(
    ("words", "wanted"),
    [
        ("caffelint ex", "explain"),
        ("caffelint check --select poly-wi", "poly-without-max-iter"),
        ("caffelint check --select S102,poly-wi", "S102,poly-without-max-iter"),
        ("caffelint check --format sa", "sarif"),
        ("caffelint check --dialect nvc", "nvcaffe"),
        ("caffelint explain poly-wi", "poly-without-max-iter"),
    ],
)
def test_completing(caffelint: Any, monkeypatch: pytest.MonkeyPatch, words: str, wanted: str) -> None:
    monkeypatch.setenv("_CAFFELINT_COMPLETE", "bash_complete")
    monkeypatch.setenv("COMP_WORDS", words)
    monkeypatch.setenv("COMP_CWORD", str(len(words.split()) - 1))
    assert f"plain,{wanted}" in caffelint().out.splitlines()
