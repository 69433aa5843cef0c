"""What is written replaces a former one of its kind, never a net, somebody's file or what a link leads to."""

from __future__ import annotations

import os
import re
import stat
import subprocess
import tempfile
from pathlib import Path

import pytest

from .conftest import NET, Caffelint

FORMATS = ["text", "concise", "statistics", "json", "sarif", "github", "gitlab", "junit"]


@pytest.mark.parametrize("name", FORMATS)
def test_a_report_replaces_a_report(project: Path, caffelint: Caffelint, name: str) -> None:
    for _ in range(2):
        run = caffelint("check", ".", "--format", f"{name}:report")
        assert (run.status, run.err) == (1, "")
    first = (project / "report").read_bytes()
    assert first
    caffelint("check", "net.prototxt", "--format", f"{name}:report", "--ignore", "all")
    assert caffelint("check", ".", "--format", f"{name}:report").status == 1
    assert (project / "report").read_bytes() == first


@pytest.mark.parametrize("name", FORMATS)
def test_a_report_replaces_nothing_else(project: Path, caffelint: Caffelint, name: str) -> None:
    (project / "precious").write_text("{}\n")
    (project / "requirements.txt").write_text("numpy==1.0\n")
    (project / "link").symlink_to("elsewhere")
    (project / "elsewhere").write_text("")
    (project / "dangling").symlink_to("new")
    before = {path: path.read_bytes() for path in project.iterdir() if path.is_file()}
    for target in ("net.prototxt", "precious", "requirements.txt", "link", "dangling"):
        run = caffelint("check", ".", "--format", f"{name}:{target}")
        assert run.status == 2
        assert re.search("left alone|remove it first|give another name|is not followed", run.err)
        assert run.err.count("\n") == 1
    assert {path: path.read_bytes() for path in project.iterdir() if path.is_file()} == before


def test_a_report_replaces_nothing_that_begins_alike(project: Path, caffelint: Caffelint) -> None:
    """Its own baseline, an editor's tasks, another tool's reports."""
    texts = {
        "json": ['{\n  "version": "2.0.0",\n  "tasks": []\n}\n', '{\n  "version": 1,\n  "findings": {}\n}\n'],
        "sarif": ['{\n  "$schema": "https://json.schemastore.org/package",\n  "version": "2.1.0"\n}\n'],
        "gitlab": ['[\n  {\n    "name": "x"', '[\n  {\n    "description": "x",\n    "check_name": "no-var"', "[]x"],
        "text": ["see 3 in 4 files\n", "all in 4 files\n", "essay\n\nno findings in 3 files were seen by Bob\n"],
        "concise": [
            "my notes\nask Bob of [L002 pooling-stride-exceeds-kernel]\n",
            "a.py:1:1: E501 [E501 too-long]\n",
            "x" * 70_000,
        ],
        "github": ["::error file=x.py,line=1::my build\n", "::error title=L002 a-b::x\nmy notes\n", "x" * 70_000],
        "statistics": ["my notes\n1 error in 3 files\n"],
        "junit": ['<?xml version="1.0" encoding="utf-8"?>\n<project/>\n', '<?xml version="1.0"?>\n<testsuites>'],
    }
    caffelint("check", ".", "--write-baseline", "baseline.json")
    texts["json"].append((project / "baseline.json").read_text())
    for name, others in texts.items():
        for text in others:
            (project / "precious").write_text(text)
            assert "was not written by caffelint" in caffelint("check", ".", "--format", f"{name}:precious").err, text
            assert (project / "precious").read_text() == text


@pytest.mark.parametrize("name", ["json", "sarif", "gitlab", "junit"])
def test_a_report_that_git_tracks_is_left_alone(project: Path, caffelint: Caffelint, name: str) -> None:
    subprocess.run(["git", "init", "-q", "."], check=True)
    caffelint("check", ".", "--format", f"{name}:report")
    assert caffelint("check", ".", "--format", f"{name}:report").status == 1
    subprocess.run(["git", "add", "report"], check=True)
    run = caffelint("check", ".", "--format", f"{name}:report")
    assert (run.status, "git tracks this file" in run.err) == (2, True)


