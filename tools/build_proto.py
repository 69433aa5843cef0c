"""Compile `proto/` into `proto/caffe.desc`, and write the type stubs of the merged messages.

`python tools/build_proto.py` writes both; with `--check` it only says whether they are stale (exit status 1 if so).
Needs grpcio-tools; whoever loads the result needs no more than protobuf.

How the merge works: each overlay in `proto/forks/` has a package of its own, `caffe.ssd` say. What it declares lands
in package `caffe`; a message or enum that is already there gains the overlay's fields or values. Numbers tell whose a
field is: below 10,000 it is BVLC's and is in `caffe.proto`, from 10,000 up it is a fork's.
"""

from __future__ import annotations

import argparse
import keyword
import re
import sys
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from google.protobuf.descriptor_pb2 import (
    DescriptorProto,
    EnumDescriptorProto,
    EnumValueDescriptorProto,
    FieldDescriptorProto,
    FileDescriptorProto,
    FileDescriptorSet,
)
from grpc_tools import protoc

ROOT = Path(__file__).resolve().parent.parent
FIRST_FORK_NUMBER = 10_000


class SchemaError(Exception):
    """The sources contradict each other, or do not compile."""


def compile_sources(directory: Path) -> list[FileDescriptorProto]:
    """Every source as protoc reads it: `caffe.proto`, then the overlays by name."""
    names = ["caffe.proto", *sorted(f"forks/{path.name}" for path in directory.glob("forks/*.proto"))]
    with tempfile.TemporaryDirectory() as scratch:
        output = Path(scratch, "sources.desc")
        if protoc.main(["protoc", f"-I{directory}", f"--descriptor_set_out={output}", *names]) != 0:
            raise SchemaError("protoc refuses the sources")
        files = {file.name: file for file in FileDescriptorSet.FromString(output.read_bytes()).file}
    return [files[name] for name in names]


class Merge:
    """Collects the sources' declarations in one file of package `caffe`."""

    def __init__(self, base: FileDescriptorProto) -> None:
        self.file = FileDescriptorProto(name="caffelint/caffe.proto", package="caffe")
        self._sources: dict[str, str] = {}
        self._base = base.name

    def add(self, source: FileDescriptorProto) -> None:
        """Add what `source` declares; a field or value that another source has already is an error."""
        self._messages(self.file.message_type, source.message_type, "", source.name)
        self._enums(self.file.enum_type, source.enum_type, "", source.name)

    def _messages(self, into: Any, messages: Iterable[DescriptorProto], scope: str, source: str) -> None:
        known = {message.name: message for message in into}
        for message in messages:
            path = f"{scope}{message.name}"
            merged = known.get(message.name) or into.add(name=message.name)
            for field in message.field:
                self._field(merged, field, path, source)
            self._messages(merged.nested_type, message.nested_type, f"{path}.", source)
            self._enums(merged.enum_type, message.enum_type, f"{path}.", source)

    def _field(self, merged: DescriptorProto, field: FieldDescriptorProto, path: str, source: str) -> None:
        self._once(f"{path}.{field.name}", source)
        self._once(f"{path} field number {field.number}", source)
        if (field.number < FIRST_FORK_NUMBER) != (source == self._base):
            raise SchemaError(f"{source}: {path}.{field.name} = {field.number}: BVLC's are below 10000, no others")
        copy = merged.field.add()
        copy.CopyFrom(field)
        if field.type_name:
            copy.type_name = re.sub(r"^\.caffe\.[a-z0-9_]+\.", ".caffe.", field.type_name)
        if field.json_name == json_name(field.name):
            copy.ClearField("json_name")

    def _enums(self, into: Any, enums: Iterable[EnumDescriptorProto], scope: str, source: str) -> None:
        known = {enum.name: enum for enum in into}
        for enum in enums:
            merged = known.get(enum.name) or into.add(name=enum.name)
            for value in enum.value:
                self._once(f"{scope}{enum.name}.{value.name}", source)
                self._once(f"{scope}{enum.name} value number {value.number}", source)
                merged.value.append(value)
            # The first value is the default of a field that states none: BVLC's first one, else the lowest.
            merged.value.sort(key=lambda value: self._order(f"{scope}{merged.name}", value))

    def _order(self, enum: str, value: EnumValueDescriptorProto) -> int:
        return -1 if self._sources[f"{enum}.{value.name}"] == self._base else value.number

    def _once(self, name: str, source: str) -> None:
        if self._sources.setdefault(name, source) != source:
            raise SchemaError(f"{source}: {name} is in {self._sources[name]} already")


