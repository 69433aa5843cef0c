"""Settings: where they are found, how they join, and what is said of wrong ones."""

from __future__ import annotations

from pathlib import Path

import pytest

from caffelint.lint.config import ConfigError, load_config

POLY = "poly-without-max-iter"


def test_nearest_file_wins(tmp_path: Path) -> None:
    (tmp_path / "caffelint.toml").write_text('fail-on = "warning"\n')
    inner = tmp_path / "models"
    inner.mkdir()
    assert load_config(inner).fail_on == "warning"
    (inner / "caffelint.toml").write_text('fail-on = "info"\n')
    assert load_config(inner).fail_on == "info"
    assert load_config(tmp_path).fail_on == "warning"


def test_pyproject_without_a_table_is_passed_over(tmp_path: Path) -> None:
    (tmp_path / "setup.cfg").write_text(
        f"[caffelint]\nignore = {POLY}, S1\njobs = 3\n[caffelint:severity]\n{POLY} = info\n"
    )
    inner = tmp_path / "inner"
    inner.mkdir()
    (inner / "pyproject.toml").write_text('[project]\nname = "caffelint-user"\n')
    config = load_config(inner)
    assert config.ignore == [POLY, "S1"]
    assert config.jobs == 3
    assert config.severity == {POLY: "info"}
    assert config.sources["ignore"] == str(tmp_path / "setup.cfg")


def test_extend(tmp_path: Path) -> None:
    (tmp_path / "base.toml").write_text(f'fail-on = "info"\nselect = ["S"]\n[severity]\n{POLY} = "warning"\n')
    (tmp_path / "caffelint.toml").write_text('extend = "base.toml"\nselect = ["P"]\n[severity]\nS102 = "info"\n')
    config = load_config(tmp_path)
    assert (config.fail_on, config.select) == ("info", ["P"])
    assert config.severity == {POLY: "warning", "S102": "info"}


def test_paths_are_relative_to_their_file(tmp_path: Path) -> None:
    (tmp_path / "caffelint.toml").write_text('roots = ["caffe"]\nbaseline = "known.json"\n')
    config = load_config(tmp_path)
    assert config.roots == [str(tmp_path / "caffe")]
    assert config.baseline == str(tmp_path / "known.json")


def test_only_a_path_to_the_program_is_relative_to_its_file(tmp_path: Path) -> None:
    (tmp_path / "python3").touch()
    settings = tmp_path / "caffelint.toml"
    settings.write_text('caffe-python = "python3"\n')
    assert load_config(tmp_path, settings).caffe_python == "python3"
    settings.write_text('caffe-python = "./python3 -s run.py python3"\n')
    assert load_config(tmp_path, settings).caffe_python == f"{tmp_path / 'python3'} -s run.py python3"


def test_command_line_wins(tmp_path: Path) -> None:
    (tmp_path / "caffelint.toml").write_text('fail-on = "warning"\n')
    config = load_config(tmp_path, overrides={"fail_on": "never", "jobs": None})
    assert config.fail_on == "never"
    assert config.sources["fail_on"] == "the command line"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('selct = ["S"]', "unknown setting selct; did you mean select?"),
        ("select = 3", "select is 3; it takes a list"),
        ("jobs = true", "jobs is True; it takes a whole number"),
        ('select = ["poly-without-maxiter"]', f'"poly-without-maxiter" in select; did you mean {POLY}?'),
        ('fail-on = "errors"', "fail-on is 'errors'; it takes one of error, warning, info, never"),
        (f'[severity]\n{POLY} = "fatal"', "is 'fatal'; it takes one of error, warning, info"),
        (f"[rules.{POLY}]\nlimit = 3", f"{POLY} has no option limit"),
        ('extend = "caffelint.toml"', "extends itself"),
        ('extend = "nowhere.toml"', "extend names nowhere.toml, which does not exist"),
        ('dialect = "bvcl"', "bvlc"),
        ("select = [", "caffelint.toml: "),
        ("select = " + "[" * 20_000, "is nested too deeply"),
        ("select = [1]", "select is [1]; it takes a list of strings"),
        ("roots = [1]", "roots is [1]; it takes a list of strings"),
        (f"[rules]\n{POLY} = 5", f"rules.{POLY} is 5; it takes a table of options"),
        ('per-file-ignores = {"a" = 5}', "per-file-ignores for a is 5; it takes a list of rules"),
        ('per-file-ignores = {"a" = [5]}', "per-file-ignores for a is [5]; it takes a list of rules"),
        ('per-file-ignores = {"a" = ["S999"]}', '"S999" in per-file-ignores'),
    ],
)
def test_wrong_settings_are_named(tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / "caffelint.toml").write_text(text)
    with pytest.raises(ConfigError) as caught:
        load_config(tmp_path)
    message = str(caught.value)
    assert said in message
    assert "caffelint.toml" in message
    assert "\n" not in message


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[caffelint]\nseverity = x\n[caffelint:severity]\nS101 = info\n", "severity is set to 'x' above"),
        ("[caffelint]\nselect = S101\nselect = S102\n", "setup.cfg: "),
    ],
)
def test_wrong_ini_is_named(tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / "setup.cfg").write_text(text)
    with pytest.raises(ConfigError) as caught:
        load_config(tmp_path)
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


def test_ini_keeps_globs_and_splits_lists(tmp_path: Path) -> None:
    (tmp_path / "setup.cfg").write_text("[caffelint]\nfail-on = info\n[caffelint:per-file-ignores]\nVGG/* = S, L\n")
    config = load_config(tmp_path)
    assert config.fail_on == "info"
    assert config.per_file_ignores == {"VGG/*": ["S", "L"]}


def test_a_file_that_is_not_about_caffelint_is_no_matter(tmp_path: Path) -> None:
    (tmp_path / "setup.cfg").write_bytes("[metadata]\nauthor = Jörg\n".encode("latin-1"))
    (tmp_path / "pyproject.toml").write_text("tool = 5  # caffelint\n")
    assert load_config(tmp_path).sources == {}


def test_pyproject_whose_table_is_none(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text("[tool]\ncaffelint = 5\n")
    with pytest.raises(ConfigError, match="caffelint is 5; it takes a table"):
        load_config(tmp_path)


def test_a_byte_order_mark_is_no_matter(tmp_path: Path) -> None:
    (tmp_path / "caffelint.toml").write_bytes(b'\xef\xbb\xbffail-on = "info"\n')
    assert load_config(tmp_path).fail_on == "info"


def test_missing_explicit_file(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="no such configuration file"):
        load_config(tmp_path, tmp_path / "none.toml")
