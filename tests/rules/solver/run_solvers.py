"""Trains with given solvers as `caffe train` would; runs under Caffe's own Python.

JSON lines in, `{"solver": TEXT}`; JSON lines out, `{"end": ...}`: "refused" where Caffe ends the process, "not finite"
where weights are nan or infinite afterwards, "unmoved" where they are what they were, "moved" else.
"""

import json
import os
import sys
import tempfile

import caffe
import numpy

NET = """
layer { name: "data" type: "DummyData" top: "data"
  dummy_data_param { shape { dim: 4 dim: 5 } data_filler { type: "gaussian" std: 1 } } }
layer { name: "label" type: "DummyData" top: "label"
  dummy_data_param { shape { dim: 4 dim: 1 } data_filler { type: "constant" value: 1 } } }
layer { name: "ip" type: "InnerProduct" bottom: "data" top: "ip"
  inner_product_param { num_output: 1 weight_filler { type: "xavier" } } }
layer { name: "loss" type: "EuclideanLoss" bottom: "ip" bottom: "label" top: "loss" }
"""


def train(text: str) -> str:
    with open("solver.prototxt", "w") as file:
        file.write(text)
    solver = caffe.get_solver("solver.prototxt")
    weights = solver.net.params["ip"][0].data
    before = weights.copy()
    solver.solve()
    if not numpy.isfinite(weights).all():
        return "not finite"
    return "unmoved" if (weights == before).all() else "moved"


def main() -> None:
    caffe.set_mode_cpu()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for name in ("net.prototxt", "test.prototxt"):
            with open(name, "w") as net:
                net.write(NET)
        for line in sys.stdin:
            sys.stdout.flush()
            child = os.fork()
            if not child:
                print(json.dumps({"end": train(json.loads(line)["solver"])}))
                sys.stdout.flush()
                os._exit(0)
            if os.waitpid(child, 0)[1]:
                print(json.dumps({"end": "refused"}))


if __name__ == "__main__":
    main()
