"""A check over a cluster of processes, some of which are killed, and over archives: as on one machine, to the byte."""

from __future__ import annotations

import json
import os
import random
import shutil
import tarfile
import time
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from ending import ends_always, ends_once
from seeds import SEED

import caffelint
from caffelint.cli.main import main
from caffelint.cluster import check as clustered
from caffelint.cluster.mirror import is_remote
from caffelint.cluster.workers import NoCluster, connected, share
from caffelint.lint.config import Config
from caffelint.lint.workers import can_share

distributed = pytest.importorskip("distributed")
FIXTURES = Path(__file__).parents[2] / "fixtures"


@pytest.fixture(scope="module")
def client() -> Iterator[Any]:
    with processes(2) as client:
        yield client


@contextmanager
def processes(number: int) -> Iterator[Any]:
    import dask.config

    # A chunk that ended two processes is done job by job, and not only after four. Where Dask cannot start a process
    # again, work fails, and does not wait for ever.
    with (
        dask.config.set({"distributed.scheduler.allowed-failures": 1, "distributed.scheduler.no-workers-timeout": 120}),
        distributed.LocalCluster(n_workers=number, threads_per_worker=1, dashboard_address="127.0.0.1:0") as cluster,
        distributed.Client(cluster, set_as_default=False) as client,
    ):
        yield client


@pytest.fixture
def config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Config:
    for project in sorted((FIXTURES / "smoke" / "broken").iterdir())[:12]:
        shutil.copytree(project, tmp_path / "nets" / project.name)
    monkeypatch.chdir(tmp_path)
    config = Config()
    config.cache = False
    return config


def test_a_cluster_finds_the_same(config: Config, client: Any) -> None:
    alone = caffelint.check(["nets"], config)
    assert len(alone.findings) > 10
    assert clustered.check(["nets"], config, client) == alone


def test_what_a_killed_process_had_in_hand_is_done_by_another(client: Any, tmp_path: Path) -> None:
    """Each chunk that kills does so in the middle of its jobs, when some have results."""
    dice = random.Random(SEED)
    killing = {dice.randrange(200) for _ in range(2)}
    jobs = [(number, str(tmp_path / str(number)) if number in killing else "") for number in range(200)]
    assert [*share(client, ends_once, jobs, lambda job: -1, chunk=8)] == [*range(200)]
    assert {int(file.name) for file in tmp_path.iterdir()} == killing


def test_a_file_that_ends_every_process_is_named_and_costs_no_other() -> None:
    """It ends two of them with its chunk and two alone; Dask gives up what does not start again at once."""
    with processes(6) as client:
        assert [*share(client, ends_always, [*range(20)], lambda job: -job, chunk=8)] == [
            -number if number == 13 else number for number in range(20)
        ]


@pytest.mark.skipif(not can_share("spawn"), reason="local:N needs Python 3.11")
def test_work_does_not_wait_for_ever_where_no_process_is_left() -> None:
    with connected("local:1") as client:
        assert client.cluster.scheduler.no_workers_timeout == 60
        client.cluster.scheduler.no_workers_timeout = 0.1
        client.cluster.scale(0)
        while client.nthreads():
            time.sleep(0.05)
        with pytest.raises(NoCluster, match="no worker is left"):
            list(share(client, ends_always, [1], lambda job: job, chunk=1))


def _packed(kind: str) -> str:
    files = sorted(path for path in Path("nets").rglob("*") if path.is_file())
    if kind == "zip":
        with zipfile.ZipFile("nets.zip", "w") as archive:
            for path in files:
                archive.write(path, path.relative_to("nets"))
        return "zip://::nets.zip"
    with tarfile.open("nets.tgz", "w:gz") as packed:
        for path in files:
            packed.add(path, path.relative_to("nets"))
    return "tar://::nets.tgz"


