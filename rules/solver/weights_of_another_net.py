from __future__ import annotations

from collections.abc import Iterator

from caffelint.lint import LIKELY, WARNING, Finding, Invalid, Solver, SolverRule, file_name, quoted

_LEAST = 10
"""Layers of the net that the weights are of: of fewer, the names of data, loss and the like count too much."""
_SHARE = 0.1


def _net(prefix: str) -> str:
    return 'layer { name: "data" type: "Data" top: "data" top: "label" }' + "".join(
        f' layer {{ name: "{prefix}{i}" type: "InnerProduct" bottom: "{f"{prefix}{i - 1}" if i else "data"}"'
        f' top: "{prefix}{i}" inner_product_param {{ num_output: 8 }} }}'
        for i in range(12)
    )


class WeightsOfAnotherNet(SolverRule):
    """A script trains a net from weights whose name is that of a net with other layers.

    ## Why is this bad?
    Caffe copies weights by the names of layers. Where next to none agree, training starts from the fillers, with the
    low rate of a fine-tuning, and the log says so only in lines `Ignoring source layer`.

    ## Example
    ```
    caffe train --solver=shufflenet_v2/solver.prototxt --weights=shufflenet_v1.caffemodel
    ```
    Use instead:
    ```
    caffe train --solver=shufflenet_v2/solver.prototxt --weights=shufflenet_v2.caffemodel
    ```

    ## Known problems
    Weights are taken for those of the solver whose snapshot_prefix they have, or of the net that is called as they are:
    `x.caffemodel` of `x.prototxt`, `x_deploy.prototxt` or `x_train_val.prototxt`. Nothing is
    said where several nets are called so, or where several files are given.

    ## References
    - net.cpp, CopyTrainedLayersFrom; solver.cpp, SnapshotFilename
    """

    code = "S315"
    name = "weights-of-another-net"
    severity = WARNING
    certainty = LIKELY
    _FILES = {
        "README.md": "",
        "solver.prototxt": 'net: "net.prototxt" base_lr: 0.01',
        "net.prototxt": _net("branch"),
        "v1_deploy.prototxt": _net("res"),
        "v2.prototxt": _net("branch"),
    }
    _RUN = "cd ~/clone\ncaffe train --solver=solver.prototxt --weights=models/{}.caffemodel\n"
    VALID = [
        _FILES | {"train.sh": _RUN.format("v2")},
        # Of no net of the project.
        _FILES | {"train.sh": _RUN.format("vgg16")},
    ]
    INVALID = [
        Invalid(
            _FILES | {"train.sh": _RUN.format("v1")},
            span='net: "net.prototxt"',
            message='train.sh:2 trains it from "v1.caffemodel", by their name weights of "v1_deploy.prototxt", of whose'
            ' 13 layers "net.prototxt" has 1, so it starts from its fillers; give weights of its own layers',
        ),
    ]

    def check(self, solver: Solver) -> Iterator[Finding]:
        loaded = solver.runs.loaded if solver.runs else None
        if loaded is None or len(loaded.layers) < _LEAST:
            return
        for use in solver.nets:
            both = {layer.name for layer in use.net.layers}.intersection(loaded.layers)
            if use.trains and use.net.layers and len(both) <= _SHARE * len(loaded.layers):
                yield self.finding(
                    solver.at(use.field),
                    f"{loaded.place} trains it from {quoted(loaded.weights)}, by their name weights of"
                    f" {quoted(loaded.net)}, of whose {len(loaded.layers)} layers {quoted(file_name(use.net.path))} has"
                    f" {len(both)}, so it starts from its fillers; give weights of its own layers",
                )
