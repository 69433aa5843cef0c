"""Which Caffe is taken for a file: the nearest of the repository, the one that is named, the fork that a text names."""

from __future__ import annotations

import json
import os
import re
import shutil
from pathlib import Path

import pytest
from own_caffe import MINE, NET, Make, caffe, found, settings

import caffelint
from caffelint.cli.main import main
from caffelint.lint.built import BVLC_TYPES
from caffelint.lint.config import Config, load_config
from caffelint.lint.project.caffes import Caffes


def test_the_nearest_is_taken(make: Make, proto: str) -> None:
    top = make(NET.format(MINE.format("count: 3")), types="My", at="old/caffe")
    (top / "new/nets").mkdir(parents=True)
    caffe(top / "new/caffe", proto.replace("count = 1", "number = 1"), "My")
    (top / "new/nets/net.prototxt").write_text(NET.format(MINE.format("number: 3")))
    (top / "old/net.prototxt").write_text(NET.format(MINE.format("count: 3")))
    caffes = Caffes(Config())
    assert found(path="new/nets/net.prototxt") == []
    assert found(path="old/net.prototxt") == []
    taken = caffes.of("net.prototxt")
    assert taken.caffe is None
    assert taken.note == 'several Caffes are equally near ("new/caffe", "old/caffe"), so none of them was taken'


def test_two_that_are_alike_are_one(make: Make, proto: str) -> None:
    top = make(NET.format(MINE.format("count: 3")), types="My", at="a/caffe")
    caffe(top / "b/caffe", proto + "\n// a copy", "My")
    assert found() == []


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("message NetParameter {", "the text ends too early"),
        ("message Other { }", "declares no nets and solvers"),
        ('import "caffe/proto/caffe.proto";', "declares no nets and solvers"),
        ('import "/etc/passwd";', 'imports "/etc/passwd", which was not found'),
        ('import "../../../../../secret.proto";', "was not found"),
        ("\0\xff", "is not a declaration"),
        ("//" + "x" * (1 << 20), "is larger than 1 MiB"),
    ],
)
def test_what_is_no_caffe_is_not_taken(make: Make, text: str, why: str, tmp_path: Path) -> None:
    (tmp_path / "secret.proto").write_text("message NetParameter { } message SolverParameter { }")
    make(NET.format(MINE.format("count: 3")), text=text)
    taken = Caffes(Config()).of("net.prototxt")
    assert taken.caffe is None
    assert why in taken.note
    assert {severity for severity, *_ in found()} == {"info"}


def test_nothing_is_looked_for_outside_of_a_repository(make: Make, tmp_path: Path) -> None:
    make(NET.format(MINE.format("count: 3")), types="My")
    outside = tmp_path / "net.prototxt"
    outside.write_text(NET.format(MINE.format("count: 3")))
    assert Caffes(Config()).of(str(outside)).caffe is None


def test_a_link_out_of_the_repository_is_not_followed(make: Make, tmp_path: Path, proto: str) -> None:
    top = make(NET.format(MINE.format("count: 3")), text="message Other { }")
    (tmp_path / "real.proto").write_text(proto)
    path = top / "caffe/src/caffe/proto/caffe.proto"
    path.unlink()
    os.symlink(tmp_path / "real.proto", path)
    assert Caffes(Config()).of("net.prototxt").caffe is None


def test_a_change_of_it_is_noticed(make: Make) -> None:
    top = make(NET.format(MINE.format("count: 3")))
    assert [name for _, name, _ in found()] == ["unknown-layer-type"]
    (top / "caffe/src/caffe/layers/my_layer.cpp").write_text("REGISTER_LAYER_CLASS(My);")
    assert found() == []
    path = top / "caffe/src/caffe/proto/caffe.proto"
    path.write_text(path.read_text().replace("count = 1", "number = 1"))
    assert {name for _, name, _ in found()} == {"unknown-field", "missing-required-field"}


def test_the_settings_name_one(make: Make, tmp_path: Path, proto: str) -> None:
    make(NET.format(MINE.format("count: 3")), text="message Other { }")
    caffe(tmp_path / "elsewhere", proto, "My")
    own = tmp_path / "elsewhere/src/caffe/proto/caffe.proto"
    assert found(settings(caffe=str(tmp_path / "elsewhere"))) == []
    assert found(settings(proto=str(own))) == []
    assert {severity for severity, *_ in found(settings(proto=str(tmp_path / "none.proto")))} == {"info"}
    assert "cannot be read" in Caffes(settings(proto=str(tmp_path / "none.proto"))).of("net.prototxt").note


def test_a_checkout_names_none_outside_of_it(make: Make, tmp_path: Path, proto: str) -> None:
    top = make(NET.format(MINE.format("count: 3")), text="message Other { }")
    caffe(tmp_path / "elsewhere", proto, "My")
    (top / "caffelint.toml").write_text('caffe = "../elsewhere"')
    config = load_config(top)
    assert config.caffe is None
    assert "leads out of the checkout" in config.skipped["caffe"]


