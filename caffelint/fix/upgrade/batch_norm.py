"""Learning rates on the statistics of BatchNorm: UpgradeNetBatchNorm in Caffe's util/upgrade_proto.cpp.

Caffe sets lr_mult and decay_mult of a BatchNorm layer with three `param` to 0. Where lr_mult is 0 already nothing else
has an effect, and the text stays as it is.
"""

from __future__ import annotations

import re
from typing import Any

from caffelint.fix.upgrade.pieces import Block, Layout, Piece
from caffelint.fix.upgrade.wrap import set_on_line

_COUNT = 3
_ZERO = re.compile(r"[-\s]*(?:0+(?:\.0*)?|\.0+)(?:[eE][-+]?\d+)?[fF]?\s*")


def is_old(layer: Any) -> bool:
    """Whether a LayerParameter asks for BatchNorm's statistics to be trained, which Caffe takes back."""
    return layer.type == "BatchNorm" and len(layer.param) == _COUNT and any(param.lr_mult != 0 for param in layer.param)


def upgrade_layer(layout: Layout, layer: Block) -> None:
    for piece in layer.all("param"):
        for param in [item.block for item in piece.block.pieces] if piece.is_list else [piece.block]:
            for name in ("lr_mult", "decay_mult"):
                _set_zero(layout, param, name)


def _set_zero(layout: Layout, param: Block, name: str) -> None:
    present = param.first(name)
    if present:
        if not _ZERO.fullmatch(str(present.value)):
            present.value = "0"
        return
    new = Piece(name, "0", " ")
    last = param.pieces[-1] if param.pieces else None
    param.pieces.append(new)
    if last is None:
        param.tail = param.tail or " "
    elif last.ends_line:
        set_on_line(layout, new, last.indent if last.indent.strip(" \t") == "" else layout.indent_in(param))
    else:
        new.after, last.after = last.after, ""
