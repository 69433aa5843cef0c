from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING

from caffelint.lint import ERROR, TRAIN, WARNING, Finding, Invalid, Layer, Net, NetRule, titles

from ._claim import claims, read_in, where

if TYPE_CHECKING:
    from caffelint.lint import PythonClass, PythonFault
    from caffelint.lint.built import BuiltLayer

_KINDS = ("unset", "unbound", "assigned", "in one", "unshaped", "rebound", "idle")


class PythonMethodFails(NetRule):
    """A method of a Python layer fails, or leaves its result nowhere, whenever Caffe calls it.

    ## Why is this bad?
    Caffe ends with an exception in the code of the layer, at the start or in the first iteration. What is looked for:

    - an attribute that nothing sets: `self.init_landmarks` where `setup` sets `self.initlandmarks`
    - a name that nothing in the file defines: `true` for `True`
    - an assignment to the data of a blob: `top[0].data = x` raises, `top[0].data[...] = x` copies
    - `reshape` with all axes in one value: `top[0].reshape(bottom[0].data.shape)` raises, with `*` before it does not
    - a top that no method shapes: it has no memory, and Caffe aborts where its data are used
    - a name of the data of a blob that is then given another array: after `x = top[0].data`, `x = y` copies nothing,
      and the blob stays 0, without an error; `x[...] = y` copies

    ## Example
    ```
    def forward(self, bottom, top):
        top[0].data = bottom[0].data * self.scale
    ```
    Use instead:
    ```
    def forward(self, bottom, top):
        top[0].data[...] = bottom[0].data * self.scale
    ```

    ## Known problems
    The module is read, not run. Only what runs in any case counts: nothing that is below an `if` or in a `try`.
    Attributes are not judged if the object is given to a function, which may set them.

    ## References
    - _caffe.cpp, Blob_Reshape and BOOST_PYTHON_MODULE; blob.cpp, mutable_cpu_data; run on Caffe 1.0
    """

    code = "Y010"
    name = "python-method-fails"
    severity = ERROR
    layer_types = ("Python",)
    _MODULE = (
        "import caffe\n\n\nclass Scale(caffe.Layer):\n    def setup(self, bottom, top):\n        self.scale = 2\n\n"
        "    def reshape(self, bottom, top):\n        {}\n\n"
        "    def forward(self, bottom, top):\n        {}\n\n"
        "    def backward(self, top, propagate_down, bottom):\n        pass\n"
    )
    _SHAPE, _COPY = "top[0].reshape(*bottom[0].data.shape)", "top[0].data[...] = bottom[0].data"
    _NET = (
        'layer { name: "in" type: "DummyData" top: "in" dummy_data_param { shape { dim: 2 dim: 3 } } }\n'
        'layer { name: "scale" type: "Python" bottom: "in" top: "out" python_param { module: "m" layer: "Scale" } }'
    )
    _NAMED = "x = top[0].data\n        "
    _LEARNT = (
        _NET.replace('bottom: "in"', 'bottom: "fc"').replace(
            "\n",
            ' layer { name: "fc" type: "InnerProduct" bottom: "in" top: "fc" inner_product_param { num_output: 3 } }',
        )
        + ' layer { name: "loss" type: "EuclideanLoss" bottom: "fc" bottom: "out" }'
    )
    _LOOP = (
        "for i in range(len(bottom)):\n            if not propagate_down[i]:\n                continue\n"
        "        bottom[i].diff[...] = top[0].diff\n"
    )
    _PLAIN, _ONE = _MODULE.format(_SHAPE, _COPY), _LOOP.replace("len(bottom)", "1")
    _INSIDE = _LOOP.replace("        bottom[i].diff", "            bottom[i].diff")
    VALID = [
        {"net.prototxt": _LEARNT, "m.py": _PLAIN.replace("pass\n", _INSIDE)},
        {"net.prototxt": _LEARNT, "m.py": _PLAIN.replace("pass\n", _ONE)},
        {"net.prototxt": _LEARNT, "m.py": _MODULE.format(_SHAPE, _COPY)},
        {"net.prototxt": _NET, "m.py": _MODULE.format(_SHAPE, _COPY + " * self.scale")},
        {"net.prototxt": _NET, "m.py": _MODULE.format(_SHAPE, _NAMED + "x[...] = bottom[0].data")},
        # It is written before, or is another view of the same values.
        {"net.prototxt": _NET, "m.py": _MODULE.format(_SHAPE, _NAMED + "x.fill(3)\n        x = bottom[0].data * 2")},
        {"net.prototxt": _NET, "m.py": _MODULE.format(_SHAPE, _NAMED + "x = x.ravel()\n        x[:] = 3")},
        # In place, the top has the shape of the bottom.
        {"net.prototxt": _NET.replace('"out"', '"in"'), "m.py": _MODULE.format("pass", _COPY)},
        {"net.prototxt": _NET, "m.py": _MODULE.format(_SHAPE, "if bottom[0].num > 9: top[0].data = self.other")},
        {
            "net.prototxt": _NET,
            "m.py": "from tools import prepare\n" + _MODULE.format("prepare(self, top)", _COPY + " * self.other"),
        },
        {"net.prototxt": _NET, "m.py": _MODULE.format(_SHAPE + "\n        n = xrange(3)", _COPY)},
        {
            "net.prototxt": _NET,
            "m.py": _MODULE.format(_SHAPE, _COPY + "\n        __class__, StandardError, WindowsError"),
        },
        {"net.prototxt": _NET, "m.py": "from tools import *\n" + _MODULE.format("make(self, top)", _COPY)},
        {"net.prototxt": _NET, "m.py": _MODULE.format("for one in top: one.reshape(2, 3)", _COPY)},
    ]
    INVALID = [
        Invalid(
            {"net.prototxt": _NET, "m.py": _MODULE.format(_SHAPE, _COPY + " * self.scal")},
            span='layer: "Scale"',
            message='Python "scale": forward of class Scale reads self.scal, which nothing sets (m.py:12), so Caffe'
            " ends in the first iteration; read self.scale, or set it in setup",
        ),
        Invalid(
            {"net.prototxt": _NET, "m.py": _MODULE.format(_SHAPE, _COPY + "\n        self.done = true")},
            span='layer: "Scale"',
            message='Python "scale": forward of class Scale uses true, which nothing defines (m.py:13), so Caffe ends'
            " in the first iteration; write True",
        ),
        Invalid(
            {
                "net.prototxt": _NET,
                "m.py": _MODULE.format(_SHAPE, "chek(eval('{}'))") + "\n\ndef check(p): 0\n",
            },
            span='layer: "Scale"',
            message='Python "scale": forward of class Scale uses chek, which nothing defines (m.py:12), so Caffe ends'
            " in the first iteration; write check",
        ),
        Invalid(
            {"net.prototxt": _NET, "m.py": _MODULE.format(_SHAPE, "top[0].data = bottom[0].data")},
            span='layer: "Scale"',
            message='Python "scale": forward of class Scale assigns to top[0].data, which cannot be set (m.py:12), so'
            " Caffe ends in the first iteration; assign to top[0].data[...]",
        ),
        Invalid(
            {"net.prototxt": _NET, "m.py": _MODULE.format("top[0].reshape(bottom[0].data.shape)", _COPY)},
            span='layer: "Scale"',
            message='Python "scale": reshape of class Scale gives top[0].reshape all axes in one value (m.py:9), so'
            " Caffe stops at the start; call top[0].reshape(*bottom[0].data.shape)",
        ),
        Invalid(
            {"net.prototxt": _NET, "m.py": _MODULE.format("pass", _COPY)},
            span='layer: "Scale"',
            message='Python "scale": forward of class Scale uses top[0], which no method shapes (m.py:12), so Caffe'
            " aborts; call top[0].reshape(...) in reshape",
        ),
        Invalid(
            {"net.prototxt": _NET, "m.py": _MODULE.format(_SHAPE, _NAMED + "x = bottom[0].data * 2")},
            span='layer: "Scale"',
            message='Python "scale": forward of class Scale gives x, the name of top[0].data, another array (m.py:13),'
            " which copies nothing into it, so it stays 0; assign to x[...]",
        ),
        Invalid(
            {"net.prototxt": _LEARNT, "m.py": _PLAIN.replace("pass\n", _LOOP)},
            span='layer: "Scale"',
            message='Python "scale": backward of class Scale does nothing in its loop over i (m.py:15), and sets'
            " bottom[i].diff below it, of the last one alone, so the others get no gradient; indent what follows",
        ),
    ]

    def check(self, net: Net) -> Iterator[Finding]:
        if not net.python_modules:
            return
        judged = next((one for one in net.states() if one.phase == TRAIN and one.is_wired), None)
        written = (one for one in judged.layers if one.index is not None) if judged else ()
        trained = {one.index: _may_matter(one) for one in written if one.need_backward}
        forced = net.message.force_backward
        found: dict[tuple[str, PythonFault], tuple[PythonClass, list[Layer]]] = {}
        for layer in net.layers_having("python_param"):
            for kind in _KINDS:
                find = partial(_fault, layer=layer, kind=kind, is_trained=layer.index in trained)
                for python, fault in claims(layer, find):
                    found.setdefault((python.module.path, fault), (python, []))[1].append(layer)
        for (_, fault), (python, layers) in found.items():
            runs = fault.method != "backward" or forced or any(trained.get(layer.index or 0) for layer in layers)
            yield self.finding(
                layers[0].at("python_param", "layer"),
                f"{titles(layers)}: {fault.method} of class {python.name} {_words(python, fault, runs)}",
                severity=None if runs else WARNING,
                evidence=read_in(python),
                layers=layers,
            )


