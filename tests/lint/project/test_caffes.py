"""The Caffe in a repository: its fields, enum values and types are known, and what it lacks is an error."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import caffelint
from caffelint.cli.main import main
from caffelint.lint.built import BVLC_TYPES
from caffelint.lint.config import Config, load_config
from caffelint.lint.project.caffes import Caffes
from caffelint.lint.project.sources import digest
from caffelint.lint.read import read_found
from caffelint.lint.walk import walk

OWN = """
  optional MyParameter my_param = 9001;
  optional float gain = 9002;
}
message MyParameter {
  required uint32 count = 1;
  optional float rate = 2 [default = 0.5];
  enum Way { FAST = 0; SLOW = 1; }
  optional Way way = 3 [default = FAST];
  repeated MyParameter inner = 4;
  optional FillerParameter weight_filler = 5;
"""
NET = 'layer {{ name: "a" type: "Input" top: "a" input_param {{ shape {{ dim: 1 dim: 3 dim: 9 dim: 9 }} }} }} {}\n'
MINE = 'layer {{ name: "m" type: "My" bottom: "a" top: "m" my_param {{ {} }} }}'

Make = Callable[..., Path]


@pytest.fixture
def proto(root: Path) -> str:
    """The caffe.proto of a fork."""
    base = (root / "proto" / "caffe.proto").read_text()
    head, rest = base.split("message LayerParameter {", 1)
    start = rest.index("\n}")
    pool = "enum PoolMethod {"
    return f"{head}message LayerParameter {{{rest[:start]}{OWN}{rest[start:]}".replace(pool, f"{pool} MEDIAN = 77;")


@pytest.fixture
def make(tmp_path: Path, proto: str, monkeypatch: pytest.MonkeyPatch) -> Make:
    """Makes a repository with a Caffe and one file, and goes there."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))

    def made(net: str, at: str = "caffe", text: str = proto, types: str = "") -> Path:
        top = tmp_path / "repository"
        (top / ".git").mkdir(parents=True, exist_ok=True)
        monkeypatch.chdir(top)
        caffe(top / at, text, types)
        (top / "net.prototxt").write_text(net)
        return top

    return made


def caffe(folder: Path, text: str, types: str = "") -> None:
    layers = folder / "src/caffe/layers"
    layers.mkdir(parents=True)
    (folder / "src/caffe/proto").mkdir()
    (folder / "src/caffe/proto/caffe.proto").write_text(text)
    lines = [f"REGISTER_LAYER_CLASS({name});" for name in (*BVLC_TYPES, *types.split())]
    (layers / "all.cpp").write_text("\n".join(lines))


def found(config: Config | None = None, path: str = "net.prototxt") -> list[tuple[str, str, str]]:
    report = caffelint.check(path, config)
    assert not report.failures
    kept = ("unknown", "fork", "wrong", "missing", "repeated", "syntax")
    return [(one.severity, one.name, one.message) for one in report.findings if one.name.startswith(kept)]


def test_its_own_fields_and_types_are_known(make: Make) -> None:
    make(NET.format(MINE.format("count: 3 way: SLOW rate: 1 inner { count: 1 } inner { count: 2 }")), types="My")
    assert found() == []


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ("count: 3 ratee: 1", "my_param has no field ratee, so Caffe refuses the file; did you mean rate?"),
        ("count: 3 zzzz: 1", "my_param has no field zzzz in this project's Caffe, which refuses the file; remove it"),
        ("count: 3 way: SLOWW", "way of my_param has no value SLOWW, so Caffe refuses the file; did you mean SLOW?"),
        ("count: -3", "count -3 is out of range; it takes a whole number from 0 to 4294967295"),
        ('count: "3"', 'count takes a whole number, 0 or more, not the quoted string "3"'),
        ("rate: 1", "my_param lacks count, which is required, so Caffe refuses the file; add it"),
        ("count: 3 inner { }", "inner lacks count, which is required, so Caffe refuses the file; add it"),
        ("count: 3 rate: 1 rate: 2", "rate is set twice in my_param (first on line 1); keep one"),
        (
            "count: 3 weight_filler { typ: 1 }",
            "weight_filler has no field typ in this project's Caffe, which refuses the file; remove it",
        ),
    ],
)
def test_mistakes_in_its_own_fields_are_errors(make: Make, fields: str, message: str) -> None:
    make(NET.format(MINE.format(fields)), types="My")
    ((severity, _, said),) = found()
    assert severity == "error"
    assert said.startswith(message)


