"""What the script of a page knows of a net: its layers, and where its boxes and lines are. As JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from caffelint.page.drawing import Drawing, parameters
from caffelint.text.visible import visible

if TYPE_CHECKING:
    from caffelint.caffe.layers import BuiltLayer
    from caffelint.caffe.net_parts import Blob
    from caffelint.page.views import View

_LONGEST = 300


def facts(view: View, drawing: Drawing, text: int) -> dict[str, Any]:
    """text: the number of the net's text in the page."""
    return {
        "title": view.title,
        "text": text,
        "layers": {layer.index: _layer(view, layer) for layer in view.built.layers if layer.index is not None},
        "drawing": geometry(drawing),
    }


def _layer(view: View, layer: BuiltLayer) -> dict[str, Any]:
    is_known = layer.params is not None and all(top.shape is not None for top in layer.tops)
    span = view.spans.get(layer.index) if layer.index is not None else None
    return {
        "name": _clipped(layer.name),
        "type": _clipped(layer.type),
        "bottoms": [_blob(blob.original) for blob in layer.bottoms],
        "tops": [_blob(blob) for blob in layer.tops],
        "params": None
        if layer.params is None
        else [
            {"name": param.name, "shape": param.shape, "lr": param.lr_mult, "decay": param.decay_mult}
            for param in layer.params
        ],
        "parameters": parameters(layer),
        "work": layer.multiply_adds() if is_known else None,
        "backward": layer.need_backward,
        "loss": list(layer.loss_weights),
        "lines": span,
    }


def _blob(blob: Blob) -> list[Any]:
    return [_clipped(blob.name), blob.shape]


def geometry(drawing: Drawing) -> dict[str, Any]:
    """Rows as top and bottom; boxes as id, place of the middle, size, row and what is inside; lines by box numbers."""
    laid = drawing.layout
    return {
        "size": [laid.width, laid.height],
        "rows": laid.rows,
        "boxes": [
            {
                "id": box.id,
                "at": centre,
                "size": [box.width, box.height],
                "row": row,
                "layers": box.layers,
                **({"inner": geometry(box.inner)} if box.inner is not None else {}),
            }
            for box, centre, row in zip(drawing.boxes, laid.centres, laid.row, strict=True)
        ],
        "lines": [[line.source, line.target, passes] for line, passes in zip(drawing.lines, laid.passes, strict=True)],
    }


def _clipped(text: str) -> str:
    text = visible(text)
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"
