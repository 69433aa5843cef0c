"""Runs under a Python that can `import caffe`: does a net load, and is all finite after two updates?

Reads JSON lines {"solver": text, "net": text} and writes one for each, in order: null if so, else what is wrong. The
solver names its net "net.prototxt"; beside it stand H.binaryproto, an identity matrix, and a module `loss` with a layer
`Loss`. A failed check ends the process, so each solver runs in a child.
"""

import json
import os
import re
import signal
import sys
import tempfile

os.environ.update(GLOG_logtostderr="1", GLOG_minloglevel="2")
import caffe
import numpy

SECONDS = 20
LOSS = """
import caffe

class Loss(caffe.Layer):
    def setup(self, bottom, top):
        pass

    def reshape(self, bottom, top):
        top[0].reshape(1)

    def forward(self, bottom, top):
        top[0].data[...] = 1

    def backward(self, top, propagate_down, bottom):
        pass
"""


def step():
    """In the child: what is not finite after two updates; empty if all is."""
    signal.alarm(SECONDS)
    caffe.set_mode_cpu()
    solver = caffe.get_solver("solver.prototxt")
    solver.step(2)
    for name, blobs in solver.net.params.items():
        if not all(numpy.isfinite(blob.data).all() and numpy.isfinite(blob.diff).all() for blob in blobs):
            return f"the parameters of {name} are not finite"
    for name, blob in solver.net.blobs.items():
        if not numpy.isfinite(blob.data).all() or not numpy.isfinite(blob.diff).all():
            return f"{name} is not finite"
    return ""


def ask(job):
    for file in ("solver", "net"):
        with open(f"{file}.prototxt", "w", encoding="utf-8") as out:
            out.write(job[file])
    with tempfile.TemporaryFile() as log:
        child = os.fork()
        if child == 0:
            os.dup2(log.fileno(), 2)
            os.dup2(2, 1)
            try:
                wrong = step()
            except BaseException as error:
                wrong = repr(error)
            os.write(2, f"WRONG {wrong}\n".encode())
            os._exit(bool(wrong))
        _, status = os.waitpid(child, 0)
        log.seek(0)
        text = log.read().decode("utf-8", "replace")
    if status == 0:
        return None
    lines = [line for line in text.splitlines() if re.match(r"F\d|WRONG|.*Error parsing", line)]
    return (lines or [f"status {status}"])[0]


def main():
    answers = os.fdopen(os.dup(1), "w")
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        sys.path.insert(0, folder)
        with open("loss.py", "w") as out:
            out.write(LOSS)
        with open("H.binaryproto", "wb") as out:
            blob = caffe.io.array_to_blobproto(numpy.eye(3).reshape(1, 1, 3, 3))
            out.write(blob.SerializeToString())
        for line in sys.stdin:
            answers.write(json.dumps(ask(json.loads(line))) + "\n")
            answers.flush()
        os.chdir("/")


main()
