"""Caffe's messages, BVLC's and those of 163 forks merged; which fork knows what; how text becomes a message."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from caffelint.schema.messages import (
        BlobProto,
        Datum,
        LayerParameter,
        NetParameter,
        SolverParameter,
        V0LayerParameter,
        V1LayerParameter,
    )
    from caffelint.schema.pool import message_class

__all__ = [
    "BlobProto",
    "Datum",
    "LayerParameter",
    "NetParameter",
    "SolverParameter",
    "V0LayerParameter",
    "V1LayerParameter",
    "message_class",
]

if not TYPE_CHECKING:

    def __getattr__(name: str):
        """Load the schema when the first of its names is asked for, not before."""
        if name not in __all__:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from caffelint.schema.pool import message_class

        value = message_class if name == "message_class" else message_class(name)
        globals()[name] = value
        return value
