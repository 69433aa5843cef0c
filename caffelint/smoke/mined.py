"""Which records a layer of the user's own keeps for the loss; Python 2.7 and 3, numpy alone.

A loss that mines hard examples gives the others no gradient; a layer before a loss gives them another label. Of scores
by chance, those of a record that it drops are compared with those of records of the same label that it keeps: what is
dropped by the kind of the label, or by chance, is as hard as the rest. A loss of values is given some near and far from
their targets; where it keeps another number of them the farther they are, it has a limit, which is no sort.

One file by itself: it is copied beside a runner that has no caffelint to import.
"""

# ruff: noqa: RUF005, UP010
# mypy: ignore-errors
from __future__ import absolute_import, division

import numpy

_DRAWS, _SPREAD = 4, 2.0
_LEAST = 8
"""Records of the same label, kept and dropped, of which anything is said."""
_APART = (1.0, 0.1, 10.0, 1.0)
"""Times the spread of targets: how far from them values are drawn."""


def mined(layer, spec, seed):
    """Gives an event `mined` (pulled.py) without its name, or None where the layer keeps all, or what it takes is not
    scores and labels.

    layer, spec: as in gradients.py. Bottoms are as before afterwards.
    """
    found = _read(layer, spec) if spec["kind"] == "Python" else None
    if found is None:
        return None
    number, labels, classes = found
    kept = layer.bottoms[number].copy()
    random = numpy.random.RandomState(seed)
    try:
        with numpy.errstate(all="ignore"):
            if classes:
                draws = [_draw(layer, spec, number, labels, classes, random) for _ in range(_DRAWS)]
            else:
                draws = [_draw_values(layer, number, labels, spec, random, apart) for apart in _APART]
    except (Exception, SystemExit):  # code of the user's, at values that it never had to expect
        return None
    finally:
        layer.bottoms[number][...] = kept
    if any(one is None for one in draws):
        return None
    keeps, drops, pairs, harder = [sum(one[at] for one in draws) for at in range(4)]
    if min(keeps, drops) < _LEAST or not pairs or (not classes and len({one[0] for one in draws}) > 1):
        return None
    event = {"layer": spec["layer"], "scores": spec["names"][number], "labels": spec["names"][labels]}
    event.update(kept=int(keeps), dropped=int(drops), harder=float(harder / pairs), of_classes=bool(classes))
    return event


def _read(layer, spec):
    """The numbers of the bottoms with scores and with labels, and how many scores a label chooses from; 0 of a loss of
    values and their targets."""
    for number, scores in enumerate(layer.bottoms):
        for at, labels in enumerate(layer.bottoms):
            whole = labels.size and numpy.isfinite(labels).all() and (labels == numpy.round(labels)).all()
            if at == number or not whole or not scores.size or not scores.ndim:
                continue
            classes = scores.shape[1] if scores.ndim > 1 else 0
            if classes > 1 and labels.size * classes == scores.size and labels.max() < classes:
                return number, at, classes
    for number in spec.get("bottoms", ()) if any(spec["tops"]) else ():
        values = layer.bottoms[number]
        for at, targets in enumerate(layer.bottoms):
            is_like = targets.shape == values.shape and targets.ndim and numpy.isfinite(targets).all()
            if is_like and at not in spec["bottoms"]:
                return number, at, 0
    return None


def _draw(layer, spec, number, at, classes, random):
    """How many records are kept and dropped, how many pairs of these have one label, and in how many of them the one
    that is dropped costs more. None where that cannot be told."""
    scores, labels = layer.bottoms[number], layer.bottoms[at]
    told = labels.reshape(-1).astype(int)
    given = _by_place(scores, classes)
    is_share = bool((given >= 0).all() and numpy.allclose(given.sum(1), 1, atol=1e-3))
    drawn = _SPREAD * random.randn(*given.shape)
    shares = numpy.exp(drawn - drawn.max(1)[:, None])
    shares /= shares.sum(1)[:, None]
    scores[...] = _as_bottom(shares if is_share else drawn, scores.shape, classes)
    tops = layer.forward()
    if any(spec["tops"]):
        gradient = _gradient(layer, spec, tops, number)
        if gradient is None:
            return None
        keeps = (_by_place(gradient, classes) != 0).any(1)
    else:
        same = [top.reshape(-1) for top in tops if top.size == labels.size]
        keeps = _kept(same[0], told, classes) if len(same) == 1 else None
        if keeps is None:
            return None
    cost = -numpy.log(numpy.maximum(shares[numpy.arange(len(told)), numpy.clip(told, 0, None)], 1e-30))
    counts = told >= 0
    pairs = harder = 0
    for label in numpy.unique(told[counts]):
        mine = told == label
        one, other = cost[mine & ~keeps], cost[mine & keeps]
        pairs += one.size * other.size
        harder += int(numpy.searchsorted(numpy.sort(other), one).sum())
    return int((keeps & counts).sum()), int((~keeps & counts).sum()), pairs, harder


def _draw_values(layer, number, at, spec, random, apart):
    """The same of values, by record, or each by itself where a record is kept in part."""
    values, targets = layer.bottoms[number], layer.bottoms[at].astype(numpy.float64)
    rows = (len(targets),) + (1,) * (targets.ndim - 1)
    far = apart * (float(targets.std()) or 1.0) * random.randn(*targets.shape) * numpy.abs(random.randn(*rows))
    values[...] = targets + far
    gradient = _gradient(layer, spec, layer.forward(), number)
    if gradient is None:
        return None
    keeps, cost = (gradient != 0).reshape(len(targets), -1), (far**2).reshape(len(targets), -1)
    by_record = bool((keeps.all(1) | ~keeps.any(1)).all())
    keeps, cost = (keeps.any(1), cost.sum(1)) if by_record else (keeps.reshape(-1), cost.reshape(-1))
    one, other = cost[~keeps], numpy.sort(cost[keeps])
    return int(keeps.sum()), int((~keeps).sum()), one.size * other.size, int(numpy.searchsorted(other, one).sum())


def _gradient(layer, spec, tops, number):
    """Of the loss to a bottom; None for none, or one that is not finite."""
    weights = [
        numpy.full(top.shape, one, numpy.float32) if one else None
        for top, one in zip(tops, spec["tops"])  # noqa: B905
    ]
    gradient = layer.backward(weights, 0.0)[0][number]
    return gradient if gradient is not None and numpy.isfinite(gradient).all() else None


def _kept(top, told, classes):
    """Which labels are not replaced by one that is to be ignored, or have a weight that is not 0; None for others."""
    changed = numpy.unique(top[top != told])
    if len(changed) == 1 and not 0 <= changed[0] < classes:
        return top == told
    return top != 0 if top.min() == 0 and top.max() > 0 and len(numpy.unique(top)) == 2 else None


def _by_place(values, classes):
    """As places x classes: axis 1 is that of classes."""
    return numpy.rollaxis(values, 1, values.ndim).reshape(-1, classes).astype(numpy.float64)


def _as_bottom(values, shape, classes):
    return numpy.rollaxis(values.reshape((shape[0],) + tuple(shape[2:]) + (classes,)), len(shape) - 1, 1)
