from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from caffelint.lint import ERROR, Finding, Invalid, Layer, LayerRule, title

from ._claim import claims, read_in, where

if TYPE_CHECKING:
    from caffelint.lint import PythonClass

_PARAMETERS = {"setup": 3, "reshape": 3, "forward": 3}


class PythonMethodMissing(LayerRule):
    """The class of a Python layer lacks a method that Caffe calls, or is no layer.

    ## Why is this bad?
    Caffe calls `setup`, `reshape` and `forward` of every Python layer. Without one of the first two it ends in an
    endless recursion, without `forward` in an `AttributeError`. A class that does not derive from `caffe.Layer`, or
    whose `__init__` takes other arguments, cannot be made at all.

    ## Example
    ```
    class Dice(caffe.Layer):
        def setup(self, bottom, top): ...
        def forward(self, bottom, top): ...
    ```
    Use instead:
    ```
    class Dice(caffe.Layer):
        def setup(self, bottom, top): ...
        def reshape(self, bottom, top): ...
        def forward(self, bottom, top): ...
    ```

    ## Known problems
    The module is read, not run. Nothing is said of classes that derive from a class of another file.

    ## References
    - python_layer.hpp; run on Caffe 1.0
    """

    code = "Y003"
    name = "python-method-missing"
    severity = ERROR
    layer_types = ("Python",)
    _MODULE = (
        "import caffe\n\n\nclass Dice(caffe.Layer):\n    def setup(self, bottom, top):\n        pass\n\n"
        "    def reshape(self, bottom, top):\n        top[0].reshape(1)\n\n"
        "    def forward(self, bottom, top):\n        top[0].data[0] = 1\n"
    )
    _NET = 'layer { name: "loss" type: "Python" top: "l" python_param { module: "pyloss" layer: "Dice" } }'
    VALID = [
        {"net.prototxt": _NET, "pyloss.py": _MODULE},
        {"net.prototxt": _NET, "pyloss.py": "from base import Base\n\n\nclass Dice(Base):\n    pass\n"},
        {"net.prototxt": _NET, "pyloss.py": _MODULE.replace("Dice", "Base") + "\n\nclass Dice(Base):\n    pass\n"},
    ]
    INVALID = [
        Invalid(
            {"net.prototxt": _NET, "pyloss.py": _MODULE.replace("reshape(self", "resize(self")},
            span='layer: "Dice"',
            message='Python "loss": class Dice has no method "reshape" (pyloss.py:4), so Caffe stops at the start;'
            " write one",
        ),
        Invalid(
            {"net.prototxt": _NET, "pyloss.py": _MODULE.replace("(caffe.Layer)", "(object)")},
            span='layer: "Dice"',
            message='Python "loss": class Dice does not derive from caffe.Layer (pyloss.py:4), so Caffe stops at the'
            " start; write class Dice(caffe.Layer)",
        ),
        Invalid(
            {"net.prototxt": _NET, "pyloss.py": _MODULE.replace("def setup(self", "def __init__(self")},
            span='layer: "Dice"',
            message='Python "loss": __init__ of class Dice takes 2 arguments (pyloss.py:5), but Caffe gives it 1 and'
            " stops at the start; rename it to setup",
        ),
    ]

    def check(self, layer: Layer) -> Iterator[Finding]:
        for python, what in claims(layer, _wrong):
            yield self.finding(layer.at("python_param", "layer"), f"{title(layer)}: {what}", evidence=read_in(python))


def _wrong(python: PythonClass) -> str | None:
    start = python.methods.get("__init__")
    if start and start.parameters not in (-1, 2) and start.parameters > 0:
        renamed = "; rename it to setup" if start.parameters == 3 and "setup" not in python.methods else ""
        return (
            f"__init__ of class {python.name} takes {start.parameters - 1} arguments ({where(python, start.line)}), but"
            f" Caffe gives it 1 and stops at the start{renamed}"
        )
    if python.is_layer is False:
        return (
            f"class {python.name} does not derive from caffe.Layer ({where(python, python.line)}), so Caffe stops at"
            f" the start; write class {python.name}(caffe.Layer)"
        )
    for name in _PARAMETERS if python.lacks_methods else ():
        if name not in python.methods:
            when = "at the first iteration" if name == "forward" else "at the start"
            return (
                f'class {python.name} has no method "{name}" ({where(python, python.line)}), so Caffe stops {when};'
                " write one"
            )
    return None
