from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from caffelint.lint import LIKELY, TRAIN, WARNING, Finding, Invalid, Layer, LayerRule, title

from ._claim import claims, read_in, where

if TYPE_CHECKING:
    from caffelint.lint import ChangedView, PythonClass


class PythonChangesItsData(LayerRule):
    """A Python layer changes the array that it keeps, by a slice of it.

    ## Why is this bad?
    A slice of a numpy array is a view: `batch -= mean` subtracts the mean from the stored images, and again in each
    epoch. The data drift, the first epochs look well, and then the loss grows.

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
    VALID = [
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


def _first(python: PythonClass) -> ChangedView | None:
    return next(iter(python.changed_views), None)
