"""The sources in proto/ and what was compiled from them: fresh, sound, and BVLC's where BVLC speaks."""

from __future__ import annotations

import runpy
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import build_proto
import pytest
from google.protobuf import descriptor_pool, symbol_database
from google.protobuf.descriptor_pb2 import DescriptorProto, FieldDescriptorProto, FileDescriptorProto, FileDescriptorSet

from caffelint.schema import message_class
from caffelint.schema.messages import TEST, TRAIN
from caffelint.schema.pool import enum_type

DATA = Path(__file__).parent / "data"
WRITER = DATA / "write_with_caffe.py"


@pytest.fixture(scope="module")
def schema(root: Path) -> FileDescriptorProto:
    """The compiled schema as it is committed."""
    files = FileDescriptorSet.FromString((root / "proto" / "caffe.desc").read_bytes()).file
    assert len(files) == 1
    return files[0]


def all_messages(messages, scope: str = "") -> Iterator[tuple[str, DescriptorProto]]:
    for message in messages:
        yield scope + message.name, message
        yield from all_messages(message.nested_type, f"{scope}{message.name}.")


def test_outputs_are_fresh(capsys: pytest.CaptureFixture[str]) -> None:
    assert build_proto.main(["--check"]) == 0, capsys.readouterr().out


def test_bvlcs_part_is_what_caffe_says(schema: FileDescriptorProto) -> None:
    """Number, label, type, default and packing of every field, and the order of enum values, as in a real Caffe."""
    caffes = (DATA / "declarations.txt").read_text().splitlines()
    ours = runpy.run_path(str(WRITER))["declarations"](schema)
    assert [line for line in ours if line in set(caffes)] == caffes


def test_the_record_is_what_caffe_says(caffe_python: Path) -> None:
    code = "import runpy, sys; sys.stdout.write(runpy.run_path(sys.argv[1])['caffe_declarations']())"
    answer = subprocess.run([caffe_python, "-c", code, WRITER], capture_output=True, text=True, check=True, timeout=60)
    assert answer.stdout == (DATA / "declarations.txt").read_text()


def test_numbers_are_unique(schema: FileDescriptorProto) -> None:
    for name, message in all_messages(schema.message_type):
        numbers = [field.number for field in message.field]
        assert len(numbers) == len(set(numbers)), name
        for enum in message.enum_type:
            values = [value.number for value in enum.value]
            assert len(values) == len(set(values)), f"{name}.{enum.name}"


def test_forks_take_nothing_from_bvlcs_numbers(schema: FileDescriptorProto) -> None:
    bvlc = {line.split(" ")[0] for line in (DATA / "declarations.txt").read_text().splitlines()}
    for name, message in all_messages(schema.message_type):
        for field in message.field:
            assert (field.number < 10_000) == (f"{name}.{field.name}" in bvlc), f"{name}.{field.name}"
            assert field.label != FieldDescriptorProto.LABEL_REQUIRED or f"{name}.{field.name}" in bvlc
        for enum in message.enum_type:
            if any(line.startswith(f"{name}.{enum.name}.") for line in bvlc):
                for value in enum.value:
                    assert (value.number < 10_000) == (f"{name}.{enum.name}.{value.name}" in bvlc)


def test_no_two_json_names_are_alike(schema: FileDescriptorProto) -> None:
    for name, message in all_messages(schema.message_type):
        names = [field.json_name or build_proto.json_name(field.name) for field in message.field]
        assert len(names) == len(set(names)), name


def test_the_default_pool_stays_empty() -> None:
    """A pycaffe in the same process has its own `caffe.NetParameter` there."""
    message_class("NetParameter")()
    with pytest.raises(KeyError):
        descriptor_pool.Default().FindMessageTypeByName("caffe.NetParameter")
    with pytest.raises(KeyError):
        symbol_database.Default().GetSymbol("caffe.NetParameter")


def test_start_up_imports_little() -> None:
    """Time is not measured here but what costs it: protobuf's pure Python half, 50 ms of it."""
    code = "import sys; from caffelint.schema import NetParameter; NetParameter().layer.add(); print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert "google._upb._message" in loaded
    assert not {"google.protobuf.text_format", "google.protobuf.descriptor_pb2", "google.protobuf.json_format"} & {
        *loaded
    }


