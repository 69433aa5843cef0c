from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from caffelint.lint import (
    ERROR,
    LIKELY,
    TRAIN,
    UNSAFE,
    WARNING,
    Finding,
    Invalid,
    Layer,
    LayerRule,
    Net,
    fix,
    python_classes,
    title,
    titles,
    write,
)
from caffelint.lint.built import BuiltLayer

from ._claim import claims, read_in, where

if TYPE_CHECKING:
    from caffelint.lint import PythonClass


_SEVERAL = 2
_ELSE = ", nor from any other layer, since the net has no other loss"


class PythonLossWeight(LayerRule):
    """A loss that is a Python layer has no `loss_weight`, or one that its `backward` ignores.

    ## Why is this bad?
    A Python layer is no loss to Caffe until `loss_weight` says so: without it, `backward` never runs and nothing is
    learned from it. Caffe puts the weight into `top[0].diff`; a `backward` that does not read that learns with weight
    1, whatever is written.

    ## Example
    ```
    layer { name: "loss" type: "Python" bottom: "score" top: "loss" python_param { module: "pyloss" layer: "Dice" } }
    ```
    Use instead:
    ```
    layer {
      name: "loss" type: "Python" bottom: "score" top: "loss" loss_weight: 1
      python_param { module: "pyloss" layer: "Dice" }
    }
    ```

    ## Known problems
    The module is read, not run. A layer is taken for a loss if its `backward` writes to the diff of a bottom, and does
    not read that of its top, which nothing reads. Where the net has no loss at all, what it reads does not matter.

    ## Fix safety
    Unsafe: the weight is taken to be 1, and training changes.

    ## References
    - layer.hpp, SetLossWeights; python_layer.hpp; run on Caffe 1.0
    """

    code = "Y006"
    name = "python-loss-weight"
    severity = WARNING
    certainty = LIKELY
    layer_types = ("Python",)
    _MODULE = (
        "import caffe\n\n\nclass Dice(caffe.Layer):\n    def forward(self, bottom, top):\n        top[0].data[0] ="
        " 1\n\n    def backward(self, top, propagate_down, bottom):\n        bottom[0].diff[...] = self.diff\n"
    )
    _NET = (
        'layer {{ name: "loss" type: "Python" bottom: "ip" top: "loss" {}'
        'python_param {{ module: "pyloss" layer: "Dice" }} }}'
    )
    _OTHER = ' layer { name: "l" type: "EuclideanLoss" bottom: "ip" bottom: "a" top: "l" }'
    _HEADS = (
        'layer { name: "d" type: "HDF5Data" top: "x" top: "a" hdf5_data_param { source: "l" batch_size: 2 } }'
        + "".join(
            f' layer {{ name: "{name}" type: "InnerProduct" bottom: "x" top: "{name}"'
            " inner_product_param { num_output: 1 } }"
            for name in ("o", "ip")
        )
        + _OTHER.replace('"ip"', '"o"')
    )
    VALID = [
        {"net.prototxt": _NET.format("include { phase: TEST } "), "pyloss.py": _MODULE},
        {"net.prototxt": _NET.format("loss_weight: 1 "), "pyloss.py": _MODULE},
        # It may be there to be used.
        {"net.prototxt": _NET.format(""), "pyloss.py": _MODULE.replace("self.diff", "top[0].diff")},
        # A net that is run for its answers.
        {"net.prototxt": _NET.format("").replace('type: "Data"', 'type: "Input"'), "pyloss.py": _MODULE},
        # It may be measured beside the loss, which trains all layers.
        {
            "net.prototxt": _NET.format("") + _OTHER,
            "pyloss.py": _MODULE.replace("self.diff", "top[0].diff"),
        },
        {
            "net.prototxt": _NET.format("") + ' layer { name: "sum" type: "Power" bottom: "loss" top: "sum" }',
            "pyloss.py": _MODULE,
        },
    ]
    INVALID = [
        Invalid(
            {
                "solver.prototxt": 'net: "net.prototxt"',
                "net.prototxt": _NET.format(""),
                "pyloss.py": _MODULE.replace("self.diff", "top[0].diff"),
            },
            span='top: "loss"',
            message='Python "loss" has no loss_weight, so its backward never runs (pyloss.py:8) and nothing is learned'
            " from it, nor from any other layer, since the net has no other loss; set loss_weight: 1",
            fixed={
                "solver.prototxt": 'net: "net.prototxt"',
                "net.prototxt": _NET.format("").removesuffix("}") + "loss_weight: 1 }",
                "pyloss.py": _MODULE.replace("self.diff", "top[0].diff"),
            },
        ),
        Invalid(
            {"net.prototxt": _NET.format("") + _OTHER, "pyloss.py": _MODULE},
            span='top: "loss"',
            message='Python "loss" has no loss_weight, so its backward never runs (pyloss.py:8) and nothing is learned'
            " from it; set loss_weight: 1",
            fixed={
                "net.prototxt": _NET.format("").removesuffix("}") + "loss_weight: 1 }" + _OTHER,
                "pyloss.py": _MODULE,
            },
        ),
        Invalid(
            {
                "solver.prototxt": 'net: "net.prototxt"',
                "net.prototxt": _HEADS + _NET.format(""),
                "pyloss.py": _MODULE.replace("self.diff", "top[0].diff"),
            },
            span='top: "loss"',
            message='Python "loss" has no loss_weight, so its backward never runs (pyloss.py:8) and InnerProduct "ip",'
            " which leads to it alone, learns nothing; set loss_weight: 1",
            fixed={
                "solver.prototxt": 'net: "net.prototxt"',
                "net.prototxt": _HEADS + _NET.format("").removesuffix("}") + "loss_weight: 1 }",
                "pyloss.py": _MODULE.replace("self.diff", "top[0].diff"),
            },
        ),
        Invalid(
            {"net.prototxt": _NET.format("loss_weight: 10 "), "pyloss.py": _MODULE},
            span="loss_weight: 10",
            message='Python "loss": loss_weight 10 changes only the printed loss, since backward of class Dice does'
            " not read top[0].diff (pyloss.py:8); multiply the gradient by top[0].diff there",
        ),
    ]

    def check(self, layer: Layer) -> Iterator[Finding]:
        if not layer.bottoms or not layer.tops or TRAIN not in layer.phases or not python_classes(layer):
            return
        weights = list(layer.message.loss_weight)
        others = len(layer.tops) - 1
        if others and (weights or not _is_last(layer)):
            return  # which of its tops is a loss, nobody knows
        if not weights and layer.net.role != "train" and not layer.net.solvers:
            return  # what is run for its answers
        idle = [] if weights else _idle(layer)
        makes = _makes_a_gradient if not weights and (idle or _is_last(layer)) else _ignores_its_top
        for python, line in claims(layer, makes):
            if weights and weights[0] not in (0, 1):
                yield self.finding(
                    layer.at("loss_weight"),
                    f"{title(layer)}: loss_weight {weights[0]:g} changes only the printed loss, since backward of"
                    f" class {python.name} does not read top[0].diff ({where(python, line)}); multiply the gradient by"
                    " top[0].diff there",
                    evidence=read_in(python),
                )
            elif not weights and not _is_read(layer) and not layer.net.message.force_backward:
                learned = f"nothing is learned from it{_ELSE if _is_last(layer) else ''}"
                if idle and not _is_last(layer):
                    learned = f"{titles(idle)}, which {'leads' if len(idle) == 1 else 'lead'} to it alone, learn"
                    learned += f"{'s' if len(idle) == 1 else ''} nothing"
                remedy = "set loss_weight: 1"
                if others:
                    remedy += " for the top that is the loss, and 0 for each other, in the order of the tops"
                yield self.finding(
                    layer.at("top"),
                    f"{title(layer)} has no loss_weight, so its backward never runs ({where(python, line)}) and"
                    f" {learned}; {remedy}",
                    evidence=read_in(python),
                    severity=ERROR if _is_last(layer) else None,
                    fixes=() if others else fix("set loss_weight: 1", UNSAFE, write(layer, "loss_weight", value="1")),
                )


