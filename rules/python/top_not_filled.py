from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from caffelint.lint import LIKELY, WARNING, Finding, Invalid, Layer, LayerRule, Net, quoted, title

from ._claim import claims, read_in, where

if TYPE_CHECKING:
    from caffelint.lint import PythonClass


class PythonTopNotFilled(LayerRule):
    """A Python layer has more tops than its code ever takes, and another layer reads one of them.

    ## Why is this bad?
    Such a top has no shape and no memory. The layer that reads it finds another shape than it wants, or Caffe aborts
    where its data are used. Mostly a blob was added to the net and not to the layer, or the layer is an older version.

    ## Example
    ```
    layer {
      name: "data" type: "Python" top: "rois" top: "targets" top: "inside_weights" top: "outside_weights"
      python_param { module: "layer" layer: "RoIData" }
    }
    ```
    where the class shapes `top[0]`, `top[1]` and `top[2]`. Use instead:
    ```
    layer {
      name: "data" type: "Python" top: "rois" top: "targets" top: "inside_weights"
      python_param { module: "layer" layer: "RoIData" }
    }
    ```

    ## Known problems
    The module is looked for as for python-blob-count. Nothing is said of a class that takes its tops in a loop, hands
    them on, or computes their numbers, other than from a table of the class such as `self._name_to_top_map`.

    ## References
    - python_layer.hpp, LayerSetUp and Reshape; blob.cpp, Blob::mutable_cpu_data; silence_layer.cpp; split_layer.cpp
    """

    code = "Y015"
    name = "python-top-not-filled"
    severity = WARNING
    certainty = LIKELY
    layer_types = ("Python",)
    _MODULE = (
        "import caffe\n\n\nclass RoIData(caffe.Layer):\n    def setup(self, bottom, top):\n"
        "        self._map = {'rois': 0}\n        top[0].reshape(1, 5)\n"
        "        if self.param_str:\n            self._map['targets'] = 1\n            top[1].reshape(1, 4)\n\n"
        "    def reshape(self, bottom, top):\n        pass\n\n    def forward(self, bottom, top):\n"
        "        for name, blob in self.next():\n            number = self._map[name]\n"
        "            top[number].data[...] = blob\n\n"
        "    def backward(self, top, propagate_down, bottom):\n        pass\n\n    def next(self):\n        return []\n"
    )
    _NET = (
        'layer { name: "data" type: "Python" top: "rois" top: "targets"%s'
        ' python_param { module: "m" layer: "RoIData" } }\n'
        'layer { name: "sum" type: "Eltwise" bottom: "targets" bottom: "weights" top: "sum" }'
    )
    VALID = [
        {"net.prototxt": _NET % "", "m.py": _MODULE},
        # Nothing reads it.
        {"net.prototxt": _NET % ' top: "more"', "m.py": _MODULE},
        {
            "net.prototxt": _NET % ' top: "more"' + ' layer { name: "q" type: "Silence" bottom: "more" }',
            "m.py": _MODULE,
        },
        # Another layer makes what is read in TEST.
        {
            "net.prototxt": _NET.replace("python_param", "include { phase: TRAIN } python_param").replace(
                'layer { name: "sum"',
                'layer { name: "test" type: "DummyData" top: "targets" top: "weights" include { phase: TEST } } '
                'layer { name: "sum" include { phase: TEST }',
            )
            % ' top: "weights"',
            "m.py": _MODULE,
        },
        {"net.prototxt": _NET % ' top: "weights"', "m.py": _MODULE.replace("pass", "top[2].reshape(1)", 1)},
        {
            "net.prototxt": _NET % ' top: "weights"',
            "m.py": _MODULE.replace("pass", "[one.reshape(1) for one in top]", 1),
        },
        {"net.prototxt": _NET % ' top: "weights"', "m.py": _MODULE.replace("number = ", "number = 1 + ")},
        {"net.prototxt": _NET % ' top: "weights"', "m.py": _MODULE.replace("['targets'] = 1", "['targets'] = next(i)")},
        {"net.prototxt": _NET % ' top: "weights"', "m.py": _MODULE.replace("pass", "self._map.update(x)", 1)},
    ]
    INVALID = [
        Invalid(
            {"net.prototxt": _NET % ' top: "weights"', "m.py": _MODULE},
            span='top: "weights"',
            message='Python "data": 3 tops, but class RoIData takes only top[0] to top[1] (m.py:4), so "weights" has no'
            " shape and Caffe stops where it is read; fill it there, or remove it",
        ),
    ]

    def check(self, layer: Layer) -> Iterator[Finding]:
        if len(layer.tops) < 2:
            return
        for python, last in claims(layer, _last_top):
            if last + 1 >= len(layer.tops):
                return
            taken = layer.net.once(_taken)
            left = [
                (number, top)
                for number, top in enumerate(layer.tops)
                if number > last and top not in layer.bottoms and (layer.index, number) in taken
            ]
            if not left:
                return
            names = " and ".join(quoted(top) for _, top in left)
            has, is_, it = ("has", "is", "it") if len(left) == 1 else ("have", "are", "them")
            takes = f"top[0] to top[{last}]" if last else "top[0]"
            yield self.finding(
                layer.at("top", left[0][0]),
                f"{title(layer)}: {len(layer.tops)} tops, but class {python.name} takes only {takes}"
                f" ({where(python, python.line)}), so {names} {has} no shape and Caffe stops where {it} {is_} read;"
                f" fill {it} there, or remove {it}",
                evidence=read_in(python),
            )


def _last_top(python: PythonClass) -> int | None:
    return max(python.top_numbers) if python.top_numbers else None


def _taken(net: Net) -> frozenset[tuple[int, int]]:
    """The index of a layer and the number of its top, of those whose values something takes in a phase.

    A layer that only silences takes none, but where another reads the blob, Caffe lets a Split share it.
    """
    readers: dict[tuple[int, int, str], list[Layer]] = {}
    for layer in net.layers:
        for number in range(len(layer.bottoms)):
            for phase in layer.phases:
                if made := layer.maker(number, phase):
                    readers.setdefault((made.layer.index, made.top, phase), []).append(layer)
    taken = (place for place, found in readers.items() if len(found) > 1 or not _only_silences(found[0]))
    return frozenset((index, top) for index, top, _ in taken)


def _only_silences(layer: Layer) -> bool:
    return layer.kind.top_counts.most == 0 and bool(layer.kind.rearranges)
