"""Files that hold a part of a net, to be pasted into another one."""

from __future__ import annotations

from caffelint.lint import Net


def is_whole(net: Net) -> bool:
    """Does the file hold a start of a net: a layer that brings data, or an input?"""
    starts = any(not layer.bottoms and layer.tops and layer.type != "Parameter" for layer in net.layers)
    return starts or len(net.written.input) > 0
