from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from caffelint.lint import ERROR, TRAIN, Finding, Invalid, Net, NetRule, title
from caffelint.lint.built import BuiltLayer

from ._claim import claims, read_in, where

if TYPE_CHECKING:
    from caffelint.lint import PythonClass


class PythonBackwardMissing(NetRule):
    """A Python layer is to pass a gradient back, but its `backward` is missing, raises, or does nothing in a loss.

    ## Why is this bad?
    Without `backward`, or if it raises, Caffe ends in the first iteration. If that of a loss does nothing, the loss is
    printed, and nothing is learned from it.

    ## Example
    ```
    def backward(self, top, propagate_down, bottom):
        pass
    ```
    Use instead, with the derivative that `forward` has:
    ```
    def backward(self, top, propagate_down, bottom):
        bottom[0].diff[...] = top[0].diff * self.diff / bottom[0].num
    ```

    ## Known problems
    The module is read, not run. A layer without a loss weight whose `backward` does nothing may be meant to stop the
    gradient, as the proposals of R-CNN do, and nothing is said of it.

    ## References
    - python_layer.hpp, Backward_cpu; run on Caffe 1.0
    """

    code = "Y005"
    name = "python-backward-missing"
    severity = ERROR
    layer_types = ("Python",)
    _MODULE = (
        "import caffe\n\n\nclass Dice(caffe.Layer):\n    def setup(self, bottom, top):\n        pass\n\n"
        "    def reshape(self, bottom, top):\n        top[0].reshape(1)\n\n"
        "    def forward(self, bottom, top):\n        top[0].data[0] = 1\n"
    )
    _BACKWARD = "\n    def backward(self, top, propagate_down, bottom):\n        {}\n"
    _NET = (
        'layer {{ name: "data" type: "DummyData" top: "data" dummy_data_param {{ shape {{ dim: 2 dim: 3 }} }} }}\n'
        'layer {{ name: "ip" type: "InnerProduct" bottom: "data" top: "ip" inner_product_param {{ num_output: 2 }} }}\n'
        'layer {{ name: "loss" type: "Python" bottom: "ip" top: "loss" {}'
        'python_param {{ module: "pyloss" layer: "Dice" }} }}'
    )
    VALID = [
        {
            "net.prototxt": _NET.format("loss_weight: 1 "),
            "pyloss.py": _MODULE + _BACKWARD.format("bottom[0].diff[...] = 1"),
        },
        {"net.prototxt": _NET.format(""), "pyloss.py": _MODULE + _BACKWARD.format("pass")},
        {
            "net.prototxt": _NET.format("loss_weight: 1 propagate_down: false "),
            "pyloss.py": _MODULE + _BACKWARD.format("pass"),
        },
    ]
    INVALID = [
        Invalid(
            {"net.prototxt": _NET.format("loss_weight: 1 "), "pyloss.py": _MODULE + _BACKWARD.format("pass")},
            span='layer: "Dice"',
            message='Python "loss": backward of class Dice does nothing (pyloss.py:14), so nothing is learned from this'
            " loss; write its derivative to bottom[0].diff",
        ),
        Invalid(
            {"net.prototxt": _NET.format("loss_weight: 1 "), "pyloss.py": _MODULE},
            span='layer: "Dice"',
            message='Python "loss": class Dice has no method "backward" (pyloss.py:4), so Caffe ends in the first'
            " iteration; write one",
        ),
        Invalid(
            {
                "net.prototxt": _NET.format("loss_weight: 1 "),
                "pyloss.py": _MODULE + _BACKWARD.format("raise NotImplementedError"),
            },
            span='layer: "Dice"',
            message='Python "loss": backward of class Dice raises (pyloss.py:14), so Caffe ends in the first iteration;'
            " write the derivative to bottom[0].diff",
        ),
    ]

    def check(self, net: Net) -> Iterator[Finding]:
        if not net.python_modules:
            return
        for one in net.states():
            if one.phase == TRAIN and one.is_wired:
                for built in one.layers:
                    if built.type == "Python" and built.index is not None and built.need_backward:
                        yield from self._judge(net, built)
                return

    def _judge(self, net: Net, built: BuiltLayer) -> Iterator[Finding]:
        layer = net.layers[built.index or 0]
        is_loss = any(layer.message.loss_weight) and any(built.propagate_down)
        for python, what in claims(layer, _without_loss if not is_loss else _of_loss):
            yield self.finding(layer.at("python_param", "layer"), f"{title(layer)}: {what}", evidence=read_in(python))


def _without_loss(python: PythonClass) -> str | None:
    method = python.methods.get("backward")
    if method is None:
        if not python.lacks_methods:
            return None
        return (
            f'class {python.name} has no method "backward" ({where(python, python.line)}), so Caffe ends in the first'
            " iteration; write one"
        )
    if method.does != "raises":
        return None
    return (
        f"backward of class {python.name} raises ({where(python, method.line)}), so Caffe ends in the first iteration;"
        " write the derivative to bottom[0].diff"
    )


def _of_loss(python: PythonClass) -> str | None:
    method = python.methods.get("backward")
    if method is None or method.does != "empty":
        return _without_loss(python)
    return (
        f"backward of class {python.name} does nothing ({where(python, method.line)}), so nothing is learned from this"
        " loss; write its derivative to bottom[0].diff"
    )
