"""Our reader of caffe.proto against protoc, on the project's own sources and on texts made to be awkward."""

from __future__ import annotations

import contextlib
from pathlib import Path

import compare_protos
import pytest
from cost import follows, soon

from caffelint.schema.proto2 import ProtoError, read_schema

AWKWARD = r"""
// message Comment { optional int32 x = 1; }
syntax = "proto2"; /* message "Comment" { */
package caffe.inner;
option java_package = "a.b"; option optimize_for = SPEED;
message Empty {}
message A {
  ; option deprecated = true;
  reserved 2, 15, 9 to 11; reserved "foo", 'bar';
  extensions 100 to 199, 1000 to max;
  enum E { option allow_alias = true; ONE = 1; UNO = 1 [deprecated = true]; MINUS = -5; HEX = 0x1F; reserved 7; };
  message E2 { optional E e = 1 [default = MINUS]; optional .caffe.inner.A.B.C c = 3; message A { } optional A a = 2; }
  message B { message C { optional B b = 1; optional E2.A a = 2; } repeated C c = 010; }
  required float message = 1 [default = -1.5e-3, deprecated = false];
  optional string s = 3 [default = "a // \"b\" /* c */ ; }" 'd'];
  optional double optional = 4 [default = inf];
  optional float nothing = 5 [(my.opt) = { a: 1 b { c: ";" } }, default = nan];
  repeated uint32 packed = 6 [packed=true];
  optional int64 low = 7 [default = -0x7F]; optional uint64 octal = 8 [default = 0777];
  oneof which { option (x) = 1; string name = 12; B sub = 13 [lazy = true]; }
  map<string, B> by_name = 14;
  optional bool yes = 16 [default = true, json_name = "y"];
  optional E e = 0x12 [default = HEX]; optional bytes raw = 20 [default = "\001x"];
  repeated group Part = 21 { optional int32 size = 1; }
  extend Empty2 { optional int32 more = 150; }
}
message Empty2 { extensions 100 to max; }
extend Empty2 { optional A.B extra = 160; }
service Net { option deprecated = true; rpc Run (A) returns (Empty) { option deprecated = true; }
  rpc Stop (A) returns (A); }
extend google.protobuf.FieldOptions { optional int32 unused = 51234; }
"""


@pytest.fixture
def awkward(tmp_path: Path) -> Path:
    path = tmp_path / "awkward.proto"
    text = AWKWARD.replace('(my.opt) = { a: 1 b { c: ";" } }, ', "").replace("option (x) = 1; ", "")
    path.write_text(text.replace("extend google.protobuf.FieldOptions { optional int32 unused = 51234; }", ""))
    return path


def test_reads_what_protoc_reads(awkward: Path) -> None:
    theirs = compare_protos.by_protoc(awkward)
    assert theirs is not None
    ours = read_schema(awkward.read_text())
    assert len(ours.messages) == 9
    assert list(compare_protos.differences(ours, theirs)) == []


def test_options_of_others_are_skipped(awkward: Path) -> None:
    assert read_schema(AWKWARD) == read_schema(awkward.read_text())


def test_reads_the_base_schema(root: Path) -> None:
    theirs = compare_protos.by_protoc(root / "proto" / "caffe.proto")
    assert list(compare_protos.differences(read_schema((root / "proto/caffe.proto").read_text()), theirs)) == []


