"""How a layer that clashes with another one by the name of its top is mended."""

from __future__ import annotations

from caffelint.lint import Fix, Layer, fix, rename_blob


def own_top(*layers: Layer, safety: str, top: str = "") -> tuple[Fix, ...]:
    """The fix that gives each layer a top of its own, which all read that read the old one behind it.

    Without `top` it is the one that the layer also reads. None where the layers read each other.
    """
    names = [top or next((name for name in layer.tops if name in layer.bottoms), "") for layer in layers]
    parts = [rename_blob(layer, name) for layer, name in zip(layers, names, strict=True)]
    edits = [edit[:3] for part in parts for edit in part or ()]
    return fix("give it a top of its own", safety, *parts) if len(set(edits)) == len(edits) else ()