def test_an_enum_value_of_its_own_is_known(make: Make) -> None:
    pooling = 'layer {{ name: "p" type: "Pooling" bottom: "a" top: "p" pooling_param {{ pool: {} kernel_size: 2 }} }}'
    make(NET.format(pooling.format("MEDIAN")))
    assert found() == []
    Path("net.prototxt").write_text(NET.format(pooling.format("MEDAIN")))
    assert [name for _, name, _ in found()] == ["unknown-enum-value"]


def test_what_it_lacks_is_an_error(make: Make) -> None:
    make(NET.format('layer { name: "p" type: "PriorBox" bottom: "a" top: "p" prior_box_param { min_size: 1 } }'))
    assert [(severity, name) for severity, name, _ in found()] == [("error", "unknown-layer-type")]
    pooling = 'layer { name: "p" type: "Pooling" bottom: "a" top: "p" pooling_param { ceil_mode: true } }'
    Path("net.prototxt").write_text(NET.format(pooling))
    assert [(severity, name) for severity, name, _ in found()] == [("error", "fork-field")]
    assert all("this project's Caffe lacks" in message for *_, message in found())


def test_a_type_that_is_misspelt_is_one_of_its_own(make: Make) -> None:
    make(NET.format('layer { name: "m" type: "MyOwnLos" bottom: "a" top: "m" }'), types="MyOwnLoss")
    assert [message for *_, message in found()] == [
        '"MyOwnLos" is not a layer type, so Caffe stops at load; did you mean "MyOwnLoss"?'
    ]


def test_a_dialect_overrides_it(make: Make) -> None:
    make(NET.format(MINE.format("count: 3")), types="My")
    config = Config()
    config.dialect = "bvlc"
    assert {name for _, name, _ in found(config)} == {"unknown-layer-type", "unknown-field"}


@pytest.mark.parametrize(
    "source",
    [
        "// REGISTER_LAYER_CLASS(My);",
        "/* REGISTER_LAYER_CLASS(My); */",
        "#if 0\nREGISTER_LAYER_CLASS(My);\n#endif",
        "# if 0 // off\n#ifdef X\n#endif\nREGISTER_LAYER_CLASS(My);\n#else\n#endif",
        "#define REGISTER_LAYER_CLASS(My) AddCreator(My)",
    ],
)
def test_what_is_not_compiled_is_not_registered(make: Make, source: str) -> None:
    top = make(NET.format(MINE.format("count: 3")))
    (top / "caffe/src/caffe/layers/my_layer.cpp").write_text(source)
    assert [name for _, name, _ in found()] == ["unknown-layer-type"]


@pytest.mark.parametrize(
    "source",
    [
        "REGISTER_LAYER_CLASS( My );",
        "REGISTER_LAYER_CREATOR(My, GetMyLayer);",
        "#if 0\n#else\nREGISTER_LAYER_CLASS(My);\n#endif",
        "#ifdef WITH_MY\nREGISTER_LAYER_CLASS(My);\n#endif",
        'const char* s = "// /*"; REGISTER_LAYER_CLASS(My);',
        "INSTANTIATE_CLASS(MyLayer);\nREGISTER_LAYER_CLASS\n(My);",
    ],
)
def test_what_is_registered_is_known(make: Make, source: str) -> None:
    top = make(NET.format(MINE.format("count: 3")))
    (top / "extra").mkdir()
    (top / "extra/my_layer.cu").write_text(source)
    assert found() == []


def test_a_part_of_a_caffe_registers_more_than_is_seen(make: Make) -> None:
    top = make(NET.format(MINE.format("count: 3")))
    (top / "caffe/src/caffe/layers/all.cpp").write_text("REGISTER_LAYER_CLASS(Other);")
    assert [(severity, name) for severity, name, _ in found()] == [("info", "unknown-layer-type")]


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


