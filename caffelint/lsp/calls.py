"""Which layers a layer reads, and which read it, as the calls of an editor's call hierarchy."""

from __future__ import annotations

from collections.abc import Iterable

from lsprotocol.types import (
    CallHierarchyIncomingCall,
    CallHierarchyIncomingCallsParams,
    CallHierarchyItem,
    CallHierarchyOutgoingCall,
    CallHierarchyOutgoingCallsParams,
    CallHierarchyPrepareParams,
    Range,
    SymbolKind,
)

from caffelint.caffe.net import Layer
from caffelint.lsp.documents import Documents, View
from caffelint.lsp.spot import layer_at


def prepare_calls(
    documents: Documents, view: View, params: CallHierarchyPrepareParams
) -> list[CallHierarchyItem] | None:
    """The layer at a position; None where none is."""
    layer = layer_at(view.nets, view.lines.offset(params.position))
    return [_item(documents, view, layer)] if layer is not None else None


def incoming_calls(
    documents: Documents, view: View, params: CallHierarchyIncomingCallsParams
) -> list[CallHierarchyIncomingCall]:
    """The layers that make its bottoms, and the tops that are these."""
    layer = _layer(view, params.item)
    made = _edges(layer) if layer is not None else []
    return [
        CallHierarchyIncomingCall(_item(documents, view, maker), _tops(view, maker, tops))
        for maker, tops in _together(made)
    ]


def outgoing_calls(
    documents: Documents, view: View, params: CallHierarchyOutgoingCallsParams
) -> list[CallHierarchyOutgoingCall]:
    """The layers that read its tops, and which tops."""
    layer = _layer(view, params.item)
    if layer is None:
        return []
    readers = [(reader, top) for reader in layer.net.layers for maker, top in _edges(reader) if maker is layer]
    return [
        CallHierarchyOutgoingCall(_item(documents, view, reader), _tops(view, layer, tops))
        for reader, tops in _together(readers)
    ]


def _edges(layer: Layer) -> list[tuple[Layer, int]]:
    """Who makes the bottoms of a layer in any phase, and as which top."""
    made = (layer.maker(bottom, phase) for phase in layer.phases for bottom in range(len(layer.bottoms)))
    return [(source.layer, source.top) for source in made if source is not None]


def _together(edges: Iterable[tuple[Layer, int]]) -> list[tuple[Layer, list[int]]]:
    """The tops of each layer, the layers in the order of the text."""
    found: dict[int, tuple[Layer, list[int]]] = {}
    for layer, top in edges:
        tops = found.setdefault(layer.index, (layer, []))[1]
        if top not in tops:
            tops.append(top)
    return [found[index] for index in sorted(found)]


def _layer(view: View, item: CallHierarchyItem) -> Layer | None:
    """The layer of an item, if the text still has it there."""
    layer = layer_at(view.nets, view.lines.offset(item.selection_range.start))
    return layer if layer is not None and _name(layer) == item.name else None


def _item(documents: Documents, view: View, layer: Layer) -> CallHierarchyItem:
    node = layer.node or view.file.document.root
    chosen = node.first("name")
    within = chosen is not None and node.start <= chosen.start and chosen.end <= node.end
    return CallHierarchyItem(
        _name(layer),
        SymbolKind.Class,
        documents.uri(view.path),
        view.lines.range(*node.span),
        view.lines.range(*(chosen.value_span if chosen and within else node.name_span)),
        detail=layer.type,
    )


def _tops(view: View, layer: Layer, tops: list[int]) -> list[Range]:
    """Where the tops of a layer are written."""
    places = [layer.at("top", top) for top in tops]
    return [view.lines.range(place.start, place.end) for place in places]


def _name(layer: Layer) -> str:
    return layer.name or layer.type or "?"