def _idle(layer: Layer) -> list[BuiltLayer]:
    """The layers that could learn, and lead to this one alone of all that may be a loss."""
    down = layer.message.propagate_down
    return layer.net.once(_leading_to_one).get(layer.index, []) if not down or any(down) else []


def _leading_to_one(net: Net) -> dict[int, list[BuiltLayer]]:
    """The layers that could learn, by the index of the one layer that may be a loss to which each leads."""
    trained = [one for one in net.states() if one.phase == TRAIN]
    one = trained[0] if len(trained) == 1 else None  # in another stage another loss may teach them
    ends: dict[BuiltLayer, set[int]] = {}
    found: dict[int, list[BuiltLayer]] = {}
    for layer in reversed(one.layers) if one is not None else ():
        readers = [ends[reader] for top in layer.tops for reader, _ in top.consumers]
        last = any(layer.loss_weights) or not layer.known and not readers
        mine = {layer.index or 0} if last else set[int]().union(*readers)
        ends[layer] = set(sorted(mine)[:_SEVERAL])
        named = layer.message is not None and any(param.name for param in layer.message.param)  # and may be shared
        if layer.learns and len(mine) == 1 and not named:
            found.setdefault(next(iter(mine)), []).insert(0, layer)
    return found


def _ignores_its_top(python: PythonClass) -> int | None:
    """The line of a `backward` that makes a gradient without the one that comes from above."""
    method = python.methods.get("backward")
    return method.line if method and python.makes_gradient and python.reads_top_diff is False else None


def _makes_a_gradient(python: PythonClass) -> int | None:
    method = python.methods.get("backward")
    return method.line if method and python.makes_gradient else None


def _is_last(layer: Layer) -> bool:
    """Is there no loss in TRAIN, unless this layer is one? What no solver trains needs none."""
    return bool(layer.net.solvers) and layer.net.once(_lacks_a_loss)


def _lacks_a_loss(net: Net) -> bool:
    built = next((one for one in net.states() if one.phase == TRAIN), None)
    return built is not None and not any(
        any(one.loss_weights) or not (one.known or one.type == "Python") for one in built.layers
    )


def _is_read(layer: Layer) -> bool:
    last = layer.net.once(_last_readers)
    return any(last.get(top, -1) > layer.index for top in layer.tops)


def _last_readers(net: Net) -> dict[str, int]:
    """The index of the last layer that reads a blob."""
    return {bottom: layer.index for layer in net.layers for bottom in layer.bottoms}
