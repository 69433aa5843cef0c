from __future__ import annotations

from collections.abc import Iterator

from caffelint.lint import LIKELY, WARNING, Finding, Invalid, Net, NetRule, stop_of

_NET = 'layer { name: "data" type: "Input" top: "data" input_param { shape { dim: 1 dim: 8 } } }'
_SCRIPT = 'import caffe\n\nnet = caffe.Net("deploy.prototxt", caffe.TEST)\nnet.forward()\n%s\n'
_FILES = {"README.md": "", "deploy.prototxt": _NET}


class ScriptOfNetStops(NetRule):
    """A Python script that names the net, and no solver, ends with an error.

    ## Why is this bad?
    A name that nothing defines raises `NameError` when its line is reached, and a function of the file that is called
    without an argument that it needs, or with one that it does not take, `TypeError`: both may be after a long run. A
    script whose brackets or indentation are wrong does not even start.

    ## Example
    ```python
    net = caffe.Net("deploy.prototxt", weights, caffe.TEST)
    ```
    Use instead:
    ```python
    weights = "net.caffemodel"
    net = caffe.Net("deploy.prototxt", weights, caffe.TEST)
    ```

    ## Known problems
    As for script-stops, which tells it of scripts that train.

    ## References
    - The Python Language Reference, 4.2, Naming and binding
    """

    code = "G057"
    name = "script-of-net-stops"
    severity = WARNING
    certainty = LIKELY
    VALID = [
        _FILES | {"test.py": _SCRIPT % 'print(net.blobs["data"].data)'},
        _FILES | {"test.py": "from settings import *\n" + _SCRIPT % "print(output)"},
    ]
    INVALID = [
        Invalid(
            _FILES | {"test.py": _SCRIPT % "if net:\n    print(nets)"},
            span='name: "data"',
            message='"test.py" (line 6) reads nets, which nothing defines there, so it stops; did you mean net?',
        ),
    ]

    def check(self, net: Net) -> Iterator[Finding]:
        for one in net.runs.stopped if net.runs and net.layers else ():
            yield self.finding(net.layers[0].at("name"), stop_of(one))
