from __future__ import annotations

from collections.abc import Iterator

from caffelint.lint import LIKELY, WARNING, Finding, Invalid, Net, NetRule, quoted

_NET = (
    'layer { name: "data" type: "Input" top: "data" input_param { shape { dim: 4 dim: 8 } } }'
    ' layer { name: "fc" type: "InnerProduct" bottom: "data" top: "fc" inner_product_param { num_output: 8 } }'
    ' layer { name: "loss" type: "EuclideanLoss" bottom: "fc" bottom: "data" top: "loss" }'
)
_SCRIPT = """
solver = caffe.SGDSolver("solver.prototxt")
net = caffe.Net("val.prototxt", "old.caffemodel", caffe.TEST)
for epoch in range(10):
    solver.step(1000)
    solver.net.save("new.caffemodel")
    %sprint(net.forward()["loss"])
"""


class ScriptTestsUntrainedNet(NetRule):
    """A Python script trains by a solver and tests by another net, which never gets the trained weights.

    ## Why is this bad?
    A net that is built by `caffe.Net` has weights of its own: those of the file that it was given, or of its fillers.
    What the solver learns is not in them, so all its tests give the same accuracy and loss, however training goes.

    ## Example
    ```python
    solver.step(1000)
    net.forward()
    ```
    Use instead:
    ```python
    net.share_with(solver.net)
    solver.step(1000)
    net.forward()
    ```

    ## Known problems
    Only scripts are read that build one net and one solver, and hand neither weights nor this net to anything.

    ## References
    - _caffe.cpp, Net_Init and share_with; net.cpp, ShareTrainedLayersWith
    """

    code = "G067"
    name = "script-tests-untrained-net"
    severity = WARNING
    certainty = LIKELY
    _FILES = {"README.md": "", "val.prototxt": _NET}
    VALID = [
        _FILES | {"train.py": _SCRIPT % 'net.copy_from("new.caffemodel")\n    '},
        _FILES | {"train.py": _SCRIPT % "net.share_with(solver.net)\n    "},
        _FILES | {"train.py": _SCRIPT % "" + 'net = caffe.Net("val.prototxt", "new.caffemodel", caffe.TEST)\n'},
        {"README.md": "", "val.prototxt": _NET.replace("EuclideanLoss", "Eltwise"), "train.py": _SCRIPT % ""},
    ]
    INVALID = [
        Invalid(
            _FILES | {"train.py": _SCRIPT % ""},
            span='name: "loss"',
            message='"train.py" (line 3) builds this net, tests by it while a solver trains, and never gives it the'
            " trained weights, so each test gives the same; call share_with(solver.net) of it before",
        ),
    ]

    def check(self, net: Net) -> Iterator[Finding]:
        untrained = net.runs.untrained if net.runs else ()
        scores = [layer for layer in net.layers if layer.kind.is_loss or layer.type == "Accuracy"] if untrained else ()
        if not scores:
            return
        for one in untrained:
            yield self.finding(
                scores[0].at("name"),
                f"{quoted(one.path)} (line {one.line}) builds this net, tests by it while a solver trains, and never"
                " gives it the trained weights, so each test gives the same; call share_with(solver.net) of it before",
            )
