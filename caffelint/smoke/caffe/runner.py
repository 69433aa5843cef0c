"""Runs a job with a real Caffe: Python 2.7 or 3, numpy and caffe alone; takes the path of the job.

It is copied into a separate folder, and what it imports into the package caffelint_engine there, since a Python layer's
module may have any other name. What it prints is described in events.py; values are the same, names short, because a
Caffe of ten years ago has to read this. Caffe ends the process on a failed check: whoever started this reads stderr.
"""

# ruff: noqa: B905, C402, UP004, UP010, UP031
# mypy: ignore-errors
# ruff: noqa: E402
from __future__ import absolute_import, division, print_function

import os  # site has imported it
import sys

# An empty entry of PYTHONPATH is the working directory: nothing is imported from there but Python layers.
_OWN = os.path.realpath(os.getcwd())
sys.path[:] = [path for path in sys.path if path and os.path.realpath(path) != _OWN]

import json
import random
import resource
import signal
import threading
import time
import traceback

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:] = [path for path in sys.path if os.path.realpath(path) != os.path.realpath(HERE)] + [HERE]

from caffelint_engine import own_code, stacks, tracing
from caffelint_engine.net_numbers import Net, bad_param, extent, finite, is_finite, summary

MOST_ROWS = 16


def main(path):
    os.environ.update(GLOG_logtostderr="1", GLOG_minloglevel="0", GLOG_v="0")
    with open(path) as file:
        job = json.load(file)
    if job["mode"] == "serve":
        from caffelint_engine import serving

        serving.serve(job, main)
    events = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    end_in_time(job["timeout"])
    run = Run(job, events)
    try:
        run.prepare()
        run.work()
    except Ended:
        pass
    except (SystemExit, KeyboardInterrupt, Exception) as error:
        run.raised(error)
    run.emit("done", iterations=run.completed, seconds=run.seconds, peak_memory=peak_memory())
    events.flush()
    os._exit(0)  # prefetching threads and C++ destructors of a broken net have nothing to add


class Ended(Exception):
    """The run is over, and the reason has been reported."""


def end_in_time(seconds):
    """End this process, should whoever started it be unable to: a container outlives the program that started it."""
    if seconds:
        timer = threading.Timer(seconds + 15, os._exit, [124])
        timer.daemon = True
        timer.start()
        signal.alarm(int(seconds) + 30)


def look_for_layers(folders):
    """Let Python layers be found there: before what is installed, after the standard library, part of which numpy and
    caffe import late."""
    library = os.path.dirname(os.path.abspath(os.__file__))
    own = [path for path in sys.path if path == library or path.startswith(library + os.sep)]
    own = [path for path in own if not path.endswith("-packages")]
    at = 1 + max([sys.path.index(path) for path in own] or [-1])
    sys.path[at:at] = folders


def peak_memory():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