@pytest.mark.parametrize("name", ["text", "concise", "statistics", "github"])
def test_what_git_tracks_is_no_report(project: Path, caffelint: Caffelint, name: str) -> None:
    (project / "NOTES").write_text("mine\n")
    subprocess.run(["git", "init", "-q", "."], check=True)
    subprocess.run(["git", "add", "."], check=True)
    assert caffelint("check", ".", "--format", f"{name}:NOTES").status == 2
    assert (project / "NOTES").read_text() == "mine\n"


@pytest.mark.skipif(not os.path.exists("/dev/null"), reason="no devices")
def test_a_linked_folder_is_not_followed(
    project: Path, caffelint: Caffelint, tmp_path_factory: pytest.TempPathFactory
) -> None:
    outside = tmp_path_factory.mktemp("outside")
    (project / "out").symlink_to(outside)
    for command in (
        ["check", ".", "--format", "sarif:out/report"],
        ["check", ".", "--write-baseline", "out/baseline.json"],
        ["lr", "solver.prototxt", "--plot", "out/rate.svg"],
        ["patch", "net.prototxt", "--check-finite=all", "-o", "out/net.prototxt"],
    ):
        assert caffelint(*command).status == 2
    assert not list(outside.iterdir())


def test_a_device_takes_any_report(caffelint: Caffelint) -> None:
    assert caffelint("check", ".", "--format", "json:/dev/null").status == 1


@pytest.mark.parametrize("path", ["null", "//dev/null"])
def test_a_device_stays_one_wherever_it_is(project: Path, caffelint: Caffelint, path: str) -> None:
    if path == "null":
        try:
            os.mknod(project / path, 0o666 | stat.S_IFCHR, os.makedev(1, 3))
        except PermissionError:
            path = "/dev/./null"
    for command in (("check", ".", "--format", f"json:{path}"), ("report", "solver.prototxt", "-o", path)):
        assert caffelint(*command).status in (0, 1)
        assert stat.S_ISCHR(os.stat(path).st_mode)


def test_a_pipe_takes_any_report_and_stays(project: Path, caffelint: Caffelint) -> None:
    os.mkfifo(project / "pipe")
    with os.fdopen(os.open(project / "pipe", os.O_RDONLY | os.O_NONBLOCK), "rb") as out:
        assert caffelint("check", "solver.prototxt", "--format", "json:pipe").status == 1
        assert out.read().startswith(b'{\n  "version": 1')
    assert (project / "pipe").is_fifo()


def test_a_pipe_that_nothing_reads_is_not_waited_for(project: Path, caffelint: Caffelint) -> None:
    os.mkfifo(project / "pipe")
    run = caffelint("check", "solver.prototxt", "--format", "json:pipe")
    assert (run.status, "pipe that nothing reads" in run.err) == (2, True)


def test_another_name_of_a_former_report_keeps_it(project: Path, caffelint: Caffelint) -> None:
    caffelint("check", ".", "--format", "json:report.json")
    os.link(project / "report.json", project / "other.json")
    first = (project / "other.json").read_bytes()
    caffelint("check", "net.prototxt", "--format", "json:report.json")
    assert (project / "other.json").read_bytes() == first != (project / "report.json").read_bytes()


@pytest.mark.parametrize(
    "text",
    [
        *['{"name": "app"}', "[]", '{"version": 1}', '{"version": 2, "files": {}}', "{"],
        '{"version": 1, "name": "mine", "files": {"a": {"size:": 3}}}',
        '{"version": 1, "files": {"a": {"size": 3}}}',
    ],
)
def test_a_baseline_replaces_a_baseline_alone(project: Path, caffelint: Caffelint, text: str) -> None:
    (project / "package.json").write_text(text)
    (project / "link.json").symlink_to("b.json")
    for name in ("package.json", "net.prototxt", "link.json"):
        before = (project / name).read_text() if name != "link.json" else ""
        assert caffelint("check", ".", "--write-baseline", name).status == 2
        assert name == "link.json" or (project / name).read_text() == before
    assert not (project / "b.json").exists()
    for _ in range(2):
        assert caffelint("check", ".", "--write-baseline", "b.json").status == 0


