"""Runs under a Python that can `import caffe`: what does the real Caffe make of each net?

Reads JSON lines {"net": text, "phase": "TRAIN" or "TEST", "stages": [..], "level": 0} and writes one for each, in
order: {"ok", "error", "signal", "blobs": [[name, shape], ..], "params": {layer: [shape, ..]}, "outputs": [..],
"memory": bytes as logged, "created": name of the last layer that was created, "backward": {layer: needs it}}, and with
"forward" in the job the "ranges" of values after a forward pass on random inputs.

A job {"solver": text, "files": {name: text}} loads a solver with its nets: {"ok", "error", "signal", "nets": [..]}, one
for each net that was begun, in order: {"source": as Caffe tells it, "net": its filtered text, None where it never came
to that, "done": was it built to its end?}.

A failed check ends the process, so each net and solver is built in a child.
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

SECONDS = 30
MEMORY = 6 << 30


def build(job, path, out):
    """In the child: build the net and write what it is."""
    signal.alarm(SECONDS)
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    arguments = {key: job[key] for key in ("stages", "level") if job.get(key)}
    net = caffe.Net(path, getattr(caffe, job["phase"]), **arguments)
    answer = {
        "blobs": [[name, list(blob.shape)] for name, blob in net.blobs.items()],
        "params": {name: [list(blob.shape) for blob in blobs] for name, blobs in net.params.items()},
        # net.outputs counts in the keys of net.blobs, and is wrong where blobs share a name.
        "outputs": [net._blob_names[index] for index in net._outputs],
    }
    os.write(out, json.dumps(answer).encode() + b"\n")
    if job.get("forward"):
        os.write(out, json.dumps(ranges(net)).encode())


def ranges(net):
    """Least and greatest finite value of each blob after a forward pass on random inputs."""
    random = numpy.random.RandomState(1)
    for name in net.inputs:
        net.blobs[name].data[...] = random.uniform(-3, 3, net.blobs[name].data.shape)
    net.forward()
    found = {}
    for name, blob in net.blobs.items():
        values = blob.data[numpy.isfinite(blob.data)]
        found[name] = [float(values.min()), float(values.max())] if values.size else None
    return found


def fatal(log):
    """The message of a failed check, or the last error line."""
    lines = log.splitlines()
    for index, line in enumerate(lines):
        if re.match(r"F\d{4,8} ", line):
            message = " ".join(lines[index : index + 2]).split("*** Check failure")[0]
            return re.sub(r"^F\d+ [\d:.]+ +\d+ ", "", message).strip()[:2000]
    errors = [line for line in lines if re.search(r"rror|libprotobuf", line)]
    return (errors or lines or [""])[0][:2000]


def load_solver(job, path, out):
    """In the child: the nets that it builds are told by the log."""
    signal.alarm(SECONDS)
    for name, text in job["files"].items():
        with open(name, "w") as file:
            file.write(text)
    caffe.get_solver(path)
    os.write(out, b"{}")


def solver_nets(log):
    """The nets that a log tells of."""
    nets = []
    lines = iter(log.splitlines())
    for line in lines:
        begun = re.search(r"\] Creating t\w+ net (?:\(#(\d+)\) )?(?:specified (?:by|in)|from) (.*)", line)
        if begun:
            test = begun[1] and int(begun[1])
            nets.append({"test": test, "source": begun[2].rstrip("."), "net": None, "done": False})
        elif line.endswith("] Initializing net from parameters: "):
            text = []
            for line in lines:
                if re.match(r"[IWEF]\d{4,8} ", line):
                    break
                text.append(line)
            nets[-1]["net"] = "\n".join(text)
        if line.endswith("] Network initialization done."):
            nets[-1]["done"] = True
    return nets


def ask(job, path):
    with open(path, "w") as file:
        file.write(job["solver"] if "solver" in job else job["net"])
    read, write = os.pipe()
    log = tempfile.TemporaryFile()  # noqa: SIM115
    child = os.fork()
    if child == 0:
        os.close(read)
        os.dup2(log.fileno(), 2)
        try:
            (load_solver if "solver" in job else build)(job, path, write)
        except BaseException as error:
            os.write(2, f"error: {error!r}\n".encode())
            os._exit(1)
        os._exit(0)
    os.close(write)
    answer = b""
    while True:
        part = os.read(read, 1 << 16)
        if not part:
            break
        answer += part
    os.close(read)
    _, status = os.waitpid(child, 0)
    log.seek(0)
    text = log.read().decode("utf8", "replace")
    log.close()
    result = {"ok": bool(answer), "error": None, "signal": os.WTERMSIG(status) if os.WIFSIGNALED(status) else None}
    if "solver" in job:
        for name in job["files"]:
            os.remove(name)
        return dict(result, nets=solver_nets(text), error=None if answer else fatal(text))
    created = re.findall(r"net\.cpp:\d+\] Creating Layer (.*)", text)
    memory = re.findall(r"Memory required for data: (\d+)", text)
    result["created"] = created[-1] if created else None
    result["memory"] = int(memory[-1]) if memory else 0
    needs = re.findall(r"net\.cpp:\d+\] (.*) (needs|does not need) backward computation\.", text)
    result["backward"] = {name: need == "needs" for name, need in needs}
    if answer:
        lines = answer.decode().splitlines()
        result.update(json.loads(lines[0]))
        result["ranges"] = json.loads(lines[1]) if len(lines) > 1 else None
    else:
        result["error"] = fatal(text)
    return result


def main():
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for line in sys.stdin:
            sys.stdout.write(json.dumps(ask(json.loads(line), os.path.join(folder, "net.prototxt"))) + "\n")
            sys.stdout.flush()
        os.chdir("/")


main()
