"""Runs under the real Caffe: nets as JSON lines on stdin; for each, on stdout, the mean squares before the first
update, as means over several draws of the weights and the data.
"""

import json
import os
import sys
import tempfile

os.environ["GLOG_minloglevel"] = "3"  # noqa: SIM112

import caffe
import numpy

SEEDS = 6


def mean_square(values):
    values = numpy.asarray(values, dtype="float64")
    return float((values * values).mean())


def draw(name, seed):
    caffe.set_random_seed(seed)
    built = caffe.Net(name, caffe.TRAIN)
    built.forward()
    built.backward()
    found = {("blobs", name): mean_square(blob.data) for name, blob in built.blobs.items()}
    found.update({("gradients", name): mean_square(blob.diff) for name, blob in built.blobs.items()})
    for name, params in built.params.items():
        found["learned", name] = mean_square(params[0].diff)
    found["blobs", "loss"] = float(built.blobs["loss"].data)
    return found


def answer(net):
    with tempfile.NamedTemporaryFile("w", suffix=".prototxt") as file:
        file.write(net)
        file.flush()
        draws = [draw(file.name, seed) for seed in range(SEEDS)]
    found = {}
    for kind, name in draws[0]:
        found.setdefault(kind, {})[name] = sum(one[kind, name] for one in draws) / SEEDS
    return found


caffe.set_mode_cpu()
for line in sys.stdin:
    print(json.dumps(answer(json.loads(line))))
