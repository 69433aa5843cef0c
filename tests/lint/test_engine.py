"""Which files a run looks at, what is judged together, and that nothing is said twice."""

from __future__ import annotations

import io
import json
import os
import random
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from seeds import draws

import caffelint
from caffelint.lint import cache, checker, engine, registry
from caffelint.lint.changed import changed_files
from caffelint.lint.config import Config, load_config
from caffelint.lint.discover import discover, resolve
from caffelint.lint.plan import Job, plan
from caffelint.lint.report import Failure, Report, own_failure
from caffelint.lint.select import selected
from caffelint.report import FORMATS, Look, write

SOLVER = 'net: "{}" base_lr: 0.01 lr_policy: "poly" power: 1\n'
NET = 'layer { name: "p" type: "Pooling" bottom: "a" top: "b" pooling_param { pool: AVE stride: 5 kernel_size: 3 } }\n'
FAULTS = ["poly-without-max-iter", "pooling-stride-exceeds-kernel"]


@pytest.fixture
def config(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Config:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / ".cache"))
    config = Config()
    config.select = FAULTS
    return config


def found(config: Config, *paths: str, **more: object) -> list[tuple[str, str]]:
    report = caffelint.check(paths, config, **more)  # type: ignore[arg-type]
    assert not report.failures
    return [(finding.file, finding.name) for finding in report.findings]


def project(folder: Path, net: str = "net.prototxt") -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "solver.prototxt").write_text(SOLVER.format(net))
    (folder / "net.prototxt").write_text(NET)


def test_net_reached_through_a_solver_is_reported_once(config: Config, tmp_path: Path) -> None:
    project(tmp_path)
    both = [("net.prototxt", FAULTS[1]), ("solver.prototxt", FAULTS[0])]
    assert found(config, "solver.prototxt") == both
    assert found(config, ".") == both
    assert found(config, "solver.prototxt", "./net.prototxt", str(tmp_path / "net.prototxt")) == both


def test_net_given_alone_is_paired_with_the_solver_beside_it(config: Config, tmp_path: Path) -> None:
    project(tmp_path)
    config.select = [*FAULTS, "high-base-lr"]
    (tmp_path / "solver.prototxt").write_text('net: "net.prototxt" base_lr: 1000 lr_policy: "poly" power: 1\n')
    (tmp_path / "net.prototxt").write_text(
        'layer { name: "d" type: "Data" top: "a" top: "l" data_param { source: "x" batch_size: 1 } }\n'
        'layer { name: "f" type: "InnerProduct" bottom: "a" top: "b" inner_product_param { num_output: 2 } }\n'
        'layer { name: "s" type: "SoftmaxWithLoss" bottom: "b" bottom: "l" top: "s" }\n'
    )
    # What solver and net say together, and nothing of the solver alone.
    assert found(config, "net.prototxt") == [("solver.prototxt", "high-base-lr")]


def test_a_solver_that_comes_later_is_found(config: Config, tmp_path: Path) -> None:
    project(tmp_path)
    text = (tmp_path / "solver.prototxt").read_text()
    (tmp_path / "solver.prototxt").unlink()
    before = plan(["net.prototxt"])
    (tmp_path / "solver.prototxt").write_text(text)
    assert (before[0].files, plan(["net.prototxt"])[0].files) == (
        ("net.prototxt",),
        ("net.prototxt", "solver.prototxt"),
    )


@pytest.mark.parametrize("where", ["net.prototxt", "models/a/net.prototxt", "elsewhere/net.prototxt"])
def test_net_is_found_where_repositories_mean_it(config: Config, tmp_path: Path, where: str) -> None:
    project(tmp_path / "models" / "a", where)
    assert ("models/a/net.prototxt", FAULTS[1]) in found(config, "models/a/solver.prototxt")


def test_net_is_found_below_configured_roots(config: Config, tmp_path: Path) -> None:
    project(tmp_path / "caffe" / "examples")
    (tmp_path / "solver.prototxt").write_text(SOLVER.format("examples/net.prototxt"))
    assert found(config, "solver.prototxt") == [("solver.prototxt", FAULTS[0])]
    config.roots = ["caffe"]
    assert ("caffe/examples/net.prototxt", FAULTS[1]) in found(config, "solver.prototxt")


