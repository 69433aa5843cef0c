"""What else is known of why TEST is unlike TRAIN, with the remedy."""

from __future__ import annotations

from caffelint.lint import INFO
from caffelint.smoke.rule import BuiltLayer, Run, Targets

OF_VALUES = (
    "train-test-nets-differ",
    "image-axes-mixed-up",
    "tested-in-other-units",
    "phases-compute-otherwise",
    "stage-only-in-testing",
    "train-test-transform-mismatch",
)
"""Rules on values that differ in the two phases."""
_MOST, _FEWER = 0.9, 0.3
"""The share of a label in TRAIN that a net need not look beyond, and by how much it is less in TEST."""


def units(run: Run) -> str:
    """What else keeps the two phases from the same values, with the remedy; "" if nothing is known of it."""
    found = (one for one in run.static if one.name in OF_VALUES and one.severity != INFO)
    return next((f"{one.cause.what}; {one.cause.why}" if one.cause else one.message for one in found), "")


def shares(run: Run, net: int) -> str:
    """A label that is nearly all of TRAIN and not of a TEST net; "" if there is none."""
    for one in run.all(Targets):
        other = next((test for test in run.all(Targets) if (test.net, test.name) == (net, one.name)), None)
        if one.net or not one.shares or other is None:
            continue
        label = max(range(len(one.shares)), key=one.shares.__getitem__)
        here, there = one.shares[label], other.shares[label] if label < len(other.shares) else 0.0
        if here >= _MOST and here - there >= _FEWER:
            apart = f'{100 * here:.3g}% of the "{one.name}" in TRAIN are {label}, but {100 * there:.3g}% in TEST'
            return f"{apart}, so the net learns to answer always that; train on more records of other labels"
    return ""


def transformed_apart(run: Run, net: int) -> bool:
    """Do data layers of the two nets that bring the same blob transform it in different ways?"""
    first = {layer.tops[0].name: layer for layer in run.built[0].layers if layer.transforms and layer.tops}
    for layer in run.built[net].layers:
        other = first.get(layer.tops[0].name) if layer.transforms and layer.tops else None
        if other is not None and (layer.type != other.type or _transform(layer) != _transform(other)):
            return True
    return False


def _transform(layer: BuiltLayer) -> tuple[object, ...]:
    p = layer.message.transform_param
    return p.scale, tuple(p.mean_value), p.mean_file, p.crop_size


def asks_alike(run: Run, net: int) -> bool:
    """Are the losses of a TEST net of the types of those that are trained, so that both can be compared?"""
    tested = {layer.type for layer in run.built[net].layers if any(layer.loss_weights)}
    return tested <= {layer.type for layer in run.loss_layers}
