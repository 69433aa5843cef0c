"""A net of pycaffe by numbers, and what is measured of arrays. Python 2.7 or 3, numpy alone; lies beside runner.py."""

# ruff: noqa: B905, UP004, UP010
# mypy: ignore-errors
from __future__ import absolute_import, division

SMALL, LEAST_NORMAL = 1e-30, 1.17549435e-38
ALIKE = 1e-5  # of the largest value: a product of matrices rounds equal rows in different ways


class Net(object):
    """A net of pycaffe by the numbers of its layers and blobs, since names need not be unique."""

    def __init__(self, net):
        self.net = net
        self.names = list(net._layer_names)
        self.blob_names = list(net._blob_names)
        self.blobs = list(net._blobs)
        layers = range(len(self.names))
        self.types = [str(getattr(net.layers[layer], "type", "")) for layer in layers]
        self.tops = [list(net._top_ids(layer)) for layer in layers]
        self.bottoms = [list(net._bottom_ids(layer)) for layer in layers]
        self.has_bottoms = [bool(bottoms) for bottoms in self.bottoms]
        self.writer = [None] * len(self.blobs)
        for layer, tops in enumerate(self.tops):
            for top in tops:
                self.writer[top] = layer
        self.params = []
        seen = set()
        for layer in layers:
            for index, param in enumerate(net.layers[layer].blobs):
                where = param.data.ctypes.data
                if where not in seen:
                    seen.add(where)
                    self.params.append((layer, index, param))

    def values_of(self, name):
        """The data of a blob by its name."""
        return self.blobs[self.blob_names.index(name)].data

    def has_writer(self, blob):
        layer = self.writer[blob]
        return layer is not None and self.has_bottoms[layer]

    def shapes_of_data(self):
        """Of the blobs that layers without bottoms make."""
        tops = [top for layer, tops in enumerate(self.tops) if not self.has_bottoms[layer] for top in tops]
        return {self.blob_names[top]: list(self.blobs[top].data.shape) for top in tops}

    def keep(self):
        return [param.data.copy() for _, _, param in self.params]

    def restore(self, kept):
        for (_, _, param), values in zip(self.params, kept):
            param.data[...] = values

    def clear_diffs(self):
        for _, _, param in self.params:
            param.diff[...] = 0

    def losses(self):
        """The weighted sum of the losses, and the value of each and of the outputs that are one number."""
        total, values = 0.0, {}
        weights = list(self.net._blob_loss_weights)
        outputs = set(self.net._outputs)
        for number, name in enumerate(self.blob_names):
            weight = weights[number] if number < len(weights) else 0
            blob = self.blobs[number]
            if weight or (number in outputs and blob.data.size == 1):
                value = float(blob.data.sum(dtype="float64"))
                values[name] = value
                total += weight * value if weight else 0.0
        return total, values


def bad_param(net):
    """The first parameter that is not finite, with its values."""
    for layer, index, param in net.params:
        if not finite(param.data):
            return layer, index, param.data.copy()
    return None


def is_finite(value):
    return value == value and abs(value) != float("inf")


def finite(values):
    """One cheap pass: a sum is finite unless something in it is not, or it overflows, which is then looked into."""
    import numpy

    with numpy.errstate(all="ignore"):
        return bool(numpy.isfinite(values.sum()) or numpy.isfinite(values).all())


def extent(values):
    """Least and greatest finite value, nan if there is none, and how many are not finite."""
    import numpy

    good = numpy.isfinite(values)
    bad = int(values.size - good.sum())
    if bad:
        values = values[good]
    if not values.size:
        return float("nan"), float("nan"), bad
    return float(values.min()), float(values.max()), bad


def same(values):
    """Are there several items along the first axis, and are all of them equal?"""
    import numpy

    if values.ndim < 1 or len(values) < 2 or not values.size:
        return False
    limit = ALIKE * numpy.abs(values[0]).max()
    return bool((numpy.abs(values[-1] - values[0]) <= limit).all() and (numpy.abs(values - values[:1]) <= limit).all())


def summary(values):
    import numpy

    alike = same(values)
    low, high, bad = extent(values)
    if bad:
        values = values[numpy.isfinite(values)]
    size = max(values.size, 1)
    mean = float(values.sum(dtype="float64")) / size
    spread = float(values.std(dtype="float64")) if values.size else 0.0
    zeros = 1 - float(numpy.count_nonzero(values)) / size
    tiny = 0.0
    if max(-low, high) < SMALL:
        tiny = float((numpy.abs(values) < LEAST_NORMAL).sum()) / size - zeros
    return {"min": low, "max": high, "mean": mean, "std": spread, "zeros": zeros, "tiny": tiny, "same": alike}
