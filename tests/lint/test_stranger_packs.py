"""Rules of somebody else, in a folder and in an installed distribution, do all that built-in ones do."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Iterator
from importlib import invalidate_caches
from pathlib import Path
from typing import Any

import pytest

from caffelint.cli.main import main
from caffelint.lint import registry

PACK = Path(__file__).parent / "pack"
NAMES = {"no-random-seed", "large-kernel", "read-often", "group-does-not-divide"}
SOLVER = 'net: "net.prototxt"\nbase_lr: 0.01\nlr_policy: "fixed"\nmax_iter: 10\n'
NET = """\
layer { name: "data" type: "Input" top: "data" input_param { shape { dim: 1 dim: 3 dim: 32 dim: 32 } } }
layer { name: "a" type: "ReLU" bottom: "data" top: "a" }
layer { name: "b" type: "ReLU" bottom: "data" top: "b" }
layer { name: "c" type: "Convolution" bottom: "data" top: "c" convolution_param { num_output: 4 kernel_size: 11 } }
layer { name: "d" type: "Convolution" bottom: "a" top: "d" convolution_param { num_output: 4 kernel_size: 3 group: 3 } }
"""


@pytest.fixture(params=["folder", "distribution"])
def installed(request: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A project whose checks run the pack."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    project = tmp_path / "project"
    project.mkdir()
    (project / "solver.prototxt").write_text(SOLVER, "utf-8")
    (project / "net.prototxt").write_text(NET, "utf-8")
    monkeypatch.chdir(project)
    if request.param == "folder":
        shutil.copytree(PACK, project / "my_rules", ignore=shutil.ignore_patterns("__*"))
        Path("caffelint.toml").write_text('plugins = ["my_rules/"]\n', "utf-8")
        assert main(["trust"]) == 0
    else:
        site = tmp_path / "site"
        shutil.copytree(PACK, site / "house_rules", ignore=shutil.ignore_patterns("__pycache__"))
        info = site / "house_rules-1.0.dist-info"
        info.mkdir()
        (info / "METADATA").write_text("Metadata-Version: 2.1\nName: house-rules\nVersion: 1.0\n")
        (info / "entry_points.txt").write_text("[caffelint.rules]\nhouse = house_rules\n")
        monkeypatch.syspath_prepend(site)
        invalidate_caches()
    registry.all_rules.cache_clear()
    yield
    registry.use_plugins([])
    registry.all_rules.cache_clear()
    for name in [name for name in sys.modules if name.partition(".")[0] == "house_rules"]:
        del sys.modules[name]


def found(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, Any]:
    capsys.readouterr()
    main(["check", "--format", "json", *arguments])
    document = json.loads(capsys.readouterr().out)
    return {finding["name"]: finding for finding in document["findings"] if finding["name"] in NAMES}


@pytest.mark.usefixtures("installed")
def test_a_pack_does_all_that_built_in_rules_do(capsys: pytest.CaptureFixture[str]) -> None:
    main(["rules"])
    listed = capsys.readouterr().out
    assert all(name in listed for name in [*NAMES, "loss-above-hundred"])
    registry.use_plugins([])
    assert main(["explain", "H301"]) == 0
    assert "InsertSplits" in capsys.readouterr().out
    registry.use_plugins([])
    assert main(["test", "-q"]) == 0, capsys.readouterr().out
    findings = found(capsys, ".")
    assert set(findings) == NAMES
    assert findings["group-does-not-divide"]["severity"] == "error"
    # Chosen, ignored and set as any other.
    assert set(found(capsys, ".", "--select", "H1,large-kernel")) == {"no-random-seed", "large-kernel"}
    with Path("caffelint.toml").open("a", encoding="utf-8") as settings:
        settings.write(
            'ignore = ["read-often"]\n[severity]\nno-random-seed = "error"\n[rules.large-kernel]\nmost = 11\n'
        )
    findings = found(capsys, ".", "--config", "caffelint.toml")
    assert set(findings) == {"no-random-seed", "group-does-not-divide"}
    assert findings["no-random-seed"]["severity"] == "error"
    Path("caffelint.toml").write_text(Path("caffelint.toml").read_text("utf-8").replace("most", "mots"), "utf-8")
    assert main(["check", ".", "--config", "caffelint.toml"]) == 2
    assert "did you mean most?" in capsys.readouterr().err


@pytest.mark.usefixtures("installed")
def test_a_pack_is_suppressed_kept_in_a_baseline_and_mended(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", ".", "--write-baseline", "base.json"]) in (0, 1)
    assert not found(capsys, ".", "--baseline", "base.json")
    solver = Path("solver.prototxt")
    solver.write_text(SOLVER.replace("0.01", "0.01  # caffelint: ignore[no-random-seed]"), "utf-8")
    assert "no-random-seed" not in found(capsys, ".")
    solver.write_text(SOLVER, "utf-8")
    main(["check", ".", "--select", "H", "--fix", "--unsafe-fixes"])
    assert "random_seed: 1" in solver.read_text("utf-8")
    assert "group" not in Path("net.prototxt").read_text("utf-8")
    assert set(found(capsys, ".")) == {"large-kernel", "read-often"}
