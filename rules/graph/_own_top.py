"""How a layer that clashes with another one by the name of its top is mended."""

from __future__ import annotations

from caffelint.lint import Fix, Layer, fix, rename_blob


def own_top(layer: Layer, safety: str, top: str = "") -> tuple[Fix, ...]:
    """The fix that gives a layer a top of its own, which all read that read the old one behind it.

    Without `top` it is the one that the layer also reads.
    """
    name = top or next((name for name in layer.tops if name in layer.bottoms), "")
    return fix("give it a top of its own", safety, rename_blob(layer, name)) if name else ()