def test_many_jobs_find_the_same(config: Config, tmp_path: Path) -> None:
    large = draws(2_000, 20_000)
    for number in range(40):
        project(tmp_path / f"m{number:02}")
    (tmp_path / "m00" / "large.prototxt").write_text(NET * large)
    config.cache = False
    config.jobs = 1
    alone = found(config, ".")
    config.jobs = 2
    assert found(config, ".") == alone
    assert len(alone) == 80 + large


@pytest.mark.skipif(os.name != "posix", reason="processes start otherwise elsewhere")
def test_a_process_that_is_killed_is_not_waited_for(
    config: Config, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(40):
        project(tmp_path / f"m{number:02}")

    def killed(self: object, job: Job) -> None:
        os.kill(os.getpid(), signal.SIGKILL)

    monkeypatch.setattr(checker.Checker, "job", killed)
    monkeypatch.setattr(engine, "_WORTH_A_POOL", 0)
    config.jobs = 2
    report = caffelint.check(["."], config)
    assert report.exit_status() == 3
    assert "try --jobs 1" in report.failures[0].message


def test_cache_gives_the_same_and_notices_changes(config: Config, tmp_path: Path) -> None:
    project(tmp_path)
    first = caffelint.check(["."], config)
    assert list((tmp_path / ".cache").rglob("*"))
    again = caffelint.check(["."], config)
    assert again.findings == first.findings
    (tmp_path / "net.prototxt").write_text(NET.replace("stride: 5", "stride: 2"))
    assert found(config, ".") == [("solver.prototxt", FAULTS[0])]
    config.select = FAULTS[1:]
    assert found(config, ".") == []


def test_what_a_rule_sees_on_the_disk_is_not_kept(config: Config, tmp_path: Path) -> None:
    data = 'layer { name: "d" type: "Data" top: "a" data_param { source: "there" batch_size: 1 } }'
    (tmp_path / "net.prototxt").write_text(data)
    config.select = ["source-not-found"]
    config.rules = {"source-not-found": {"check-sources": True}}
    assert len(caffelint.check(["."], config).findings) == 1
    (tmp_path / "there").mkdir()
    assert caffelint.check(["."], config).findings == ()


def test_a_net_of_one_line_is_kept_once(config: Config, tmp_path: Path) -> None:
    text = "".join(NET.replace("\n", " ").replace('"p"', f'"p{number}"') for number in range(300))
    (tmp_path / "net.prototxt").write_text(text)
    first = caffelint.check(["."], config)
    assert len(first.findings) == 300
    stored = sum(path.stat().st_size for path in _entries(tmp_path))
    assert 0 < stored < 2000 * len(first.findings) + 2 * len(text)
    assert caffelint.check(["."], config).findings == first.findings


def _entries(tmp_path: Path) -> list[Path]:
    return [path for path in (tmp_path / ".cache").rglob("*") if path.is_file()]


def test_a_damaged_cache_is_no_matter(config: Config, tmp_path: Path) -> None:
    project(tmp_path)
    first = caffelint.check(["."], config)
    chance = random.Random(1)
    stored = {path: path.read_bytes() for path in _entries(tmp_path)}
    assert stored
    for number in range(200):
        for path, data in stored.items():
            at = chance.randrange(len(data))
            path.write_bytes(data[:at] + bytes([chance.randrange(256)] * (number % 3)) + data[at + 1 :])
        assert caffelint.check(["."], config).findings == first.findings


def test_a_cache_that_somebody_else_wrote_is_no_matter(config: Config, tmp_path: Path) -> None:
    """With the right digest, too: what is no finding is as if it were not there."""
    project(tmp_path)
    first = caffelint.check(["."], config)
    chance = random.Random(1)
    stored = {path: json.loads(path.read_bytes().partition(b"\n")[2]) for path in _entries(tmp_path)}
    odd = [None, 1, -1, 1.5, float("inf"), float("nan"), "x", [], {}, [[]], True, 10**400, "[" * 100_000]
    for _ in range(200):
        for path, value in stored.items():
            value = json.loads(json.dumps(value))
            rows: Any = value
            while isinstance(rows, list) and rows and (rows is value or chance.random() < 0.8):
                at, within = chance.randrange(len(rows)), rows
                rows = rows[at]
            within[at] = chance.choice(odd)
            body = json.dumps(value).encode()
            path.write_bytes(cache._digest(path.name, body) + b"\n" + body)
        report = caffelint.check(["."], config)
        assert not report.failures
        assert write_report(report)
    assert first.findings


def write_report(report: Report) -> str:
    out = io.StringIO()
    for name in FORMATS:
        write(name, report, out, Look())
    return out.getvalue()


def test_git_decides_what_is_looked_at(config: Config, tmp_path: Path) -> None:
    project(tmp_path / "kept")
    project(tmp_path / "build")
    (tmp_path / ".gitignore").write_text("build/\n")
    subprocess.run(["git", "init", "-q", "."], check=True)
    assert {os.path.dirname(file) for file, _ in found(config, ".")} == {"kept"}
    assert {os.path.dirname(file) for file, _ in found(config, "build")} == {"build"}


def test_changed_net_brings_its_solver(config: Config, tmp_path: Path) -> None:
    project(tmp_path / "a")
    project(tmp_path / "b")
    git = ["git", "-c", "user.name=a", "-c", "user.email=a@b"]
    for command in (["init", "-q", "."], ["add", "."], ["commit", "-q", "-m", "x"]):
        subprocess.run([*git, *command], check=True)
    assert found(config, ".", changed=changed_files()) == []
    (tmp_path / "a" / "net.prototxt").write_text(NET + "\n")
    assert {file for file, _ in found(config, ".", changed=changed_files())} == {"a/net.prototxt", "a/solver.prototxt"}
    (tmp_path / "b" / "solver.prototxt").write_text(SOLVER.format("net.prototxt") + "\n")
    changed = {file for file, _ in found(config, ".", changed=changed_files())}
    assert changed == {"a/net.prototxt", "a/solver.prototxt", "b/solver.prototxt"}


def test_changes_are_seen_from_any_folder_and_under_old_names(tmp_path: Path) -> None:
    project(tmp_path / "a")
    (tmp_path / "b").mkdir()
    git = ["git", "-C", str(tmp_path), "-c", "user.name=a", "-c", "user.email=a@b"]
    for command in (
        ["init", "-q", "."],
        ["add", "."],
        ["commit", "-q", "-m", "x"],
        ["config", "diff.relative", "true"],
    ):
        subprocess.run([*git, *command], check=True)
    (tmp_path / "new.prototxt").write_text(NET)
    subprocess.run([*git, "mv", "a/net.prototxt", "a/moved.prototxt"], check=True)
    changed = {"new.prototxt", "a/net.prototxt", "a/moved.prototxt"}
    for folder in (tmp_path, tmp_path / "b"):
        top = os.path.realpath(tmp_path)
        assert changed_files(folder=str(folder)) == {os.path.join(top, name) for name in changed}


def test_per_file_ignores_and_exclude(config: Config, tmp_path: Path) -> None:
    project(tmp_path / "a")
    project(tmp_path / "old")
    config.per_file_ignores = {"old/*": ["S"]}
    assert ("old/solver.prototxt", FAULTS[0]) not in found(config, ".")
    config.exclude = ["old/*"]
    assert {os.path.dirname(file) for file, _ in found(config, ".")} == {"a"}


@pytest.mark.parametrize("glob", ["old", "old/", "old/*", "./old/*", "old/**", "**/old/*", "old/**/solver.prototxt"])
def test_globs_mean_folders_and_start_from_their_settings(
    config: Config, tmp_path: Path, glob: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    project(tmp_path / "old")
    project(tmp_path / "golden")
    (tmp_path / "caffelint.toml").write_text(f'select = ["S101"]\n[per-file-ignores]\n"{glob}" = ["S101"]\n')
    assert found(load_config(tmp_path), ".") == [("golden/solver.prototxt", FAULTS[0])]
    monkeypatch.chdir(tmp_path / "old")
    assert found(load_config(tmp_path / "old"), ".") == []
    (tmp_path / "caffelint.toml").write_text(f'select = ["S101"]\nexclude = ["{glob}"]\n')
    assert found(load_config(tmp_path / "old"), ".") == []
    assert [name for _, name in found(load_config(tmp_path), str(tmp_path / "golden"))] == [FAULTS[0]]


def test_severity_override(config: Config, tmp_path: Path) -> None:
    project(tmp_path)
    config.severity = {"S1": "info"}
    report = caffelint.check(["solver.prototxt"], config)
    assert {f.name: f.severity for f in report.findings} == {FAULTS[0]: "info", FAULTS[1]: "warning"}


@pytest.mark.parametrize(
    "severity", [{"S101": "info", "S": "error"}, {"S": "error", FAULTS[0]: "info"}, {"all": "error", "solver": "info"}]
)
def test_the_more_exact_severity_wins(config: Config, tmp_path: Path, severity: dict[str, str]) -> None:
    project(tmp_path)
    config.severity = severity
    report = caffelint.check(["solver.prototxt"], config)
    assert {f.severity for f in report.findings if f.name == FAULTS[0]} == {"info"}


@pytest.mark.parametrize(
    ("select", "ignore", "runs"),
    [
        (["S101"], ["S"], True),
        (["S1"], ["S"], True),
        (["S"], ["S1"], False),
        (["all"], ["solver"], False),
        (["S101"], [FAULTS[0]], False),
        ([], ["all"], False),
        (["solver"], ["all"], True),
    ],
)
def test_the_more_exact_selector_wins(config: Config, select: list[str], ignore: list[str], runs: bool) -> None:
    config.select, config.ignore = select, ignore
    assert (FAULTS[0] in [info.name for info in selected(config)]) is runs


def test_what_the_command_line_selects_runs(tmp_path: Path) -> None:
    (tmp_path / "caffelint.toml").write_text('ignore = ["S101", "P"]\n')

    def runs(*select: str, **more: list[str]) -> bool:
        config = load_config(tmp_path, overrides={"select": list(select), **more})
        return FAULTS[0] in [info.name for info in selected(config)]

    assert runs("S101")
    assert not runs("S")
    assert not runs("S101", ignore=["S101"])


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("import gone_module", "the installed rules mine_broken cannot be imported: ModuleNotFoundError"),
        (
            "from caffelint.rules.solver.poly_without_max_iter import PolyWithoutMaxIter as Base\n"
            "class Mine(Base): code = 'U001'",
            "two installed rules are called poly-without-max-iter",
        ),
    ],
)
def test_rules_that_are_broken_are_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, said: str) -> None:
    (tmp_path / "mine_broken.py").write_text(text)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "mine_broken", raising=False)
    monkeypatch.setattr(registry, "pack_names", lambda: ["caffelint.rules", "mine_broken"])
    with pytest.raises(registry.NoRulesError, match=said):
        registry.all_rules.__wrapped__()


