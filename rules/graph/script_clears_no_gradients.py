from __future__ import annotations

from collections.abc import Iterator

from caffelint.lint import LIKELY, WARNING, Finding, Invalid, Net, NetRule, quoted

_NET = (
    'layer { name: "data" type: "Input" top: "data" input_param { shape { dim: 4 dim: 8 } } }'
    ' layer { name: "fc" type: "InnerProduct" bottom: "data" top: "fc" inner_product_param { num_output: 8 } }'
    ' layer { name: "loss" type: "EuclideanLoss" bottom: "fc" bottom: "data" top: "loss" }'
)
_SCRIPT = """
net = caffe.Net("net.prototxt", caffe.TRAIN)
for step in range(1000):
    net.forward()%s
    net.backward()
    for blobs in net.params.values():
        for blob in blobs:
            blob.data[...] -= 0.01 * blob.diff
"""


class ScriptClearsNoGradients(NetRule):
    """A Python script updates the weights of a net by hand, and never clears their gradients.

    ## Why is this bad?
    `net.backward()` adds the gradients of weights to what is in their `diff`, so that a solver can sum them over
    `iter_size` batches; a solver clears them before each iteration. A script that does not uses the sum of all
    gradients since it began in each step, and the training swings and diverges.

    ## Example
    ```python
    net.backward()
    blob.data[...] -= rate * blob.diff
    ```
    Use instead:
    ```python
    net.clear_param_diffs()
    net.backward()
    blob.data[...] -= rate * blob.diff
    ```

    ## References
    - inner_product_layer.cpp, Backward_cpu; solver.cpp, Step: ClearParamDiffs; _caffe.cpp, clear_param_diffs
    """

    code = "G066"
    name = "script-clears-no-gradients"
    severity = WARNING
    certainty = LIKELY
    _FILES = {"README.md": "", "net.prototxt": _NET}
    VALID = [
        _FILES | {"train.py": _SCRIPT % "\n    net.clear_param_diffs()"},
        _FILES | {"train.py": _SCRIPT % "" + "            blob.diff[...] = 0\n"},
        _FILES | {"train.py": (_SCRIPT % "").replace("blob.data[...]", "total")},
        _FILES | {"train.py": (_SCRIPT % "").replace("net.p", "other.p")},
    ]
    INVALID = [
        Invalid(
            _FILES | {"train.py": _SCRIPT % ""},
            span='name: "data"',
            message='"train.py" (line 5) runs backward again and again, which adds to the gradients, and never clears'
            " them, so each update uses the sum of all so far; call net.clear_param_diffs() before",
        ),
    ]

    def check(self, net: Net) -> Iterator[Finding]:
        for one in net.runs.uncleared if net.runs and net.layers else ():
            yield self.finding(
                net.layers[0].at("name"),
                f"{quoted(one.path)} (line {one.line}) runs backward again and again, which adds to the gradients, and"
                " never clears them, so each update uses the sum of all so far; call net.clear_param_diffs() before",
            )
