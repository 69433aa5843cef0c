from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING

from caffelint.lint import LIKELY, TRAIN, WARNING, Finding, Invalid, Layer, LayerRule, title

from ._claim import claims, read_in, where

if TYPE_CHECKING:
    from caffelint.lint import PythonClass


class PythonOverwritten(LayerRule):
    """A Python layer runs in place, and its backward computes with the input, which forward has overwritten.

    ## Why is this bad?
    In place, the top and the bottom are one blob. What `backward` reads as `bottom[0].data` is the output of `forward`,
    so that the gradient is that of other numbers: the layers below it learn something wrong, or the loss becomes nan.

    ## Example
    `top[0].data[...] = bottom[0].data ** 2` and `bottom[0].diff[...] = 2 * bottom[0].data * top[0].diff`, with
    ```
    layer { name: "square" type: "Python" bottom: "x" top: "x" python_param { module: "m" layer: "Square" } }
    ```
    Use instead:
    ```
    layer { name: "square" type: "Python" bottom: "x" top: "squared" python_param { module: "m" layer: "Square" } }
    ```

    ## Known problems
    The module is read, not run. An input that is only compared, or taken from 1, may be meant as the output, as may
    that of a layer that hands on its input, or the exp of it.

    ## References
    - net.cpp, AppendTop; run on Caffe 1.0, where the gradient of the example has the wrong sign for inputs below 0
    """

    code = "Y019"
    name = "python-overwritten"
    severity = WARNING
    certainty = LIKELY
    layer_types = ("Python",)
    _MODULE = (
        "import caffe\n\n\nclass Square(caffe.Layer):\n    def setup(self, bottom, top):\n        pass\n\n"
        "    def reshape(self, bottom, top):\n        top[0].reshape(*bottom[0].shape)\n\n"
        "    def forward(self, bottom, top):\n        top[0].data[...] = bottom[0].data ** 2\n\n"
        "    def backward(self, top, propagate_down, bottom):\n        {}\n"
    )
    _SQUARE = "bottom[0].diff[...] = 2 * bottom[0].data * top[0].diff"
    _NET = 'layer { name: "s" type: "Python" bottom: "x" top: "%s" python_param { module: "m" layer: "Square" } }'
    VALID = [
        {"net.prototxt": _NET % "y", "m.py": _MODULE.format(_SQUARE)},
        {
            "net.prototxt": _NET % "x",
            "m.py": _MODULE.format(_SQUARE.replace("bottom[0].data", "(bottom[0].data > 0)")),
        },
        {"net.prototxt": _NET % "x", "m.py": _MODULE.format(_SQUARE.replace("2 *", "(1 - bottom[0].data) *"))},
        # A penalty on what it hands on.
        {"net.prototxt": _NET % "x", "m.py": _MODULE.format(_SQUARE).replace(" ** 2", "")},
    ]
    INVALID = [
        Invalid(
            {"net.prototxt": _NET % "x", "m.py": _MODULE.format(_SQUARE)},
            span='top: "x"',
            message='Python "s": it runs in place, so backward of class Square computes with its output where it reads'
            " bottom[0].data (m.py:15); give its top another name, or keep a copy of the input in forward",
        ),
        Invalid(
            {"net.prototxt": _NET % "x", "m.py": _MODULE.format("x = bottom[0].data\n        " + _SQUARE[:-4] + "x")},
            span='top: "x"',
            message='Python "s": it runs in place, so backward of class Square computes with its output where it reads'
            " bottom[0].data (m.py:16); give its top another name, or keep a copy of the input in forward",
        ),
    ]

    def check(self, layer: Layer) -> Iterator[Finding]:
        pairs = enumerate(zip(layer.bottoms, layer.tops, strict=False))
        in_place = [number for number, (bottom, top) in pairs if bottom == top]
        if not in_place or TRAIN not in layer.phases:
            return
        for python, (number, line) in claims(layer, partial(_first, in_place=in_place)):
            yield self.finding(
                layer.at("top", number),
                f"{title(layer)}: it runs in place, so backward of class {python.name} computes with its output where"
                f" it reads bottom[{number}].data ({where(python, line)}); give its top another name, or keep a copy of"
                " the input in forward",
                evidence=read_in(python),
            )


def _first(python: PythonClass, in_place: list[int]) -> tuple[int, int] | None:
    return next(((number, python.overwritten[number]) for number in in_place if number in python.overwritten), None)