def json_name(name: str) -> str:
    """The JSON name that protoc gives a field which states none."""
    return re.sub(r"_+(.?)", lambda match: match[1].upper(), name)


def build(directory: Path) -> FileDescriptorSet:
    """The merged schema of the sources in `directory`; SchemaError if they contradict each other."""
    sources = compile_sources(directory)
    merge = Merge(sources[0])
    for source in sources:
        merge.add(source)
    return FileDescriptorSet(file=[merge.file])


STUBS_HEAD = """\
# ruff: noqa: N801, N802, N815
# Written by tools/build_proto.py from proto/; do not edit.
# Fields and enum values whose name is a Python keyword (`lambda`) are left out: getattr reads them.
from typing import Any, ClassVar

from google.protobuf.internal.containers import RepeatedCompositeFieldContainer as Messages
from google.protobuf.internal.containers import RepeatedScalarFieldContainer as Scalars
from google.protobuf.internal.enum_type_wrapper import EnumTypeWrapper
from google.protobuf.message import Message

TRAIN: int
TEST: int

class CaffeMessage(Message):
    def __init__(self, **fields: Any) -> None: ...
"""
_PYTHON_TYPES = {
    FieldDescriptorProto.TYPE_DOUBLE: "float",
    FieldDescriptorProto.TYPE_FLOAT: "float",
    FieldDescriptorProto.TYPE_BOOL: "bool",
    FieldDescriptorProto.TYPE_STRING: "str",
    FieldDescriptorProto.TYPE_BYTES: "bytes",
}


def stubs(schema: FileDescriptorProto) -> str:
    """`messages.pyi`: the message classes with their fields, as mypy reads them."""
    return "\n".join([STUBS_HEAD, *("\n".join(_class_stub(message, "")) + "\n" for message in schema.message_type)])


def _class_stub(message: DescriptorProto, indent: str) -> Iterator[str]:
    if not (message.field or message.nested_type or message.enum_type):
        yield f"{indent}class {message.name}(CaffeMessage): ..."
        return
    yield f"{indent}class {message.name}(CaffeMessage):"
    indent += "    "
    for nested in message.nested_type:
        yield from (*_class_stub(nested, indent), "")
    for enum in message.enum_type:
        yield f"{indent}{enum.name}: ClassVar[EnumTypeWrapper]"
        yield from (f"{indent}{value.name}: ClassVar[int]" for value in enum.value if not keyword.iskeyword(value.name))
    for field in message.field:
        if not keyword.iskeyword(field.name):
            yield from _field_stub(field, indent)


def _field_stub(field: FieldDescriptorProto, indent: str) -> Iterator[str]:
    is_message = field.type == FieldDescriptorProto.TYPE_MESSAGE
    type_name = field.type_name.removeprefix(".caffe.") if is_message else _PYTHON_TYPES.get(field.type, "int")
    if field.label == FieldDescriptorProto.LABEL_REPEATED:
        type_name = f"{'Messages' if is_message else 'Scalars'}[{type_name}]"
    elif not is_message:
        yield f"{indent}{field.name}: {type_name}"
        return
    # Read-only: a message or a container is changed, not assigned.
    yield f"{indent}@property"
    yield f"{indent}def {field.name}(self) -> {type_name}: ..."


def main(arguments: list[str] | None = None) -> int:
    """Write the outputs, or with `--check` compare them; the exit status."""
    parser = argparse.ArgumentParser(description="compile proto/ into proto/caffe.desc and the type stubs")
    parser.add_argument("--check", action="store_true", help="write nothing; fail if an output is stale")
    check = parser.parse_args(arguments).check
    try:
        schema = build(ROOT / "proto")
    except SchemaError as error:
        print(f"build_proto: {error}", file=sys.stderr)
        return 1
    outputs = {
        ROOT / "proto" / "caffe.desc": schema.SerializeToString(deterministic=True),
        ROOT / "caffelint" / "schema" / "messages.pyi": stubs(schema.file[0]).encode(),
    }
    stale = [path for path, content in outputs.items() if not path.exists() or path.read_bytes() != content]
    for path in stale:
        print(f"{path.relative_to(ROOT)} is stale" if check else f"wrote {path.relative_to(ROOT)}")
        if not check:
            path.write_bytes(outputs[path])
    return 1 if check and stale else 0


if __name__ == "__main__":
    sys.exit(main())