@pytest.mark.parametrize("count", ["1e999", "-1e999", "NaN", "1e300", '"x"', "[]", "null", "9" * 5000, "true", "{}"])
def test_a_count_that_is_none(project: Path, caffelint: Caffelint, count: str) -> None:
    (project / "b.json").write_text(f'{{"version": 1, "files": {{"a": {{"k": {count}}}}}}}')
    run = caffelint("check", ".", "--baseline", "b.json")
    assert run.status in (1, 2)
    assert "please report" not in run.err
    assert run.err.count("\n") <= 1


def test_patch_replaces_its_own_output_alone(project: Path, caffelint: Caffelint) -> None:
    for _ in range(2):
        assert caffelint("patch", "net.prototxt", "--check-finite", "all", "-o", "out.prototxt").status == 0
    for target in ("net.prototxt", "solver.prototxt"):
        before = (project / target).read_bytes()
        run = caffelint("patch", "net.prototxt", "--check-finite", "all", "-o", target)
        assert run.status == 2
        assert re.search("was left alone|--in-place", run.err)
        assert (project / target).read_bytes() == before
    assert (project / "net.prototxt").read_text() == NET


@pytest.mark.parametrize("suffix", ["png", "svg", "pdf"])
def test_a_plot_replaces_a_plot_of_its_own_alone(project: Path, caffelint: Caffelint, suffix: str) -> None:
    figure = pytest.importorskip("matplotlib.figure").Figure()
    figure.subplots()
    figure.savefig(project / f"own.{suffix}")
    (project / f"no.{suffix}").write_text("not a picture")
    (project / "solver.prototxt").write_text('base_lr: 0.1 lr_policy: "fixed" max_iter: 10\n')
    for name in ("own", "no"):
        before = (project / f"{name}.{suffix}").read_bytes()
        assert caffelint("lr", "solver.prototxt", "--plot", f"{name}.{suffix}").status == 2
        assert (project / f"{name}.{suffix}").read_bytes() == before
    for _ in range(2):
        assert caffelint("lr", "solver.prototxt", "--plot", f"b.{suffix}").status == 0


@pytest.mark.skipif(os.name != "posix", reason="links")
def test_the_way_back_from_a_linked_folder_is_not_taken(
    project: Path, caffelint: Caffelint, tmp_path_factory: pytest.TempPathFactory
) -> None:
    outside = tmp_path_factory.mktemp("outside")
    (outside / "in").mkdir()
    (project / "link").symlink_to(outside / "in")
    for base in ("", f"{project}/"):
        assert caffelint("check", ".", "--format", f"json:{base}link/../report.json").status == 2
    assert os.listdir(outside) == ["in"]


@pytest.mark.parametrize(
    "hide",
    [
        "mkdir sub/.git",
        "touch sub/.git",
        "git update-index --split-index",
        "git update-index --index-version 4",
        "printf x >> .git/index",
        "head -c 90 .git/index > i && mv i .git/index",
        "echo x > .git/index",
        ": > .git/index",
        "rm .git/index && ln -s index .git/index",
    ],
)
def test_what_git_tracks_is_kept_however_that_is_hidden(project: Path, caffelint: Caffelint, hide: str) -> None:
    (project / "sub").mkdir()
    assert caffelint("check", ".", "--format", "json:sub/report.json").status == 1
    for command in ("git init -q .", "git add .", hide):
        subprocess.run(command, shell=True, check=True, cwd=project)
    before = (project / "sub/report.json").read_bytes()
    (project / "net.prototxt").write_text("x")
    run = caffelint("check", ".", "--format", "json:sub/report.json")
    assert run.status == 2
    assert "git tracks this file" in run.err
    assert (project / "sub/report.json").read_bytes() == before


