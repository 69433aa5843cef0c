"""Runs under a Python that can `import caffe`: trains with the real Caffe, and writes down all that it did.

    caffe-python train_with_caffe.py JOBS.json OUT.npz

Each job is {"solver": text, "net": text, "iterations": n, "gradients": bool, "classes": n, "iter_size": n}. With
`gradients` no net runs: each iteration the diffs of all parameters are drawn at random and one update is applied. Else
each pass of each iteration gets new random values in the net's inputs (those whose name starts with "label" below
`classes`), runs forward and backward, and the losses are kept. Of job 3 and parameter 1 the file holds 3/initial/1,
3/final/1, and 3/gradients/ITERATION/1 with 3/params/ITERATION/1, or 3/losses and 3/inputs/PASS/NAME.
"""

import json
import os
import sys
import tempfile

os.environ.update(GLOG_minloglevel="2")
import caffe
import numpy


def blobs_of(net):
    """All parameters in Caffe's order, shared ones once: by the address of their data."""
    found = {}
    for blobs in net.params.values():
        for blob in blobs:
            found.setdefault(blob.data.__array_interface__["data"][0], blob)
    return list(found.values())


def keep(out, prefix, blobs):
    for index, blob in enumerate(blobs):
        out[f"{prefix}/{index}"] = blob.data.copy()


def apply_random_gradients(solver, job, out, prefix):
    random = numpy.random.RandomState(7)
    blobs = blobs_of(solver.net)
    for iteration in range(job["iterations"]):
        for index, blob in enumerate(blobs):
            gradient = random.standard_normal(blob.data.shape) * 10.0 ** random.randint(-3, 2)
            gradient = gradient * (random.uniform(size=blob.data.shape) > 0.2)
            blob.diff[...] = gradient
            out[f"{prefix}/gradients/{iteration}/{index}"] = blob.diff.copy()
        solver.apply_update()
        keep(out, f"{prefix}/params/{iteration}", blobs)


def train(solver, job, out, prefix):
    random = numpy.random.RandomState(11)
    net = solver.net
    losses = []
    passes = 0
    for _ in range(job["iterations"]):
        net.clear_param_diffs()
        loss = 0
        for _ in range(job["iter_size"]):
            for name in net.inputs:
                shape = net.blobs[name].data.shape
                if name.startswith("label"):
                    net.blobs[name].data[...] = random.randint(0, job["classes"], shape)
                else:
                    net.blobs[name].data[...] = random.standard_normal(shape)
                out[f"{prefix}/inputs/{passes}/{name}"] = net.blobs[name].data.copy()
            passes += 1
            found = net.forward()
            loss += sum(float(found[name].sum()) * net.blob_loss_weights[name] for name in found)
            net.backward()
        losses.append(loss / job["iter_size"])
        solver.apply_update()
    out[prefix + "/losses"] = numpy.array(losses)


def run(job, out, prefix):
    with open("net.prototxt", "w") as file:
        file.write(job["net"])
    with open("solver.prototxt", "w") as file:
        file.write('net: "net.prototxt" snapshot_prefix: "s" random_seed: 3 ' + job["solver"])
    caffe.set_random_seed(3)
    solver = caffe.get_solver("solver.prototxt")
    keep(out, prefix + "/initial", blobs_of(solver.net))
    (apply_random_gradients if job.get("gradients") else train)(solver, job, out, prefix)
    keep(out, prefix + "/final", blobs_of(solver.net))


def main():
    jobs_file, out_file = map(os.path.abspath, sys.argv[1:])
    with open(jobs_file) as file:
        jobs = json.load(file)
    out = {}
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for number, job in enumerate(jobs):
            run(job, out, str(number))
        os.chdir("/")
    numpy.savez(out_file, **out)


main()
