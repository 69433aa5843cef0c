"""Runs under a Python that can `import caffe`: trains nets, and tells what became of them.

Reads JSON lines {"net", "solver", "iterations", "planted": blob to fill with nan or "", "display": names of scalar
blobs, "hdf5": shapes of what list.txt names} and writes one for each:
{"weights": hash of all parameters, "losses": by iteration, "error": what was raised, "first": [pass, blob, iteration]
of the first blob that is not finite}. check_finite_layer.py is found by PYTHONPATH. Each runs in a child.
"""

import hashlib
import json
import os
import sys
import tempfile

os.environ.update(GLOG_minloglevel="2")
import caffe
import numpy


def first_not_finite(net, iteration):
    """Reads what the pass left in the blobs; right for blobs that no layer changes in place afterwards."""
    for name, blob in net.blobs.items():
        if not numpy.isfinite(blob.data).all():
            return ["forward", name, iteration]
    for name, blob in reversed(list(net.blobs.items())):
        if not numpy.isfinite(blob.diff).all():
            return ["backward", name, iteration]
    return None


def write_hdf5(shapes):
    import h5py

    random = numpy.random.RandomState(3)
    with h5py.File("data.h5", "w") as file:
        for name, shape in shapes.items():
            values = random.randint(5, size=shape) if len(shape) == 1 else random.randn(*shape)
            file[name] = values.astype(numpy.float32)
    with open("list.txt", "w") as file:
        file.write("data.h5\n")


def train(job):
    with open("net.prototxt", "w") as file:
        file.write(job["net"])
    with open("solver.prototxt", "w") as file:
        file.write('net: "net.prototxt" random_seed: 7 snapshot_after_train: false ' + job["solver"])
    if job.get("hdf5"):
        write_hdf5(job["hdf5"])
    solver = caffe.get_solver("solver.prototxt")
    net = solver.net
    if job.get("planted"):
        net.blobs[job["planted"]].data.flat[3] = float("nan")
    answer = {"losses": [], "error": None, "first": None}
    try:
        for iteration in range(job["iterations"]):
            solver.step(1)
            answer["losses"].append(sorted((name, float(net.blobs[name].data)) for name in job.get("display", ())))
            answer["first"] = answer["first"] or first_not_finite(net, iteration)
    except Exception as error:
        answer["error"] = str(error)
    digest = hashlib.sha256()
    for name, blobs in net.params.items():
        for blob in blobs:
            digest.update(name.encode() + blob.data.tobytes())
    answer["weights"] = digest.hexdigest()
    return answer


def main():
    out = os.dup(1)
    os.dup2(2, 1)
    for line in sys.stdin:
        with tempfile.TemporaryDirectory() as folder:
            child = os.fork()
            if child == 0:
                os.chdir(folder)
                try:
                    answer = train(json.loads(line))
                except BaseException as error:
                    answer = {"error": repr(error)}
                with open("answer", "w") as file:
                    json.dump(answer, file)
                os._exit(0)
            os.waitpid(child, 0)
            path = os.path.join(folder, "answer")
            text = open(path).read() if os.path.exists(path) else '{"error": "the process died"}'  # noqa: SIM115
        os.write(out, text.encode() + b"\n")


main()
