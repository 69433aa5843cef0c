"""Settings and baselines as a stranger may write them: one line each, soon, and nothing else."""

from __future__ import annotations

import os
import random
from fnmatch import fnmatchcase
from pathlib import Path

import pytest
from cost import soon

from caffelint.cli.main import main
from caffelint.lint.config import NO_SETTINGS, Config, ConfigError, load_config
from caffelint.lint.discover import matching_globs
from caffelint.lint.engine import _workers
from caffelint.lint.registry import all_rules

SETTINGS = [name.replace("_", "-") for name in vars(Config()) if name not in NO_SETTINGS]
VALUES = [
    "1", "-1", "0", "9" * 4000, "9" * 5000, "0x" + "f" * 9000, "1e999", "-inf", "nan", "true", '""', '"x"', '"\\u0000"',
    '"' + "x" * 100_000 + '"', "[]", "[1]", '["x"]', '["\\u0000"]', "[[]]", "{}", "{a = 1}", '{"" = ""}',
    "{data = 1}", '{data = "0x3"}', '{data = "' + "9" * 5000 + '"}', '{data = "1x"}', "1979-05-27T07:32:00Z",
    '{high-base-lr = 1}', '{high-base-lr = {limit = "x"}}', '{high-base-lr = {limit = nan}}', '{"\\u001b[31m" = "x"}',
    '"\\u001b[31m\\n::error::x"', '["../../.."]', '["' + "../" * 2000 + '"]',
]  # fmt: skip


@pytest.fixture(autouse=True)
def _in_a_project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME"):
        monkeypatch.setenv(name, str(tmp_path / "home"))
    folder = tmp_path / "project"
    folder.mkdir()
    monkeypatch.chdir(folder)
    Path("solver.prototxt").write_text('net: "n" base_lr: 0.1 lr_policy: "fixed" max_iter: 1\n')


def told(capsys: pytest.CaptureFixture[str], *more: str) -> tuple[int, str]:
    with soon():
        status = main(["check", "solver.prototxt", "--no-cache", *more])
    err = capsys.readouterr().err
    assert status in (0, 1, 2), err
    assert "please report" not in err
    assert "Traceback" not in err
    assert err.count("\n") <= 2
    assert "\x1b" not in err
    assert max(map(len, err.split("\n"))) < 2000
    return status, err


@pytest.mark.parametrize("setting", [*SETTINGS, "extend", *NO_SETTINGS, "__class__", "x" * 10_000])
def test_every_setting_of_every_kind(setting: str, capsys: pytest.CaptureFixture[str]) -> None:
    for value in VALUES:
        for name in ("caffelint.toml",):
            Path(name).write_text(f"{setting} = {value}\n")
        status, err = told(capsys)
        assert bool(err) or status in (0, 1)


@pytest.mark.parametrize(
    "data",
    [
        b"\xff\xfe",
        b"\0" * 100,
        b"a" * (2 << 20),
        b"[" * 50_000,
        b"a.b." * 20_000 + b"c = 1",
        b"extend = 'caffelint.toml'",
        b"jobs = 0x" + b"f" * 5000,
        (b"a." * 200 + b"b = 1\n") * 2400,
        b"[x]\n" + b"a" * 30 + b" . 'b'" * 100_000,
        b'[x]\na = """' + b'\\"""' * 200_000,
    ],
)
def test_a_file_that_is_none(data: bytes, capsys: pytest.CaptureFixture[str]) -> None:
    Path("caffelint.toml").write_bytes(data)
    status, err = told(capsys)
    assert status == 2
    assert err.count("\n") == 1
    assert "caffelint.toml" in err


