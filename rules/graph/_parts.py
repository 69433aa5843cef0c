"""Files that hold a part of a net, to be pasted into another one, or a net for one phase."""

from __future__ import annotations

import os

from caffelint.lint import Net
from caffelint.lint.disk import exists

_RUNS = ("test", "deploy")


def is_whole(net: Net) -> bool:
    """Does the file hold a start of a net: a layer that brings data, or an input?"""
    starts = any(not layer.bottoms and layer.tops and layer.type != "Parameter" for layer in net.layers)
    return starts or len(net.written.input) > 0


def has_net_for_tests(net: Net) -> bool:
    """Is another net beside this one that tests it, or runs it: `deploy` beside `train`, `net-test` beside `net`?"""
    folder, name = os.path.split(net.path)
    stem, dot, suffix = name.partition(".")
    others = {name.replace("train", role) for role in _RUNS}
    others |= {f"{stem}{by}{role}{dot}{suffix}" for by in "-_" for role in _RUNS}
    return any(exists(os.path.join(folder, other)) for other in others - {name})