@pytest.mark.parametrize("kind", ["zip", "tar"])
def test_an_archive_is_checked_as_its_folder_is(
    config: Config, client: Any, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = _packed(kind)
    here = clustered.check([url], config)
    assert clustered.check([url], config, client) == here
    monkeypatch.chdir("nets")
    there = caffelint.check(["."], config)
    first, last = url.split("::")
    assert [finding.file for finding in here.findings] == [f"{first}{one.file}::{last}" for one in there.findings]
    assert [finding.message for finding in here.findings] == [finding.message for finding in there.findings]
    assert here.files == there.files


def test_each_match_of_wildcards_is_checked_by_itself(config: Config) -> None:
    inside = f"file://{Path.cwd()}/nets/*"
    Path("nets", "README.md").write_text("no net")
    report = clustered.check([inside], config)
    assert not report.failures
    assert report.files == caffelint.check(["nets"], config).files


def test_one_file_is_read_with_what_lies_beside_it_and_reported_alone(config: Config) -> None:
    file = next(path for path in Path("nets").rglob("solver.prototxt"))
    report = clustered.check([f"file://{file.absolute()}"], config)
    assert not report.failures
    assert "missing-net" not in {finding.name for finding in report.findings}
    assert report == clustered.check([f"file://{file.absolute()}"], config)


def test_no_name_in_an_archive_leads_out_of_it(config: Config, tmp_path: Path) -> None:
    with zipfile.ZipFile("evil.zip", "w") as archive:
        for name in ("../outside.prototxt", "a/../../outside.prototxt", "good/net.prototxt"):
            archive.writestr(name, 'layer { name: "x" type: "ReLU" bottom: "a" top: "b" }')
    report = clustered.check(["zip://::evil.zip"], config)
    assert report.files == 1
    assert len(report.failures) == 2
    assert all("leads out of its folder" in failure.message for failure in report.failures)
    assert not list(tmp_path.parent.glob("outside.prototxt"))


@pytest.mark.parametrize("path", ["nets", "a:b", "C:\\nets", "-", "./a//b"])
def test_paths_of_this_machine_are_not_remote(path: str) -> None:
    assert not is_remote(path)


@pytest.mark.skipif(os.name != "posix", reason="no colons in names")
def test_a_file_may_have_colons_in_its_name(config: Config) -> None:
    Path("a::b.prototxt").write_text('layer { name: "x" type: "ReLU" bottom: "a" top: "b" }')
    report = clustered.check(["a::b.prototxt"], config)
    assert (report.files, report.failures) == (1, ())


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--cluster", "nowhere", "nets"], "is not a cluster; give tcp://HOST:PORT"),
        (["--cluster", "tcp://127.0.0.1:9", "--fix", "nets"], "--cluster cannot be combined with --fix"),
        (["--cluster", "tcp://127.0.0.1:9", "-"], "--cluster cannot be combined with -"),
        (["zip://::gone.zip"], "zip://::gone.zip: cannot be read"),
        (["nosuch://bucket/x"], "cannot be read: protocol not known: nosuch"),
    ],
)
def test_wrong_usage_is_one_line(
    config: Config, arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["check", "--isolated", "-q", *arguments]) == 2
    err = capsys.readouterr().err
    assert said in err
    assert err.count("\n") == 1


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("[1]", "holds no address of a scheduler"),
        ('{"address": 5}', "holds no address of a scheduler"),
        ("tcp://127.0.0.1:9", "is not what a scheduler writes"),
        (None, "shows the running system and was not read"),
    ],
)
def test_the_file_of_a_scheduler(
    config: Config, written: str | None, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    file = Path("scheduler.json")
    if written is None:
        file.symlink_to("/proc/self/environ")
    else:
        file.write_text(written)
    assert main(["check", "--isolated", "-q", "--cluster", "scheduler.json", "nets"]) == 2
    assert capsys.readouterr().err == f"caffelint: scheduler.json: {said}\n"


def test_the_file_of_a_scheduler_leads_to_it(client: Any, tmp_path: Path) -> None:
    (tmp_path / "scheduler.json").write_text(json.dumps({"address": client.scheduler.address}))
    with connected(str(tmp_path / "scheduler.json")) as found:
        assert found.scheduler.address == client.scheduler.address


def test_no_scheduler_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("caffelint.cluster.workers._SECONDS", 1)
    with pytest.raises(NoCluster, match=r"^tcp://127\.0\.0\.1:9: "), connected("tcp://127.0.0.1:9"):
        pass
