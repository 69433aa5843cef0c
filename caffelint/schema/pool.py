"""The merged schema of `proto/caffe.desc`, in a descriptor pool of its own, and its message classes.

A private pool: pycaffe's own `caffe_pb2` stands in the default one and may be imported beside this package.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

from google.protobuf.internal import api_implementation
from google.protobuf.message import Message

from caffelint import proto

PACKAGE = "caffe."


class _Runtime(NamedTuple):
    pool: Any
    new_class: Callable[[Any], type[Message]]


def message_class(name: str) -> type[Message]:
    """The class of a message of the merged schema, e.g. "PoolingParameter"; KeyError if there is none."""
    return _class_of(_runtime().pool.FindMessageTypeByName(PACKAGE + name))


def enum_type(name: str) -> Any:
    """The EnumDescriptor of an enum of the merged schema, e.g. "PoolingParameter.PoolMethod"; KeyError if none."""
    return _runtime().pool.FindEnumTypeByName(PACKAGE + name)


@cache
def _class_of(descriptor: Any) -> type[Message]:
    return _runtime().new_class(descriptor)


@cache
def _runtime() -> _Runtime:
    runtime = _upb_runtime() or _public_runtime()
    path = os.path.join(os.path.dirname(proto.__file__), "caffe.desc")  # noqa: PTH118, PTH120 (pathlib costs start-up)
    with open(path, "rb") as file:
        runtime.pool.AddSerializedFile(_only_file(file.read()))
    return runtime


def _upb_runtime() -> _Runtime | None:
    """What `_public_runtime` gives, without importing half of protobuf for it: that takes 50 ms and builds all 470 classes.

    protobuf 4.25 to 7 all have these three names, which no documentation promises; None where they are missing.
    """
    if api_implementation.Type() != "upb":
        return None
    try:
        from google._upb._message import DescriptorPool, MessageMeta
    except ImportError:
        return None
    # A class that was not made yet makes itself when a message of it is first touched.
    return _Runtime(DescriptorPool(), lambda descriptor: MessageMeta(descriptor.name, (Message,), {"DESCRIPTOR": descriptor, "__module__": __name__}))


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
