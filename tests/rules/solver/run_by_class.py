"""Trains by `caffe.SGDSolver` and by `caffe.get_solver`; runs under Caffe's own Python.

Reads types of solvers, a line each; writes JSON, `{TYPE: [WEIGHTS, WEIGHTS]}`, in this order, after three iterations.
"""

import json
import os
import sys
import tempfile

import caffe
import run_solvers


def main() -> None:
    caffe.set_mode_cpu()
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        with open("net.prototxt", "w") as net:
            net.write(run_solvers.NET)
        common = 'net: "net.prototxt" base_lr: 0.1 lr_policy: "fixed" delta: 1e-6 random_seed: 7'
        for type in sys.stdin.read().split():
            with open("solver.prototxt", "w") as file:
                file.write(f'{common} type: "{type}"')
            weights = []
            for build in (caffe.SGDSolver, caffe.get_solver):
                solver = build("solver.prototxt")
                solver.step(3)
                weights.append(solver.net.params["ip"][0].data.ravel().tolist())
            found[type] = weights
    print(json.dumps(found))


if __name__ == "__main__":
    main()
