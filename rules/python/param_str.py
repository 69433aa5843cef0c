from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING

from caffelint.lint import ERROR, Finding, Invalid, Layer, LayerRule, listed, title

from ._claim import claims, where
from ._param_str import BadText, keys_of

if TYPE_CHECKING:
    from caffelint.lint import PythonClass

_READS = {
    "eval": "by eval",
    "literal_eval": "by ast.literal_eval",
    "json": "as JSON",
    "yaml": "as YAML",
}


class PythonParamStr(LayerRule):
    """The class of a Python layer cannot read `param_str`, or misses a key in it.

    ## Why is this bad?
    `setup` raises, and Caffe stops when it builds the net.

    ## Example
    ```
    python_param { module: "voc_layers" layer: "VOCSegDataLayer" param_str: "{'split': 'train'}" }
    ```
    where `setup` does `params = eval(self.param_str)` and takes `params['voc_dir']`. Use instead:
    ```
    python_param {
      module: "voc_layers" layer: "VOCSegDataLayer" param_str: "{'voc_dir': 'data/pascal', 'split': 'train'}"
    }
    ```

    ## Known problems
    The module is read, not run: only what `setup` does unconditionally counts. Only simple YAML is understood.

    ## References
    - python_layer.hpp, LayerSetUp; run on Caffe 1.0
    """

    code = "Y004"
    name = "python-param-str"
    severity = ERROR
    layer_types = ("Python",)
    _MODULE = (
        "import caffe\n\n\nclass Data(caffe.Layer):\n    def setup(self, bottom, top):\n"
        "        params = eval(self.param_str)\n        self.split = params['split']\n"
        "        self.seed = params.get('seed')\n"
    )
    _NET = 'layer { name: "data" type: "Python" top: "data" python_param { module: "voc" layer: "Data" %s } }'
    VALID = [
        {"net.prototxt": _NET % "param_str: \"{'split': 'train'}\"", "voc.py": _MODULE},
        {"net.prototxt": _NET % "param_str: \"dict(split='train')\"", "voc.py": _MODULE},
        {
            "net.prototxt": _NET % "param_str: \"'split': train\"",
            "voc.py": _MODULE.replace("eval(", "yaml.load("),
        },
        {"net.prototxt": _NET % "", "voc.py": _MODULE.replace("params['split']", "1").replace("eval(", "str(")},
    ]
    INVALID = [
        Invalid(
            {"net.prototxt": _NET % "param_str: \"{'splt': 'train'}\"", "voc.py": _MODULE},
            span="param_str: \"{'splt': 'train'}\"",
            message='Python "data": param_str lacks "split", which class Data takes (voc.py:7), so Caffe stops at the'
            " start; add it",
        ),
        Invalid(
            {"net.prototxt": _NET % "param_str: \"split: 'train'\"", "voc.py": _MODULE},
            span="param_str: \"split: 'train'\"",
            message='Python "data": class Data reads param_str by eval (voc.py:6), but it is not a Python expression,'
            " so Caffe stops at the start",
        ),
        Invalid(
            {"net.prototxt": _NET % "param_str: \"{'split': 1}\"", "voc.py": _MODULE.replace("eval(", "json.loads(")},
            span="param_str: \"{'split': 1}\"",
            message='Python "data": class Data reads param_str as JSON (voc.py:6), but it is not JSON, which has double'
            " quotes, so Caffe stops at the start",
        ),
        Invalid(
            {"net.prototxt": _NET % "", "voc.py": _MODULE},
            span='layer: "Data"',
            message='Python "data": class Data reads param_str by eval (voc.py:6), but it is empty, so Caffe stops at'
            " the start",
        ),
    ]

    def check(self, layer: Layer) -> Iterator[Finding]:
        if layer.given("python_param", "param_str") is None:
            return
        text = layer.message.python_param.param_str
        for _, what in claims(layer, partial(_wrong, text=text)):
            yield self.finding(
                layer.at("python_param", "param_str" if layer.has("python_param", "param_str") else "layer"),
                f"{title(layer)}: {what}",
            )


def _wrong(python: PythonClass, text: str) -> str | None:
    read = python.param_str
    if read is None:
        return None
    try:
        keys = keys_of(read.reader, text)
    except BadText as why:
        return (
            f"class {python.name} reads param_str {_READS[read.reader]} ({where(python, read.line)}), but it is {why},"
            " so Caffe stops at the start"
        )
    missing = [] if keys is None else [key for key in read.keys if key not in keys]
    if not missing:
        return None
    them = listed([f'"{key}"' for key in missing])
    return (
        f"param_str lacks {them}, which class {python.name} takes ({where(python, read.keys[missing[0]])}), so Caffe"
        f" stops at the start; add {'it' if len(missing) == 1 else 'them'}"
    )
