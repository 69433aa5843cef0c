"""A checkout's own settings choose nothing that runs, until the user trusts them as they are."""

from __future__ import annotations

import os
import py_compile
import sys
import time
from collections.abc import Iterator, Mapping
from importlib.util import cache_from_source
from pathlib import Path

import pytest

from caffelint import check
from caffelint.cli.main import main
from caffelint.lint import config as module
from caffelint.lint import read, registry, trust
from caffelint.lint.config import Config, load_config

from .conftest import Caffelint

RULE = """from caffelint.lint import Finding, Invalid, Solver, SolverRule
open({mark!r}, "a").write("ran")
class NoMomentum(SolverRule):
    \"\"\"A solver without momentum.

    ## Why is this bad?
    Here it is a house rule.
    \"\"\"
    code = "U101"
    name = "no-momentum"
    VALID = ["momentum: 0.9 base_lr: 0.1"]
    INVALID = [Invalid("base_lr: 0.1", span="base_lr: 0.1", message="no momentum")]
    def check(self, solver):
        if not solver.has("momentum"):
            yield self.finding(solver.at("base_lr"), "no momentum")
"""


@pytest.fixture(autouse=True)
def _home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    yield
    registry.use_plugins([])


@pytest.fixture
def mark(tmp_path: Path) -> Path:
    return tmp_path / "ran"


@pytest.fixture
def plugged(project: Path, mark: Path) -> Path:
    """The project with a rule in a folder, named by its settings."""
    (project / "my_rules").mkdir()
    (project / "my_rules" / "no_momentum.py").write_text(RULE.format(mark=str(mark)))
    (project / "caffelint.toml").write_text('plugins = ["my_rules"]\n')
    return project


def test_plugins_are_run_where_they_are_trusted(plugged: Path, mark: Path, caffelint: Caffelint) -> None:
    run = caffelint("check", ".")
    assert "no-momentum" not in run.out
    assert run.err.count("\n") == 1
    assert "plugins is not honoured" in run.err
    assert "--config" in run.err
    assert "caffelint trust" in run.err
    for command in (
        ["summary", "."],
        ["upgrade", "."],
        ["config"],
        ["rules"],
        ["test", "-q"],
        ["lr", "solver.prototxt"],
    ):
        caffelint(*command)
        assert not mark.exists(), command
    assert caffelint("trust").status == 0
    assert not mark.exists()
    run = caffelint("check", ".")
    assert "solver.prototxt:2:1: error: no momentum [U101 no-momentum]" in run.out or "no-momentum" in run.out
    assert run.err == ""
    assert mark.exists()
    assert "no-momentum" in caffelint("test").out


@pytest.mark.parametrize("change", ["rule", "settings", "another"])
def test_what_changed_is_trusted_no_more(plugged: Path, mark: Path, caffelint: Caffelint, change: str) -> None:
    caffelint("trust")
    path = {"rule": "my_rules/no_momentum.py", "settings": "caffelint.toml", "another": "my_rules/other.py"}[change]
    with (plugged / path).open("a") as file:
        file.write("# changed\n")
    run = caffelint("check", ".")
    assert "plugins is not honoured" in run.err
    assert not mark.exists()


@pytest.mark.parametrize("command", ["'./my tools/run.sh'", "./my\\\\ tools/run.sh", "env ./app"])
def test_a_program_is_trusted_however_it_is_quoted(
    project: Path, caffelint: Caffelint, tmp_path: Path, command: str
) -> None:
    (project / "my tools").mkdir()
    (project / "app").mkdir()
    programs = [project / "my tools" / "run.sh", project / "app" / "__main__.py"]
    for path in programs:
        path.write_text("#!/bin/sh\n")
        path.chmod(0o755)
    (project / "caffelint.toml").write_text(f'caffe-python = "{command}"\n')
    assert caffelint("trust").status == 0
    assert "not honoured" not in caffelint("env").err
    for path in programs:
        path.write_text("#!/bin/sh\necho changed\n")
    assert "caffe-python is not honoured" in caffelint("env").err


