"""The fix for layers whose tops clash with those of others."""

from __future__ import annotations

from collections.abc import Iterable

from caffelint.lint import Fix, Layer, fix, rename_blobs


def own_top(*layers: Layer, safety: str) -> tuple[Fix, ...]:
    """The fix that gives each layer a top of its own, which every layer after it reads in place of the one it reads.

    `layers` are in the order of the net.
    """
    names = [next((name for name in layer.tops if name in layer.bottoms), "") for layer in layers]
    edits = rename_blobs(list(zip(layers, names, strict=True)))
    if not edits:
        return ()
    title = f"rename the top to {edits[0][1].text}" if len(layers) == 1 else f"rename {len(layers)} tops"
    return fix(title, safety, edits)


def own_tops(layers: Iterable[Layer], *, safety: str) -> dict[int, tuple[Fix, ...]]:
    """The fixes of some layers, by index. Those that work in place on one blob are mended together, at the first."""
    chains: dict[tuple[str, tuple[str, ...]], list[Layer]] = {}
    for layer in layers:
        chains.setdefault((layer.bottoms[0], layer.phases), []).append(layer)
    return {chain[0].index: own_top(*chain, safety=safety) for chain in chains.values()}
