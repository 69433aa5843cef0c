"""Runs under a Python that can `import caffe`: which weights does the real Caffe copy into a net?

Reads JSON lines. {"net": text, "phase": "TRAIN" or "TEST", "save": path} writes the net's weights to `path` and, as
HDF5, to `path`.h5, which a net with two layers of one name cannot be. {"net", "phase", "load": path, "values": path}
loads a file into the net, whose parameters are all -7.5 before, and writes them as .npz: {"ok", "loading", "error",
"signal", "ignored": names}.

A failed check ends the process, so each job is done in a child.
"""

import json
import os
import re
import resource
import signal
import sys
import tempfile

os.environ.update(GLOG_logtostderr="1", GLOG_minloglevel="0")
import caffe
import numpy

SECONDS = 60
MEMORY = 6 << 30
BEFORE = -7.5


def do(job, path):
    """In the child."""
    signal.alarm(SECONDS)
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    net = caffe.Net(path, getattr(caffe, job["phase"]))
    if "save" in job:
        for layer in net.layers:  # not net.params: layers may share a name
            for blob in layer.blobs:
                blob.data[...] = numpy.random.RandomState(blob.count).uniform(-1, 1, blob.data.shape)
        net.save(job["save"])
        if len(set(net._layer_names)) == len(net._layer_names):
            net.save_hdf5(job["save"] + ".h5")
        return
    for layer in net.layers:
        for blob in layer.blobs:
            blob.data[...] = BEFORE
    os.write(2, b"LOADING\n")
    net.copy_from(job["load"])
    layers = enumerate(net.layers)
    numpy.savez(job["values"], **{f"{n}/{i}": blob.data for n, layer in layers for i, blob in enumerate(layer.blobs)})


def ask(job, path):
    with open(path, "w") as file:
        file.write(job["net"])
    log = tempfile.TemporaryFile()  # noqa: SIM115
    child = os.fork()
    if child == 0:
        os.dup2(log.fileno(), 2)
        try:
            do(job, path)
        except BaseException as error:
            os.write(2, f"error: {error!r}\n".encode())
            os._exit(1)
        os._exit(0)
    _, status = os.waitpid(child, 0)
    log.seek(0)
    text = log.read().decode("utf8", "replace")
    log.close()
    before, loading, after = text.partition("LOADING\n")
    text = after if loading else before
    fatal = re.search(r"^F\d{4,8} .*\n?.*|^error: .*", text, re.MULTILINE)
    return {
        "ok": status == 0,
        "loading": bool(loading),
        "error": fatal[0] if fatal else text[-400:],
        "signal": os.WTERMSIG(status) if os.WIFSIGNALED(status) else None,
        "ignored": re.findall(r"Ignoring source layer (.*)", text),
    }


def main():
    with tempfile.TemporaryDirectory() as folder:
        for line in sys.stdin:
            sys.stdout.write(json.dumps(ask(json.loads(line), os.path.join(folder, "net.prototxt"))) + "\n")
            sys.stdout.flush()


main()