def test_what_is_too_large_to_read_is_not_trusted(
    plugged: Path, mark: Path, caffelint: Caffelint, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By its name alone it would still be trusted after its code was replaced."""
    monkeypatch.setattr(read, "_LARGEST", 5000)
    rule = plugged / "my_rules" / "no_momentum.py"
    text = rule.read_text()
    rule.write_text(text + "#" * 5000)
    run = caffelint("trust")
    assert (run.status, "no_momentum.py: the file is larger than" in run.err) == (2, True)
    rule.write_text(text)
    assert caffelint("trust").status == 0
    rule.write_text(text + "#" * 5000)
    assert "plugins is not honoured" in caffelint("check", ".").err
    assert not mark.exists()
    assert caffelint("check", ".", "--config", "caffelint.toml").status == 2


@pytest.mark.parametrize("change", ["rule", "neighbour", "settings", "new"])
def test_what_was_trusted_is_what_runs(
    plugged: Path, mark: Path, caffelint: Caffelint, monkeypatch: pytest.MonkeyPatch, change: str
) -> None:
    """Somebody who writes there meanwhile changes a file between the look at it and its use."""
    rule, neighbour = plugged / "my_rules" / "no_momentum.py", plugged / "my_rules" / "_shared.py"
    neighbour.write_text("")
    rule.write_text("from ._shared import *\n" + rule.read_text())
    caffelint("trust")
    planted = mark.with_name("planted")
    code = f"open({str(planted)!r}, 'a')\n"
    is_trusted = trust.is_trusted

    def then_changed(contents: Mapping[str, bytes]) -> bool:
        found = is_trusted(contents)
        {"rule": rule, "neighbour": neighbour, "new": rule.with_name("a.py")}.get(change, neighbour).write_text(code)
        if change == "settings":
            (plugged / "caffelint.toml").write_text('plugins = ["my_rules", "my_rules/_shared.py"]')
        return found

    monkeypatch.setattr(trust, "is_trusted", then_changed)
    assert "no-momentum" in caffelint("check", ".").out
    assert mark.exists()
    assert not planted.exists()


def test_compiled_code_beside_a_plugin_is_not_run(plugged: Path, mark: Path, caffelint: Caffelint) -> None:
    """What Python would take for the compiled form of a trusted rule, and a stranger put there."""
    caffelint("trust", ".")
    planted, rule = mark.with_name("planted"), plugged / "my_rules" / "no_momentum.py"
    source = plugged / "other.py"
    source.write_text(f"open({str(planted)!r}, 'w')")
    py_compile.compile(
        str(source), cache_from_source(str(rule)), invalidation_mode=py_compile.PycInvalidationMode.UNCHECKED_HASH
    )
    assert "no-momentum" in caffelint("check", ".").out
    assert mark.exists()
    assert not planted.exists()


@pytest.mark.usefixtures("torch_not_asked")
def test_trust_is_of_the_program_too(project: Path, mark: Path, caffelint: Caffelint) -> None:
    """`caffe-python` may name a file of the checkout, which another commit may change."""
    program = project / "python"
    program.write_text(f"#!/bin/sh\necho ran >> {mark}\n")
    program.chmod(0o755)
    (project / "caffelint.toml").write_text('caffe-python = "./python"\n')
    caffelint("trust", ".")
    caffelint("env")
    assert mark.exists()
    mark.unlink()
    program.write_text(f"#!/bin/sh\necho again >> {mark}\n")
    assert "caffelint trust" in caffelint("env").err
    assert not mark.exists()


@pytest.mark.usefixtures("torch_not_asked")
def test_a_bare_name_is_a_program_on_path(
    project: Path, mark: Path, tmp_path: Path, caffelint: Caffelint, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file of that name beside the settings is not run, whoever put it there."""
    programs = tmp_path / "programs"
    programs.mkdir()
    for folder, says in ((project, "checkout"), (programs, "path")):
        program = folder / "my-caffe-python"
        program.write_text(f"#!/bin/sh\necho {says} >> {mark}\n")
        program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{programs}{os.pathsep}{os.environ['PATH']}")
    (project / "caffelint.toml").write_text('caffe-python = "my-caffe-python"\n')
    caffelint("trust", ".")
    caffelint("env")
    assert set(mark.read_text().split()) == {"path"}


def test_trust_is_of_a_place(plugged: Path, mark: Path, caffelint: Caffelint, monkeypatch: pytest.MonkeyPatch) -> None:
    caffelint("trust")
    other = plugged.parent / "other"
    plugged.rename(other)
    plugged.mkdir()
    monkeypatch.chdir(other)
    assert "plugins is not honoured" in caffelint("check", ".").err
    assert not mark.exists()


def test_listed_and_removed(plugged: Path, mark: Path, caffelint: Caffelint) -> None:
    assert caffelint("trust", "--list").out == ""
    caffelint("trust", plugged)
    assert caffelint("trust", "--list").out == f"{os.path.realpath(plugged)}\n"
    assert caffelint("trust", "--remove").status == 0
    assert caffelint("trust", "--remove").status == 1
    assert "plugins is not honoured" in caffelint("check", ".").err
    assert not mark.exists()
    assert caffelint("trust", plugged.parent / "nowhere").status == 2


def test_settings_that_the_user_names(plugged: Path, mark: Path, caffelint: Caffelint) -> None:
    run = caffelint("check", ".", "--config", "caffelint.toml")
    assert "no-momentum" in run.out
    assert run.err == ""


def test_the_user_s_own_settings(plugged: Path, caffelint: Caffelint) -> None:
    own = plugged.parent / "config" / "caffelint" / "caffelint.toml"
    own.parent.mkdir(parents=True)
    own.write_text(f'plugins = ["{plugged / "my_rules"}"]\ncaffe-python = "python-of-mine"\nfail-on = "never"\n')
    (plugged / "caffelint.toml").write_text('caffe-python = "sh -c id"\nplugins = []\nfail-on = "info"\n')
    config = load_config(plugged)
    assert (config.caffe_python, config.fail_on) == ("python-of-mine", "info")
    assert "no-momentum" in caffelint("check", ".").out
    assert load_config(plugged, isolated=True).sources == {}


def test_isolated_reads_nothing(plugged: Path, caffelint: Caffelint) -> None:
    (plugged / "caffelint.toml").write_text("selct = 1\n")
    assert caffelint("check", ".").status == 2
    run = caffelint("check", ".", "--isolated")
    assert (run.status, run.err) == (1, "")
    assert caffelint("check", ".", "--isolated", "--config", "caffelint.toml").status == 2


@pytest.mark.usefixtures("torch_not_asked")
@pytest.mark.parametrize("command", [["smoke", "solver.prototxt"], ["env"]])
def test_a_checkout_names_no_command(project: Path, mark: Path, caffelint: Caffelint, command: list[str]) -> None:
    for text in (f'caffe-python = "sh -c \\"touch {mark}\\""\n', 'extend = "base.toml"\n'):
        (project / "base.toml").write_text(f'caffe-python = "touch {mark}"\n')
        (project / "caffelint.toml").write_text(text)
        run = caffelint(*command)
        assert not mark.exists()
        assert "caffe-python is not honoured" in run.err
        assert "--caffe-python" in run.err
        assert "caffelint trust" in run.err


@pytest.mark.parametrize(
    "setting",
    ['roots = ["/"]', 'roots = [".."]', 'baseline = "../b.json"', 'baseline = "/b"', 'baseline = ".git/b.json"'],
)
def test_what_leads_out_is_not_honoured(project: Path, caffelint: Caffelint, setting: str) -> None:
    (project / ".git").mkdir()
    (project / "caffelint.toml").write_text(setting + "\n")
    run = caffelint("check", ".")
    assert run.status == 1
    assert "leads out of the checkout" in run.err
    caffelint("check", ".", "--write-baseline")
    assert not (project.parent / "b.json").exists()
    assert not (project / ".git" / "b.json").exists()
    config = load_config(project)
    assert (config.roots, config.baseline) == ([], None)


def test_extend_does_not_lead_out(project: Path, caffelint: Caffelint) -> None:
    """An unknown key would be quoted."""
    (project / ".git").mkdir()
    (project.parent / "secret.toml").write_text("hunter2 = 1\n")
    (project / "caffelint.toml").write_text('extend = "../secret.toml"\n')
    run = caffelint("check", ".")
    assert run.status == 2
    assert "hunter2" not in run.err
    assert "is outside the checkout" in run.err


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="files have owners on POSIX alone")
def test_settings_of_another_user(project: Path, caffelint: Caffelint, monkeypatch: pytest.MonkeyPatch) -> None:
    (project / "caffelint.toml").write_text('fail-on = "never"\n')
    monkeypatch.setattr(module.os, "geteuid", lambda: 12345)
    if os.stat("caffelint.toml").st_uid == 0:
        assert caffelint("check", ".").status == 0  # root may do all anyway
        os.chown("caffelint.toml", 54321, -1)
    run = caffelint("check", ".")
    assert run.status == 2
    assert "belongs to another user" in run.err
    assert run.err.count("\n") == 1
    assert caffelint("check", ".", "--isolated").status == 1
    assert caffelint("check", ".", "--config", "caffelint.toml").status == 0
    assert caffelint("trust").status == 0
    assert caffelint("check", ".").status == 0
    with open("caffelint.toml", "a") as file:
        file.write('ignore = ["unknown-field"]\n')
    assert caffelint("check", ".").status == 2


