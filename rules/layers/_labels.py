"""Labels of records, of which Caffe 1.0 knows one each."""

from __future__ import annotations

from math import prod

from caffelint.lint import TEST, Kind, Refused, quoted

_MOST = 1000
"""Labels that a changed Caffe may read with a record; a map of targets is not among them."""
_OF_OTHER_SIZES = frozenset([Kind.SHAPES_DIFFER, Kind.LABEL_COUNT])


def lacks_labels(refused: Refused) -> bool:
    """Is it that the records of a database have one label each? Many a Caffe was changed to read several."""
    if refused.refusal.kind not in _OF_OTHER_SIZES or refused.net.bound.knows_caffe or not refused.layers:
        return False
    layers = [layer for one in refused.net.states() for layer in one.layers if layer.index == refused.layers[0].index]
    if any(prod(blob.shape[1:]) > _MOST for layer in layers for blob in layer.bottoms if blob.shape):
        return False
    blobs = (blob.original for layer in layers for blob in layer.bottoms)
    return any(
        blob.top > 0 and blob.producer is not None and blob.producer.is_data and blob.producer.tops[0].shape is None
        for blob in blobs
    )


def to_be_left_out(refused: Refused) -> str:
    """What to do with a loss of a net that a script runs and no solver trains, and with its input of labels."""
    net, layers = refused.net, refused.layers
    if refused.refusal.kind not in _OF_OTHER_SIZES or len(layers) != 1 or not layers[0].kind.looks_like_a_loss:
        return ""
    runs = net.runs.uses if net.runs and not net.solvers and not net.runs.backward else None
    made = layers[0].maker(1, TEST) if runs and len(layers[0].bottoms) == 2 else None
    if made is None or made.layer.type != "Input":
        return ""
    them = f"this layer and {quoted(layers[0].bottoms[1])}"
    return f"{runs} runs the net, which needs neither loss nor labels, so remove {them}"
