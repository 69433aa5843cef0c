from __future__ import annotations

import os
from collections.abc import Iterator

from caffelint.lint import LIKELY, TRAIN, WARNING, Finding, Invalid, Net, NetRule, quoted, titles

_NET = (
    'layer { name: "data" type: "Input" top: "data" input_param { shape { dim: 4 dim: 8 } } }'
    ' layer { name: "label" type: "Input" top: "label" input_param { shape { dim: 4 } } }'
    ' layer { name: "drop" type: "Dropout" bottom: "data" top: "drop"%s }'
    ' layer { name: "fc" type: "InnerProduct" bottom: "drop" top: "fc" inner_product_param { num_output: 8 } }'
    ' layer { name: "loss" type: "SoftmaxWithLoss" bottom: "fc" bottom: "label" top: "loss" }'
    ' layer { name: "accuracy" type: "Accuracy" bottom: "fc" bottom: "label" top: "accuracy" }'
)
_SCRIPT = """
import caffe
solver = caffe.SGDSolver("solver.prototxt")
def validate():
    solver.net.blobs["data"].data[...] = images
    solver.net.forward()
    return solver.%s.blobs["accuracy"].data
"""


class ScriptJudgesInTraining(NetRule):
    """A Python script measures an accuracy by the training net of a solver, in which Dropout drops values.

    ## Why is this bad?
    `solver.net` is always in the TRAIN phase. What Dropout leaves of the values is another part in each pass, so the
    accuracy is lower than that of the net in use, and another one each time.

    ## Example
    ```python
    solver.net.blobs["data"].data[...] = images
    solver.net.forward()
    accuracy = solver.net.blobs["accuracy"].data
    ```
    Use instead:
    ```python
    net = caffe.Net("net.prototxt", caffe.TEST)  # or solver.test_nets[0], where the solver has test_iter
    net.share_with(solver.net)
    net.blobs["data"].data[...] = images
    net.forward()
    accuracy = net.blobs["accuracy"].data
    ```

    ## Known problems
    Only scripts are read that fill the blobs of the net themselves, and know nothing of the nets for tests. Nothing is
    said where it is not known which solver they build: where they give no path of it, and the project has several.

    ## References
    - solver.cpp, InitTrainNet and TestAll; dropout_layer.cpp, Forward_cpu
    """

    code = "G053"
    name = "script-judges-in-training"
    severity = WARNING
    certainty = LIKELY
    _FILES = {"README.md": "", "solver.prototxt": 'net: "net.prototxt" base_lr: 0.1'}
    VALID = [
        _FILES | {"net.prototxt": _NET % "", "a.py": _SCRIPT % "test_nets[0]"},
        _FILES | {"net.prototxt": _NET % " include { phase: TEST }", "a.py": _SCRIPT % "net"},
        _FILES | {"net.prototxt": _NET % "", "a.py": (_SCRIPT % "net").replace("solver.p", "other_solver.p")},
    ]
    INVALID = [
        Invalid(
            _FILES | {"net.prototxt": _NET % "", "a.py": _SCRIPT % "net"},
            span='type: "Accuracy"',
            message='"a.py" (line 6) takes "accuracy" from the net of the solver, which is in TRAIN, where Dropout'
            ' "drop" draws at random, so it is lower than in use; take it from caffe.Net("net.prototxt", caffe.TEST),'
            " after its share_with(solver.net)",
        ),
        Invalid(
            _FILES
            | {"net.prototxt": _NET % "", "a.py": _SCRIPT % "net"}
            | {"solver.prototxt": 'net: "net.prototxt" test_iter: 10 test_interval: 100 base_lr: 0.1'},
            span='type: "Accuracy"',
            message='"a.py" (line 6) takes "accuracy" from the net of the solver, which is in TRAIN, where Dropout'
            ' "drop" draws at random, so it is lower than in use; take it from solver.test_nets[0], after its'
            " share_with(solver.net)",
        ),
    ]

    def check(self, net: Net) -> Iterator[Finding]:
        judged = net.runs.judged if net.runs and net.may_be_trained else ()
        one = next((one for one in net.states() if one.phase == TRAIN and one.is_wired), None) if judged else None
        if one is None or any(layer.is_data is not False for layer in one.layers if not layer.bottoms):
            return
        scores = {top.name: layer for layer in one.layers if layer.type == "Accuracy" for top in layer.tops}
        for place, read in judged:
            path = os.path.abspath(read.solver)
            solver = next((solver for solver in net.solvers if os.path.abspath(solver.path) == path), None)
            if solver is None or not all(name in one.blobs for name in read.names):
                continue
            # Caffe makes nets for tests of as many test_iter as there are: solver.cpp, InitTestNets.
            own = (
                "solver.test_nets[0]"
                if solver.message.test_iter
                else f"caffe.Net({quoted(os.path.basename(net.path))}, caffe.TEST)"
            )
            for name in read.names:
                score = scores.get(name)
                drops = [layer for layer in score.bottoms[0].depends_on if layer.draws_at_random] if score else []
                if score is None or score.index is None or not drops:
                    continue
                draw = "draws" if len(drops) == 1 else "draw"
                yield self.finding(
                    net.layers[score.index].at("type"),
                    f"{quoted(place.path)} (line {place.line}) takes {quoted(name)} from the net of the solver, which"
                    f" is in TRAIN, where {titles(drops)} {draw} at random, so it is lower than in use; take it"
                    f" from {own}, after its share_with(solver.net)",
                    phases=(TRAIN,),
                )
                return
