from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from caffelint.lint import LIKELY, TRAIN, WARNING, Finding, Invalid, Layer, LayerRule, title

from ._claim import claims, read_in, where

if TYPE_CHECKING:
    from caffelint.lint import PythonClass, RepeatedArray


class PythonAppendsOneArray(LayerRule):
    """A Python layer appends one and the same array to a list, and changes it in between.

    ## Why is this bad?
    A list holds the array itself, no copy: in the end all of its items show what was written into it last. The items of
    a batch are then all equal, while their labels differ, and nothing is learned.

    ## Example
    ```
    for i in chosen:
        self.patch[...] = self.images[i]
        crops.append(self.patch)
    ```
    Use instead:
    ```
        crops.append(self.patch.copy())
    ```

    ## Known problems
    The module is read, not run.

    ## References
    - Python FAQ, "Why did changing list 'y' also change list 'x'?"
    """

    code = "Y016"
    name = "python-appends-one-array"
    severity = WARNING
    certainty = LIKELY
    layer_types = ("Python",)
    _MODULE = (
        "import caffe\n\n\nclass Data(caffe.Layer):\n    def setup(self, bottom, top):\n        self.x = load()\n"
        "        self.patch = self.x[0] * 0\n\n    def cut(self, i):\n        self.patch[...] = self.x[i]\n\n"
        "    def forward(self, bottom, top):\n        crops = []\n        for i in range(8):\n            self.cut(i)\n"
        "            crops.append(self.patch{})\n        top[0].data[...] = crops\n"
    )
    _NET = 'layer { name: "data" type: "Python" top: "data" python_param { module: "m" layer: "Data" } }'
    VALID = [
        {"net.prototxt": _NET, "m.py": _MODULE.format(".copy()")},
        {"net.prototxt": _NET, "m.py": _MODULE.format("").replace("[...] = self.x[i]", " = self.x[i] / 255")},
    ]
    INVALID = [
        Invalid(
            {"net.prototxt": _NET, "m.py": _MODULE.format("")},
            span='layer: "Data"',
            message='Python "data": forward of class Data appends self.patch (m.py:16) and changes it in the same loop'
            " (m.py:10), so all items are equal to the last; append a copy, self.patch.copy()",
        ),
    ]

    def check(self, layer: Layer) -> Iterator[Finding]:
        if TRAIN not in layer.phases:
            return
        for python, found in claims(layer, _first):
            yield self.finding(
                layer.at("python_param", "layer"),
                f"{title(layer)}: {found.method} of class {python.name} appends {found.name}"
                f" ({where(python, found.line)}) and changes it in the same loop ({where(python, found.changed)}), so"
                f" all items are equal to the last; append a copy, {found.name}.copy()",
                evidence=read_in(python),
            )


def _first(python: PythonClass) -> RepeatedArray | None:
    return next(iter(python.repeated_arrays), None)