@pytest.mark.parametrize("implementation", ["upb", "python"])
def test_either_implementation_of_protobuf_will_do(implementation: str) -> None:
    code = (
        "from caffelint.schema import NetParameter, message_class\n"
        "from google.protobuf import text_format\n"
        "net = text_format.Parse('layer { pooling_param { pool: AVE } detection_output_param {} }', NetParameter())\n"
        "assert net.layer[0].pooling_param.pool == 1\n"
        "assert type(net.layer[0].pooling_param) is message_class('PoolingParameter')\n"
        "assert NetParameter.FromString(net.SerializeToString()) == net\n"
    )
    environment = {"PROTOCOL_BUFFERS_PYTHON_IMPLEMENTATION": implementation}
    subprocess.run([sys.executable, "-c", code], check=True, env=environment)


def test_phases_by_name() -> None:
    phases = enum_type("Phase").values_by_name
    assert (phases["TRAIN"].number, phases["TEST"].number) == (TRAIN, TEST)


def test_unknown_names() -> None:
    with pytest.raises(KeyError):
        message_class("PolingParameter")
    with pytest.raises(ImportError, match="PolingParameter"):
        from caffelint.schema.messages import PolingParameter  # type: ignore[attr-defined]  # noqa: F401


def write_sources(folder: Path, overlays: dict[str, str]) -> Path:
    (folder / "forks").mkdir()
    base = "message Net { enum Mode { A = 0; } optional Mode mode = 1 [default = A]; optional Layer layer = 2; }"
    (folder / "caffe.proto").write_text(f'syntax = "proto2"; package caffe; {base} message Layer {{}}')
    for name, text in overlays.items():
        text = f'syntax = "proto2"; package caffe.{name}; import "caffe.proto"; {text}'
        (folder / "forks" / f"{name}.proto").write_text(text)
    return folder


def test_an_overlay_adds(tmp_path: Path) -> None:
    overlay = (
        "message Net { enum Mode { B = 10000; } optional Mode next = 10000 [default = B]; optional Box box = 10001; }"
        "message Box { optional caffe.Layer layer = 10000; enum Kind { C = 1; D = 0; } }"
    )
    net, layer, box = build_proto.build(write_sources(tmp_path, {"ssd": overlay})).file[0].message_type
    assert [(field.name, field.type_name) for field in net.field] == [
        ("mode", ".caffe.Net.Mode"),
        ("layer", ".caffe.Layer"),
        ("next", ".caffe.Net.Mode"),
        ("box", ".caffe.Box"),
    ]
    assert [value.name for value in net.enum_type[0].value] == ["A", "B"]
    assert [value.name for value in box.enum_type[0].value] == ["D", "C"]
    assert (layer.name, box.field[0].type_name) == ("Layer", ".caffe.Layer")


@pytest.mark.parametrize(
    ("overlays", "complaint"),
    [
        ({"ssd": "message Net { optional int32 a = 3; }"}, "forks/ssd.proto: Net.a = 3: BVLC's are below 10000"),
        ({"ssd": "message Net { optional int32 mode = 10000; }"}, "Net.mode is in caffe.proto already"),
        (
            {"a": "message Box { optional int32 x = 10000; }", "b": "message Box { optional int32 x = 10001; }"},
            "forks/b.proto: Box.x is in forks/a.proto already",
        ),
        (
            {"a": "message Box { optional int32 x = 10000; }", "b": "message Box { optional int32 y = 10000; }"},
            "forks/b.proto: Box field number 10000 is in forks/a.proto already",
        ),
        (
            {"a": "message Net { enum Mode { B = 0; } }"},
            "forks/a.proto: Net.Mode value number 0 is in caffe.proto already",
        ),
        ({"a": "message Box {"}, "protoc refuses the sources"),
    ],
)
def test_sources_that_contradict(tmp_path: Path, overlays: dict[str, str], complaint: str) -> None:
    with pytest.raises(build_proto.SchemaError, match=complaint):
        build_proto.build(write_sources(tmp_path, overlays))