def test_imports_are_read_once_even_in_a_circle(root: Path) -> None:
    base = (root / "proto" / "caffe.proto").read_text()
    texts = {"caffe.proto": base + 'import "forks/ssd.proto";'}
    texts |= {f"forks/{path.name}": path.read_text() for path in (root / "proto" / "forks").glob("*.proto")}
    found = read_schema(texts["forks/ssd.proto"], texts.get)
    assert found.messages["PriorBoxParameter"]["min_size"].label == "repeated"
    assert found.messages["caffe.PoolingParameter"]["pool"].type == "caffe.PoolingParameter.PoolMethod"


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("message A {\n  optional int32 x 1;\n}", 'line 2: "=" is missing before 1'),
        ("message A {\n\n  int32 x = 1; }", "line 3: int32 is not optional, required or repeated"),
        ("message A { optional B b = 1; }", "B is not declared"),
        ("message A { optional int32 x = 1; optional int32 y = 1; }", "A has two fields of the same name or number"),
        ("message A { optional int32 x = 1; optional bool x = 2; }", "A has two fields of the same name or number"),
        ("message A {} message A {}", "line 1: A is declared twice"),
        ("message A {", "line 1: the text ends too early"),
        ("<<<<<<< HEAD\nmessage A {}", "line 1: < is not a declaration"),
        ('syntax = "proto3";', 'line 1: syntax is "proto3"; Caffe\'s is "proto2"'),
        ('import "other.proto";', 'imports "other.proto", which was not found'),
        ("message A {" * 60 + "}" * 60, "line 1: messages are nested too deep"),
        ("int main() { return 0; }", "line 1: int is not a declaration"),
        ("enum E { A = x; }", "line 1: x is not a whole number"),
        (f"enum E {{ A = 0x1{'0' * 16}; }}", f"line 1: 0x1{'0' * 16} does not fit into 64 bits"),
        (f"message A {{ optional int32 x = 0x{'f' * 4000}; }}", f"line 1: 0x{'f' * 38} does not fit into 64 bits"),
    ],
)
def test_what_is_no_schema_is_refused(text: str, why: str) -> None:
    with pytest.raises(ProtoError) as caught:
        read_schema(text)
    assert str(caught.value) == why


@pytest.mark.parametrize("text", ['"', "//", "'\\", "message A { option x = { [ ( ;", "[" * 9999, "\0", "a" * 99999])
def test_garbage_is_refused_soon(text: str) -> None:
    with pytest.raises(ProtoError):
        read_schema("message A { } " + text + "\nx")


@pytest.mark.parametrize("quote", "\"'")
def test_a_string_that_is_not_closed_takes_little_time(quote: str) -> None:
    with soon(), pytest.raises(ProtoError):
        read_schema(f"message A {{ }} {quote}" + f"\\{quote}" * 400_000)


def test_a_default_of_many_strings_takes_time_with_their_number() -> None:
    def read(count: int) -> None:
        word = "x" * 500
        text = f'"{word}" ' * count
        (field,) = read_schema(f"message A {{ optional string a = 1 [default = {text}]; }}").messages["A"].values()
        assert field.default == f'"{word * count}"'

    assert follows(read, 1_000, 16_000)


LONG = "has 500 characters, more than 400"
DOTTED = "has 100 parts, more than 64"


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (f"package {'a' * 500};", f"line 1: the name {'a' * 40}... {LONG}"),
        (f"package {'.'.join('a' * 100)};", f"line 1: the name {'a.' * 20}... {DOTTED}"),
        (f"package {'a' * 398}; message A {{}} message BC {{}}", f"the name {'a' * 40}... has 401 characters"),
        (f"message A {{ optional {'b' * 500} x = 1; }}", f"line 1: the name {'b' * 40}... {LONG}"),
        (f"message A {{ oneof x {{ {'.'.join('b' * 100)} y = 1; }} }}", f"line 1: the name {'b.' * 20}... {DOTTED}"),
    ],
)
def test_a_name_that_is_too_long_is_refused(text: str, why: str) -> None:
    """Each message holds its whole name, and each field climbs the parts of its message's name."""
    with pytest.raises(ProtoError) as caught:
        read_schema(text)
    assert why in str(caught.value)


@pytest.mark.parametrize("parts", [62, 25_000])
def test_fields_below_a_deep_package_take_little_time(parts: int) -> None:
    package = ".".join("a" * parts)
    fields = " ".join(f"optional X f{number} = {number};" for number in range(1, 1_600))
    text = f"message X {{ }} package {package}; message A {{ {fields} }}"

    with soon(), contextlib.suppress(ProtoError):
        read_schema(text)