def test_the_settings_name_layer_types(make: Make) -> None:
    make(NET.format(MINE.format("count: 3")))
    assert found(settings(known_layer_types=["My"])) == []


MODULES = '[submodule "caffe"]\n\tpath = caffe\n\turl = {}\n\tbranch = {}\n'


@pytest.mark.parametrize(
    ("url", "branch", "known"),
    [
        ("https://github.com/weiliu89/caffe.git", "ssd", True),
        ("git@github.com:weiliu89/caffe", "master", True),
        ("https://github.com/BVLC/caffe.git", "master", False),
        ("https://example.org/nobody/else.git", "", False),
    ],
)
def test_a_submodule_tells_the_fork(make: Make, url: str, branch: str, known: bool) -> None:
    top = make(NET.format('layer { name: "p" type: "PriorBox" bottom: "a" top: "p" prior_box_param { min_size: 1 } }'))
    (top / "caffe/src/caffe/proto/caffe.proto").unlink()
    (top / ".gitmodules").write_text(MODULES.format(url, branch))
    assert {severity for severity, *_ in found()} == (set() if known else {"info"})


@pytest.mark.parametrize(
    ("name", "text", "known"),
    [
        (
            "README.md",
            "Clone [Caffe](https://github.com/BVLC/caffe), then\ngit clone https://github.com/weiliu89/caffe.git",
            True,
        ),
        ("INSTALL.txt", "see github.com/weiliu89/caffe/tree/ssd.", True),
        ("Dockerfile", "RUN git clone --depth 1 git@github.com:weiliu89/caffe", True),
        ("notes.md", "https://github.com/weiliu89/caffe", False),
        ("README.md", "https://github.com/BVLC/caffe and https://github.com/nobody/caffe", False),
    ],
)
def test_a_text_at_the_top_tells_the_fork(make: Make, name: str, text: str, known: bool) -> None:
    inputs = 'input: "a" input_shape { dim: 1 dim: 3 dim: 9 dim: 9 }'
    top = make(
        f'{inputs} layer {{ name: "p" type: "PriorBox" bottom: "a" top: "p" prior_box_param {{ min_size: 1 }} }}'
    )
    (top / "caffe/src/caffe/proto/caffe.proto").unlink()
    (top / name).write_text(text)
    names = {one.name for one in caffelint.check("net.prototxt").findings}
    assert ("unknown-layer-type" in names) != known
    assert ("fork-field" in names) != known


def test_a_submodule_that_may_be_another_causes_no_error(make: Make) -> None:
    top = make(NET.format('layer { name: "b" type: "BN" bottom: "a" top: "b" bn_param { bn_mode: INFERENCE } }'))
    (top / "caffe/src/caffe/proto/caffe.proto").unlink()
    (top / ".gitmodules").write_text(MODULES.format("https://github.com/weiliu89/caffe.git", "ssd"))
    assert {severity for severity, *_ in found()} == {"info"}


def test_a_repository_that_is_named_is_shown_as_a_dialect_that_can_be_given(
    make: Make, capsys: pytest.CaptureFixture[str]
) -> None:
    top = make(NET.format(""))
    (top / "caffe/src/caffe/proto/caffe.proto").unlink()
    (top / ".gitmodules").write_text(MODULES.format("https://github.com/weiliu89/caffe.git", "ssd"))
    assert main(["config"]) == 0
    shown = " ".join(capsys.readouterr().out.split())
    assert 'dialect = "ssd" weiliu89/caffe is named in .gitmodules; weiliu-fcn where files need it' in shown
    assert main(["check", "--dialect", "weiliu89/caffe"]) == 0


def test_it_is_told_once_which_one_was_taken(make: Make, capsys: pytest.CaptureFixture[str]) -> None:
    make(NET.format(MINE.format("count: 3")), types="My")
    Path("other.prototxt").write_text(NET.format(MINE.format("count: 4")))
    assert main(["check", "-v"]) == 0
    number = len(BVLC_TYPES) + 1
    told = f"2 files checked for caffe/src/caffe/proto/caffe.proto (it is in the repository, {number} layer types)"
    assert capsys.readouterr().err.count(told) == 1
    assert main(["check", "--format", "json"]) == 0
    (caffes,) = json.loads(capsys.readouterr().out)["caffes"]
    assert caffes == {
        "name": "caffe/src/caffe/proto/caffe.proto",
        "why": "it is in the repository",
        "note": "",
        "layer_types": number,
        "files": 2,
    }
    assert main(["config"]) == 0
    assert 'proto = "caffe/src/caffe/proto/caffe.proto"' in " ".join(capsys.readouterr().out.split())


def test_texts_of_other_messages_of_the_project(make: Make, proto: str) -> None:
    text = f"{proto}\nmessage ViewerParameter {{ optional string view_net = 1; optional string model = 2; }}"
    make('view_net: "a" model: "b"', text=text)
    assert found() == []
    (one,) = caffelint.check("net.prototxt").findings
    assert one.severity == "info"
    assert "a ViewerParameter of this project's Caffe" in one.message


