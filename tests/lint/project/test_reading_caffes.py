"""How much of a repository is read for its Caffes: once, in part where it is large, and as deep as nets are."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from own_caffe import MINE, NET, Make, found, settings

import caffelint
from caffelint.lint.built import BVLC_TYPES
from caffelint.lint.config import Config
from caffelint.lint.project.caffes import Caffes
from caffelint.lint.project.sources import digest
from caffelint.lint.read import read_found
from caffelint.lint.walk import walk


def test_sources_of_bvlc_are_known(root: Path, tmp_path: Path) -> None:
    text = "#include <vector>\nvoid A() {\n  // one\n  CHECK(x);\n}\n"
    assert digest(text) == digest("void A() { CHECK(x); }") == digest(text.replace("\n", "\r\n"))
    assert digest(text) != digest("void A() { CHECK(y); }")
    table = json.loads((root / "proto" / "bvlc_sources.json").read_text())
    assert {name for files in table["types"].values() for name in files} <= table["files"].keys()
    assert not set(table["types"]) - BVLC_TYPES
    assert all(table["files"].values())


def test_a_repository_of_many_files_is_read_in_part(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    make(NET.format(MINE.format("count: 3")))
    monkeypatch.setattr("caffelint.lint.project.sources._MOST_ENTRIES", 3)
    taken = Caffes(Config()).of("net.prototxt")
    assert taken.caffe is not None
    assert not taken.caffe.knows_types
    assert taken.why == "it is in the repository, too large for all of its sources to be read"
    assert [(severity, name) for severity, name, _ in found()] == [("info", "unknown-layer-type")]


def test_a_schema_that_refers_to_itself_is_read_as_deep_as_nets_are(make: Make) -> None:
    inner = "inner { count: 1 " * 300 + "}" * 300
    make(NET.format(MINE.format(f"count: 3 {inner}")), types="My")
    assert {name for _, name, _ in found()} <= {"syntax-error"}


def test_a_repository_is_walked_once_for_all_of_its_caffes(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    walks = 0

    def counted(top: str) -> Iterator[tuple[str, list[str], list[str]]]:
        nonlocal walks
        walks += 1
        return walk(top)

    monkeypatch.setattr("caffelint.lint.project.sources.walk", counted)
    for number in range(3):
        make("", at=f"{number}/caffe", text=SMALL, types=f"My{number}")
    caffes = Caffes(Config())
    for number in range(3):
        caffe_ = caffes.of(f"{number}/caffe/net.prototxt").caffe
        assert caffe_ is not None
        assert caffe_.registered.layers - BVLC_TYPES == {f"My{number}"}
    assert caffes.of("net.prototxt").caffe is not None
    assert walks == 1


def test_sources_that_belong_to_no_caffe_are_read_once(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []

    def counted(path: str, most: int) -> bytes:
        read.append(Path(path).name)
        return read_found(path, most)

    for number in range(3):
        make("", at=f"{number}/caffe", text=SMALL, types=f"My{number}")
    Path("common.cpp").write_text("REGISTER_LAYER_CLASS(Common);")
    monkeypatch.setattr("caffelint.lint.project.sources.read_found", counted)
    config = Config()
    config.cache = False
    caffes = Caffes(config)
    for number in range(3):
        caffe_ = caffes.of(f"{number}/caffe/net.prototxt").caffe
        assert caffe_ is not None
        assert caffe_.registered.layers - BVLC_TYPES == {"Common", f"My{number}"}
    assert read.count("common.cpp") == 1


@pytest.mark.parametrize("lacking", ["optional string type = 2;", "repeated LayerParameter layer = 100;"])
def test_a_caffe_that_lacks_what_every_caffe_has(make: Make, proto: str, lacking: str) -> None:
    assert lacking in proto
    make(
        'layers { name: "a" layer { type: "Bar" } } layer { name: "a" type: "Foo" relu_param { a: 1 } other { a: 1 } }',
        text=proto.replace(lacking, ""),
    )
    assert not caffelint.check(".", settings(cache=False)).failures


def test_of_too_many_equally_near_caffes_none_is_read(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(17):
        make("", at=f"c{number}", text=SMALL)
    read: list[str] = []
    monkeypatch.setattr("caffelint.lint.project.caffes.read", lambda path, *_: read.append(path))
    taken = Caffes(Config()).of("net.prototxt")
    assert taken.caffe is None
    assert taken.note.startswith('17 Caffes are equally near ("c0", "c1", "c10"')
    assert read == []


SMALL = """
message SolverParameter { optional string net = 1; }
message NetParameter { repeated LayerParameter layer = 1; }
message LayerParameter { optional string type = 1; }
"""


def test_names_that_its_sources_compare_are_known(make: Make) -> None:
    filler = 'convolution_param { num_output: 1 kernel_size: 3 weight_filler { type: "dct4" } }'
    top = make(NET.format(f'layer {{ name: "c" type: "Convolution" bottom: "a" top: "c" {filler} }}'))
    solver = 'net: "net.prototxt" base_lr: 1 max_iter: 9 lr_policy: "stepdecr" regularization_type: "Reg_Col"'
    (top / "solver.prototxt").write_text(f"{solver} weight_decay: 0.1")
    named = {"unknown-filler-type", "unknown-lr-policy", "unknown-regularization-type"}
    assert named <= {one.name for one in caffelint.check(".").findings}
    sources = top / "caffe/src/caffe"
    (sources / "sgd_solver.cpp").write_text(
        'if (lr_policy == "stepdecr") {} if (regularization_type == "Reg_Col") {}\nREGISTER_LAYER_CLASS_R(Data);'
    )
    (sources / "filler.hpp").write_text('Filler* GetFiller() { if (type == "dct4") return 0; }')
    assert not named & {one.name for one in caffelint.check(".").findings}
