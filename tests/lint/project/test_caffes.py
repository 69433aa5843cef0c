"""The Caffe in a repository: its fields, enum values and types are known, and what it lacks is an error."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

import caffelint
from caffelint.lint.built import BVLC_TYPES
from caffelint.lint.config import Config
from caffelint.lint.project.caffes import Caffes

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
        ("count: 3 way: SLOWW", "way has no value SLOWW, so Caffe refuses the file; did you mean SLOW?"),
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
    assert [(severity, name) for severity, name, _ in found()] == [
        ("error", "unknown-layer-type"),
        ("error", "fork-field"),
    ]
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
    assert [(severity, name) for severity, name, _ in found()] == [("warning", "unknown-layer-type")]


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
    assert {severity for severity, *_ in found()} == {"warning"}


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
