"""The fix for a layer whose top clashes with that of another."""

from __future__ import annotations

from caffelint.lint import Fix, Layer, fix, rename_blob


def own_top(*layers: Layer, safety: str) -> tuple[Fix, ...]:
    """The fix that gives each layer a top of its own, which every layer after it reads in place of the one it reads.

    No fix where the layers read each other.
    """
    names = [next((name for name in layer.tops if name in layer.bottoms), "") for layer in layers]
    parts = [rename_blob(layer, name) for layer, name in zip(layers, names, strict=True)]
    edits = [edit[:3] for part in parts for edit in part or ()]
    return fix("give it a top of its own", safety, *parts) if len(set(edits)) == len(edits) else ()