@pytest.mark.skipif(os.name != "posix" or os.geteuid() != 0, reason="gives a file away, which root alone may")
def test_settings_that_extend_those_of_another_user(project: Path, caffelint: Caffelint) -> None:
    (project / "other.toml").write_text('fail-on = "never"\n')
    (project / "caffelint.toml").write_text('extend = "other.toml"\n')
    assert caffelint("check", ".").status == 0
    os.chown("other.toml", 54321, -1)
    run = caffelint("check", ".")
    assert run.status == 2
    assert f"{project / 'other.toml'}: belongs to another user" in run.err
    assert caffelint("check", ".", "--config", "caffelint.toml").status == 0
    assert caffelint("trust").status == 0
    assert caffelint("check", ".").status == 0


def test_new_rule_then_check(project: Path, caffelint: Caffelint) -> None:
    (project / "my_rules").mkdir()
    assert caffelint("new-rule", "first-of-mine", "my_rules", "--kind", "solver").status == 0
    assert caffelint("check", ".", "--select", "first-of-mine").err == ""
    run = caffelint("new-rule", "second-of-mine", "my_rules", "--kind", "solver", "--code", "U002")
    assert run.status == 0
    run = caffelint("check", ".", "--select", "first-of-mine,second-of-mine")
    assert run.status in (0, 1)
    assert run.err == ""
    assert caffelint("test", "-q").status == 0


