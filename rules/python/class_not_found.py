from __future__ import annotations

from collections.abc import Iterator, Sequence

from caffelint.lint import (
    ERROR,
    UNSAFE,
    Finding,
    Fix,
    Invalid,
    Layer,
    LayerRule,
    fix,
    listed,
    python_modules,
    quoted,
    relative,
    suggest,
    title,
    write,
)

_MOST_NAMES = 6


class PythonClassNotFound(LayerRule):
    """The module of a Python layer has no class of that name.

    ## Why is this bad?
    Caffe imports the module and takes the class from it, which raises `AttributeError`, and stops.

    ## Example
    ```
    layer { name: "loss" type: "Python" python_param { module: "pyloss" layer: "EuclideanLoss" } }
    ```
    where pyloss.py has a class `EuclideanLossLayer`. Use instead:
    ```
    layer { name: "loss" type: "Python" python_param { module: "pyloss" layer: "EuclideanLossLayer" } }
    ```

    ## Known problems
    The module is looked for beside the net, in `roots` and in the whole checkout, and read without being run. Nothing
    is said of modules that are not there, that import everything from another one, or of which several versions are
    there one of which has the class.

    ## Fix safety
    Unsafe: the class with the most similar name may not be the one that was meant.

    ## References
    - layer_factory.cpp, GetPythonLayer; run on Caffe 1.0
    """

    code = "Y001"
    name = "python-class-not-found"
    severity = ERROR
    layer_types = ("Python",)
    _MODULE = (
        "import caffe\n\n\nclass EuclideanLossLayer(caffe.Layer):\n    def setup(self, bottom, top):\n        pass\n"
    )
    _NET = 'layer { name: "loss" type: "Python" top: "l" python_param { module: "pyloss" layer: "%s" } }'
    VALID = [
        _NET % "EuclideanLoss",
        {"net.prototxt": _NET % "EuclideanLossLayer", "pyloss.py": _MODULE},
        {"net.prototxt": _NET % "Other", "pyloss.py": _MODULE + "from elsewhere import *\n"},
        {
            "net.prototxt": _NET % "Other",
            "pyloss.py": _MODULE + "try:\n    from a import Other\nexcept ImportError:\n    pass\n",
        },
    ]
    INVALID = [
        Invalid(
            {"net.prototxt": _NET % "EuclideanLoss", "pyloss.py": _MODULE},
            span='layer: "EuclideanLoss"',
            message='Python "loss": pyloss.py has no class "EuclideanLoss", so Caffe stops at the start; did you mean'
            ' "EuclideanLossLayer"?',
            fixed={"net.prototxt": _NET % "EuclideanLossLayer", "pyloss.py": _MODULE},
        ),
        Invalid(
            {"net.prototxt": _NET % "Dice", "pyloss.py": _MODULE},
            span='layer: "Dice"',
            message='Python "loss": pyloss.py has no class "Dice", so Caffe stops at the start; it has'
            ' "EuclideanLossLayer"',
        ),
    ]

    def check(self, layer: Layer) -> Iterator[Finding]:
        wanted = layer.message.python_param.layer
        modules = python_modules(layer)
        if not wanted or not modules or not all(module.lacks(wanted) for module in modules):
            return
        names = [name for module in modules for name in module.class_names()]
        near = suggest(wanted, names) or _holding(wanted, names)
        message = f'{title(layer)}: {modules[0].file} has no class "{wanted}", so Caffe stops at the start'
        fixes: tuple[Fix, ...] = ()
        if near:
            message += f'; did you mean "{near}"?'
            fixes = fix(f'write layer: "{near}"', UNSAFE, write(layer, "python_param", "layer", value=quoted(near)))
        elif 0 < len(names) <= _MOST_NAMES:
            message += f"; it has {listed([quoted(name) for name in names])}"
        yield self.finding(
            layer.at("python_param", "layer"), message, evidence=f"looked in {relative(modules[0].path)}", fixes=fixes
        )


def _holding(wanted: str, names: Sequence[str]) -> str | None:
    """The one name that is part of the other: `EuclideanLoss`, `EuclideanLossLayer`."""
    found = [name for name in names if wanted in name or name in wanted]
    return found[0] if len(found) == 1 else None
