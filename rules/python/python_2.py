from __future__ import annotations

from collections.abc import Iterator

from caffelint.lint import CERTAIN, INFO, Finding, Invalid, Net, NetRule, python_modules, relative, title


class Python2Module(NetRule):
    """The module of a Python layer is Python 2.

    ## Why is this bad?
    A Caffe that was built with Python 3 cannot import it: `SyntaxError`, and Caffe stops.

    ## Example
    ```
    print 'loss', self.loss
    ```
    Use instead:
    ```
    print('loss', self.loss)
    ```

    ## Known problems
    Python 2 is right for a Caffe that was built with it, so this is an info.

    ## References
    - layer_factory.cpp, GetPythonLayer
    """

    code = "Y009"
    name = "python-2-module"
    severity = INFO
    certainty = CERTAIN
    preview = True
    _NET = 'layer { name: "loss" type: "Python" top: "l" python_param { module: "pyloss" layer: "Loss" } }'
    _MODULE = "import caffe\n\n\nclass Loss(caffe.Layer):\n    def setup(self, bottom, top):\n        print%s\n"
    VALID = [{"net.prototxt": _NET, "pyloss.py": _MODULE % "('ready')"}]
    INVALID = [
        Invalid(
            {"net.prototxt": _NET, "pyloss.py": _MODULE % " 'ready'"},
            span='module: "pyloss"',
            message='Python "loss": pyloss.py is Python 2, so a Caffe that was built with Python 3 cannot load it; run'
            " 2to3 on it",
        ),
    ]

    def check(self, net: Net) -> Iterator[Finding]:
        said = set()
        for layer in net.layers_having("python_param"):
            modules = python_modules(layer)
            if modules and all(module.python2 for module in modules) and modules[0].path not in said:
                said.add(modules[0].path)
                yield self.finding(
                    layer.at("python_param", "module"),
                    f"{title(layer)}: {modules[0].file} is Python 2, so a Caffe that was built with Python 3 cannot"
                    " load it; run 2to3 on it",
                    evidence=f"read in {relative(modules[0].path)}",
                )
