"""Every message class of the merged schema by its name: `from caffelint.schema.messages import PoolingParameter`.

Classes are made when asked for. What they hold is in `messages.pyi`, which `tools/build_proto.py` writes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from caffelint.schema import pool

if TYPE_CHECKING:
    from google.protobuf.message import Message

TRAIN, TEST = 0, 1


def __getattr__(name: str) -> type[Message]:
    try:
        return pool.message_class(name)
    except KeyError:
        raise AttributeError(f"Caffe's schema has no message {name!r}") from None
