"""Whether what Caffe refuses of a layer hangs on layers of BVLC's Caffe only, in a net that has others, too."""

from __future__ import annotations

from caffelint.caffe.fork_fields import has_fork_fields
from caffelint.caffe.layers import BVLC_TYPES, BuiltLayer
from caffelint.caffe.net import Net
from caffelint.caffe.refusal import Kind
from caffelint.caffe.refused import Refused


def has_plain_inputs(refused: Refused) -> bool:
    """Are its layers and all that these are computed from of BVLC's Caffe, and of sizes that no fork has otherwise?"""
    net = refused.net
    if not refused.layers or not net.once(_has_plain_layers):
        return False
    if refused.refusal.kind is Kind.PARAM_COUNT:  # of which shapes change nothing
        return all(layer.type in BVLC_TYPES and layer.type != "Python" for layer in refused.layers)
    return not refused.refusal.follows and net.once(_others).isdisjoint(layer.index for layer in refused.layers)


def _has_plain_layers(net: Net) -> bool:
    """Has it what forks have only in layers of types of theirs? One that has changed a layer may have changed more."""
    return all(problem.kind == "fork-field" for problem in net.bound.problems) and not any(
        type_ in BVLC_TYPES and any(has_fork_fields(layer.message) for layer in layers)
        for type_, layers in net.by_type.items()
    )


def _others(net: Net) -> frozenset[int]:
    """The places of the layers that are not plain or are computed from one that is not."""
    found: set[int] = set()
    for built in net.states():
        others: set[BuiltLayer] = set()
        for layer in built.layers:
            if not _is_plain(layer) or any(blob.maker in others for blob in layer.bottoms):
                others.add(layer)
        found.update(layer.index for layer in others if layer.index is not None)
    return frozenset(found)


def _is_plain(layer: BuiltLayer) -> bool:
    """Forks round the size of a pooled map otherwise, so the windows of a Pooling have to end at its border."""
    if layer.index is None:
        return True  # a Split that Caffe inserted
    if layer.type not in BVLC_TYPES or layer.type == "Python":
        return False
    if layer.type != "Pooling" or layer.parameters.global_pooling:
        return True
    windows, shape = layer.written_windows(), layer.bottoms[0].shape if layer.bottoms else None
    if windows is None or shape is None:
        return False
    return all(
        window.stride > 0 and (size + 2 * window.pad - window.kernel) % window.stride == 0
        for size, window in zip(shape[2:], windows, strict=False)
    )
