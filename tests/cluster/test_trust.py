"""What may start a cluster or fetch files, and what is imported where work is shared."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
from ending import imported

from caffelint.cluster.workers import NoCluster, connected, share
from caffelint.lint.config import ConfigError, load_config
from caffelint.lint.workers import can_share


@pytest.mark.parametrize("name", ["cluster", "sweep"])
def test_no_setting_sends_work_elsewhere(name: str, tmp_path: Path) -> None:
    (tmp_path / ".caffelint.toml").write_text(f'{name} = "tcp://host:1"\n')
    with pytest.raises(ConfigError, match=name):
        load_config(tmp_path, None, {})


@pytest.mark.skipif(not can_share("spawn"), reason="local:N is refused")
def test_nothing_is_imported_from_the_working_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each process starts anew, and would look there first."""
    pytest.importorskip("distributed")
    for name in ("distributed", "json", "tornado", "planted_here"):
        (tmp_path / f"{name}.py").write_text(f"open({str(tmp_path / 'ran')!r}, 'w').close()")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONSAFEPATH", "")
    with connected("local:1") as client:
        assert [*share(client, imported, ["planted_here"], _lost, chunk=1)] == [False]
    assert not (tmp_path / "ran").exists()
    assert os.environ["PYTHONSAFEPATH"] == "", "what is started later is as it was"


def _lost(job: str) -> bool:
    return True


@pytest.mark.parametrize("address", ["", "local:", "local:0", "local:x", "slurm", "nowhere", "/no/such/scheduler.json"])
def test_an_address_that_means_nothing_is_one_line(address: str) -> None:
    pytest.importorskip("distributed")
    with pytest.raises(NoCluster, match="is not a cluster; give"), connected(address):
        pass


def test_a_worker_of_another_version_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("distributed")

    class Client:
        def wait_for_workers(self, *_: Any, **__: Any) -> None: ...
        def __enter__(self) -> Client:
            return self

        def __exit__(self, *_: object) -> None: ...
        def run(self, *_: Any, **__: Any) -> dict[str, object]:
            return {"tcp://one:1": "0.0.1"}

    monkeypatch.setattr("distributed.Client", lambda **_: Client())
    with (
        pytest.raises(NoCluster, match=r"worker tcp://one:1 has caffelint 0\.0\.1, and this is"),
        connected("tcp://x:1"),
    ):
        pass