def test_a_plugin_that_cannot_be_loaded(plugged: Path, caffelint: Caffelint) -> None:
    taken = RULE.replace("U101", "S101").format(mark="/dev/null")
    for text in ("raise SystemExit(0)", "import nothing_such", "def", taken):
        (plugged / "my_rules" / "no_momentum.py").write_text(text)
        caffelint("trust")
        run = caffelint("check", ".")
        assert run.status == 2
        assert "no_momentum.py" in run.err
        assert run.err.count("\n") == 1
    assert not any("my_rules" in path for path in sys.path)


def test_plugins_of_one_call_are_not_those_of_the_next(plugged: Path) -> None:
    config = Config()
    config.plugins = ["my_rules"]
    assert "no-momentum" in {finding.name for finding in check(["."], config).findings}
    assert "no-momentum" not in {finding.name for finding in check(["."], Config()).findings}


@pytest.mark.skipif(os.name != "posix" or os.geteuid() != 0, reason="gives a file away, which root alone may")
def test_own_settings_and_trust_of_another_user(
    plugged: Path, mark: Path, tmp_path: Path, caffelint: Caffelint, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert caffelint("trust").status == 0
    os.chown(trust.store(), 54321, -1)
    assert "plugins is not honoured" in caffelint("check", ".").err
    assert not mark.exists()
    run = caffelint("trust")
    assert run.status == 2
    assert run.err.count("\n") == 1
    assert "belongs to another user (uid 54321)" in run.err
    own = tmp_path / "config" / "caffelint" / "caffelint.toml"
    own.parent.mkdir(parents=True)
    own.write_text(f'plugins = ["{plugged / "my_rules"}"]\n')
    os.chown(own, 54321, -1)
    run = caffelint("check", ".")
    assert (run.status, run.err.count("\n")) == (2, 1)
    assert f"{own}: belongs to another user" in run.err
    shared = own.rename(tmp_path / "shared.toml")
    own.write_text(f'extend = "{shared}"\n')
    run = caffelint("check", ".")
    assert (run.status, run.err.count("\n")) == (2, 1)
    assert f"{shared}: belongs to another user" in run.err
    assert not mark.exists()


@pytest.mark.parametrize(
    "variables", [{"XDG_CONFIG_HOME": "own", "XDG_DATA_HOME": "own"}, {"HOME": "own"}, {"HOME": "."}]
)
def test_no_folder_of_the_user_is_a_relative_one(
    plugged: Path, mark: Path, caffelint: Caffelint, monkeypatch: pytest.MonkeyPatch, variables: Mapping[str, str]
) -> None:
    plain = '{"version": 1, "folders": {%s: %s}}'
    contents, _ = module.chain_of(plugged / "caffelint.toml")
    known = plain % (f'"{plugged}"', f'"{trust.digest(contents)}"')
    for folder in ("own", "own/.local/share", "own/.config", ".local/share", ".config"):
        (plugged / folder / "caffelint").mkdir(parents=True)
        (plugged / folder / "caffelint" / "trusted.json").write_text(known)
        (plugged / folder / "caffelint" / "caffelint.toml").write_text(
            'plugins = ["../../my_rules", "../../../my_rules"]\n'
        )
    if "HOME" in variables:
        monkeypatch.delenv("XDG_CONFIG_HOME")
        monkeypatch.delenv("XDG_DATA_HOME")
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    run = caffelint("check", ".", "--no-cache")
    assert "plugins is not honoured" in run.err
    assert not mark.exists()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="locks of POSIX")
