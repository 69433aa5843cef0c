from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from caffelint.evidence.data.rule import DataEvidence, DatasetRule
from caffelint.lint import ERROR, Cause, Finding, Invalid, Layer, Net, python_classes, relative, title
from caffelint.lint.built import BuiltLayer

if TYPE_CHECKING:
    from caffelint.lint import PythonClass

_MODULE = (
    "import caffe\n\n\nclass Distance(caffe.Layer):\n    def setup(self, bottom, top):\n        pass\n\n"
    "    def reshape(self, bottom, top):\n        top[0].reshape(1)\n\n"
    "    def forward(self, bottom, top):\n        {}\n        top[0].data[...] = (d * d).mean()\n\n"
    "    def backward(self, top, propagate_down, bottom):\n        pass\n"
)
_NET = (
    'layer { name: "data" type: "HDF5Data" top: "x" top: "y" hdf5_data_param { source: "train.txt" batch_size: 4 } }\n'
    'layer { name: "fc" type: "InnerProduct" bottom: "x" top: "fc"'
    ' inner_product_param { num_output: 1 weight_filler { type: "xavier" } } }\n'
    'layer { name: "loss" type: "Python" bottom: "fc" bottom: "y" top: "loss"'
    ' python_param { module: "m" layer: "Distance" } loss_weight: 1 }'
)
_MINUS = "d = bottom[0].data - bottom[1].data"
_SCALARS = "\n".join(f"x 2 {row} 1; y {row / 10}" for row in range(8))
_ROWS = "\n".join(f"x 2 {row} 1; y 1 {row / 10}" for row in range(8))


class TargetsBroadcast(DatasetRule):
    """A Python layer computes with N x 1 and N values, of which numpy makes N x N.

    ## Why is this bad?
    numpy aligns the axes of arrays from the last one on. Of predictions of shape N x 1 and targets of shape N it makes
    N x N values: each prediction is compared with the targets of all records, and the net learns their mean.

    ## Example
    ```
    d = bottom[0].data - bottom[1].data
    ```
    Use instead:
    ```
    d = bottom[0].data - bottom[1].data.reshape(bottom[0].data.shape)
    ```

    ## Known problems
    The shapes are those of the data that was read. The code is read, not run: only what runs in any case counts.

    ## References
    - numpy.org/doc/stable/user/basics.broadcasting.html; run on Caffe 1.0
    """

    code = "E125"
    name = "targets-broadcast"
    severity = ERROR
    VALID = [
        {"net.prototxt": _NET, "m.py": _MODULE.format(_MINUS), "train.txt": _ROWS},
        {"net.prototxt": _NET, "m.py": _MODULE.format(_MINUS + "[:, None]"), "train.txt": _SCALARS},
    ]
    INVALID = [
        Invalid(
            {"net.prototxt": _NET, "m.py": _MODULE.format(_MINUS), "train.txt": _SCALARS},
            span='layer: "Distance"',
            message='Python "loss": forward of class Distance computes bottom[0].data - bottom[1].data of 4x1 and 4'
            " values (m.py:12), of which numpy makes 4x4, so each record is compared with all others; write"
            " bottom[1].data.reshape(bottom[0].data.shape)",
        ),
        Invalid(
            {
                "net.prototxt": _NET,
                "m.py": _MODULE.format("t = bottom[1].data\n        d = bottom[0].data - t"),
                "train.txt": _SCALARS,
            },
            span='layer: "Distance"',
            message='Python "loss": forward of class Distance computes bottom[0].data - t of 4x1 and 4 values'
            " (m.py:13), of which numpy makes 4x4, so each record is compared with all others; write"
            " bottom[1].data.reshape(bottom[0].data.shape)",
        ),
    ]

    def check(self, data: DataEvidence) -> Iterator[Finding]:
        nets: dict[int, Net] = {id(feed.net): feed.net for feed, _ in data.read}
        for net in nets.values():
            layers = (one for state in net.states() for one in state.layers if one.type == "Python")
            for index, built in {one.index: one for one in layers if one.index is not None}.items():
                yield from self._of_layer(net.layers[index], built)

    def _of_layer(self, layer: Layer, built: BuiltLayer) -> Iterator[Finding]:
        classes = python_classes(layer)
        found = [(one, said) for one in classes if (said := _broadcast(one, built))]
        if not found or len(found) < len(classes):
            return
        python, (line, text, shapes, made, remedy) = found[0]
        what = f"{title(layer)}: forward of class {python.name} computes {text} of {shapes[0]} and {shapes[1]} values"
        what += f" ({python.module.file}:{line}), of which numpy makes {made}"
        what += ", so each record is compared with all others"
        yield self.finding(
            layer.at("python_param", "layer"),
            f"{what}; {remedy}",
            evidence=f"read in {relative(python.module.path)}",
            cause=Cause("python-layer", what, remedy),
        )


def _broadcast(python: PythonClass, layer: BuiltLayer) -> tuple[int, str, tuple[str, str], str, str] | None:
    """Two bottoms with one value a record each, of which one has an axis more. Line, text, shapes, result, remedy."""
    for one in python.elementwise:
        if max(one.first, one.second) >= len(layer.bottoms):
            continue
        first, second = (layer.bottoms[number].shape for number in (one.first, one.second))
        if not first or not second or sorted(map(len, (first, second))) != [1, 2]:
            continue
        if first[0] != second[0] or first[0] < 2 or (first + second).count(1) != 1:
            continue
        wide, flat = (one.first, one.second) if len(first) > 1 else (one.second, one.first)
        remedy = f"write bottom[{flat}].data.reshape(bottom[{wide}].data.shape)"
        shapes = "x".join(map(str, first)), "x".join(map(str, second))
        return one.line, one.text, shapes, f"{first[0]}x{first[0]}", remedy
    return None
