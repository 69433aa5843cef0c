"""`caffelint check --fix` and its kin: what they change, print, and how they end."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import caffelint as package

WRONG = 'layer { name: "in" type: Input top: "data" }\n'
RIGHT = WRONG.replace("Input", '"Input"')
UNQUOTED = 'layer { name: "in" type: "Input" top: "data" include { phase: TEST } }\n'
OVERQUOTED = UNQUOTED.replace("TEST", '"TEST"')
MISSPELT = 'layer { name: "p" type: Pooling bottom: "data" top: "p" pooling_param { kernel: 3 } }\n'
QUOTED = MISSPELT.replace("Pooling", '"Pooling"')
SPELT = QUOTED.replace("kernel", "kernel_size")


@pytest.fixture
def net(project: Path) -> Path:
    path = project / "net.prototxt"
    path.write_text(WRONG, "utf-8")
    return path


@pytest.fixture
def check(caffelint: Any, net: Path) -> Any:
    """`caffelint check` with two rules that have fixes, one safe and one unsafe, and one that has none."""

    def run(*arguments: str | Path, stdin: bytes = b"") -> Any:
        return caffelint(
            "check", "--select", "wrong-value-type,unknown-field,poly-without-max-iter", *arguments, stdin=stdin
        )

    return run


def test_what_can_be_fixed_is_reported(check: Any, net: Path) -> None:
    net.write_text(MISSPELT, "utf-8")
    assert check("net.prototxt").out.endswith("2 errors in 1 file\n1 fixable with --fix (1 more with --unsafe-fixes)\n")


def test_safe_fixes_are_written(check: Any, net: Path) -> None:
    net.write_text(MISSPELT, "utf-8")
    run = check("--fix", "net.prototxt")
    assert run.status == 1
    assert net.read_text("utf-8") == QUOTED
    assert run.out.endswith("1 error in 1 file\nfixed 1 finding in 1 file (1 more with --unsafe-fixes)\n")
    assert run.err == 'net.prototxt:1: fixed: write "Pooling" [wrong-value-type]\n'


def test_each_file_that_was_fixed_is_named(check: Any, net: Path, project: Path) -> None:
    net.write_text(WRONG * 2, "utf-8")
    (project / "other.prototxt").write_text(WRONG, "utf-8")
    (project / "right.prototxt").write_text(RIGHT, "utf-8")
    assert check("--fix", ".").err == (
        'net.prototxt:1: fixed: write "Input", also on line 2 [wrong-value-type]\n'
        'other.prototxt:1: fixed: write "Input" [wrong-value-type]\n'
    )
    assert check("--fix", ".").err == ""
    net.write_text(WRONG, "utf-8")
    assert check("--fix", "-q", ".").err == ""


def test_unsafe_fixes_when_asked_for(check: Any, net: Path) -> None:
    net.write_text(MISSPELT, "utf-8")
    run = check("--fix", "--unsafe-fixes", "net.prototxt")
    assert (run.status, net.read_text("utf-8")) == (0, SPELT)
    assert run.out == "no findings in 1 file\nfixed 2 findings in 1 file\n"


def test_nothing_to_fix_changes_nothing(check: Any, net: Path) -> None:
    before = net.stat()
    net.write_text(RIGHT, "utf-8")
    before = net.stat()
    assert check("--fix", "net.prototxt").status == 0
    assert (net.stat().st_ino, net.stat().st_mtime_ns) == (before.st_ino, before.st_mtime_ns)


def test_exit_non_zero_on_fix(check: Any) -> None:
    assert check("--fix", "--exit-non-zero-on-fix", "net.prototxt").status == 1
    assert check("--fix", "--exit-non-zero-on-fix", "net.prototxt").status == 0


def test_diff_writes_nothing_and_patch_can_read_it(check: Any, net: Path) -> None:
    run = check("--diff", "net.prototxt")
    assert run.status == 1
    assert net.read_text("utf-8") == WRONG
    assert run.out == f"--- net.prototxt\n+++ net.prototxt\n@@ -1 +1 @@\n-{WRONG}+{RIGHT}"
    assert run.err == "would fix 1 finding in 1 file\n"
    applied = subprocess.run(["git", "apply", "-p0"], input=run.out.encode(), capture_output=True, check=False)
    assert (applied.stderr, net.read_text("utf-8")) == (b"", RIGHT)
    assert check("--diff", "net.prototxt")[:2] == (0, "")


@pytest.mark.parametrize("data", [b"# \xff\xfe\r\n" + WRONG.encode().replace(b"\n", b"\r\n"), WRONG.rstrip().encode()])
def test_diff_in_the_bytes_of_the_file(net: Path, data: bytes) -> None:
    net.write_bytes(data)
    command = [sys.executable, "-m", "caffelint", "check", "--select", "wrong-value-type", "net.prototxt"]
    diff = subprocess.run([*command, "--diff"], capture_output=True, check=False).stdout
    assert (b"\\ No newline at end of file" in diff) == (not data.endswith(b"\n"))
    subprocess.run(["git", "apply", "-p0"], input=diff, check=True)
    patched = net.read_bytes()
    net.write_bytes(data)
    assert subprocess.run([*command, "--fix"], capture_output=True, check=False).returncode == 0
    assert net.read_bytes() == patched == data.replace(b"Input", b'"Input"')


def test_stdin_gives_the_fixed_text(check: Any, net: Path) -> None:
    run = check("--fix", "-", stdin=MISSPELT.encode())
    assert (run.status, run.out) == (1, QUOTED)
    assert "<stdin>:1:75: error: " in run.err
    assert check("--fix", "-", stdin=RIGHT.encode())[:2] == (0, RIGHT)
    assert check("--fix", "--stdin-filename", "net.prototxt", stdin=WRONG.encode())[:2] == (0, RIGHT)
    assert net.read_text("utf-8") == WRONG
    assert check("--diff", "-", stdin=WRONG.encode()).out.startswith("--- <stdin>\n")


def test_a_solver_on_stdin_is_by_itself(check: Any) -> None:
    solver = b'net: "gone.prototxt" base_lr: 0.1 lr_policy: fixed'
    run = check("--fix", "-", stdin=solver)
    assert (run.status, run.out) == (0, solver.decode().replace("fixed", '"fixed"'))
    assert "left out" not in run.err


def test_a_net_that_was_not_named_is_left_alone(check: Any, net: Path, project: Path) -> None:
    run = check("--fix", "solver.prototxt")
    assert net.read_text("utf-8") == WRONG
    assert "caffelint: left alone, since only named files are written: net.prototxt\n" in run.err
    check("--fix", "solver.prototxt", "net.prototxt")
    assert net.read_text("utf-8") == RIGHT


def test_a_net_of_two_solvers_and_two_names_is_fixed_once(check: Any, net: Path, project: Path) -> None:
    (project / "other.prototxt").write_text((project / "solver.prototxt").read_text("utf-8"), "utf-8")
    (project / "link.prototxt").symlink_to("net.prototxt")
    run = check("--fix", "--jobs", "2", ".")
    assert "fixed 1 finding in 1 file" in run.out
    assert net.read_text("utf-8") == RIGHT
    assert (project / "link.prototxt").is_symlink()


def test_a_link_out_of_what_was_named_is_left_alone(
    check: Any, caffelint: Any, net: Path, project: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    outside = tmp_path_factory.mktemp("outside") / "net.prototxt"
    old = 'layers { name: "relu" type: RELU bottom: "a" top: "b" relu_param { } }\n'
    outside.write_text(WRONG, "utf-8")
    (project / "link.prototxt").symlink_to(outside)
    run = check("--fix", ".")
    assert net.read_text("utf-8") == RIGHT
    assert outside.read_text("utf-8") == WRONG
    assert run.status == 2
    assert "link.prototxt: is a link" in run.err
    caffelint("check", "--add-ignores", ".")
    assert outside.read_text("utf-8") == WRONG
    outside.write_text(old, "utf-8")
    run = caffelint("upgrade", ".")
    assert run.status == 2
    assert "link.prototxt: is a link" in run.err
    assert outside.read_text("utf-8") == old
    outside.write_text(WRONG, "utf-8")
    run = check("--fix", "link.prototxt")
    assert run.status == 2
    assert "link.prototxt is a link out of the checkout or the working directory" in run.err
    assert outside.read_text("utf-8") == WRONG
    check("--fix", outside)
    assert outside.read_text("utf-8") == RIGHT


def test_what_is_silenced_is_not_fixed(check: Any, net: Path, project: Path) -> None:
    silenced = WRONG.replace("\n", "  # caffelint: ignore[wrong-value-type] on purpose\n")
    net.write_text(silenced, "utf-8")
    check("--fix", "net.prototxt")
    assert net.read_text("utf-8") == silenced
    net.write_text(WRONG, "utf-8")
    check("net.prototxt", "--write-baseline", "known.json")
    check("--fix", "--baseline", "known.json", "net.prototxt")
    (project / "caffelint.toml").write_text('[per-file-ignores]\n"net*" = ["wrong-value-type"]\n', "utf-8")
    check("--fix", "net.prototxt")
    (project / "caffelint.toml").unlink()
    check("--fix", "--ignore", "wrong-value-type", "net.prototxt")
    check("--fix", "--severity", "wrong-value-type=info", "--severity", "warning", "net.prototxt")
    assert net.read_text("utf-8") == WRONG


def test_changed_only(check: Any, net: Path, project: Path) -> None:
    (project / "old.prototxt").write_text(WRONG, "utf-8")
    for command in ("init -q .", "add .", "commit -q -m x"):
        git = ["git", "-c", "user.name=x", "-c", "user.email=x@example.org", *command.split()]
        subprocess.run(git, cwd=project, check=True)
    net.write_text("# new\n" + WRONG, "utf-8")
    check("--fix", "--changed-only", ".")
    assert net.read_text("utf-8") == "# new\n" + RIGHT
    assert (project / "old.prototxt").read_text("utf-8") == WRONG


def test_the_cache_knows_of_the_fix(check: Any) -> None:
    assert check("net.prototxt").status == 1
    assert check("--fix", "net.prototxt").status == 0
    assert check("net.prototxt").status == 0


def test_a_file_that_cannot_be_written_is_reported_and_still_wrong(
    check: Any, net: Path, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (project / "more.prototxt").write_text(WRONG, "utf-8")
    net.chmod(0o444)
    run = check("--fix", "net.prototxt", "more.prototxt")
    assert run.status == 2
    assert run.err == (
        'more.prototxt:1: fixed: write "Input" [wrong-value-type]\n'
        "caffelint: net.prototxt: it is read-only, and was left alone\n"
    )
    assert "1 file not written)" in run.out
    assert "not checked" not in run.out
    assert net.read_text("utf-8") == WRONG
    assert (project / "more.prototxt").read_text("utf-8") == RIGHT
    net.chmod(0o644)

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    run = check("--fix", "net.prototxt")
    assert run.status == 2
    assert "net.prototxt:1:" in run.out
    assert "fixed" not in run.out
    assert "it cannot be written, and was left alone: no space left on device" in run.err


def test_json_tells_what_was_applied(check: Any, net: Path) -> None:
    net.write_text(MISSPELT, "utf-8")
    value = json.loads(check("--fix", "net.prototxt", "--format", "json").out)
    assert [applied["name"] for applied in value["applied"]] == ["wrong-value-type"]
    assert [finding["name"] for finding in value["findings"]] == ["unknown-field"]
    assert value["summary"]["fixed"] == 1


def test_interactive(check: Any, net: Path) -> None:
    net.write_text(OVERQUOTED * 4, "utf-8")
    run = check("--interactive", "net.prototxt", stdin=b"what?\ny\nn\na\n")
    assert net.read_text("utf-8") == UNQUOTED + OVERQUOTED + UNQUOTED * 2
    assert run.out.count("? [y]es, [n]o, [a]ll safe, [q]uit, [?]: ") == 4
    assert run.out.count("\nn  skip it\n") == 1
    assert f"-{OVERQUOTED}" in run.out
    assert run.out.count("net.prototxt:2:") == 1  # what was declined is not shown once more
    assert run.out.endswith("1 error in 1 file\nfixed 3 findings in 1 file; 1 not made, as you answered\n")
    net.write_text(OVERQUOTED * 3, "utf-8")
    run = check("--interactive", "net.prototxt", stdin=b"y\nq\n")
    assert run.out.count("net.prototxt:3:") == 1  # what nobody saw is
    assert net.read_text("utf-8") == UNQUOTED + OVERQUOTED * 2


def test_interactive_asks_about_unsafe_fixes_as_such(check: Any, net: Path) -> None:
    net.write_text(MISSPELT, "utf-8")
    run = check("--interactive", "net.prototxt", stdin=b"a\n?\nn\n")
    assert net.read_text("utf-8") == QUOTED
    assert run.out.count("(unsafe)? [y]es, [n]o, [a]ll, [q]uit, [?]: ") == 2
    assert "it may change what is trained\nn  skip it\na  make this and all later fixes, safe or not\n" in run.out
    net.write_text(MISSPELT * 2, "utf-8")
    check("--interactive", "net.prototxt", stdin=b"n\na\n")
    assert net.read_text("utf-8") == SPELT.replace('"Pooling"', "Pooling") + SPELT


@pytest.mark.parametrize("stdin", [b"", b"\xff\xfe\n", None])
def test_interactive_without_an_answer_changes_nothing(
    check: Any, net: Path, stdin: bytes | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    if stdin is None:
        monkeypatch.setattr(io, "TextIOWrapper", lambda _: None)
    run = check("--interactive", "net.prototxt", stdin=stdin or b"")
    assert (run.status, net.read_text("utf-8")) == (1, WRONG)
    assert run.err == "\ncaffelint: stdin has ended, so this fix and all later ones are skipped\n"
    assert run.out.endswith("1 error in 1 file\n1 not made, as stdin ended\n")
    assert run.out.count("net.prototxt:1:") == 1


@pytest.mark.parametrize("stdin", [b"what?\n" * 1000, b"x" * 1_000_000])
def test_interactive_ends_where_no_answer_comes(check: Any, net: Path, stdin: bytes) -> None:
    run = check("--interactive", "net.prototxt", stdin=stdin)
    assert (run.status, net.read_text("utf-8")) == (1, WRONG)
    assert run.err == "caffelint: stdin holds no answers, so this fix and all later ones are skipped\n"
    assert run.out.endswith("1 not made, as stdin ended\n")


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (["--fix", "--write-baseline", "x.json"], "--write-baseline cannot be combined with"),
        (["--fix", "--add-ignores"], "--add-ignores silences findings and --fix fixes them"),
        (["--interactive", "--diff"], "--interactive asks on stdin and writes files"),
        (["--interactive", "-"], "--interactive asks on stdin and writes files"),
        (["--add-ignores", "--reason", "a\nb"], "--reason takes one line of text"),
        (["--reason", "a"], "--reason needs --add-ignores"),
        (["--fix", "--reason", "a"], "--reason needs --add-ignores"),
        (["--unsafe-fixes"], "--unsafe-fixes needs --fix or --diff"),
        (
            ["--diff", "--format", "json"],
            "the diff goes to stdout; send the report to a file, as in --format json:FILE",
        ),
        (["--diff", "--statistics"], "the diff goes to stdout"),
        (["--fix", "-", "--format", "json"], "the new text goes to stdout"),
    ],
)
def test_what_does_not_go_together(check: Any, net: Path, arguments: list[str], line: str) -> None:
    run = check(*arguments)
    assert (run.status, run.out) == (2, "")
    assert line in run.err
    assert net.read_text("utf-8") == WRONG


LEGACY = 'layers { name: "r" type: RELU bottom: "a" top: "a" }  # kept\n'


def test_a_legacy_file_is_rewritten_only_where_asked_for_by_name(caffelint: Any, net: Path) -> None:
    net.write_text(LEGACY, "utf-8")
    for chosen in ([], ["--select", "all"], ["--select", "prototxt"], ["--select", "P0"]):
        caffelint("check", "--fix", "--unsafe-fixes", *chosen, "net.prototxt")
        assert "layers {" in net.read_text("utf-8")
    caffelint("check", "--fix", "--select", "legacy-format", "net.prototxt")
    text = net.read_text("utf-8")
    assert 'layer { name: "r" type: "ReLU"' in text
    assert text.endswith("# kept\n")


LAYOUTS = {
    "one line": 'base_lr: 0.1 lr_policy: "poly" power: 1 net: "n"',
    "lines": 'base_lr: 0.1\nlr_policy: "poly"\npower: 1\nnet: "n"\n',
    "CRLF": 'base_lr: 0.1\r\nlr_policy: "poly"\r\npower: 1\r\nnet: "n"\r\n',
    "CR": 'base_lr: 0.1\rlr_policy: "poly"\rpower: 1\rnet: "n"\r',
    "own comments": '# a\nbase_lr: 0.1\n# b\n\nlr_policy: "poly"  # c\npower: 1 # caffelint: ignore[S999]\nnet: "n"',
    "mark": '\ufeffbase_lr: 0.1 lr_policy: "poly" power: 1\n',
    "misspelt": 'base_lr: 0.1 lr_policy: "poly" power: 1\nmax_itr: 5\nmax_itr: 6\n',
    "net": 'name: "n"\nlayer {\n  name: "r"\n  type: "ReLu"\n  bottom: "gone"\n  top: "r"\n}\n',
    "net on one line": 'layer { name: "r" type: "ReLu" bottom: "gone" top: "r" stride: 3 }',
    "cut short": 'layer { name: "r" type: "ReLU" bottom: "a\n top: "r" }\nlayer {\n',
}


@pytest.mark.parametrize("text", LAYOUTS.values(), ids=LAYOUTS)
@pytest.mark.parametrize("how", [[], ["-v"]])
def test_add_ignores_leaves_nothing(caffelint: Any, net: Path, text: str, how: list[str]) -> None:
    net.unlink()
    path = Path("one.prototxt")
    path.write_bytes(text.encode() + b"# \xe9\xff")
    before = package.check_text(path.read_bytes())
    assert before.findings
    run = caffelint(
        "check", *how, "--ignore", "unused-suppression", "--add-ignores", "--reason", "as it came", "one.prototxt"
    )
    assert run.status == 0, run
    left = package.check_text(path.read_bytes(), path="one.prototxt").findings
    left = [finding for finding in left if finding.name != "unused-suppression"]
    assert [finding for finding in left if how or finding.severity != "info"] == []
    assert path.read_bytes().count(b"as it came") >= 1
    if "\r\n" in text:
        assert b"\n" not in path.read_bytes().replace(b"\r\n", b"")


def test_add_ignores_as_a_diff_and_for_utf16(caffelint: Any, net: Path) -> None:
    run = caffelint("check", "--add-ignores", "--diff", "net.prototxt")
    assert run.status == 1
    assert "+" + WRONG.rstrip() + "  # caffelint: ignore[" in run.out
    assert net.read_text("utf-8") == WRONG
    net.write_bytes(WRONG.encode("utf-16"))
    run = caffelint("check", "--add-ignores", "net.prototxt")
    assert run.status == 1
    assert "net.prototxt: byte-order-mark cannot be silenced by a comment there" in run.err
    assert net.read_bytes() == WRONG.encode("utf-16")


def test_what_is_not_shown_is_neither_fixed_nor_counted_as_fixable(caffelint: Any, net: Path) -> None:
    fix = ["--fix", "--unsafe-fixes"]
    rules = ["--ignore", "all", "--extend-select", "P004", "--severity", "P004=info", "net.prototxt"]
    for how in ([], fix):
        run = caffelint("check", *how, *rules)
        assert run.out == "no errors or warnings in 1 file (1 info not shown without -v)\n"
    assert net.read_text("utf-8") == WRONG
    for wanted in (["-v"], ["--severity", "info"], ["--severity", "P004=warning"], ["--select", "P004"]):
        net.write_text(WRONG, "utf-8")
        assert "1 fixable with --fix\n" in caffelint("check", *rules, *wanted).out
        assert "fixed 1 finding in 1 file\n" in caffelint("check", *fix, *rules, *wanted).out
        assert net.read_text("utf-8") == RIGHT


def test_what_was_not_made_is_counted_with_the_reason(check: Any, net: Path, project: Path) -> None:
    (project / "solver.prototxt").write_text('net: "net.prototxt" base_lr: 0.1 lr_policy: fixed\n', "utf-8")
    net.write_text(MISSPELT, "utf-8")
    run = check("--fix", "solver.prototxt")
    told = "fixed 1 finding in 1 file; 1 not made, in files that were not named (1 more with --unsafe-fixes)\n"
    assert run.out.endswith(told)
    run = check("--fix", "--unsafe-fixes", "solver.prototxt")
    assert run.out.endswith("2 errors in 2 files\n2 not made, in files that were not named\n")
    assert (
        "nothing to fix; 2 not made, in files that were not named\n"
        in check("--diff", "--unsafe-fixes", "solver.prototxt").err
    )
    net.chmod(0o444)
    run = check("--fix", "--unsafe-fixes", "net.prototxt")
    assert run.out.endswith("2 not made, in files that cannot be written\n")


def test_a_report_beside_a_diff_goes_to_a_file(check: Any, net: Path, project: Path) -> None:
    run = check("--diff", "--format", "json:left.json", "net.prototxt")
    assert run.out.startswith("--- net.prototxt\n")
    value = json.loads((project / "left.json").read_text("utf-8"))
    assert (value["findings"], value["summary"]["fixed"]) == ([], 1)


def test_silenced_errors_are_counted_as_such(check: Any, net: Path) -> None:
    net.write_text(MISSPELT, "utf-8")
    run = check("--add-ignores", "--reason", "as it came", "net.prototxt")
    assert run.err == (
        "silenced 2 findings in 1 file\n"
        "caffelint: 2 of these are errors; silenced or not, Caffe stops there or training fails\n"
    )
    assert run.status == 0
    net.write_text(MISSPELT, "utf-8")
    net.chmod(0o444)
    run = check("--add-ignores", "net.prototxt")
    told = "silenced no findings in no files\ncaffelint: net.prototxt: it is read-only, and was left alone\n"
    assert (run.status, run.err) == (2, told)


def test_a_diff_tells_of_unsafe_fixes(check: Any, net: Path) -> None:
    net.write_text(MISSPELT, "utf-8")
    assert check("--diff", "net.prototxt").err == "would fix 1 finding in 1 file (1 more with --unsafe-fixes)\n"
    net.write_text(QUOTED, "utf-8")
    assert check("--diff", "net.prototxt").err == "nothing to fix (1 more with --unsafe-fixes)\n"
    assert check("--diff", "--unsafe-fixes", "net.prototxt").err == "would fix 1 finding in 1 file\n"


def test_what_goes_silent_with_the_rest_is_reported(caffelint: Any, net: Path) -> None:
    net.write_text('layer { name: "a" type: "Convolutoin" } layer { name: "b" type: "PriorBox" }\n', "utf-8")
    run = caffelint("check", "--select", "unknown-layer-type", "--severity", "warning", "--add-ignores", "net.prototxt")
    assert run.err == (
        "silenced 1 finding in 1 file\n"
        "caffelint: 1 of these is an error; silenced or not, Caffe stops there or training fails\n"
        "caffelint: these comments also silence 1 finding that would not be reported anyway\n"
    )
    assert run.out.endswith("(2 suppressed)\n")
