"""The merged schema of `proto/caffe.desc`, in a descriptor pool of its own, and its message classes.

A private pool: pycaffe's own `caffe_pb2` is in the default one and may be imported beside this package.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import cache
from importlib import import_module
from typing import Any

from google.protobuf.internal import api_implementation
from google.protobuf.message import Message

from caffelint.text.records import NamedTuple

PACKAGE = "caffe."
BASES = "google.protobuf.internal.well_known_types"
"""protobuf imports it from C for its first class, and crashes if that fails, as by the exception that a signal raises.

message.c of upb's Python, PyUpb_GetWktBases.
"""


class _Runtime(NamedTuple):
    pool: Any
    new_class: Callable[[Any], type[Message]]


def message_class(name: str) -> type[Message]:
    """The class of a message of the merged schema, e.g. "PoolingParameter"; KeyError if it does not exist."""
    return _class_of(_runtime().pool.FindMessageTypeByName(PACKAGE + name))


def enum_type(name: str) -> Any:
    """The EnumDescriptor of an enum of the merged schema, e.g. "PoolingParameter.PoolMethod"; KeyError if none."""
    return _runtime().pool.FindEnumTypeByName(PACKAGE + name)


def read_data(name: str) -> bytes:
    """A file of `proto/`, which is installed as `caffelint.proto`; OSError if it is not there."""
    with open(os.path.join(import_module("caffelint.proto").__path__[0], name), "rb") as file:
        return file.read()


@cache
def _class_of(descriptor: Any) -> type[Message]:
    return _runtime().new_class(descriptor)


@cache
def _runtime() -> _Runtime:
    runtime = _upb_runtime() or _public_runtime()
    runtime.pool.AddSerializedFile(_only_file(read_data("caffe.desc")))
    return runtime


def _upb_runtime() -> _Runtime | None:
    """What `_public_runtime` gives, 50 ms sooner: its imports take that long, and it makes all 470 classes at once.

    protobuf 4.25 to 7 all have these names, which no documentation promises; None where they are missing.
    """
    if api_implementation.Type() != "upb":
        return None
    try:
        from google._upb._message import DescriptorPool, MessageMeta

        import_module(BASES)
    except ImportError:
        return None

    def new_class(descriptor: Any) -> type[Message]:
        # The classes of its fields make themselves when they are first touched.
        made: type[Any] = MessageMeta(descriptor.name, (Message,), {"DESCRIPTOR": descriptor, "__module__": __name__})
        return made

    return _Runtime(DescriptorPool(), new_class)


def _public_runtime() -> _Runtime:
    from google.protobuf.descriptor_pool import DescriptorPool
    from google.protobuf.message_factory import GetMessageClass

    return _Runtime(DescriptorPool(), GetMessageClass)


def _only_file(descriptor_set: bytes) -> bytes:
    """The one file of a FileDescriptorSet, cut out by hand: reading it needs descriptor_pb2, another 10 ms.

    The set is a tag, the length (a varint, its last byte below 128) and the file.
    """
    length_end = next(index for index in range(1, 11) if descriptor_set[index] < 0x80)
    return descriptor_set[length_end + 1 :]
