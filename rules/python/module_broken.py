from __future__ import annotations

from collections.abc import Iterator

from caffelint.lint import ERROR, Finding, Invalid, Net, NetRule, python_broken, relative, title


class PythonModuleBroken(NetRule):
    """No version of Python can read the module of a Python layer.

    ## Why is this bad?
    Importing it raises `IndentationError` or `SyntaxError`, and Caffe stops.

    ## Example
    ```
    def setup(self, bottom, top):
        self.params = eval(self.param_str
    ```
    Use instead:
    ```
    def setup(self, bottom, top):
        self.params = eval(self.param_str)
    ```

    ## Known problems
    Told are only faults of indentation, where tabs reach to each eighth column as in Python 2, and brackets that do not
    match: these are the same in all versions.

    ## References
    - layer_factory.cpp, GetPythonLayer
    """

    code = "Y018"
    name = "python-module-broken"
    severity = ERROR
    _NET = 'layer { name: "loss" type: "Python" top: "l" python_param { module: "pyloss" layer: "Loss" } }'
    _MODULE = "import caffe\n\n\nclass Loss(caffe.Layer):\n    def setup(self, bottom, top):\n%s        print 'ready'\n"
    VALID = [
        {"net.prototxt": _NET, "pyloss.py": _MODULE % ""},
        {"net.prototxt": _NET, "pyloss.py": _MODULE % "\tprint 'a tab reaches to the eighth column'\n"},
    ]
    INVALID = [
        Invalid(
            {"net.prototxt": _NET, "pyloss.py": _MODULE % "\t\tprint 'here'\n"},
            span='module: "pyloss"',
            message='Python "loss": no Python can read pyloss.py (line 7: unindent does not match any outer indentation'
            " level), so Caffe stops at the start; mend that line",
        ),
        Invalid(
            {"net.prototxt": _NET, "pyloss.py": _MODULE % "        x = [eval(self.param_str]\n"},
            span='module: "pyloss"',
            message="Python \"loss\": no Python can read pyloss.py (line 6: closing parenthesis ']' does not match"
            " opening parenthesis '('), so Caffe stops at the start; mend that line",
        ),
    ]

    def check(self, net: Net) -> Iterator[Finding]:
        said = set()
        for layer in net.layers_having("python_param"):
            for module in python_broken(layer)[:1]:
                if module.broken and module.path not in said:
                    said.add(module.path)
                    line, why = module.broken
                    yield self.finding(
                        layer.at("python_param", "module"),
                        f"{title(layer)}: no Python can read {module.file} (line {line}: {why}), so Caffe stops at the"
                        " start; mend that line",
                        evidence=f"read in {relative(module.path)}",
                    )