def _may_matter(layer: BuiltLayer) -> bool:
    """May a gradient come to a layer? Of a Python layer that nothing reads, only `loss_weight` makes a loss.

    Others Net::Init leaves out of backward (net.cpp, layer_contributes_loss).
    """
    return any(layer.message.loss_weight) or any(top.readers for top in layer.tops)


def _fault(python: PythonClass, layer: Layer, kind: str, is_trained: bool) -> PythonFault | None:
    for fault in python.faults:
        if fault.kind != kind or fault.method == "backward" and not is_trained:
            continue
        if fault.number < 0 or fault.number < len(layer.tops) and layer.tops[fault.number] not in layer.bottoms:
            return fault
    return None


def _words(python: PythonClass, fault: PythonFault, runs: bool) -> str:
    starts = fault.method in ("setup", "reshape")
    ends = "aborts" if fault.number >= 0 else "stops at the start" if starts else "ends in the first iteration"
    ends = ends if runs else "ends there once it has a loss_weight, without which backward never runs"
    then = f"({where(python, fault.line)}), so Caffe {ends}"
    blob, _, attribute = fault.name.rpartition(".")
    if fault.kind == "unset":
        remedy = f"read {fault.near}, or set it in setup" if fault.near else "set it in setup"
        return f"reads {fault.name}, which nothing sets {then}; {remedy}"
    if fault.kind == "unbound":
        remedy = f"write {fault.near}" if fault.near else "define or import it"
        return f"uses {fault.name}, which nothing defines {then}; {remedy}"
    if fault.kind == "assigned":
        remedy = f"assign to {fault.name}[...]" if attribute in ("data", "diff") else f"call {blob}.reshape(...)"
        return f"assigns to {fault.name}, which cannot be set {then}; {remedy}"
    if fault.kind == "rebound":
        fact = f"gives {fault.near}, the name of {fault.name}, another array ({where(python, fault.line)})"
        return f"{fact}, which copies nothing into it, so it stays 0; assign to {fault.near}[...]"
    if fault.kind == "idle":
        place = where(python, fault.line)
        fact = f"does nothing in its loop over {fault.name} ({place}), and sets {fault.near} below it, of the last one"
        return f"{fact} alone, so the others get no gradient; indent what follows"
    if fault.kind == "in one":
        return f"gives {fault.name} all axes in one value {then}; call {fault.name}(*{fault.near})"
    return f"uses {fault.name}, which no method shapes {then}; call {fault.name}.reshape(...) in reshape"
