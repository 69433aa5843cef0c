"""Asks a real Caffe for its learning rates; runs under Caffe's own Python.

JSON lines in, `{"solver": TEXT, "iterations": [...]}`; JSON lines out, `{"solver": TEXT, "rates": [...]}`: texts in the
order of the iterations, or None where Caffe ends the process. The one weight of a net, whose gradient is exactly 1, is
set to 0 before an update, so that the update is the rate to its last bit. Iterations are reached by restoring a state,
those of multistep by counting.
"""

import json
import os
import sys
import tempfile

import caffe
from caffe.proto import caffe_pb2

NET = """
layer { name: "data" type: "DummyData" top: "data"
  dummy_data_param { shape { dim: 1 dim: 1 } data_filler { type: "constant" value: 1 } } }
layer { name: "ip" type: "InnerProduct" bottom: "data" top: "ip"
  inner_product_param { num_output: 1 bias_term: false } }
layer { name: "loss" type: "Reduction" bottom: "ip" top: "loss" loss_weight: 1 }
"""


def rates(solver_text: str, iterations: list) -> list:
    with open("net.prototxt", "w") as net, open("solver.prototxt", "w") as text:
        net.write(NET)
        text.write('net: "net.prototxt" snapshot_after_train: false ' + solver_text)
    solver = caffe.get_solver("solver.prototxt")
    weight = solver.net.params["ip"][0]
    counts = 'lr_policy: "multistep"' in solver_text
    found = []
    for iteration in iterations:
        if counts:
            solver.step(iteration - solver.iter)
        else:
            restore(solver, iteration)
        weight.data[...] = 0
        solver.step(1)
        found.append(repr(float(0 - weight.data[0, 0])))
    return found


def restore(solver, iteration: int) -> None:
    state = caffe_pb2.SolverState(iter=iteration)
    history = state.history.add()
    history.shape.dim.extend([1, 1])
    history.data.append(0)
    with open("at.solverstate", "wb") as file:
        file.write(state.SerializeToString())
    solver.restore("at.solverstate")


def main() -> None:
    caffe.set_mode_cpu()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for line in sys.stdin:
            case = json.loads(line)
            sys.stdout.flush()
            child = os.fork()
            if not child:
                print(json.dumps({"solver": case["solver"], "rates": rates(case["solver"], case["iterations"])}))
                sys.stdout.flush()
                os._exit(0)
            if os.waitpid(child, 0)[1]:
                print(json.dumps({"solver": case["solver"], "rates": None}))


if __name__ == "__main__":
    main()
