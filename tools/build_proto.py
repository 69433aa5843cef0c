"""Compile `proto/` into `proto/caffe.desc`, and write the type stubs of the merged messages.

`python tools/build_proto.py` writes both; with `--check` it only says whether they are stale (exit status 1 if so).
Needs grpcio-tools; whoever loads the result needs no more than protobuf.

How the merge works: each overlay in `proto/forks/` has a package of its own, `caffe.ssd` say. What it declares lands
in package `caffe`; a message or enum that is already there gains the overlay's fields or values. Numbers tell whose a
field is: below 10,000 it is BVLC's and stands in `caffe.proto`, from 10,000 up it is a fork's.
"""

from __future__ import annotations

import argparse
import re
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path

from google.protobuf.descriptor_pb2 import (
    DescriptorProto,
    EnumDescriptorProto,
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

    def _messages(self, into, messages: Iterable[DescriptorProto], scope: str, source: str) -> None:
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
            raise SchemaError(f"{source}: {path}.{field.name} = {field.number}: BVLC's numbers are below 10000, no other")
        copy = merged.field.add()
        copy.CopyFrom(field)
        if field.type_name:
            copy.type_name = re.sub(r"^\.caffe\.[a-z0-9_]+\.", ".caffe.", field.type_name)
        if field.json_name == _json_name(field.name):
            copy.ClearField("json_name")

    def _enums(self, into, enums: Iterable[EnumDescriptorProto], scope: str, source: str) -> None:
        known = {enum.name: enum for enum in into}
        for enum in enums:
            merged = known.get(enum.name) or into.add(name=enum.name)
            for value in enum.value:
                self._once(f"{scope}{enum.name}.{value.name}", source)
                self._once(f"{scope}{enum.name} value number {value.number}", source)
                merged.value.append(value)

    def _once(self, name: str, source: str) -> None:
        if self._sources.setdefault(name, source) != source:
            raise SchemaError(f"{source}: {name} is in {self._sources[name]} already")


def _json_name(name: str) -> str:
    """The JSON name that protoc gives a field which states none."""
    return re.sub(r"_+(.?)", lambda match: match[1].upper(), name)


def build(directory: Path) -> FileDescriptorSet:
    """The merged schema of the sources in `directory`; SchemaError if they contradict each other."""
    sources = compile_sources(directory)
    merge = Merge(sources[0])
    for source in sources:
        merge.add(source)
    return FileDescriptorSet(file=[merge.file])


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
    }
    stale = [path for path, content in outputs.items() if not path.exists() or path.read_bytes() != content]
    for path in stale:
        print(f"{path.relative_to(ROOT)} is stale" if check else f"wrote {path.relative_to(ROOT)}")
        if not check:
            path.write_bytes(outputs[path])
    return 1 if check and stale else 0


if __name__ == "__main__":
    sys.exit(main())