MANY = {
    "select": "select = [" + '"S1", "graph", "S101", ' * 40_000 + "]",
    "different selectors": "select = [" + ", ".join(f'"S{number}"' for number in range(90_000)) + "]",
    "ignore as a text": 'ignore = "' + ",".join(f"S{number}" for number in range(90_000)) + '"',
    "globs": "[per-file-ignores]\n" + "".join(f'"*a{number}?[b]" = ["S1"]\n' for number in range(40_000)),
    "rules of a glob": '[per-file-ignores]\n"*" = "' + ",".join(f"G{number}" for number in range(90_000)) + '"',
    "exclude": "exclude = [" + ", ".join(f'"*a{number}?[b]"' for number in range(60_000)) + "]",
    "severities": "[severity]\n" + "".join(f'S{number} = "info"\n' for number in range(60_000)),
    "shapes": "[input-shape]\n" + "".join(f'a{number} = "1x1"\n' for number in range(60_000)),
    "roots": "roots = [" + ", ".join(f'"{number}"' for number in range(90_000)) + "]",
    "an option": "[rules.source-not-found]\nroots = [" + ", ".join(f'"{number}"' for number in range(90_000)) + "]",
}


@pytest.mark.parametrize("name", MANY)
def test_a_setting_of_many_entries(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    Path("caffelint.toml").write_text(MANY[name])
    status, err = told(capsys)
    assert (status, "entries, more than 1000" in err) == ((2, True) if name != "select" else (status, False))


def test_a_setting_of_as_many_entries_as_may_be(capsys: pytest.CaptureFixture[str]) -> None:
    globs = "".join(f'"*a{number}?[b]*" = ["S1"]\n' for number in range(450))
    select = ", ".join(f'"{info.code}"' for info in all_rules() for _ in range(2))
    Path("caffelint.toml").write_text(f"select = [{select}]\n[per-file-ignores]\n{globs}")
    for number in range(50):
        Path(f"{number}.prototxt").write_text("base_lr: 1")
    with soon():
        assert main(["check", ".", "--no-cache"]) in (0, 1)
    Path("setup.cfg").write_text("[caffelint]\nignore = " + ",".join(f"S{number}" for number in range(90_000)))
    Path("caffelint.toml").unlink()
    capsys.readouterr()
    assert "ignore has 90000 entries" in told(capsys)[1]


def test_many_dots_in_strings_are_right(capsys: pytest.CaptureFixture[str]) -> None:
    needed = ", ".join(f'"package{number}==1.2.3"' for number in range(300))
    text = f"[project]\ndependencies = [{needed}] # {'.' * 300}\n[tool.caffelint]\njobs = 1\n"
    Path("pyproject.toml").write_text(text)
    assert told(capsys)[1] == ""


@pytest.mark.parametrize(
    "line",
    [
        "a" + " " * 60_000 + "b",
        ("a" + " " * 80) * 3000,
        "exclude = a" + " " * 60_000 + "b",
        *("a" + blank * 60_000 + "b" for blank in "\v\f\x1c\x85\u2028"),
        "x\n" * 49_000,
        " x\n" * 49_000,
    ],
    ids=lambda line: repr(line[:8]),
)
def test_lines_of_an_ini_that_hurt(line: str, capsys: pytest.CaptureFixture[str]) -> None:
    Path("setup.cfg").write_text(f"[caffelint]\n{line}\n")
    assert told(capsys)[0] == 2


def test_sections_of_others_are_not_parsed(capsys: pytest.CaptureFixture[str]) -> None:
    others = "[flake8]\n" + "x\n" * 49_000 + "a" + " " * 60_000 + "b\n"
    Path("setup.cfg").write_text(f"{others}[caffelint]\njobs = 1\n{others}")
    assert told(capsys) == (0, "")
    Path("setup.cfg").write_text("[flake8]\nx\n[caffelint]\njobs = 1\njobs = 2\n")
    assert "[line  5]" in told(capsys)[1]


@pytest.mark.parametrize("name", ["exclude = [{}]", "per-file-ignores = {{ {} = ['S1'] }}"])
def test_brackets_that_nothing_closes(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    """`fnmatch` looks to the end for what closes each of them."""
    Path("caffelint.toml").write_text(name.format("'" + "[" * 25_000 + "'"))
    assert "has 25000 characters" in told(capsys)[1]
    Path("caffelint.toml").write_text(name.format("'" + "[" * 16_000 + "'"))
    assert told(capsys)[0] in (0, 1)


@pytest.mark.parametrize("setting", ["exclude = [{}]", "[per-file-ignores]\n{} = ['S101']"])
def test_globs_that_try_every_place_of_a_long_path(setting: str, capsys: pytest.CaptureFixture[str]) -> None:
    globs = [f"'*{'?' * 95}b{number:03}*'" for number in range(150)]
    text = setting.format(", ".join(globs)) if "[{" in setting else setting.format(" = ['S101']\n".join(globs))
    Path("caffelint.toml").write_text(text)
    deep = Path("/".join(["b" * 200] * 15))
    deep.mkdir(parents=True)
    for number in range(20):
        (deep / f"{number}.prototxt").write_text("base_lr: 1")
    with soon():
        assert main(["check", ".", "--no-cache"]) in (0, 1)


def test_globs_are_those_of_fnmatch() -> None:
    rng = random.Random(1)
    for _ in range(2000):
        globs = ["".join(rng.choices("a[]!-b*?", k=rng.randrange(1, 9))) for _ in range(3)]
        name = "/".join("".join(rng.choices("a[]!-b", k=rng.randrange(1, 5))) for _ in range(rng.randrange(1, 4)))
        assert matching_globs(name, globs) == {
            glob
            for glob in globs
            if any(fnmatchcase(name, form) for form in (glob, f"*/{glob}", f"{glob}/*", f"*/{glob}/*"))
        }


@pytest.mark.skipif(not os.path.exists("/dev/zero"), reason="no devices")
@pytest.mark.parametrize("name", ["caffelint.toml", "pyproject.toml", "setup.cfg"])
def test_a_device_or_a_pipe(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    os.symlink("/dev/zero", name)
    assert told(capsys)[0] == (2 if name == "caffelint.toml" else 0)
    os.unlink(name)
    os.mkfifo(name)
    status, err = told(capsys)
    assert status == 2
    assert "is a pipe or a device" in err
    os.rename(name, "fifo")
    for extended in ("fifo", "/dev/zero"):
        Path("caffelint.toml").write_text(f"extend = '{extended}'\n")
        assert told(capsys)[0] == 2
        assert told(capsys, "--config", "fifo")[0] == 2


def test_a_long_chain(capsys: pytest.CaptureFixture[str]) -> None:
    for number in range(1200):
        Path(f"{number}.toml").write_text(f"extend = '{number + 1}.toml'\n")
    os.rename("0.toml", "caffelint.toml")
    status, err = told(capsys)
    assert status == 2
    assert "extends a chain of more than 16 files" in err


@pytest.mark.parametrize("setting", ["caffe-python", "baseline", "roots", "plugins"])
def test_a_nul_in_what_is_opened(setting: str) -> None:
    value = r'"a\u0000b"' if setting in ("caffe-python", "baseline") else r'["a\u0000b"]'
    Path("mine.toml").write_text(f"{setting} = {value}\n")
    with pytest.raises(ConfigError, match="cannot contain NUL"):
        load_config(Path(), Path("mine.toml"))


def test_a_repository_starts_no_more_processes_than_there_are_processors() -> None:
    Path("caffelint.toml").write_text("jobs = 100000\n")
    assert _workers(load_config(Path())) == (os.cpu_count() or 1)
    Path("caffelint.toml").write_text("jobs = -1\n")
    with pytest.raises(ConfigError, match="jobs is -1; it takes 0, for all processors, or more"):
        load_config(Path())


@pytest.mark.parametrize(
    "text",
    ["", "[]", "1", "null", '{"version": 1}', '{"version": 1, "files": []}', '{"version": 1, "files": {"a": []}}',
     '{"version": 1, "files": {"a": {"k": 1e999}}}', '{"version": 1, "files": {"a": {"k": NaN}}}', "[" * 100_000,
     '{"version": 1, "files": {"a": {"k": ' + "9" * 5000 + "}}}", '{"version": "\\u001b[31m", "files": {}}', "\0"],
)  # fmt: skip
def test_a_baseline(text: str, capsys: pytest.CaptureFixture[str]) -> None:
    Path("b.json").write_text(text)
    status, err = told(capsys, "--baseline", "b.json")
    assert status == 2
    assert "b.json" in err
