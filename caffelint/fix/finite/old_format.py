"""Why a net of `layers { }` can have no checks, and what to do."""

from __future__ import annotations

from caffelint.fix.upgrade import upgrade_text


def objection(data: bytes, path: str) -> str:
    """One line, to follow the file's name. The old format has no Python layers (caffe.proto, V1LayerParameter)."""
    left = upgrade_text(data, path).left
    if not left:
        return "this is the old format, layers { }, which has no Python layers; run caffelint upgrade on it first"
    line, message, intended = left[0]
    if intended:
        return (
            f"this is an old format, which has no Python layers, and it cannot be upgraded: {message}; caffelint smoke"
            " on its solver looks for nan without checks"
        )
    return (
        "this is the old format, layers { }, which has no Python layers, and it cannot be upgraded:"
        f" line {line}: {message}"
    )