def test_a_caffe_proto_without_a_caffe_tells_what_is_known(make: Make, proto: str, root: Path) -> None:
    """It is to be copied into a Caffe, whose sources are not here: what it lacks may be in that one's."""
    top = make(NET.format(MINE.format("count: 3 cuont: 4 odd: 1")))
    shutil.rmtree(top / "caffe")
    (top / "layers").mkdir()
    (top / "layers/caffe.proto").write_text(proto)
    rows = found()
    assert {row[:2] for row in rows if "cuont" in row[2]} == {("error", "unknown-field")}
    assert {row[:2] for row in rows if "odd" in row[2]} == {("info", "unknown-field")}
    assert not [row for row in rows if "count" in row[2] and "cuont" not in row[2]]
    (top / "layers/caffe.proto").write_text((root / "proto" / "caffe.proto").read_text())
    assert Caffes(Config()).of("net.prototxt").caffe is None, "BVLC's"
    (top / "layers/caffe.proto").write_text(proto)
    (top / "other").mkdir()
    (top / "other/caffe.proto").write_text(proto)
    assert Caffes(Config()).of("net.prototxt").caffe is None, "one of two"


def test_a_caffe_proto_of_another_package_is_another_programs(make: Make, proto: str) -> None:
    make(NET.format(MINE.format("count: 3")), text=re.sub(r"(?m)^package caffe;", "package caffepro;", proto))
    taken = Caffes(Config()).of("net.prototxt")
    assert taken.caffe is None
    assert taken.note.endswith('declares the package "caffepro", not caffe')


def test_files_of_another_program_are_not_refused(make: Make, proto: str) -> None:
    top = make(NET.format('layer { name: "r" type: "ReLU" botom: "a" top: "r" }'))
    shutil.rmtree(top / "caffe")
    assert ("error", "unknown-field") in {row[:2] for row in found()}
    (top / "protos").mkdir()
    (top / "protos/caffe.proto").write_text(re.sub(r"(?m)^package caffe;", "package caffepro;", proto))
    assert {row[0] for row in found()} == {"info"}


def test_a_caffe_that_is_to_be_fetched_is_the_one_that_is_run(make: Make) -> None:
    top = make(NET.format(MINE.format("other: 3")), types="My", at="old-caffe")
    assert found()[0][0] == "error"
    (top / ".gitmodules").write_text(MODULES.format("https://github.com/nobody/caffe", "mine"))
    assert {severity for severity, *_ in found()} == {"info"}
    (top / "caffe").mkdir()
    assert {severity for severity, *_ in found()} == {"info"}
    (top / "caffe/README").write_text("it is there")
    assert found()[0][0] == "error"


def test_a_schema_of_another_name(make: Make, proto: str) -> None:
    top = make(NET.format(MINE.format("count: 3")))
    (top / "caffe/src/caffe/proto/caffe.proto").unlink()
    assert found() != []
    (top / "src").mkdir()
    (top / "src/mine.proto").write_text(proto)
    assert Caffes(Config()).of("net.prototxt").name == "src/mine.proto"
    (top / "src/mine.proto").write_text(proto.replace("package caffe;", "package cnn;"))
    assert Caffes(Config()).of("net.prototxt").other.startswith('the schema of the project is of the package "cnn"')
    (top / "src/mine.proto").write_text("package cnn;\nmessage NetParameter { }\n")
    assert not Caffes(Config()).of("net.prototxt").other


def test_a_schema_deep_among_the_sources(make: Make, proto: str) -> None:
    top = make(NET.format('layer { name: "r" type: "ReLU" botom: "a" top: "r" }'))
    shutil.rmtree(top / "caffe")
    schema = proto.replace("package caffe;", "package cnn;")
    for folder, severity in (("external/cnn/src/proto", "error"), ("src/cnn/proto", "info")):
        (top / folder).mkdir(parents=True)
        (top / folder / "cnn.proto").write_text(schema)
        assert {row[0] for row in found()} == {severity}


def test_a_schema_without_weights_is_no_whole_one(make: Make, proto: str) -> None:
    top = make(NET.format('layer { name: "r" type: "ReLU" botom: "a" top: "r" }'))
    shutil.rmtree(top / "caffe")
    (top / "demo").mkdir()
    shutil.copy(top / "net.prototxt", top / "demo")
    (top / "demo/caffe.proto").write_text(
        "package caffe; message LayerParameter { optional string name = 1; optional int32 mine = 2; }"
        " message NetParameter { repeated LayerParameter layer = 2; } message SolverParameter { }"
    )
    assert Caffes(Config()).of("net.prototxt").caffe is None
    assert {row[0] for row in found()} == {"error"}
    assert {row[0] for row in found(path="demo/net.prototxt")} == {"info"}
    why = '"demo/caffe.proto" declares no BlobProto, so it is no whole schema of a Caffe'
    assert Caffes(Config()).of("demo/net.prototxt").other == why