class Run(object):
    ended = Ended
    finite = staticmethod(finite)

    def __init__(self, job, events):
        self.job = job
        self.events = events
        self.completed = 0
        self.seconds = 0.0
        self.solver = None
        self.nets = []
        self.batches = {}
        self.at = (0, -1)
        self.read = {}

    def emit(self, event, **values):
        values["event"] = event
        self.events.write(json.dumps(values) + "\n")
        self.events.flush()
        stacks.moved()

    def prepare(self):
        job = self.job
        stacks.watch(job["timeout"])
        import caffe
        import numpy
        from caffelint_engine import answers, arrays, gradients, loaded, losses, modes, synthetic  # noqa: F401

        look_for_layers([os.getcwd()] + job["python_path"])
        self.make = synthetic.batch
        self.answers = answers.Answers(job["targets"], job["pairs"], job["sequences"], job["marks"])
        self.emit("note", message="Caffe %s, Python %s" % (getattr(caffe, "__version__", "?"), sys.version.split()[0]))
        if job["wants_gpu"]:
            from caffelint_engine import cpu_only

            if cpu_only.cpu_only():
                self.emit("without_gpu", why="this Caffe was built CPU_ONLY")
        caffe.set_random_seed(job["seed"])
        numpy.random.seed(job["seed"])
        random.seed(job["seed"])
        if job["device"] == "cpu":
            caffe.set_mode_cpu()
        else:
            caffe.set_device(int(job["device"].split(":")[1]))
            caffe.set_mode_gpu()
        with open(job["solver"], "rb") as file:
            self.multistep = b"multistep" in file.read()
        self.solver = caffe.get_solver(encoded(job["solver"]))
        self.nets = [Net(self.solver.net)] + [Net(net) for net in self.solver.test_nets]
        self.own = own_code.Own(self.emit)
        for net in self.nets:
            for number, name in enumerate(net.names):
                if net.types[number] == "Python":
                    self.own.watch(name, net.net.layers[number])
        if job["trace"]:
            for number, net in enumerate(self.nets):
                tracing.listen(self, net, number)
        for number, net in enumerate(self.nets):
            phase = "TEST" if number else "TRAIN"
            count = sum(int(param.data.size) for _, _, param in net.params)
            sizes = {"layers": len(net.names), "blobs": len(net.blobs), "parameters": count}
            self.emit("loaded", net=number, phase=phase, shapes=net.shapes_of_data(), **sizes)
        if job["weights"]:
            net = self.nets[0]
            kept = net.keep()
            self.solver.net.copy_from(encoded(job["weights"]))
            changed = {layer for (layer, _, param), was in zip(net.params, kept) if (param.data != was).any()}
            self.emit("note", message="weights were copied into %d layers" % len(changed))
            for layer, index, param in net.params:
                wrong = loaded.wrong(param.data, net.types[layer] == "BatchNorm" and index == 1)
                if wrong:
                    self.emit("bad_weights", layer=net.names[layer], param=index, **wrong)

    def fill(self, number, index):
        """Put batch `index` into the synthetic inputs of a net."""
        net = self.nets[number]
        for spec in self.job["inputs"]:
            if spec["net"] == number and spec["source"] == "synthetic":
                key = spec["top"], index, tuple(spec["shape"]), spec["values"]
                if key not in self.batches:
                    if len(self.batches) > 8:
                        self.batches.clear()
                    self.batches[key] = self.make(spec, self.job["seed"], index)
                blob = net.blobs[net.blob_names.index(spec["top"])]
                if tuple(blob.data.shape) != tuple(spec["shape"]):
                    blob.reshape(*[int(dim) for dim in spec["shape"]])
                blob.data[...] = self.batches[key]

    def work(self):
        if self.job["mode"] == "train":
            self.train()
        else:
            from caffelint_engine import modes

            modes.MODES[self.job["mode"]](self)

    def train(self):
        net = self.nets[0]
        self.pass_at_rate_zero(net)
        started = time.time()
        for iteration in range(self.job["iterations"]):
            self.iterate(net, iteration)
            self.completed += 1
            self.seconds = time.time() - started
        for kind, found in self.answers.events():
            self.emit(kind, **found)
        for number in range(1, len(self.nets)):
            self.test(number)

    def pass_at_rate_zero(self, net):
        """One pass forward and backward; what it leaves in the parameters, BatchNorm's averages, is taken back."""
        from caffelint_engine import losses

        self.at = 0, -1
        kept = net.keep()
        self.fill(0, 0)
        tracing.traced(self, net, 0, -1)
        self.leave_out(net, 1)
        net.net.forward()
        self.reads(0, 1)
        self.report_inputs(net)
        net.clear_diffs()
        if all(finite(blob.data) for blob in net.blobs):
            net.net.backward()
        self.judge(net, kept, -1, 0.0)
        self.report(net, -1, 0.0, "diff")
        if self.job["statistics_every"]:
            losses.report(self, net)
        net.restore(kept)

    def report_inputs(self, net):
        """What the data holds, before a backward pass to labels out of range writes where it should not."""
        for number, blob in enumerate(net.blobs):
            layer = net.writer[number]
            if layer is not None and not net.has_bottoms[layer]:
                self.statistics(-1, net.names[layer], "blob", net.blob_names[number], "data", blob.data)

    def iterate(self, net, iteration):
        self.at = 0, iteration
        index = iteration % self.job["batches"]
        self.fill(0, index)
        kept = net.keep()
        if tracing.traced(self, net, 0, iteration):
            net.restore(kept)
            self.fill(0, index)
        rate = self.rate(iteration)
        self.leave_out(net, self.job["passes"])
        self.solver.step(1)
        self.reads(0, self.job["passes"])
        if not is_finite(rate):
            self.report(net, iteration, rate, "update")
            self.non_finite(net, iteration, rate, "rate", -1, "", "", rate, {})
        self.judge(net, kept, iteration, rate)
        self.report(net, iteration, rate, "update")
        self.answers.add(net.values_of)

    def reads(self, number, batches):
        """A net has read so many batches of its data."""
        self.read[number] = self.read.get(number, 0) + batches

    def leave_out(self, net, batches):
        """Read what is to be left out of the next batches."""
        while set(self.job["skips"]) & set(range(self.read.get(0, 0), self.read.get(0, 0) + batches)):
            for layer, bottoms in enumerate(net.bottoms):
                if not bottoms:
                    net.net._forward(layer, layer)
            self.reads(0, 1)

    def rate(self, iteration):
        """The rate of the coming update. To ask Caffe moves multistep on; older ones have no answer."""
        rates = self.job["rates"]
        if rates and (self.multistep or not hasattr(self.solver, "lr")):
            return rates[iteration]
        return getattr(self.solver, "lr", 0.0)

    def report(self, net, iteration, rate, of_params):
        """What an iteration gave. of_params: what the diffs of the parameters are at this moment."""
        loss, losses = net.losses()
        self.emit("iteration", iteration=iteration, rate=rate, loss=loss, losses=losses)
        every = self.job["statistics_every"]
        last = iteration == self.job["iterations"] - 1
        whole = every and (iteration < 1 or last or iteration % every == 0)
        watch = set(self.job["watch"])
        if whole:
            self.own.report()
        if not whole and not watch:
            return
        for number, blob in enumerate(net.blobs):
            layer = net.writer[number]
            name = net.blob_names[number]
            if layer is not None and (whole or watch & {name, net.names[layer]}):
                self.statistics(iteration, net.names[layer], "blob", name, "data", blob.data)
                if net.has_bottoms[layer]:
                    self.statistics(iteration, net.names[layer], "blob", name, "diff", blob.diff)
        for layer, index, param in net.params:
            if whole or net.names[layer] in watch:
                self.statistics(iteration, net.names[layer], "param", str(index), "data", param.data)
                self.statistics(iteration, net.names[layer], "param", str(index), of_params, param.diff)

    def statistics(self, iteration, layer, kind, name, part, values):
        numbers = summary(values)
        self.emit("statistics", iteration=iteration, layer=layer, kind=kind, name=name, part=part, **numbers)

    def judge(self, net, kept, iteration, rate):
        """Look at all that a pass wrote; where something is not finite, find where it began and end the run."""
        bad_blob = next((number for number, blob in enumerate(net.blobs) if not finite(blob.data)), None)
        if iteration < 0:
            bad_diff = bad_blob is None and any(not finite(param.diff) for _, _, param in net.params)
        else:
            bad_diff = any(not finite(param.data) for _, _, param in net.params)
        if bad_blob is None and not bad_diff:
            return
        self.report(net, iteration, rate, "diff" if iteration < 0 else "update")
        bad = bad_param(net)
        at_end = None if bad_blob is None else (bad_blob, net.blobs[bad_blob].data.copy())
        self.find(net, kept, iteration, rate, at_end, bad)

    def find(self, net, kept, iteration, rate, at_end, bad):
        """Run the pass again layer by layer, from the parameters that it began with."""
        net.restore(kept)
        self.fill(0, max(iteration, 0) % self.job["batches"])
        self.find_forward(net, iteration, rate)
        if at_end is not None:  # another dropout or batch this time, perhaps
            number, values = at_end
            layer = net.writer[number]
            self.non_finite(net, iteration, rate, "forward", layer, "blob", net.blob_names[number], values, {})
        self.find_backward(net, iteration, rate)
        if bad is not None:
            layer, index, values = bad
            self.non_finite(net, iteration, rate, "update", layer, "param", str(index), values, {})

    def find_forward(self, net, iteration, rate, number=0):
        for layer in range(len(net.names)):
            tops, bottoms = net.tops[layer], net.bottoms[layer]
            read = {}
            if bottoms:
                read = dict((net.blob_names[b], extent(net.blobs[b].data)) for b in bottoms)
                net.net._forward(layer, layer)
            for top in tops:
                values = net.blobs[top].data
                if not finite(values):
                    name = net.blob_names[top]
                    why = self.code(net, layer, net.net._forward)
                    self.non_finite(net, iteration, rate, "forward", layer, "blob", name, values, read, number, why)

    def find_backward(self, net, iteration, rate):
        net.clear_diffs()
        for layer in reversed(range(len(net.names))):
            tops, bottoms = net.tops[layer], net.bottoms[layer]
            read = dict((net.blob_names[t] + " diff", extent(net.blobs[t].diff)) for t in tops if bottoms)
            read.update((net.blob_names[b], extent(net.blobs[b].data)) for b in bottoms)
            net.net._backward(layer, layer)
            written = [("param", str(i), param.diff) for own, i, param in net.params if own == layer]
            written += [("blob", net.blob_names[b], net.blobs[b].diff) for b in bottoms if net.has_writer(b)]
            for kind, name, values in written:
                if not finite(values):
                    values = values.copy()
                    why = self.code(net, layer, net.net._backward)
                    self.non_finite(net, iteration, rate, "backward", layer, kind, name, values, read, 0, why)

    def code(self, net, layer, again):
        """Where in its code a Python layer computes what is not finite: run again, numpy raises there."""
        import warnings

        import numpy

        if net.types[layer] != "Python" or set(net.tops[layer]) & set(net.bottoms[layer]):
            return {}
        kept = [net.blobs[top].data.copy() for top in net.tops[layer]]
        try:
            with warnings.catch_warnings(), numpy.errstate(divide="raise", invalid="raise", over="raise"):
                warnings.simplefilter("error", RuntimeWarning)
                again(layer, layer)
        except (ArithmeticError, RuntimeWarning) as error:
            frames = [frame for frame in traceback.extract_tb(sys.exc_info()[2]) if own_code.is_own(frame[0])]
            if frames:
                return {"said": str(error)[:200], "file": frames[-1][0], "line": frames[-1][1]}
        except Exception:
            pass
        finally:
            for top, values in zip(net.tops[layer], kept):
                net.blobs[top].data[...] = values
        return {}

    def non_finite(self, net, iteration, rate, where, layer, kind, name, values, read, number=0, why=None):
        import numpy

        values = numpy.asarray(values, numpy.float64)
        rows = []
        if kind == "blob" and values.ndim:
            bad = ~numpy.isfinite(values.reshape(len(values), -1)).all(axis=1)
            rows = [int(row) for row in numpy.flatnonzero(bad)[:MOST_ROWS]]
        low, high, _ = extent(values)
        found = {
            "iteration": iteration,
            "net": number,
            "where": where,
            "layer": net.names[layer] if layer is not None and layer >= 0 else "",
            "kind": kind,
            "name": name,
            "nan": int(numpy.isnan(values).sum()),
            "inf": int(numpy.isinf(values).sum()),
            "size": int(values.size),
            "min": low,
            "max": high,
            "rate": rate,
            "inputs": read,
            "rows": rows,
            "batch": self.read.get(number, 0) - 1,
        }
        found.update(why or {})
        self.emit("non_finite", **found)
        raise Ended

    def test(self, number):
        """A TEST net on what was trained, as Solver::Test does it, on few batches."""
        net = self.nets[number]
        wanted = self.job["nets"][number] if number < len(self.job["nets"]) else {"iterations": 1}
        net.net.share_with(self.solver.net)
        own = [spec for spec in self.job["inputs"] if spec["net"] == number]
        trained_on = [(spec["top"], spec["shape"]) for spec in self.job["inputs"] if spec["net"] == 0]
        same = all(spec["source"] == "synthetic" and (spec["top"], spec["shape"]) in trained_on for spec in own)
        total, outputs = 0.0, {}
        passes = max(1, wanted["iterations"])
        answers = self.answers.of_test(number, net.blob_names)
        started = time.time()
        self.at = number, self.completed
        for index in range(passes):
            self.fill(number, index % self.job["batches"])
            tracing.traced(self, net, number, self.completed)
            net.net.forward()
            self.reads(number, 1)
            if not all(finite(blob.data) for blob in net.blobs):
                self.fill(number, index % self.job["batches"])
                self.find_forward(net, self.completed, 0.0, number)
            answers.add(net.values_of)
            loss, losses = net.losses()
            total += loss
            for name, value in losses.items():
                outputs[name] = outputs.get(name, 0.0) + value / passes
        loss = total / passes
        seconds = 0.0 if self.job["trace"] else time.time() - started
        values = {"net": number, "iterations": passes, "loss": loss, "outputs": outputs, "seconds": seconds}
        self.emit("test", same_batch=bool(own) and same, **values)
        for kind, found in answers.events():
            self.emit(kind, **found)

    def raised(self, error):
        """A Python layer, or Caffe's own Python, raised: the layer is the one that raises again when run alone."""
        kind, _, trace = sys.exc_info()
        frames = traceback.extract_tb(trace)
        modules = [sys.modules[name] for name in ("caffelint_engine", "caffe") if name in sys.modules]
        engine = tuple(os.path.join(os.path.dirname(os.path.abspath(one.__file__)), "") for one in modules)
        own = [frame for frame in frames if os.path.abspath(frame[0]) != os.path.abspath(__file__)]
        own = [frame for frame in own if not os.path.abspath(frame[0]).startswith(engine)]
        traceback.print_exc()
        message = "called exit" if kind is SystemExit else "%s: %s" % (kind.__name__, error)
        if not own:
            self.events.flush()
            os._exit(1)  # Caffe printed the traceback of a layer that failed to load, or this is a defect here
        place = own[-1]
        layer = self.raiser(kind) if self.nets else ""
        self.emit("python_layer", layer=layer, message=message[:2000], file=place[0], line=place[1])

    def raiser(self, kind):
        number, _ = self.at
        net = self.nets[number]
        layers = range(len(net.names))
        steps = [(layer, net.net._forward) for layer in layers]
        steps += [(layer, net.net._backward) for layer in reversed(layers)]
        for layer, step in steps:
            try:
                step(layer, layer)
            except kind:
                return net.names[layer]
            except BaseException:
                return ""
        return ""


def encoded(text):
    """Boost takes a `str`, on Python 2 in bytes."""
    return text if isinstance(text, str) else text.encode("utf-8")


if __name__ == "__main__":
    main(sys.argv[1])
