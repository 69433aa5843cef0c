from __future__ import annotations

import os
from collections.abc import Iterator

from caffelint.lint import (
    LIKELY,
    UNSAFE,
    WARNING,
    Finding,
    Invalid,
    Layer,
    LayerRule,
    fix,
    python_elsewhere,
    quoted,
    relative,
    suggest,
    title,
    write,
)
from caffelint.lint.disk import exists


class PythonModuleNotFound(LayerRule):
    """The project does not have the module of a Python layer, but has its class in another one.

    ## Why is this bad?
    Caffe imports the module by its name, which raises `ImportError`, and stops. Where the class is in a module of
    another name, that name was probably meant.

    ## Example
    ```
    layer { name: "data" type: "Python" python_param { module: "layers" layer: "SegDataLayer" } }
    ```
    where SegDataLayer is in voc_layers.py. Use instead:
    ```
    layer { name: "data" type: "Python" python_param { module: "voc_layers" layer: "SegDataLayer" } }
    ```

    ## Known problems
    A module that is installed on the machine, but is not in the project, may have a class of the same name; so nothing
    is said of a module of a package, such as rpn.proposal_layer, unless the class is in a folder of that name, or in a
    file of that name in a folder of nearly that name, or in a file beside one of that name. Nor is anything of a module
    that a text of the project speaks of, as one that tells to copy loss.py as pyloss.py, or that a program imports, nor
    of a file of the right name in any other folder: PYTHONPATH decides what it is called.

    ## Fix safety
    Unsafe: the other module may be another version of the layer.

    ## References
    - layer_factory.cpp, GetPythonLayer; shelhamer/fcn.berkeleyvision.org commit 1f400cc
    """

    code = "Y007"
    name = "python-module-not-found"
    severity = WARNING
    certainty = LIKELY
    layer_types = ("Python",)
    _MODULE = (
        "import caffe\n\n\nclass SegDataLayer(caffe.Layer):\n    def setup(self, bottom, top):\n        pass\n"
        "    def reshape(self, bottom, top):\n        pass\n    def forward(self, bottom, top):\n        pass\n"
        "    def backward(self, top, propagate_down, bottom):\n        pass\n"
    )
    _NET = 'layer { name: "data" type: "Python" top: "d" python_param { module: "%s" layer: "SegDataLayer" } }'
    VALID = [
        {"net.prototxt": _NET % "voc_layers", "voc_layers.py": _MODULE},
        # The path may be set so that the module has this name.
        {"net.prototxt": _NET % "tools.voc_layers", "voc_layers.py": _MODULE},
        # A package that is elsewhere, as py-faster-rcnn's.
        {"net.prototxt": _NET % "rpn.proposal_layer", "old/voc_layers.py": _MODULE},
        {"net.prototxt": _NET % "rpn.layer", "lib/voc_layer/layer.py": _MODULE},
    ]
    INVALID = [
        Invalid(
            {"net.prototxt": _NET % "layers", "voc_layers.py": _MODULE},
            span='module: "layers"',
            message='Python "data": the project has no module "layers", so Caffe cannot load the net; class'
            ' SegDataLayer is in voc_layers.py; set module: "voc_layers"',
            fixed={"net.prototxt": _NET % "voc_layers", "voc_layers.py": _MODULE},
        ),
        Invalid(
            {"net.prototxt": _NET % "voc_layer.layer", "lib/voc_data_layer/layer.py": _MODULE},
            span='module: "voc_layer.layer"',
            message='Python "data": the project has no module "voc_layer.layer", so Caffe cannot load the net; class'
            ' SegDataLayer is in voc_data_layer/layer.py; set module: "voc_data_layer.layer"',
            fixed={"net.prototxt": _NET % "voc_data_layer.layer", "lib/voc_data_layer/layer.py": _MODULE},
        ),
    ]

    def check(self, layer: Layer) -> Iterator[Finding]:
        module = layer.message.python_param.module
        package, _, last = module.rpartition(".")
        found = python_elsewhere(layer)
        stems = {one.file.removesuffix(".py") for one in found}
        if len(stems) != 1 or "__init__" in stems:
            return
        (stem,) = stems
        folder = _folder(found[0].path)
        if stem == last:
            if len(found) > 1 or package == folder or not _is_slip(package, folder):
                return
            package = folder
        elif package and package.rpartition(".")[2] != folder and not _is_beside(last, found[0].path):
            return
        right = f"{package}.{stem}" if package else stem
        yield self.finding(
            layer.at("python_param", "module"),
            f"{title(layer)}: the project has no module {quoted(module)}, so Caffe cannot load the net; class"
            f" {layer.message.python_param.layer} is in {f'{folder}/' * (stem == last)}{found[0].file}; set module:"
            f" {quoted(right)}",
            evidence=f"the class is in {relative(found[0].path)}",
            fixes=fix(
                f"write module: {quoted(right)}", UNSAFE, write(layer, "python_param", "module", value=quoted(right))
            ),
        )


def _is_slip(package: str, folder: str) -> bool:
    """Do the two differ in a letter or so, or by words that one of them lacks?"""
    mine, theirs = set(package.split("_")), set(folder.split("_"))
    return bool(suggest(package, [folder])) or len(mine & theirs) > 1 and (mine < theirs or theirs < mine)


def _is_beside(name: str, path: str) -> bool:
    """Is a module of that name in the folder of a file, so that the folder may be what the package is made of?"""
    return exists(os.path.join(os.path.dirname(path), f"{name}.py"))


def _folder(path: str) -> str:
    """The name of the folder that a file is in."""
    return path.replace("\\", "/").rpartition("/")[0].rpartition("/")[2]
