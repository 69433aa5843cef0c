"""What a loss of the user's own does to scores that are all alike; Python 2.7 and 3, numpy alone.

Nothing but its labels then tells one place from another: where the gradient leads is what it takes a label for, and how
far is the weight of that label.

One file by itself: it is copied beside a runner that has no caffelint to import.
"""

# ruff: noqa: RUF005, UP010
# mypy: ignore-errors
from __future__ import absolute_import, division

import numpy

_MOST = 64
"""Labels of so many kinds are told."""
_ALIKE = 0.2


def pulls(layer, spec, seed):
    """Gives an event `pulled` (pulled.py) without its name, or None where the layer is no loss of scores and classes.

    layer, spec: as in gradients.py. Bottoms are as before afterwards.
    """
    found = _read(layer, spec)
    if found is None:
        return None
    number, labels, scores = found
    kept = layer.bottoms[number].copy()
    try:
        with numpy.errstate(all="ignore"):
            event = _measured(layer, spec, number, layer.bottoms[labels], scores, numpy.random.RandomState(seed))
    except (Exception, SystemExit):  # code of the user's, at values that it never had to expect
        return None
    finally:
        layer.bottoms[number][...] = kept
    if event is not None:
        event.update(layer=spec["layer"], scores=spec["names"][number], labels=spec["names"][labels])
    return event


def _read(layer, spec):
    """The numbers of the bottoms with scores and with labels, and how many scores a label chooses from."""
    if spec["kind"] != "Python" or len(spec["bottoms"]) != 1 or not any(spec["tops"]):
        return None
    number = spec["bottoms"][0]
    scores = layer.bottoms[number]
    others = [at for at, values in enumerate(layer.bottoms) if at != number and _whole(values)]
    if len(others) != 1 or len(layer.bottoms) != 2 or not scores.size or scores.ndim < 1:
        return None
    labels = layer.bottoms[others[0]]
    if labels.size == scores.size:
        return (number, others[0], 1) if len(numpy.unique(labels)) == 2 and labels.max() == 1 else None
    classes = scores.shape[1] if scores.ndim > 1 else 0
    fit = classes > 1 and labels.size * classes == scores.size and labels.min() >= 0 and labels.max() < classes
    return (number, others[0], classes) if fit else None


def _whole(values):
    return bool(values.size and numpy.isfinite(values).all() and (values == numpy.round(values)).all())


def _measured(layer, spec, number, labels, classes, random):
    scores = layer.bottoms[number]
    by_place = _by_place(scores, classes)
    shares = bool((scores >= 0).all() and (classes == 1 or numpy.allclose(by_place.sum(1), 1, atol=1e-3)))
    shares = shares and bool((scores <= 1).all())
    step, start = (0.1 / max(classes, 2), 1.0 / max(classes, 2)) if shares else (1.0, 0.0)
    told = labels.reshape(-1).astype(int)

    def value(shift):
        scores[...] = _as_bottom(start + shift, scores.shape, classes)
        return _value(layer.forward(), spec["tops"])

    still = numpy.zeros_like(by_place)
    towards = still.copy()
    if classes == 1:
        towards[:, 0] = numpy.where(told == 1, step, -step)
    else:
        towards[numpy.arange(len(told)), told] = step
    event = {"classes": classes, "value": value(still), "nearer": value(towards), "farther": value(-towards)}
    apart = random.uniform(-step, step, by_place.shape)
    event["shifted"] = value(apart)
    event["places"] = float("nan") if shares else value(still + apart[:, :1])
    event["columns"] = float("nan") if shares else value(still + apart[:1])
    if not all(numpy.isfinite([event["value"], event["nearer"], event["farther"], event["shifted"]])):
        return None
    scores[...] = start
    tops = layer.forward()
    weights = [
        numpy.full(top.shape, one, numpy.float32) if one else None
        for top, one in zip(tops, spec["tops"])  # noqa: B905
    ]
    gradient = layer.backward(weights, 0.0)[0][number]
    if gradient is None or not numpy.isfinite(gradient).all():
        return None
    pull = -_by_place(gradient, classes)
    event["kinds"] = []
    for label in numpy.unique(told)[:_MOST]:
        rows = pull[told == label]
        mean = rows.mean(0)
        up, down = _alone(mean), _alone(-mean)
        if classes == 1:
            up, down = (int(mean[0] > 0), int(mean[0] < 0)) if mean[0] else (-1, -1)
        size = float(numpy.abs(rows).sum(1).mean())
        event["kinds"].append([int(label), int((told == label).sum()), up, down, size])
    return event


def _alone(pull):
    """The one class that is pulled up, where all others are alike; -1 for none, as in a loss of features."""
    to = int(pull.argmax())
    others = numpy.delete(pull, to)
    alone = pull[to] > 0 and (not others.size or (others.max() <= 0 and numpy.ptp(others) <= _ALIKE * pull[to]))
    return to if alone else -1


def _by_place(values, classes):
    """As places x classes: axis 1 is that of classes."""
    if classes == 1:
        return values.reshape(-1, 1).astype(numpy.float64)
    return numpy.rollaxis(values, 1, values.ndim).reshape(-1, classes).astype(numpy.float64)


def _as_bottom(values, shape, classes):
    if classes == 1:
        return values.reshape(shape)
    return numpy.rollaxis(values.reshape((shape[0],) + tuple(shape[2:]) + (classes,)), len(shape) - 1, 1)


def _value(tops, weights):
    return sum(float(top.sum()) * weight for top, weight in zip(tops, weights) if weight)  # noqa: B905
