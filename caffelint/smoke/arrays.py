"""Arrays that an engine leaves for `--compare`: samples of what it computed, with an index.

Python 2.7 and 3, numpy alone. One file by itself: it is copied beside a runner that has no caffelint to import.
"""

# ruff: noqa: UP004, UP010, UP032
# mypy: allow-untyped-defs, allow-untyped-calls
from __future__ import absolute_import, division

import json
import os

import numpy

LARGEST = 1 << 17
"""At most this many values of a blob are kept, evenly spaced; of a parameter in each iteration `FEW`."""
FEW = 1 << 12
INDEX = "index.json"


class Arrays(object):
    """Writes samples into a folder: rows of the index have part, iteration, layer, name and number, in order.

    part: `forward` (name: the top's, number: which top), `backward` (the same, its diff), `gradient` (number: of the
    layer's parameter) or `param` (the same, its values after an iteration, -1 before the first).
    """

    def __init__(self, folder):
        self.folder = folder
        self.rows = []

    def write(self, part, layer, name, number, values, iteration=-1):
        values = sample(numpy.asarray(values), FEW if part == "param" else LARGEST)
        numpy.save(self.path(len(self.rows)), values.astype(numpy.float32))
        self.rows.append(
            {"part": part, "iteration": iteration, "layer": layer, "name": name, "number": number, "size": values.size}
        )

    def path(self, row):
        return os.path.join(self.folder, "{}.npy".format(row))

    def close(self):
        with open(os.path.join(self.folder, INDEX), "w") as file:
            json.dump(self.rows, file)


def sample(values, most):
    """Every n-th value, at most `most` in all."""
    flat = values.reshape(-1)
    return flat[:: -(-flat.size // most)] if flat.size > most else flat


def read(folder):
    """Rows of the index, and what loads the values of a row by its number."""
    with open(os.path.join(folder, INDEX)) as file:
        rows = json.load(file)
    return rows, Arrays(folder).path


class Batches(object):
    """Writes batches of what data layers made: NUMBER.npy for each, in a folder for each top, with their shapes."""

    def __init__(self, folder):
        self.folder = folder
        self.tops = []
        self.bytes = 0

    def write(self, name, number, values):
        names = [top["name"] for top in self.tops]
        if name not in names:
            names.append(name)
            self.tops.append({"name": name, "shape": list(values.shape)})
        values = numpy.asarray(values, numpy.float32)
        self.bytes += values.nbytes
        numpy.save(os.path.join(self.folder, "top{}_{}.npy".format(names.index(name), number)), values)

    def close(self, batches):
        with open(os.path.join(self.folder, INDEX), "w") as file:
            json.dump({"tops": self.tops, "batches": batches}, file)


def recorded(folder):
    """Shape, and start of the files' names, of each top by its name; and how many batches there are."""
    with open(os.path.join(folder, INDEX)) as file:
        found = json.load(file)
    tops = {}
    for number, top in enumerate(found["tops"]):
        tops[top["name"]] = (tuple(top["shape"]), os.path.join(folder, "top{}_".format(number)))
    return tops, found["batches"]
