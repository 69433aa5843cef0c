from __future__ import annotations

from collections.abc import Iterator

from caffelint.lint import (
    LIKELY,
    WARNING,
    Finding,
    Invalid,
    Layer,
    Net,
    NetRule,
    module_stops,
    relative,
    stop_of,
    title,
)

_NET = 'layer { name: "data" type: "Python" top: "x" python_param { module: "m" layer: "Data" } }'
_MODULE = (
    "import caffe\nimport tools\n\n\nclass Data(caffe.Layer):\n    def setup(self, bottom, top):\n"
    "        self.load()\n\n    def load(self):\n        %s\n"
)
_TOOLS = "def prepare(images, size):\n    return images * %s\n"
_FILES = {"README.md": "", "net.prototxt": _NET}

_MOST = 30
"""Classes of a net whose modules are read for it."""


class PythonModuleStops(NetRule):
    """The module of a Python layer, or one of the project that it imports, has a line that fails.

    ## Why is this bad?
    Caffe ends with an exception of Python when the line is reached, which may be after hours: a name that nothing
    defines, a function that is called without an argument that it needs, `np.zeros(2, 2)`. An imported module that no
    Python can read ends it at the start.

    ## Example
    ```
    def prepare(images, size):
        return images * self.scale
    ```
    Use instead:
    ```
    def prepare(images, size, scale):
        return images * scale
    ```

    ## Known problems
    Told is one line of a module, at the first layer that may come to it: code that nothing names which the layer runs
    is left out. Nothing is said of modules that bind names in ways which their text does not show, as `from tools
    import *` does, of what is in a `try`, and of layers whose module may be several files.

    ## References
    - The Python Language Reference, 4.2, Naming and binding
    """

    code = "Y020"
    name = "python-module-stops"
    severity = WARNING
    certainty = LIKELY
    VALID = [
        _FILES | {"m.py": _MODULE % "self.x = tools.prepare(1, 2)", "tools.py": _TOOLS % "size"},
        _FILES | {"m.py": _MODULE % "tools.prepare(1, 2)", "tools.py": "from numpy import *\n" + _TOOLS % "pi"},
        _FILES | {"m.py": _MODULE % "pass", "tools.py": _TOOLS % "self.scale"},
        _FILES | {"m.py": _MODULE % "pass", "tools.py": _TOOLS % "size\n\n\nif __name__ == '__main__':\n    run()"},
    ]
    INVALID = [
        Invalid(
            _FILES | {"m.py": _MODULE % "tools.prepare(1, 2)", "tools.py": _TOOLS % "self.scale"},
            span='module: "m"',
            message='Python "data": "tools.py" (line 2) reads self, which nothing defines there, so it stops; define or'
            " import it",
        ),
        Invalid(
            _FILES | {"m.py": _MODULE % "tools.prepare(1)", "tools.py": _TOOLS % "size"},
            span='module: "m"',
            message='Python "data": "m.py" (line 10) calls tools.prepare without size, which it needs, so it stops'
            " there",
        ),
        Invalid(
            _FILES | {"m.py": _MODULE % "pass", "tools.py": _TOOLS % "np.zeros(size))"},
            span='module: "m"',
            message='Python "data": "tools.py" (line 2) cannot be read: unmatched \')\', so no Python runs it; mend'
            " that line",
        ),
    ]

    def check(self, net: Net) -> Iterator[Finding]:
        said = set[str]()
        named: dict[tuple[str, str], Layer] = {}
        for layer in net.layers_having("python_param") if net.python_modules else ():
            named.setdefault((layer.message.python_param.module, layer.message.python_param.layer), layer)
        for layer in [*named.values()][:_MOST]:
            for module, stop in module_stops(layer):
                if module.path not in said:
                    said.add(module.path)
                    at = layer.at("python_param", "module")
                    evidence = f"read in {relative(module.path)}"
                    yield self.finding(at, f"{title(layer)}: {stop_of(stop)}", evidence=evidence)
