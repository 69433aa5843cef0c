from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING

from caffelint.lint import LIKELY, TRAIN, WARNING, Finding, Invalid, Layer, LayerRule, Net, title

from ._claim import claims, read_in, where

if TYPE_CHECKING:
    from caffelint.lint import Apart, PythonClass


class PythonShuffledApart(LayerRule):
    """A Python data layer shuffles its data and its labels each in an order of its own, or the one without the other.

    ## Why is this bad?
    `np.random.shuffle` draws a new order at each call, so no label belongs to its record, and nothing is learned.

    ## Example
    `np.random.shuffle(self.images)`, with `np.random.shuffle(self.labels)` or without. Use instead:
    ```
    order = np.random.permutation(len(self.images))
    self.images, self.labels = self.images[order], self.labels[order]
    ```

    ## Known problems
    The module is read, not run. Only arrays count that `forward` reads with one index, one as the labels of a loss.

    ## References
    - numpy.org/doc, numpy.random.shuffle
    """

    code = "Y013"
    name = "python-shuffled-apart"
    severity = WARNING
    certainty = LIKELY
    layer_types = ("Python",)
    _MODULE = (
        "import caffe\nimport numpy as np\n\n\nclass Data(caffe.Layer):\n    def new_order(self):\n{}\n"
        "    def forward(self, bottom, top):\n        s = slice(self.at, self.at + 4)\n"
        "        top[0].data[...] = self.x[s]\n        top[1].data[...] = self.y[s]\n"
    )
    _NET = (
        'layer { name: "data" type: "Python" top: "data" top: "label" python_param { module: "m" layer: "Data" } }\n'
        'layer { name: "fc" type: "InnerProduct" bottom: "data" top: "fc" }\n'
        'layer { name: "loss" type: "SoftmaxWithLoss" bottom: "fc" bottom: "label" }'
    )
    _TWICE = "        np.random.shuffle(self.x)\n        np.random.shuffle(self.y)\n"
    _TAKEN = "".join(f"        self.{one} = self.{one}[np.random.permutation(len(self.{one}))]\n" for one in ("x", "y"))
    VALID = [
        {"net.prototxt": _NET, "m.py": _MODULE.format(_TWICE.replace("\n", "\n        np.random.seed(1)\n", 1))},
        # Two images of a pair, drawn each for itself.
        {"net.prototxt": _NET.replace('bottom: "label"', 'bottom: "other"'), "m.py": _MODULE.format(_TWICE)},
    ]
    INVALID = [
        Invalid(
            {"net.prototxt": _NET, "m.py": _MODULE.format(_TWICE)},
            span='layer: "Data"',
            message='Python "data": new_order of class Data shuffles self.x and self.y each in an order of its own'
            " (m.py:8), so no label belongs to its record; draw one order, and index both with it",
        ),
        Invalid(
            {"net.prototxt": _NET, "m.py": _MODULE.format(_TAKEN)},
            span='layer: "Data"',
            message='Python "data": new_order of class Data shuffles self.x and self.y each in an order of its own'
            " (m.py:8), so no label belongs to its record; draw one order, and index both with it",
        ),
    ]

    def check(self, layer: Layer) -> Iterator[Finding]:
        if TRAIN not in layer.phases or len(layer.tops) < 2:
            return
        labels, read = layer.net.once(_labels_and_read)
        are = [(top in labels, top in read) for top in layer.tops]
        for python, found in claims(layer, partial(_of_labels, are=are)):
            what = " and not ".join(found.names)
            what = what if found.alone else f"{' and '.join(found.names)} each in an order of its own"
            yield self.finding(
                layer.at("python_param", "layer"),
                f"{title(layer)}: {found.method} of class {python.name} shuffles {what}"
                f" ({where(python, found.line)}), so no label belongs to its record; draw one order, and index both"
                " with it",
                evidence=read_in(python),
            )


def _labels_and_read(net: Net) -> tuple[frozenset[str], frozenset[str]]:
    losses = (one for one in net.layers if one.kind.is_loss and len(one.bottoms) > 1)
    return frozenset(one.bottoms[1] for one in losses), frozenset(one.bottoms[0] for one in net.layers if one.bottoms)


def _of_labels(python: PythonClass, are: list[tuple[bool, bool]]) -> Apart | None:
    """Of what one top is the labels of a loss and the other one is read by another layer."""
    for found in python.shuffled_apart:
        one, other = found.tops
        if max(one, other) < len(are) and are[one][0] != are[other][0] and are[other if are[one][0] else one][1]:
            return found
    return None
