"""Compare our reader of caffe.proto with protoc, over all files of a folder: `python tools/compare_protos.py DIR`.

Each difference is a line; the exit status is 1 if there is any. Files that protoc refuses are counted, and must not
make ours fail in any other way than by a `ProtoError`. Needs grpcio-tools.
"""

from __future__ import annotations

import struct
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from google.protobuf.descriptor_pb2 import FieldDescriptorProto, FileDescriptorSet
from grpc_tools import protoc

from caffelint.schema.proto2 import LABELS, SCALARS, ProtoError, Schema, read_schema

_FLOATS = (FieldDescriptorProto.TYPE_FLOAT, FieldDescriptorProto.TYPE_DOUBLE)


def main(folders: list[str]) -> int:
    paths = sorted(path for folder in folders for path in Path(folder).rglob("*.proto"))
    equal = refused = 0
    for path in paths:
        try:
            ours: Schema | None = read_schema(path.read_text("utf-8", "replace"))
            why = ""
        except ProtoError as error:
            ours, why = None, str(error)
        theirs = by_protoc(path)
        if theirs is None:
            refused += 1
            continue
        found = list(differences(ours, theirs)) if ours else [f"refused: {why}"]
        for line in found[:5]:
            print(f"{path}: {line}")
        equal += not found
    print(f"{equal} of {len(paths) - refused} equal, {refused} more refused by protoc")
    return int(equal < len(paths) - refused)


def by_protoc(path: Path) -> Any:
    """The descriptor of a file; None if protoc refuses it."""
    with tempfile.TemporaryDirectory() as scratch:
        output = Path(scratch, "out.desc")
        given = ["protoc", f"-I{path.parent}", f"--descriptor_set_out={output}", path.name]
        if protoc.main(given) != 0:
            return None
        return FileDescriptorSet.FromString(output.read_bytes()).file[0]


def differences(ours: Schema, theirs: Any) -> Iterator[str]:
    """What the descriptor of protoc and our schema of one file disagree on."""
    prefix = f".{theirs.package}." if theirs.package else "."
    messages, enums = dict(_messages(theirs.message_type, "")), dict(_enums(theirs, ""))
    if ours.messages.keys() != messages.keys():
        yield f"messages: {sorted(ours.messages.keys() ^ messages.keys())}"
    if ours.enums != enums:
        yield f"enums: {[name for name in enums if ours.enums.get(name) != enums[name]]}"
    for name, message in messages.items():
        fields = ours.messages.get(name, {})
        if list(fields) != [_name(field) for field in message.field]:
            yield f"fields of {name}: {set(fields) ^ {_name(field) for field in message.field}}"
        for field in message.field:
            own = fields.get(_name(field))
            if own is None:
                continue
            wanted = (field.number, LABELS[(0, 0, 1, 2)[field.label]], _type(field).removeprefix(prefix))
            if (own.number, own.label, own.type) != wanted:
                yield f"{name}.{field.name}: {own} is {wanted}"
            if not _same_default(own.default, field):
                yield f"default of {name}.{field.name}: {own.default} is {field.default_value!r}"


def _name(field: Any) -> str:
    return str(field.name)


def _type(field: Any) -> str:
    return field.type_name or SCALAR_NAMES[field.type]


def _same_default(own: str | None, field: Any) -> bool:
    if own is None or not field.HasField("default_value"):
        return own is None and not field.HasField("default_value")
    theirs = field.default_value
    if field.type in _FLOATS:
        return _rounded(_number(own), field) == _rounded(float(theirs), field)
    if field.type in (FieldDescriptorProto.TYPE_STRING, FieldDescriptorProto.TYPE_BYTES):
        return own[1:-1] == theirs or "\\" in own
    if own.lstrip("-").isalnum() and own.lstrip("-")[0].isdigit():
        digits = own.lstrip("-")
        value = int(digits, 8 if digits[0] == "0" and digits.isdigit() else 0)
        return value == abs(int(theirs)) and own.startswith("-") == theirs.startswith("-")
    return own == theirs


def _number(text: str) -> float:
    return float(text.rstrip("fF") if text.lstrip("-")[0].isdigit() else text)


def _rounded(value: float, field: Any) -> str:
    """What is left of a number in the type of a field; as text, in which nan is nan."""
    return repr(struct.unpack("f", struct.pack("f", value))) if field.type == _FLOATS[0] else repr(value)


def _messages(messages: Any, scope: str) -> Iterator[tuple[str, Any]]:
    for message in messages:
        name = f"{scope}{message.name}"
        yield name, message
        yield from _messages(message.nested_type, f"{name}.")


def _enums(scope: Any, prefix: str) -> Iterator[tuple[str, dict[str, int]]]:
    for enum in scope.enum_type:
        yield f"{prefix}{enum.name}", {value.name: value.number for value in enum.value}
    for message in scope.message_type if not prefix else scope.nested_type:
        yield from _enums(message, f"{prefix}{message.name}.")


SCALAR_NAMES = {
    FieldDescriptorProto.Type.Value(f"TYPE_{name.upper()}"): name for name in SCALARS
}  # fmt: skip


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
