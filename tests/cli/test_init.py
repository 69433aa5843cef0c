"""`caffelint init` and `caffelint clean`."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

SSD = 'layer { name: "n" type: "Normalize" bottom: "x" top: "y" norm_param { across_spatial: false } }\n'


@pytest.fixture
def folder(project: Path) -> Path:
    for file in project.iterdir():
        file.unlink()
    return project


def test_what_fits_is_shown_and_written_only_with_yes(folder: Path, caffelint: Any) -> None:
    (folder / "third").mkdir()
    (folder / "third/models").mkdir()
    (folder / "third/models/net.prototxt").write_text(SSD)
    (folder / "solver.prototxt").write_text('net: "models/net.prototxt"\nbase_lr: 0.1\n')
    (folder / "test.pbtxt").write_text(SSD)
    run = caffelint("init")
    assert (run.status, list(folder.glob("*.toml"))) == (0, [])
    assert "nothing is written" in run.err
    assert caffelint("init", "--yes").out == run.out
    written = tomllib.loads((folder / "caffelint.toml").read_text())
    assert written == {"dialect": "ssd", "roots": ["third"], "include": ["*.pbtxt"]}
    assert caffelint("config", "--show-files").out.split() == [
        "solver.prototxt",
        "test.pbtxt",
        "third/models/net.prototxt",
    ]
    run = caffelint("init", "--yes")
    assert run.status == 2
    assert "caffelint.toml holds settings already" in run.err


def test_no_dialect_where_none_is_needed_or_none_fits(folder: Path, caffelint: Any) -> None:
    net = folder / "net.prototxt"
    net.write_text('layer { name: "a" type: "ReLU" bottom: "x" top: "y" }\n')
    assert "no file needs more than BVLC's Caffe" in caffelint("init").out
    net.write_text('layer { name: "a" type: "CtcLoss" }\nlayer { name: "b" type: "OctreeConv" }\n')
    assert "no known Caffe has all of CtcLoss and OctreeConv (1 of 1 files)" in caffelint("init").out
    net.write_text(SSD)
    for number, type_ in enumerate(("OctreeConv", "PSROIPooling", "Yolov3", "Quantization")):
        (folder / f"{number}.prototxt").write_text(f'layer {{ name: "a" type: "{type_}" bottom: "x" top: "y" }}\n')
    assert "\ndialect = " not in caffelint("init").out


def test_names_that_no_known_caffe_has_are_named(folder: Path, caffelint: Any) -> None:
    (folder / "a.prototxt").write_text('layer { name: "a" type: "ManhattanLoss" bottom: "x" top: "y" }\n')
    (folder / "b.prototxt").write_text('layer { name: "b" type: "Convolutoin" bottom: "x" top: "y" }\n')
    said = caffelint("init").out
    assert "no known Caffe has ManhattanLoss (1 of 2 files)" in said
    assert "Convolutoin" not in said  # a slip, which check reports
    (folder / "a.prototxt").write_text('layer { name: "a" type: "ReLU" relu_param { mine: 1 own: 2 } }\n')
    assert "no known Caffe has mine and own (1 of 2 files)" in caffelint("init").out


def test_all_forks_that_read_the_files_are_named(folder: Path, caffelint: Any) -> None:
    (folder / "net.prototxt").write_text(SSD)
    line = next(line for line in caffelint("init").out.splitlines() if line.startswith("dialect"))
    best, others = line.split("; so do ")
    assert '"ssd"' in best
    assert others.endswith(" more")


def test_no_dialect_for_fields_that_it_lacks(folder: Path, caffelint: Any) -> None:
    own = SSD.replace("}", "crop_size_l: 64 }", 1)
    for number in range(3):
        (folder / f"{number}.prototxt").write_text(own)
    said = caffelint("init").out
    assert "no known Caffe has crop_size_l (3 of 3 files)" in said
    assert "has all fields" not in said


def test_a_baseline(folder: Path, caffelint: Any) -> None:
    (folder / "solver.prototxt").write_text('net: "no.prototxt"\n')
    assert caffelint("check").status == 1
    assert caffelint("init", "--baseline", "--yes").status == 0
    assert caffelint("check").status == 0
    assert json.loads((folder / "caffelint-baseline.json").read_text())["files"]


@pytest.mark.skipif(os.name != "posix", reason="links")
@pytest.mark.parametrize("name", ["caffelint.toml", "caffelint-baseline.json"])
@pytest.mark.parametrize("there", ["kept\n", None])
def test_nothing_is_written_through_a_link(
    folder: Path, tmp_path_factory: pytest.TempPathFactory, caffelint: Any, name: str, there: str | None
) -> None:
    target = tmp_path_factory.mktemp("outside") / "precious"
    if there:
        target.write_text(there)
    (folder / name).symlink_to(target)
    before = sorted(os.listdir(folder))
    run = caffelint("init", "--baseline", "--yes")
    assert (run.status, run.err.count("\n")) == (2, 1)
    assert (target.read_text() if there else target.exists()) == (there or False)
    assert sorted(os.listdir(folder)) == before


@pytest.mark.skipif(os.name != "posix", reason="links")
def test_nothing_is_written_into_a_linked_folder(
    folder: Path, tmp_path_factory: pytest.TempPathFactory, caffelint: Any
) -> None:
    outside = tmp_path_factory.mktemp("outside")
    (folder / "nets").symlink_to(outside)
    assert caffelint("init", "--baseline", "--yes", "nets").status == 2
    assert os.listdir(outside) == []


def test_no_other_file_is_replaced_by_a_baseline(folder: Path, caffelint: Any) -> None:
    (folder / "caffelint-baseline.json").write_text("mine\n")
    assert caffelint("init", "--baseline", "--yes").status == 2
    assert (folder / "caffelint-baseline.json").read_text() == "mine\n"
    assert not (folder / "caffelint.toml").exists()


def test_the_written_settings_fit_their_schema(folder: Path, root: Path, caffelint: Any) -> None:
    jsonschema = pytest.importorskip("jsonschema")
    schema = json.loads((root / "docs/schema/settings.schema.json").read_text())
    validator = jsonschema.Draft7Validator(schema)
    validator.check_schema(schema)
    (folder / "test.pbtxt").write_text(SSD)
    caffelint("init", "--yes")
    text = (folder / "caffelint.toml").read_text()
    assert text.startswith(f"#:schema {schema['$id']}\n")
    validator.validate(tomllib.loads(text))
    for wrong in ({"dialekt": "ssd"}, {"fail-on": "sometimes"}, {"exclude": "a"}, {"max-warnings": -2}):
        assert not validator.is_valid(wrong), wrong


def test_the_schema_has_every_setting() -> None:
    from caffelint.lint.config import TYPES
    from caffelint.lint.settings_schema import ABOUT, schema

    assert ABOUT.keys() == TYPES.keys()
    assert schema()["properties"].keys() == {"extend", *(name.replace("_", "-") for name in TYPES)}


def test_clean_removes_results_and_nothing_else(folder: Path, caffelint: Any) -> None:
    assert caffelint("clean").out == f"no results removed from {folder.parent}/cache/caffelint\n"
    (folder / "net.prototxt").write_text(SSD)
    done = subprocess.run([sys.executable, "-m", "caffelint", "check"], cwd=folder, capture_output=True, check=False)
    assert done.returncode in (0, 1)
    stored = [path for path in (folder.parent / "cache/caffelint").rglob("*") if path.is_file()]
    assert stored
    mine = stored[0].parent / "mine"
    mine.write_text("x")
    (folder.parent / "cache/caffelint/ab").mkdir(exist_ok=True)
    link = folder.parent / "cache/caffelint/ab" / ("0" * 40)
    link.symlink_to(folder / "net.prototxt")
    assert caffelint("clean").out.startswith(f"{len(stored)} result")
    left = {path for path in (folder.parent / "cache/caffelint").rglob("*") if not path.is_dir()}
    assert left == {mine, link}


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGKILL])
def test_ended_between_settings_and_baseline(folder: Path, monkeypatch: pytest.MonkeyPatch, number: int) -> None:
    """Nothing is left, or after a kill settings that work without a baseline."""
    from caffelint.cli.main import main
    from caffelint.lint import baseline

    (folder / "net.prototxt").write_text(SSD)
    monkeypatch.setattr(baseline, "write", lambda *_: os.kill(os.getpid(), number))
    child = os.fork()
    if child == 0:
        signal.signal(number, signal.SIG_DFL) if number != signal.SIGKILL else None
        try:
            main(["init", "--baseline", "--yes", str(folder)])
        finally:
            os._exit(1)
    os.waitpid(child, 0)
    left = [path.name for path in folder.iterdir() if path.name != "net.prototxt"]
    assert left == (["caffelint.toml"] if number == signal.SIGKILL else [])
    assert main(["check", str(folder)]) == 0
