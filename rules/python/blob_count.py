from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING

from caffelint.lint import ERROR, Finding, Invalid, Layer, LayerRule, title

from ._claim import claims, read_in, where

if TYPE_CHECKING:
    from caffelint.lint import PythonClass

_MOST = 64


class PythonBlobCount(LayerRule):
    """A Python layer has a number of bottoms or tops that its own code does not take.

    ## Why is this bad?
    The check in `setup` or `reshape` raises, or `bottom[2]` is out of range, and Caffe stops when it builds the net.

    ## Example
    ```
    layer { name: "loss" type: "Python" bottom: "score" top: "loss" python_param { module: "pyloss" layer: "Dice" } }
    ```
    where the class begins with `if len(bottom) != 2: raise Exception("two bottoms needed")`. Use instead:
    ```
    layer {
      name: "loss" type: "Python" bottom: "score" bottom: "label" top: "loss"
      python_param { module: "pyloss" layer: "Dice" }
    }
    ```

    ## Known problems
    The module is looked for beside the net, in `roots` and in the whole checkout, and read without being run. Only
    checks that run in any case count. Nothing is said if one of several versions of the module takes the blobs.

    ## References
    - python_layer.hpp, LayerSetUp and Reshape; run on Caffe 1.0
    """

    code = "Y002"
    name = "python-blob-count"
    severity = ERROR
    layer_types = ("Python",)
    _MODULE = (
        "import caffe\n\n\nclass Dice(caffe.Layer):\n    def setup(self, bottom, top):\n"
        "        if len(bottom) != 2:\n            raise Exception('two bottoms needed')\n\n"
        "    def reshape(self, bottom, top):\n        top[0].reshape(1)\n"
    )
    _NET = 'layer { name: "loss" type: "Python" %s python_param { module: "pyloss" layer: "Dice" } }'
    VALID = [
        _NET % 'bottom: "a"',
        {"net.prototxt": _NET % 'bottom: "a" bottom: "b" top: "c" top: "d"', "pyloss.py": _MODULE},
        {
            "net.prototxt": _NET % 'bottom: "a" top: "c"',
            "pyloss.py": _MODULE.replace("!= 2", "not in (1, 2)"),
        },
        {
            "net.prototxt": _NET % 'bottom: "a" top: "c"',
            "pyloss.py": _MODULE.replace("!= 2", "!= 2 and self.phase == 0"),
        },
    ]
    INVALID = [
        Invalid(
            {"net.prototxt": _NET % 'bottom: "a" top: "c"', "pyloss.py": _MODULE},
            span='bottom: "a"',
            message='Python "loss": 1 bottom, but class Dice takes 2 (pyloss.py:6), so Caffe stops at the start',
        ),
        Invalid(
            {"net.prototxt": _NET % 'bottom: "a" bottom: "b"', "pyloss.py": _MODULE},
            span='type: "Python"',
            message='Python "loss": 0 tops, but class Dice takes 1 or more (pyloss.py:10), so Caffe stops at the start',
        ),
    ]

    def check(self, layer: Layer) -> Iterator[Finding]:
        for blobs, names in (("bottom", layer.bottoms), ("top", layer.tops)):
            for python, (allowed, line) in claims(layer, partial(_broken, blobs=blobs, count=len(names))):
                count = f"{len(names)} {blobs}{'' if len(names) == 1 else 's'}"
                yield self.finding(
                    layer.at(blobs if names else "type"),
                    f"{title(layer)}: {count}, but class {python.name} takes {_words(allowed)} ({where(python, line)}),"
                    " so Caffe stops at the start",
                    evidence=read_in(python),
                )
                return  # the tops that follow from the bottoms are no second fault


def _broken(python: PythonClass, blobs: str, count: int) -> tuple[frozenset[int], int] | None:
    return next((check for check in python.counts(blobs) if count < _MOST and count not in check.allowed), None)


def _words(allowed: frozenset[int]) -> str:
    counts = sorted(allowed)
    if not counts:
        return "none"
    if len(counts) > 1 and counts == list(range(counts[0], _MOST)):
        return f"{counts[0]} or more"
    if len(counts) > 2 and counts == list(range(counts[0], counts[-1] + 1)):
        return f"{counts[0]} to {counts[-1]}"
    return " or ".join(map(str, counts))
