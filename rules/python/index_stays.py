from __future__ import annotations

from collections.abc import Iterator

from caffelint.lint import LIKELY, WARNING, Finding, Invalid, Layer, LayerRule, title

from ._claim import claims, read_in, where


class PythonIndexStays(LayerRule):
    """A Python layer reads a list with an index that it never moves, so that each batch is of the same record.

    ## Why is this bad?
    The index is held against the length of the list and set back to 0 there, but nothing increases it. The net learns
    one record by heart: the loss falls, and nothing else is ever seen.

    ## Example
    ```
    image = self.load(self.files[self.at])
    ```
    Use instead:
    ```
    image = self.load(self.files[self.at])
    self.at += 1
    ```

    ## Known problems
    The module is read, not run. Only an attribute counts of which all values are written out as numbers,
    and which an `if` holds against the length of a list that nothing shuffles.

    ## References
    - caffe.berkeleyvision.org, pycaffe; python_layer.hpp, Forward_cpu
    """

    code = "Y023"
    name = "python-index-stays"
    severity = WARNING
    certainty = LIKELY
    layer_types = ("Python",)
    _MODULE = (
        "import caffe\n\n\nclass Data(caffe.Layer):\n    def setup(self, bottom, top):\n        self.at = 0\n\n"
        "    def forward(self, bottom, top):\n        if self.at == len(self.files):\n            self.at = 0\n"
        "        top[0].data[...] = load(self.files[self.at])\n{}"
    )
    _NET = 'layer { name: "data" type: "Python" top: "data" python_param { module: "m" layer: "Data" } }'
    VALID = [
        {"net.prototxt": _NET, "m.py": _MODULE.format("        self.at += 1\n")},
        {"net.prototxt": _NET, "m.py": _MODULE.format("        self.at = self.next()\n")},
        {"net.prototxt": _NET, "m.py": _MODULE.format("        move(self)\n")},
    ]
    INVALID = [
        Invalid(
            {"net.prototxt": _NET, "m.py": _MODULE.format("")},
            span='layer: "Data"',
            message='Python "data": self.files is read with self.at (m.py:11), which nothing moves on, so each batch is'
            " of the same record; increase it after that",
        ),
    ]

    def check(self, layer: Layer) -> Iterator[Finding]:
        for python, found in claims(layer, lambda python: next(iter(python.stuck), None)):
            yield self.finding(
                layer.at("python_param", "layer"),
                f"{title(layer)}: {found.list} is read with {found.name} ({where(python, found.line)}), which nothing"
                " moves on, so each batch is of the same record; increase it after that",
                evidence=read_in(python),
            )
