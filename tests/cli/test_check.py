"""`caffelint check`: what it prints where, and how it ends."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import caffelint as package
from caffelint.lint.report import Failure, Report

ERROR = "error: lr_policy"
MENDED = 'net: "net.prototxt" base_lr: 0.01 lr_policy: "poly" power: 1 max_iter: 10'


def test_a_finding_is_status_1(check: Any) -> None:
    run = check()
    assert run.status == 1
    assert run.out.startswith("solver.prototxt:3:1: error: lr_policy")
    assert run.out.endswith("1 error in 2 files\n")
    assert run.err == ""


def test_nothing_found_is_status_0(check: Any, project: Path) -> None:
    (project / "solver.prototxt").write_text(MENDED, "utf-8")
    run = check(project)
    assert (run.status, run.out, run.err) == (0, "no findings in 2 files\n", "")


@pytest.mark.parametrize(("level", "status"), [("error", 0), ("warning", 1), ("info", 1), ("never", 0), ("WARNING", 1)])
def test_fail_on(check: Any, level: str, status: int) -> None:
    assert check("--severity", "poly-without-max-iter=warning", "--fail-on", level).status == status


def test_a_path_that_is_not_there_is_status_2_and_the_others_are_checked(check: Any) -> None:
    run = check("gone.prototxt", "solver.prototxt")
    assert run.status == 2
    assert ERROR in run.out
    assert run.err == "caffelint: gone.prototxt: no such file or folder\n"


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (["--selct", "x"], "no such option --selct; did you mean --select?"),
        (["--format", "jsn"], 'no such format "jsn"; did you mean json?'),
        (["--format", "json:"], "--format json:: the file name is missing"),
        (["--format", "json:gone/out.json"], "gone/out.json cannot be written"),
        (["--format", "json", "--format", "text"], "json and text both go to stdout"),
        (["--format", "json:a", "--format", "sarif:a"], "json and sarif both go to a"),
        (["--fail-on", "eror"], "did you mean error?"),
        (["--severity", "wrning"], "did you mean warning?"),
        (["--severity", "poly-without-max-iter=bad"], "it takes one of error, warning, info"),
        (["--ignore", "poly-without-maxiter"], "did you mean poly-without-max-iter?"),
        (["--dialect", "bvcl"], 'did you mean "bvlc"?'),
        (["--config", "gone.toml"], "gone.toml: no such configuration file"),
        (["--baseline", "gone.json"], "gone.json: the baseline cannot be read"),
        (["--write-baseline"], "--write-baseline needs a FILE"),
        (["--write-baseline", "solver.prototxt"], "solver.prototxt: this is not a baseline and would be overwritten"),
        (["--write-baseline", "."], "--write-baseline .: this is not a baseline and would be overwritten"),
        (["--jobs", "x"], "'x' is not a valid integer"),
        (["--changed-only", "--base-ref=--output=x"], '--base-ref "--output=x" is not a commit'),
        (["-", "solver.prototxt"], "- reads stdin and must be the only path"),
        (["--stdin-filename", "a.prototxt", "solver.prototxt"], "give - instead of solver.prototxt"),
    ],
)
def test_wrong_usage_is_status_2_and_one_clear_line(check: Any, arguments: list[str], line: str) -> None:
    run = check(*arguments)
    assert run.status == 2
    assert run.out == ""
    assert line in run.err
    assert run.err.startswith("caffelint: ")
    assert run.err.count("\n") == 1
    assert run.err[len("caffelint: ")].islower() or run.err[len("caffelint: ")] in "-'"


def test_a_settings_file_that_is_wrong_is_named(check: Any, project: Path) -> None:
    (project / "caffelint.toml").write_text('dialct = "bvlc"\n', "utf-8")
    run = check()
    assert run.status == 2
    assert "caffelint.toml: unknown setting dialct; did you mean dialect?" in run.err


def test_a_failure_of_its_own_is_status_3(check: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    failed = Report(files=1, failures=[Failure("odd.prototxt", "caffelint failed: please report it", True)])
    monkeypatch.setattr(package, "check", lambda *_, **__: failed)
    run = check()
    assert run.status == 3
    assert run.err == "caffelint: odd.prototxt: caffelint failed: please report it\n"
    assert "1 path not checked" in run.out


def test_an_unforeseen_exception_is_status_3_without_a_traceback(check: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: Any, **__: Any) -> Report:
        raise KeyError("x")

    monkeypatch.setattr(package, "check", fail)
    run = check()
    assert run.status == 3
    assert run.err.count("\n") == 1
    assert "KeyError" in run.err
    assert "please report it" in run.err


def test_missing_rules_are_status_3(check: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    from caffelint.lint.registry import MISSING, NoRulesError

    def fail(*_: Any, **__: Any) -> Report:
        raise NoRulesError(MISSING)

    monkeypatch.setattr(package, "check", fail)
    run = check()
    assert (run.status, run.err) == (3, "caffelint: caffelint's rules are not installed: pip install -e .\n")


def test_interrupted_is_status_130_and_quiet(check: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_: Any, **__: Any) -> Report:
        raise KeyboardInterrupt

    monkeypatch.setattr(package, "check", interrupt)
    run = check()
    assert (run.status, run.out, run.err) == (130, "", "")


def test_several_outputs_in_one_run(check: Any, project: Path) -> None:
    run = check("--format", "concise", "--format", "sarif:out.sarif", "--format", f"json:{project / 'out.json'}")
    assert run.status == 1
    assert run.out.count("\n") == 1
    assert ERROR in run.out
    assert json.loads((project / "out.sarif").read_text("utf-8"))["runs"][0]["results"][0]["ruleId"] == "S101"
    assert json.loads((project / "out.json").read_text("utf-8"))["summary"]["errors"] == 1


def test_json_alone_is_on_stdout(check: Any) -> None:
    run = check("gone.prototxt", "solver.prototxt", "--format", "json")
    assert json.loads(run.out)["summary"]["failures"][0]["file"] == "gone.prototxt"


def test_statistics(check: Any) -> None:
    run = check("--statistics")
    row = "       1      1  error     S101 poly-without-max-iter"
    assert run.out == f"findings  files  severity  rule\n{row}\n\n1 error in 2 files\n"


def test_stdin(check: Any) -> None:
    run = check("-", stdin=b'base_lr: 0.1 lr_policy: "poly" power: 1')
    assert run.status == 1
    assert run.out.startswith("<stdin>:1:14: error: ")


@pytest.mark.skipif(not os.path.exists("/dev/zero"), reason="there is no such device")
@pytest.mark.parametrize("command", ["check -", "check --diff -", "upgrade -", "patch --check-finite -"])
def test_stdin_without_an_end(project: Path, command: str) -> None:
    with open("/dev/zero", "rb") as stdin:
        done = subprocess.run([sys.executable, "-m", "caffelint", *command.split()], stdin=stdin, capture_output=True)
    assert (done.returncode, done.stdout) == (2, b"")
    assert b"holds more than 256 MiB and was not read" in done.stderr


def test_stdin_with_a_name_stands_for_that_file(check: Any, project: Path) -> None:
    run = check("--stdin-filename", "solver.prototxt", stdin=MENDED.encode())
    assert (run.status, run.out) == (0, "no findings in 2 files\n")
    run = check("--stdin-filename", "models/new.prototxt", "-", stdin=b'base_lr: 0.1 lr_policy: "poly" power: 1')
    assert run.out.startswith("models/new.prototxt:1:14: error: ")


def test_baseline(check: Any, project: Path) -> None:
    run = check("--baseline", "known.json", "--write-baseline")
    assert (run.status, run.out) == (0, "1 finding stored in known.json\n")
    (project / "solver.prototxt").write_text("# moved\n\n" + (project / "solver.prototxt").read_text("utf-8"), "utf-8")
    run = check("--baseline", "known.json")
    assert (run.status, run.out) == (0, "no findings in 2 files (1 in the baseline)\n")
    (project / "caffelint.toml").write_text('baseline = "known.json"\n', "utf-8")
    assert check("--write-baseline").out == "1 finding stored in known.json\n", "the old one hides nothing from the new"


def test_write_baseline_takes_the_file(check: Any, project: Path) -> None:
    assert check("--write-baseline", "known.json").out == "1 finding stored in known.json\n"
    assert check("--baseline", "known.json").status == 0
    (project / "old.json").write_text('{"version": 1, "files": {}}', "utf-8")
    run = check("--baseline", "known.json", "--write-baseline", "old.json", "solver.prototxt")
    assert (run.status, run.out) == (0, "1 finding stored in old.json\n")
    assert (project / "old.json").read_text("utf-8") == (project / "known.json").read_text("utf-8")


def test_a_folder_without_prototxt_files_is_reported(check: Any, project: Path) -> None:
    (project / "empty").mkdir()
    run = check("empty")
    assert (run.status, run.err) == (0, "caffelint: no prototxt files in empty\n")
    assert check("empty", "solver.prototxt").err == ""


def test_severity_level_leaves_out_what_is_below(check: Any) -> None:
    as_warning = ("--severity", "poly-without-max-iter=warning")
    assert json.loads(check(*as_warning, "--severity", "warning", "--format", "json").out)["summary"]["warnings"] == 1
    assert json.loads(check(*as_warning, "--severity", "error", "--format", "json").out)["findings"] == []


def test_infos_are_counted_and_shown_when_asked_for(caffelint: Any) -> None:
    as_info = ("check", "--severity", "S101=info", "--ignore", "all", "--extend-select", "S101")
    run = caffelint(*as_info)
    assert (run.status, run.out) == (0, "no errors or warnings in 2 files (1 info not shown without -v)\n")
    for more in (["-v"], ["--severity", "info"], ["--fail-on", "info"], ["--select", "poly-without-max-iter,S102"]):
        assert "solver.prototxt:3:1: info: " in caffelint(*as_info, *more).out


def test_quiet(check: Any, project: Path) -> None:
    assert "file" not in check("-q").out.splitlines()[-1]
    (project / "solver.prototxt").write_text(MENDED, "utf-8")
    assert check("-q").out == ""


def test_settings_from_the_nearest_file(check: Any, project: Path) -> None:
    (project / "caffelint.toml").write_text('fail-on = "never"\n', "utf-8")
    assert check().status == 0
    assert check("--fail-on", "error").status == 1


def test_changed_only(check: Any, project: Path) -> None:
    def git(*arguments: str) -> None:
        command = ["git", "-c", "user.name=x", "-c", "user.email=x@example.org", *arguments]
        subprocess.run(command, cwd=project, check=True, capture_output=True)

    assert check("--changed-only").status == 2
    git("init", "-q")
    git("add", ".")
    git("commit", "-q", "-m", "start")
    assert check("--changed-only").status == 0
    (project / "solver.prototxt").write_text((project / "solver.prototxt").read_text("utf-8") + "# x\n", "utf-8")
    assert check("--changed-only").status == 1
    assert check("--changed-only", "--base-ref", "nowhere").status == 2


def test_changed_only_asks_the_checkout_of_the_paths(
    check: Any, project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    for folder in (project, elsewhere):
        subprocess.run(["git", "init", "-q", folder], check=True)
        git = ["git", "-c", "user.name=x", "-c", "user.email=x@example.org", "-C", folder]
        subprocess.run([*git, "commit", "-q", "-m", "x", "--allow-empty"], check=True)
    monkeypatch.chdir(elsewhere)
    assert check("--changed-only", project).status == 1
    assert check("--changed-only").status == 0


def test_changed_only_checks_the_solver_of_a_net_that_is_gone(check: Any, project: Path) -> None:
    for command in ("init -q .", "add .", "commit -q -m x"):
        git = ["git", "-c", "user.name=x", "-c", "user.email=x@example.org", *command.split()]
        subprocess.run(git, cwd=project, check=True)
    (project / "net.prototxt").unlink()
    assert check("--changed-only").status == 1


def test_color_is_for_terminals_or_when_forced(check: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "\x1b" not in check().out
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert "\x1b[1;31m" in check().out
    assert "\x1b" not in check("--format", "text:report.txt").out
    assert "\x1b" not in Path("report.txt").read_text("utf-8")
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b" not in check().out


def run_real(arguments: str, **more: Any) -> subprocess.CompletedProcess[bytes]:
    """The program as a shell runs it."""
    command = f"set -o pipefail; '{sys.executable}' -m caffelint.cli.main {arguments}"
    return subprocess.run(["bash", "-c", command], capture_output=True, timeout=60, check=False, **more)


def test_python_m_caffelint(project: Path) -> None:
    command = [sys.executable, "-m", "caffelint", "check", "--select", "S101", "solver.prototxt"]
    done = subprocess.run(command, capture_output=True, timeout=60, check=False)
    assert (done.returncode, done.stderr) == (1, b"")
    assert done.stdout.startswith(b"solver.prototxt:3:1: error: ")


def _solvers_of_long_names(project: Path) -> None:
    """More is said of them than a pipe holds, 64 KiB: who writes it waits for a reader."""
    (project / ("long" * 60)).mkdir()
    for number in range(400):
        path = project / ("long" * 60) / f"solver{number}.prototxt"
        path.write_text(f'lr_policy: "poly" base_lr: 1  # {number}', "utf-8")


def test_a_reader_that_leaves_early_is_no_error(project: Path) -> None:
    _solvers_of_long_names(project)
    done = run_real("check --no-cache --format concise -v . | head -n 1")
    assert done.stderr == b""
    assert done.returncode == 141
    assert done.stdout.count(b"\n") == 1


def test_a_file_is_written_though_the_reader_of_stdout_leaves_early(project: Path) -> None:
    _solvers_of_long_names(project)
    done = run_real("check --no-cache --format github --format sarif:out.sarif . | head -n 1")
    assert done.returncode in (1, 141), "what fits into a pipe is written before its reader leaves"
    assert len(json.loads((project / "out.sarif").read_text("utf-8"))["runs"][0]["results"]) > 400


@pytest.mark.skipif(os.name != "posix", reason="shells of POSIX")
@pytest.mark.parametrize(
    ("arguments", "status", "line"),
    [
        pytest.param(
            "check -q . > /dev/full",
            2,
            b"caffelint: no space left on device\n",
            marks=pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no disk is always full here"),
        ),
        pytest.param(
            "check . > /dev/full 2>&1",
            2,
            b"",
            marks=pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no disk is always full here"),
        ),
        ("check -q --select S101 . >&-", 1, b""),
        ("check - <&-", 2, b"caffelint: stdin is closed (see caffelint check --help)\n"),
    ],
)
def test_streams_that_are_closed_or_full(project: Path, arguments: str, status: int, line: bytes) -> None:
    done = run_real(arguments)
    assert (done.returncode, done.stderr) == (status, line)


@pytest.mark.skipif(os.name != "posix", reason="elsewhere a working directory cannot go")
def test_a_working_directory_that_is_gone(project: Path) -> None:
    gone = project / "gone"
    gone.mkdir()
    command = f"rmdir '{gone}'; '{sys.executable}' -P -m caffelint.cli.main check '{project}'"
    if sys.version_info < (3, 11):
        command = command.replace(" -P ", " ")
    done = subprocess.run(["bash", "-c", command], cwd=gone, capture_output=True, check=False)
    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr == b"caffelint: the working directory is gone (see caffelint check --help)\n"


def test_a_name_too_long_for_a_file(check: Any) -> None:
    run = check("a" * 5000, "solver.prototxt")
    assert run.status == 2
    assert ERROR in run.out
    assert run.err.endswith("a: no such file or folder\n")


def test_a_terminal_that_knows_ascii_alone(project: Path) -> None:
    (project / "solver.prototxt").write_text('base_lr: 1 # 学习率\nlr_policy: "poly"  # 学习率', "utf-8")
    done = run_real("check solver.prototxt", env={**os.environ, "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"})
    assert done.returncode == 1
    assert done.stderr == b""
    assert b"# \\u5b66" in done.stdout


@pytest.mark.skipif(os.name != "posix", reason="signals are sent otherwise elsewhere")
def test_control_c_ends_it_quietly(project: Path) -> None:
    command = [sys.executable, "-m", "caffelint.cli.main", "check", "-v", "-", "--format", "text"]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdin
    process.stdin.write(b"# more than a pipe holds\n" * 40_000)
    process.stdin.flush()  # so it has read of its input by then, and waits for the rest
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert (process.returncode, out, err) == (130, b"", b"")


@pytest.mark.skipif(os.name != "posix", reason="names that are no text exist on POSIX alone")
def test_a_file_name_that_is_no_text(project: Path) -> None:
    name = os.fsencode(project) + b"/s\xff\n.prototxt"
    try:
        Path(os.fsdecode(name)).write_bytes(b'lr_policy: "poly" base_lr: 1')
    except OSError:
        pytest.skip("this file system takes no such name")
    for format_ in ("text", "json", "sarif", "github", "gitlab", "junit", "concise"):
        done = run_real(f"check --no-cache --format {format_} .")
        assert (done.returncode, done.stderr) == (1, b""), format_


@pytest.mark.skipif(os.name != "posix", reason="needs a pseudo terminal")
def test_on_a_terminal_there_is_color_and_no_line_is_too_wide(project: Path) -> None:
    import pty
    import re

    head, tail = pty.openpty()
    command = [sys.executable, "-m", "caffelint.cli.main", "check", "--select", "S101", "solver.prototxt"]
    environment = {**os.environ, "COLUMNS": "70", "TERM": "xterm"}
    process = subprocess.Popen(command, stdout=tail, stderr=tail, env=environment)
    assert process.wait(60) == 1
    os.close(tail)
    text = os.read(head, 100_000).decode()
    os.close(head)
    assert "\x1b[1;31merror\x1b[0m" in text
    assert max(len(line) for line in re.sub(r"\x1b\[[0-9;]*m", "", text).splitlines()) <= 70
    assert "\r\x1b[K" not in text, "a run this short shows no progress"


def test_nets_by_another_name_are_reported_of(check: Any, project: Path) -> None:
    (project / "vgg").mkdir()
    texts = {
        "train": "# a net\nname: 'VGG'\nlayer {\n",
        "test": "layers { name: 'x'",
        "solver": 'train_net: "x"\nbase_lr: 1',
        "other": "layer{",
        "weights": "PK\x03\x04 \nlayer {\0",
        "notes": "layers of paint: two",
    }
    for name, text in texts.items():
        (project / f"vgg/{name}.pbtxt").write_text(text, "utf-8")
    (project / "vgg/folder.pbtxt").mkdir()
    told = "caffelint: 4 files look like a net or solver but do not end in .prototxt and were not checked: "
    told += "vgg/other.pbtxt, vgg/solver.pbtxt, vgg/test.pbtxt and 1 more\n"
    for how in ([], ["--fix"], ["--diff"], ["--add-ignores"]):
        assert told in check(*how, ".").err
    assert check("-q", ".").err == check("solver.prototxt").err == ""
    # Where there are no others, they are meant.
    alone = check("vgg")
    assert (alone.out, alone.err) == ("no findings in 4 files\n", "")
    (project / "caffelint.toml").write_text('exclude = ["vgg/[a-s]*", "vgg/train.pbtxt"]\n', "utf-8")
    subprocess.run(["git", "init", "-q", "."], cwd=project, check=True)
    told = "caffelint: 1 file looks like a net or solver but does not end in .prototxt and was not checked: "
    assert check(".").err == told + "vgg/test.pbtxt\n"
    assert "vgg/test.pbtxt:1:1" in check("vgg/test.pbtxt", "--select", "all").out


def test_all_nets_of_another_name_are_checked_where_there_are_no_others(check: Any, project: Path) -> None:
    (project / "many").mkdir()
    for number in range(300):  # more than are told of beside others
        (project / f"many/{number}.pbtxt").write_text("layer { name: 'x' type: 'Silence' }", "utf-8")
    assert "in 300 files" in check("many").out


@pytest.mark.parametrize(
    ("name", "data", "says"),
    [
        ("README.md", b"# Read me\ncaffe: this is text\n", "this does not look like a Caffe net or solver"),
        ("empty.prototxt", b"", "the file is empty, so there is no net or solver to check"),
    ],
)
def test_a_named_file_without_a_net_is_told_as_not_checked(
    project: Path, caffelint: Any, name: str, data: bytes, says: str
) -> None:
    (project / name).write_bytes(data)
    run = caffelint("check", name)
    assert run.status == 0
    assert f"{name}: {says}" in run.err
    assert not caffelint("check", "-q", name).err
    assert name not in caffelint("check", "net.prototxt").err
    assert name not in caffelint("check", ".").err


def test_a_named_file_of_binary_data_is_told_where_that_is_no_error(project: Path, caffelint: Any) -> None:
    (project / "binary.prototxt").write_bytes(b'name: "x"\0\0\0 layer')
    run = caffelint("check", "binary.prototxt")
    assert (run.status, run.err) == (1, "")
    (project / "README.md").write_text("solver.prototxt trains net.prototxt\n")
    run = caffelint("check", "binary.prototxt")
    assert run.status == 0
    assert "binary.prototxt: holds no Caffe net or solver; not checked" in run.err