def settings(**values: object) -> Config:
    config = Config()
    for name, value in values.items():
        setattr(config, name, value)
    return config


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


def test_one_that_is_broken_is_told(make: Make, capsys: pytest.CaptureFixture[str]) -> None:
    make(NET.format(MINE.format("count: 3")), text="message A {\n optional int32 x 1; }")
    main(["check"])
    told = 'caffe.proto" was not taken as the Caffe of the project: line 2: "=" is missing before 1'
    assert capsys.readouterr().err.count(told) == 1


@pytest.mark.parametrize("lacking", ["layer", "input", "type"])
def test_an_old_format_stays_where_it_reads_no_newer_one(make: Make, proto: str, lacking: str) -> None:
    newer = {
        "layer": "repeated LayerParameter layer = 100;",
        "type": 'optional string type = 40 [default = "SGD"];',
        "input": "",
    }
    old = {
        "layer": 'layers { name: "a" type: RELU bottom: "a" top: "a" }',
        "type": 'net: "n.prototxt" solver_type: ADAM base_lr: 1 lr_policy: "fixed" max_iter: 1',
        "input": 'input: "a" input_dim: 1 input_dim: 3 input_dim: 9 input_dim: 9',
    }
    text = "\n".join(line for line in proto.splitlines() if not newer[lacking] or newer[lacking] not in line)
    top = make(old[lacking], text=text)
    if lacking == "input":
        path = top / "caffe/src/caffe/layers/all.cpp"
        path.write_text(path.read_text().replace("REGISTER_LAYER_CLASS(Input);", ""))
    assert (text.strip() == proto.strip()) == (lacking == "input")
    assert [one.name for one in caffelint.check("net.prototxt").findings if one.name == "legacy-format"] == []
    assert main(["upgrade", "net.prototxt"]) == 0
    assert Path("net.prototxt").read_text() == old[lacking]
    assert main(["upgrade", "net.prototxt", "--dialect", "bvlc"]) == 0
    assert Path("net.prototxt").read_text() != old[lacking]


def test_certain_claims_on_layers_of_its_own_making_are_likely(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    source = "void PoolingLayer<Dtype>::LayerSetUp() { CHECK(x); }"
    table = {"files": {"pooling_layer.cpp": [digest(source)]}, "types": {"Pooling": ["pooling_layer.cpp"]}}
    monkeypatch.setattr("caffelint.lint.project.sources._bvlc", lambda: table)
    top = make(NET.format('layer { type: "Pooling" name: "p" bottom: "a" top: "p" pooling_param { pad: 3 } }'))
    path = top / "caffe/src/caffe/layers/pooling_layer.cpp"
    path.write_text(f"// the same\n#include <vector>\n{source}")
    (one,) = caffelint.check("net.prototxt", settings(select=["L"])).findings
    assert (one.severity, one.certainty) == ("error", "certain")
    path.write_text(source.replace("x", "y"))
    (one,) = caffelint.check("net.prototxt", settings(select=["L"])).findings
    assert (one.severity, one.certainty) == ("warning", "likely")
    assert one.evidence.endswith("this project's own source of this layer type differs from BVLC's")


def test_what_a_data_layer_of_its_own_makes_may_have_another_shape(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    source = "void DataLayer<Dtype>::DataLayerSetUp() { x; }"
    table = {"files": {"data_layer.cpp": [digest(source)]}, "types": {"Data": ["data_layer.cpp"]}}
    monkeypatch.setattr("caffelint.lint.project.sources._bvlc", lambda: table)
    top = make(
        'layer { name: "d" type: "Data" top: "d" top: "l" data_param { source: "a" batch_size: 4 } }'
        ' layer { name: "s" type: "Slice" bottom: "l" top: "a" top: "b" slice_param { slice_dim: 1 slice_point: 3 } }'
    )
    path = top / "caffe/src/caffe/layers/data_layer.cpp"
    for text, severity in ((source, "error"), (source.replace("x", "y"), "info")):
        path.write_text(text)
        (one,) = caffelint.check("net.prototxt", settings(select=["refused-by-caffe"])).findings
        assert one.severity == severity


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