def test_links_and_refs_that_lead_nowhere(tmp_path: Path) -> None:
    (tmp_path / "link.prototxt").symlink_to("gone")
    assert discover([str(tmp_path / "link.prototxt")]).unreadable[0][1] == "leads nowhere"
    with pytest.raises(ValueError, match="is not a commit"):
        changed_files(f"--output={tmp_path / 'written'}")


@pytest.mark.skipif(os.name != "posix", reason="elsewhere everybody has a home")
def test_somebody_without_a_home_has_no_cache(config: Config, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    project(tmp_path)
    for name in ("XDG_CACHE_HOME", "HOME"):
        monkeypatch.delenv(name)
    monkeypatch.setattr(os, "getuid", lambda: 54321)
    assert len(found(config, ".")) == 2


@pytest.mark.parametrize("name", ["mine", "mine_alone"])
def test_a_pack_of_one_module_is_part_of_the_fingerprint(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    (tmp_path / "mine" / "parts").mkdir(parents=True)
    (tmp_path / "mine" / "__init__.py").touch()
    (tmp_path / "mine_alone.py").touch()
    monkeypatch.syspath_prepend(tmp_path)
    without = cache.code_fingerprint.__wrapped__()
    monkeypatch.setattr(cache, "pack_names", lambda: ["caffelint.rules", name])
    with_pack = cache.code_fingerprint.__wrapped__()
    (tmp_path / "mine" / "parts" / "rule.py").write_text("x = 1")
    (tmp_path / "mine_alone.py").write_text("x = 1")
    assert len({without, with_pack, cache.code_fingerprint.__wrapped__()}) == 3


def test_one_path_is_one_file(config: Config, tmp_path: Path) -> None:
    project(tmp_path)
    for path in ("solver.prototxt", Path("solver.prototxt")):
        assert {finding.name for finding in caffelint.check(path, config).findings} == set(FAULTS)
    failures = caffelint.check("typo.prototxt").failures
    assert [failure.file for failure in failures] == ["typo.prototxt"]


def test_a_dialect_goes_before_that_of_the_settings(config: Config, tmp_path: Path) -> None:
    text = 'layer { name: "n" type: "Normalize" bottom: "a" top: "b" norm_param { across_spatial: true } }'
    (tmp_path / "net.prototxt").write_text(text)
    config.select, config.dialect = ["P"], "ssd"

    def errors(report: Report) -> int:
        return report.count("error")

    for dialect, refused in ((None, False), ("bvlc", True), ("caffe-ssd", False)):
        assert bool(errors(caffelint.check("net.prototxt", config, dialect=dialect))) == refused
        assert bool(errors(caffelint.check_text(text, config=config, dialect=dialect))) == refused
    assert config.dialect == "ssd"
    for wrong in (lambda: caffelint.check("net.prototxt", dialect="x"), lambda: caffelint.check_text("", dialect="x")):
        with pytest.raises(ValueError, match='unknown dialect "x"'):
            wrong()


def test_a_text_is_a_net_or_a_solver() -> None:
    with pytest.raises(ValueError, match='kind is "foo"; it takes "net" or "solver"'):
        caffelint.check_text("base_lr: 1", kind="foo")


def test_unreadable_paths(config: Config, tmp_path: Path) -> None:
    project(tmp_path)
    report = caffelint.check(["nowhere.prototxt", "solver.prototxt"], config)
    assert [(failure.file, failure.internal) for failure in report.failures] == [("nowhere.prototxt", False)]
    assert len(report.findings) == 2
    assert report.exit_status() == 2


def test_loop_of_folders_ends(config: Config, tmp_path: Path) -> None:
    project(tmp_path / "a")
    (tmp_path / "a" / "again").symlink_to(tmp_path)
    assert len(discover(["."]).files) == 2


def test_text_in_place_of_the_file(config: Config, tmp_path: Path) -> None:
    project(tmp_path)
    sound = SOLVER.format("net.prototxt").replace("poly", "fixed").encode()
    assert found(config, "solver.prototxt", texts={"solver.prototxt": sound}) == [("net.prototxt", FAULTS[1])]


@pytest.mark.parametrize("name", ["", "\0", "a" * 5000, "../" * 100 + "etc", "."])
def test_strange_net_names_resolve_to_nothing(config: Config, tmp_path: Path, name: str) -> None:
    assert resolve(name, str(tmp_path / "solver.prototxt")) == (None, False, False)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('base_lr: 0.1 type: ADAM net: "n"', '"Adam"'),
        ('base_lr: 0.1 lr_policy: Step gamma: 0.1 stepsize: 9 net: "n"', '"step"'),
        ('layer { name: "a" type: Relu bottom: "b" top: "c" }', '"ReLU"'),
    ],
)
def test_one_value_is_offered_for_one_place(text: str, value: str) -> None:
    findings = [finding for finding in caffelint.check_text(text).findings if finding.fix()]
    assert len(findings) == 2
    assert {finding.fixes[0].edits[0][1].text for finding in findings} == {value}
    assert len({finding.fixes for finding in findings}) == 1


def test_a_working_directory_that_is_removed_is_no_defect(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    (tmp_path / "here").rmdir()
    with pytest.raises(FileNotFoundError) as raised:
        os.path.realpath("net.prototxt")
    assert own_failure("net.prototxt", raised.value) == Failure("net.prototxt", "the working directory is gone")
