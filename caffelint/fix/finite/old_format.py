"""Why a net of `layers { }` takes no checks, and what to do."""

from __future__ import annotations

from caffelint.fix.upgrade import upgrade_text


def objection(data: bytes, path: str) -> str:
    """One line, to follow the file's name. The old format has no Python layers (caffe.proto, V1LayerParameter)."""
    left = upgrade_text(data, path).left
    if not left:
        return "is written in the old format, layers { }, which has no Python layers: run caffelint upgrade on it first"
    line, message, intended = left[0]
    if intended:
        return (
            f"takes no checks: it is {message}, and the checks are Python layers, which came with that;"
            " caffelint smoke on its solver looks for nan without them"
        )
    return (
        "is written in the old format, layers { }, which has no Python layers, and cannot be upgraded:"
        f" line {line}: {message}"
    )
