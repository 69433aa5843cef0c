"""A page with what the other commands really wrote, of a net that the real Caffe has trained on a real data set."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import pytest

from caffelint.cli.main import main

from .conftest import Page, read_page

ITERATIONS = 12
CLASSES = 3
SOLVER = f"""net: "net.prototxt" base_lr: 0.01 lr_policy: "fixed" max_iter: {ITERATIONS} display: 4 random_seed: 1
snapshot: {ITERATIONS} snapshot_prefix: "trained" solver_mode: CPU
"""


class Trained(NamedTuple):
    """A folder with the net, its log and its weights, and the options that give what commands wrote about them."""

    folder: Path
    given: list[str]
    records: list[int]


@pytest.fixture
def trained(caffe_python: Path, caffe_exec: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Trained:
    pytest.importorskip("lmdb")
    pytest.importorskip("numpy")
    from data_sets import data_layer, images, records, rest, write_lmdb

    monkeypatch.chdir(tmp_path)
    labels = [min(number % 7, CLASSES - 1) for number in range(32)]
    write_lmdb(tmp_path / "db", records(images(32, (3, 8, 8)), labels))
    Path("net.prototxt").write_text(data_layer("db", "transform_param { scale: 0.004 }", batch=8) + rest(CLASSES))
    Path("solver.prototxt").write_text(SOLVER)
    done = caffe_exec("caffe", "train", "-solver", tmp_path / "solver.prototxt")
    Path("train.log").write_bytes(done.stderr)
    commands = {
        "log": ["train.log"],
        "data": ["solver.prototxt"],
        "weights": ["net.prototxt", f"trained_iter_{ITERATIONS}.caffemodel", "--input-shape", "data=8x3x8x8"],
        "smoke": ["solver.prototxt", "--iterations", "3", "--caffe-python", str(caffe_python)],
    }
    given = []
    for name, arguments in commands.items():
        main([name, *arguments, "--isolated", "--format", f"json:{name}.json"])
        given += ["--with", f"{name}.json"]
    return Trained(tmp_path, given, [labels.count(label) for label in range(CLASSES)])


def panel(page: Page, name: str) -> str:
    return str(page.tree.get_element_by_id(f"panel-{name}").text_content())


@pytest.mark.caffe
def test_each_has_a_tab_with_what_the_training_gave(trained: Trained) -> None:
    assert main(["report", "solver.prototxt", "-o", "page.html", "--isolated", "--read-data", *trained.given]) == 0
    page = read_page(trained.folder / "page.html")
    assert f"to iteration {ITERATIONS}, done" in panel(page, "log")
    assert "32 records of db" in panel(page, "data")
    for label, times in enumerate(trained.records):
        assert f"{label}{times}" in panel(page, "data")
    assert "it runs: 3 iterations" in panel(page, "smoke")
    assert "missing-bias-filler" not in panel(page, "smoke")  # which the page's own findings have
    assert "Run by caffe" in panel(page, "smoke")
    assert "3x192" in panel(page, "weights")
    assert "8x3x8x8" in panel(page, "net")
    assert 'First loss of "loss"' in panel(page, "scales")
    assert "loads" in page.tree.find_class("verdicts")[0].text_content()