@pytest.mark.parametrize(
    "name",
    [
        *[".git/hooks/pre-commit", ".GIT/x", ".gitattributes"],
        *["caffelint.toml", "setup.cfg", "pytest.ini", ".pre-commit-config.yaml", "ci.YML"],
        *["rule.py", "sitecustomize.py", "conftest.PY", "rule.pyc", "x.pth", "x.pyd", "x.so", "x.egg-link", "x.ipynb"],
        *["a.prototxt", "a.caffemodel", "a.caffemodel.h5", "a.solverstate.H5"],
        # Other names of the same files on Windows and macOS.
        *[
            ".gitattributes.",
            ".gitignore::$DATA",
            "GITATT~1",
            ".git\\config",
            ".g\u200cit/config",
            "a.py.",
            "setup.cfg ",
        ],
        *["x.pyzw", "bare/hooks/post-update", "bare/packed-refs"],
    ],
)
def test_an_output_makes_nothing_that_others_read(project: Path, caffelint: Caffelint, name: str) -> None:
    """Neither git, which runs hooks, nor Python, nor caffelint itself."""
    (project / name).parent.mkdir(parents=True, exist_ok=True)
    if name.startswith("bare/"):
        subprocess.run(["git", "init", "-q", "--bare", "bare"], check=True)
    for words in (
        *[("check", ".", option, f"{format}{name}") for option, format in _OUTPUTS],
        ("lr", "solver.prototxt", "--plot", name),
        ("report", "solver.prototxt", "-o", name),
        ("deploy", "net.prototxt", "--card", name),
        *[(*command, "-o", name) for command in _NETS if name != "a.prototxt"],
    ):
        for text in (None, ""):
            if text is not None:
                (project / name).write_text(text)
            assert caffelint(*words).status == 2, words
            assert not (project / name).exists() if text is None else (project / name).read_text() == text
            (project / name).unlink(missing_ok=True)


_OUTPUTS = [("--format", "text:"), ("--format", "json:"), ("--write-baseline", "")]
_NETS = [("patch", "net.prototxt", "--check-finite", "all"), ("deploy", "net.prototxt")]


def test_an_empty_file_that_git_tracks_is_left_alone(project: Path, caffelint: Caffelint) -> None:
    names = ["__init__", "caffelint-baseline.json", "a.prototxt", "a.svg", "a.html"]
    for name in names:
        (project / name).write_text("")
    outputs = [("check", ".", option, f"{format}__init__") for option, format in _OUTPUTS]
    outputs += [(*command, "-o", "a.prototxt") for command in _NETS]
    outputs += [("lr", "solver.prototxt", "--plot", "a.svg"), ("report", "solver.prototxt", "-o", "a.html")]
    outputs += [("deploy", "net.prototxt", "--card", "__init__"), ("init", ".", "--yes", "--baseline")]
    subprocess.run(["git", "init", "-q", "."], check=True)
    subprocess.run(["git", "add", "."], check=True)
    for words in outputs:
        assert caffelint(*words).status == 2, words
        assert not any((project / name).read_bytes() for name in names), words
    subprocess.run(["git", "rm", "-q", "--cached", "__init__"], check=True)
    assert caffelint("check", ".", "--write-baseline", "__init__").status == 0


@pytest.mark.skipif(not os.access("/dev/shm", os.W_OK), reason="there is no shared memory")
def test_files_in_shared_memory_are_no_devices(project: Path, caffelint: Caffelint) -> None:
    with tempfile.TemporaryDirectory(dir="/dev/shm") as folder:
        precious, link = Path(folder, "precious"), Path(folder, "link")
        precious.write_text("notes\n")
        link.symlink_to(precious)
        for path in (precious, link):
            assert caffelint("check", ".", "--format", f"json:{path}").status == 2
        assert precious.read_text() == "notes\n"
    assert caffelint("check", ".", "--format", "json:/dev/null").status == 1
