from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING

from caffelint.lint import LIKELY, TRAIN, WARNING, Finding, Invalid, Layer, LayerRule, title, titles
from caffelint.lint.built import BuiltLayer

from ._claim import claims, read_in, where

if TYPE_CHECKING:
    from caffelint.lint import ChangedView, PythonClass


class PythonChangesItsData(LayerRule):
    """A Python layer changes the array that it keeps, by a slice of it, or a bottom that others read after it.

    ## Why is this bad?
    A slice of a numpy array is a view: `batch -= mean` subtracts the mean from the stored images, and again in each
    epoch. The data drift, the first epochs look well, and then the loss grows. So is `x = bottom[0].data`: what is set
    in it is set in the blob, and in all that Caffe hands on of it.

    ## Example
    ```
    batch = self.images[a:b]
    batch -= self.mean
    ```
    Use instead:
    ```
    batch = self.images[a:b] - self.mean
    ```

    ## Known problems
    The module is read, not run. Of a list, a slice is a copy.

    ## References
    - numpy.org/doc, copies and views
    """

    code = "Y014"
    name = "python-changes-its-data"
    severity = WARNING
    certainty = LIKELY
    layer_types = ("Python",)
    _MODULE = (
        "import caffe\n\n\nclass Data(caffe.Layer):\n    def setup(self, bottom, top):\n        self.x = load()\n"
        "        self.x -= self.x.mean()\n\n    def forward(self, bottom, top):\n        batch = self.x[2:4]{}\n"
        "        batch -= 3\n        top[0].data[...] = batch\n"
    )
    _NET = 'layer { name: "data" type: "Python" top: "data" python_param { module: "m" layer: "Data" } }'
    _HOLES = (
        "import caffe\n\n\nclass Holes(caffe.Layer):\n    def reshape(self, bottom, top):\n"
        "        top[0].reshape(*bottom[0].shape)\n\n    def forward(self, bottom, top):\n"
        "        x = bottom[0].data\n        x[x < 0.1] = 0\n        top[0].data[...] = x\n"
    )
    _BOTH = (
        'layer { name: "in" type: "HDF5Data" top: "a" } layer { name: "holes" type: "Python" bottom: "a" top: "b"'
        ' python_param { module: "m" layer: "Holes" } } layer { name: "fc" type: "InnerProduct" bottom: "b" top: "c"'
        ' inner_product_param { num_output: 3 } } layer { name: "loss" type: "EuclideanLoss" bottom: "c" bottom: "a" }'
    )
    VALID = [
        {"net.prototxt": _BOTH, "m.py": _HOLES.replace(".data\n", ".data.copy()\n")},
        {"net.prototxt": _BOTH.replace('bottom: "a" }', 'bottom: "y" }'), "m.py": _HOLES},
        {"net.prototxt": _NET, "m.py": _MODULE.format(".copy()")},
        {"net.prototxt": _NET, "m.py": _MODULE.format("\n        batch = batch / 2")},
    ]
    INVALID = [
        Invalid(
            {"net.prototxt": _NET, "m.py": _MODULE.format("")},
            span='layer: "Data"',
            message='Python "data": forward of class Data changes self.x by batch, a view of it (m.py:11), so what it'
            " keeps changes with each pass; take a copy",
        ),
        Invalid(
            {"net.prototxt": _BOTH, "m.py": _HOLES},
            span='layer: "Holes"',
            message='Python "holes": forward of class Holes changes bottom[0].data by x, a view of it (m.py:10), which'
            ' EuclideanLoss "loss" reads after it; take a copy',
        ),
    ]

    def check(self, layer: Layer) -> Iterator[Finding]:
        if TRAIN not in layer.phases:
            return
        for python, found in claims(layer, _first):
            yield self.finding(
                layer.at("python_param", "layer"),
                f"{title(layer)}: {found.method} of class {python.name} changes {found.name} by {found.view}, a view of"
                f" it ({where(python, found.line)}), so what it keeps changes with each pass; take a copy",
                evidence=read_in(python),
            )
        for python, found in claims(layer, partial(_shared, layer=layer)):
            by = "" if found.view == found.name else f" by {found.view}, a view of it"
            yield self.finding(
                layer.at("python_param", "layer"),
                f"{title(layer)}: {found.method} of class {python.name} changes {found.name}{by}"
                f" ({where(python, found.line)}), which {titles(_later(layer, found.number))} read"
                f"{'s' * (len(_later(layer, found.number)) == 1)} after it; take a copy",
                evidence=read_in(python),
            )


def _first(python: PythonClass) -> ChangedView | None:
    return next((one for one in python.changed_views if one.number < 0), None)


def _shared(python: PythonClass, layer: Layer) -> ChangedView | None:
    found = (one for one in python.changed_views if one.method == "forward" and one.number >= 0)
    return next((one for one in found if _later(layer, one.number)), None)


def _later(layer: Layer, number: int) -> list[BuiltLayer]:
    """The layers after it that read one of its bottoms, unless that is its top as well."""
    trained = next((one for one in layer.net.states() if one.phase == TRAIN), None)
    mine = next((one for one in trained.layers if one.index == layer.index), None) if trained else None
    if mine is None or number >= len(mine.bottoms) or mine.bottoms[number].name in layer.tops:
        return []
    readers = mine.bottoms[number].original.readers
    return list(dict.fromkeys(one for one, _ in readers if one is not mine and (one.index or 0) > layer.index))