def test_what_is_trusted_and_forgotten_at_once_is_both_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first, second = ({str(tmp_path / name / "caffelint.toml"): b""} for name in ("first", "second"))
    trust.trust(first)
    reading, writing = os.pipe()
    really = trust._write

    def slowly(folders: dict[str, str]) -> None:
        os.write(writing, b"!")
        time.sleep(0.5)
        really(folders)

    child = os.fork()
    if child == 0:
        trust._write = slowly
        trust.forget(str(tmp_path / "first"))
        os._exit(0)
    os.read(reading, 1)
    trust.trust(second)
    os.waitpid(child, 0)
    assert list(trust.trusted()) == [str(tmp_path / "second")]


@pytest.mark.parametrize("damaged", ["", "nonsense", '{"version": 9}', '{"version": 1, "folders": [1]}'])
def test_a_damaged_list_is_told_and_kept(tmp_path: Path, damaged: str) -> None:
    trust.trust({str(tmp_path / "caffelint.toml"): b""})
    trust.store().write_text(damaged)
    assert trust.trusted() == {}
    for change in (lambda: trust.trust({str(tmp_path / "a" / "caffelint.toml"): b""}), lambda: trust.forget("a")):
        with pytest.raises(OSError, match="is damaged, or of another version of caffelint; move it away"):
            change()
    assert trust.store().read_text() == damaged


@pytest.mark.parametrize("arguments", [["--list"], ["--remove", "."], ["."]])
def test_nobody_at_home(
    arguments: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("XDG_DATA_HOME")
    monkeypatch.setenv("HOME", "not/absolute")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "caffelint.toml").write_text("")
    assert main(["trust", *arguments]) == 2
    assert capsys.readouterr().err == (
        "caffelint: you have no home folder, where trust is kept; set HOME or XDG_DATA_HOME\n"
    )
