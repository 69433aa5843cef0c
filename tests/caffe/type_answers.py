"""Runs under a Python that can `import caffe`: what layers do, for test_type_answers.py.

Reads {"net": text, "backward": bool, "moved": bool} a line; answers {"died", "shared", "drew", "shape", "params",
"moved"}: did a pass end the process, does the top "y" show what is written to "x" afterwards, did two passes over the
same data differ, the shape of "y", how many parameters "l" has, and where "moved" is asked, are all values of "y" among
those of the bottoms, all of which differ?
"""

import json
import os
import sys
import tempfile

os.environ.update(GLOG_minloglevel="3")
import caffe
import numpy


def look(job, path):
    net = caffe.Net(path, caffe.TRAIN)
    net._forward(0, len(net.layers) - 1)
    if job["backward"]:
        net._backward(len(net.layers) - 1, 0)
        return {}
    params = len(net.params["l"]) if "l" in net.params else 0
    if "y" not in net.blobs:
        return {"shared": False, "drew": False, "shape": None, "params": params}
    top = net.blobs["y"]
    before = top.data.copy()
    shape = list(before.shape)
    net._forward(net._layer_names.index("l") if hasattr(net._layer_names, "index") else 1, len(net.layers) - 1)
    drew = not (before == top.data).all()
    bottom = net.blobs["x"]
    bottom.data[...] = 12345
    answer = {"shared": bool((top.data == 12345).all()), "drew": bool(drew), "shape": shape, "params": params}
    if job["moved"]:
        held = set()
        for name in set("xbc") & set(net.blobs):
            data = net.blobs[name].data
            data[...] = (len(held) + numpy.arange(data.size)).reshape(data.shape)
            held |= set(data.ravel().tolist())
        net._forward(list(net._layer_names).index("l"), len(net.layers) - 1)
        answer["moved"] = set(top.data.ravel().tolist()) <= held
    return answer


def main():
    for line in sys.stdin:
        job = json.loads(line)
        with tempfile.NamedTemporaryFile("w", suffix=".prototxt") as file:
            file.write(job["net"])
            file.flush()
            reading, writing = os.pipe()
            child = os.fork()
            if child == 0:
                os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
                os.write(writing, json.dumps(look(job, file.name)).encode())
                os._exit(0)
            os.close(writing)
            with os.fdopen(reading) as pipe:
                found = pipe.read()
            _, status = os.waitpid(child, 0)
        print(json.dumps({"died": status != 0} | (json.loads(found) if found else {})), flush=True)


main()
