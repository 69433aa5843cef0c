"""Where the labels of a loss come from."""

from __future__ import annotations

from caffelint.lint.built import BuiltLayer


def come_together(loss: BuiltLayer) -> bool:
    """Do labels of several sources reach a loss as one blob, so that none of them tells which classes it learns?"""
    maker = loss.bottoms[1].maker if len(loss.bottoms) > 1 else None
    while maker is not None and len(maker.bottoms) == 1:
        maker = maker.bottoms[0].maker
    return maker is not None and len(maker.bottoms) > 1
