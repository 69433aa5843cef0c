from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import TYPE_CHECKING

from caffelint.lint import ERROR, LIKELY, TRAIN, WARNING, Finding, Invalid, Net, NetRule, title, titles
from caffelint.lint.built import BuiltLayer, BuiltNet

from ._claim import claims, read_in, where

if TYPE_CHECKING:
    from caffelint.lint import PythonClass


class PythonBackwardMissing(NetRule):
    """A Python layer is to pass a gradient back, but its `backward` is missing, raises, or does nothing.

    ## Why is this bad?
    Without `backward`, or if it raises, Caffe ends in the first iteration. If that of a loss does nothing, the loss is
    printed, and nothing is learned from it. If that of a layer before the loss does nothing, the layers before it learn
    nothing.

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
    The module is read, not run. A net that is only tested, by its solvers or else by its name, is not judged. A layer
    without a loss weight whose `backward` does nothing may be meant to stop the gradient, as the proposals of R-CNN
    do: nothing is said of it where the layers before it learn from another loss, and elsewhere it is a warning.

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
    _DATA = 'layer {{ name: "data" type: "DummyData" top: "data" dummy_data_param {{ shape {{ dim: 2 dim: 3 }} }} }}\n'
    _INNER = (
        _DATA
        + 'layer {{ name: "ip" type: "InnerProduct" bottom: "data" top: "ip" inner_product_param {{ num_output: 3 }}'
        ' {} }}\nlayer {{ name: "clip" type: "Python" bottom: "ip" top: "clip"'
        ' python_param {{ module: "pyloss" layer: "Dice" }} }}\n'
        'layer {{ name: "last" type: "InnerProduct" bottom: "clip" top: "last"'
        " inner_product_param {{ num_output: 3 }} }}\n"
        'layer {{ name: "loss" type: "EuclideanLoss" bottom: "last" bottom: "data" }}\n'
        'layer {{ name: "other" type: "EuclideanLoss" bottom: "{}" bottom: "data" }}'
    )
    _NET = (
        _DATA + 'layer {{ name: "ip" type: "InnerProduct" bottom: "data" top: "ip"'
        " inner_product_param {{ num_output: 2 }} }}\n"
        'layer {{ name: "loss" type: "Python" bottom: "ip" top: "loss" {}'
        'python_param {{ module: "pyloss" layer: "Dice" }} }}'
    )
    VALID = [
        # Whether a layer with nothing that learns below it runs backward hangs on whether it has parameters.
        {
            "net.prototxt": _INNER.replace('"clip" type: "Python" bottom: "ip"', '"clip" type: "Python" bottom: "data"')
            .replace('bottom: "{}" bottom: "data"', 'bottom: "last" bottom: "data"')
            .format(""),
            "pyloss.py": _MODULE,
        },
        {
            "net.prototxt": _INNER.format("param { lr_mult: 0 } param { lr_mult: 0 } ", "last"),
            "pyloss.py": _MODULE + _BACKWARD.format("pass"),
        },
        {
            "net.prototxt": _NET.format("loss_weight: 1 "),
            "pyloss.py": _MODULE + _BACKWARD.format("bottom[0].diff[...] = 1"),
        },
        {"test.prototxt": _NET.format("loss_weight: 1 "), "pyloss.py": _MODULE},
        {"net.prototxt": _NET.format(""), "pyloss.py": _MODULE + _BACKWARD.format("pass")},
        {"net.prototxt": _INNER.format("", "ip"), "pyloss.py": _MODULE + _BACKWARD.format("pass")},
        {
            "net.prototxt": _NET.format("loss_weight: 1 propagate_down: false "),
            "pyloss.py": _MODULE + _BACKWARD.format("pass"),
        },
    ]
    INVALID = [
        Invalid(
            {"net.prototxt": _INNER.format("", "last"), "pyloss.py": _MODULE + _BACKWARD.format("pass")},
            span='layer: "Dice"',
            message='Python "clip": backward of class Dice does nothing (pyloss.py:14), so no loss sends InnerProduct'
            ' "ip" a gradient; write the derivative to bottom[0].diff, or set lr_mult: 0 before it if that is meant',
        ),
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
        if not net.python_modules or net.is_only_tested:
            return
        for one in net.states():
            if one.phase == TRAIN and one.is_wired:
                forced = one.message.force_backward
                layers = [layer for layer in one.layers if layer.type == "Python" and _runs_backward(layer, forced)]
                for built in layers:
                    if built.index is not None:
                        yield from self._judge(net, built)
                yield from self._cuts(net, one, layers)
                return

    def _judge(self, net: Net, built: BuiltLayer) -> Iterator[Finding]:
        layer = net.layers[built.index or 0]
        is_loss = any(layer.message.loss_weight) and any(built.propagate_down)
        for python, what in claims(layer, _without_loss if not is_loss else _of_loss):
            yield self.finding(layer.at("python_param", "layer"), f"{title(layer)}: {what}", evidence=read_in(python))

    def _cuts(self, net: Net, one: BuiltNet, layers: Sequence[BuiltLayer]) -> Iterator[Finding]:
        """Of layers before a loss that hand no gradient on, though layers before them learn from no other loss."""
        silent = {
            built: found
            for built in layers
            if built.index is not None
            and not any(built.loss_weights)
            and (found := next(claims(net.layers[built.index], _does_nothing), None))
        }
        if not silent:
            return
        fed = _fed(one, silent)
        for built, (python, what) in silent.items():
            before = {part for blob in built.bottoms for part in blob.depends_on}
            idle = [
                other
                for other in one.layers
                if other in before and other.need_backward and other.learns and other not in fed
            ]
            if built in fed and idle:
                layer = net.layers[built.index or 0]
                message = (
                    f"{title(layer)}: {what}, so no loss sends {titles(idle)} a gradient; write the derivative to"
                    " bottom[0].diff, or set lr_mult: 0 before it if that is meant"
                )
                place = layer.at("python_param", "layer")
                yield self.finding(place, message, evidence=read_in(python), severity=WARNING, certainty=LIKELY)


def _runs_backward(built: BuiltLayer, forced: bool) -> bool:
    """Whether it surely does: one that hands on what does not learn may have parameters of its own, or none."""
    learns = any(spec.lr_mult for spec in built.message.param) or any(blob.need_backward for blob in built.bottoms)
    return built.need_backward and (learns or forced)


def _fed(one: BuiltNet, silent: Collection[BuiltLayer]) -> set[BuiltLayer]:
    """The layers that a gradient reaches if none passes the `silent` ones."""
    fed: set[BuiltLayer] = set()
    for layer in reversed(one.layers):
        readers = [reader for top in layer.tops for reader, index in top.consumers if reader.propagate_down[index]]
        if any(layer.loss_weights) or any(reader in fed and reader not in silent for reader in readers):
            fed.add(layer)
    return fed


def _does_nothing(python: PythonClass) -> str | None:
    method = python.methods.get("backward")
    if method is None or method.does != "empty":
        return None
    return f"backward of class {python.name} does nothing ({where(python, method.line)})"


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
    if what := _does_nothing(python):
        return f"{what}, so nothing is learned from this loss; write its derivative to bottom[0].diff"
    return _without_loss(python)
