"""Synthetic batches: the same numbers for the same seed, in both engines, on Python 2.7 and 3; needs numpy alone.

One file by itself: it is copied beside a runner that has no caffelint to import.
"""

# ruff: noqa: UP010, UP032
# mypy: allow-untyped-defs, allow-untyped-calls
from __future__ import absolute_import, division

import numpy


def batch(spec, seed, number):
    """The values of one input for batch `number`: a float32 array of its shape.

    spec: a mapping with the fields of `caffelint.smoke.job.Input`. Inputs of one name in TRAIN and TEST nets hold the
    same values if they have the same shape, so that both nets can see the same batch.
    """
    shape = tuple(int(dim) for dim in spec["shape"])
    random = numpy.random.RandomState(_start(spec["top"], seed, number))
    kind, low, high = spec["values"], spec["low"], spec["high"]
    if kind == "constant":
        return numpy.full(shape, low, numpy.float32)
    if kind == "recorded":
        return numpy.load("{}{}.npy".format(spec["file"], number))
    if kind == "labels":
        return _labels(random, shape, int(low), int(high), spec["ignore"]).astype(numpy.float32)
    if kind == "boxes":
        return _boxes(random, shape, int(low), int(high))
    if spec["whole"]:
        made = random.randint(int(low), int(high) + 1, shape).astype(numpy.float32)
    else:
        made = random.uniform(low, high, shape).astype(numpy.float32)
    mean = numpy.asarray(spec["mean"] or [0.0], numpy.float32)
    if len(shape) > 1 and len(mean) == shape[1]:
        mean = mean.reshape((-1,) + (1,) * (len(shape) - 2))
    else:
        mean = mean[:1]
    made -= mean
    made *= numpy.float32(spec["scale"])
    return made


def _start(top, seed, number):
    """Where the generator starts: from the seed, the batch and the top's name (FNV-1a, the same on all Pythons)."""
    mixed = 2166136261
    for byte in bytearray("{}:{}:{}".format(seed, number, top).encode("utf-8")):
        mixed = ((mixed ^ byte) * 16777619) & 0xFFFFFFFF
    return mixed


def _labels(random, shape, low, high, ignore):
    """Each label equally often, in random order, so that a batch as large as the number of classes has them all."""
    allowed = numpy.array([label for label in range(low, high + 1) if label != ignore] or [low])
    size = int(numpy.prod(shape, dtype=numpy.int64))
    start = random.randint(0, len(allowed))
    labels = allowed[(numpy.arange(size) + start) % len(allowed)]
    random.shuffle(labels)
    return labels.reshape(shape)


def _boxes(random, shape, low, high):
    """Ground truth: rows of item, label, instance, xmin, ymin, xmax, ymax, difficult.

    There is one box for each item of the batch, so as many rows as items.
    """
    rows = shape[-2]
    made = numpy.zeros((rows, 8), numpy.float32)
    made[:, 0] = numpy.arange(rows)
    made[:, 1] = _labels(random, (rows,), low, high, None)
    corner = random.uniform(0.05, 0.5, (rows, 2))
    size = random.uniform(0.2, 0.45, (rows, 2))
    made[:, 3:5] = corner
    made[:, 5:7] = corner + size
    return made.reshape(shape)
