# -*- coding: ascii -*-
"""A layer for Caffe that stops at the first nan or inf, and says where it is.

Written by `caffelint patch NET --check-finite`, which also inserts the layers that use it into a net; `caffelint patch
NET --remove` removes them. It runs on Python 2.7 and 3, and needs only numpy and Caffe.

- Caffe must be built WITH_PYTHON_LAYER := 1; without it there is no layer type Python.
- Caffe must find this file: PYTHONPATH=FOLDER_OF_THIS_FILE${PYTHONPATH:+:$PYTHONPATH} caffe train -solver SOLVER
- `caffe train` on several GPUs aborts on any Python layer in the TRAIN phase; use one GPU.
- On a GPU each check copies its blob to the CPU and back.

The iteration in its message counts the forward passes of this run, from 0, separately for each phase.

The layer works in place and changes nothing: its tops are its bottoms.

    layer {
      name: "check_fc2" type: "Python" bottom: "fc2" top: "fc2"
      python_param { module: "check_finite_layer" layer: "checkFiniteLayer" param_str: "anything" }
    }

Never let it read a loss: Caffe then silently drops the backward pass. `param_str` is a text for the message, or JSON
with any of these keys:

    blob       the blob that is checked, for the message
    made_by    the layers that write it: look at these if the forward pass is bad
    read_by    the layers that read it: look at these if the backward pass is bad
    why        the reason for the check
    action     "raise" (the default) ends the run, "warn" prints a line, "dump" saves the blob as .npy and ends the run

`caffe train` ends without showing what a Python layer raised, so the message also goes to stderr.
"""

import json
import re
import sys

import caffe
import numpy

INFINITY = float("inf")
MOST_WARNINGS = 10


class checkFiniteLayer(caffe.Layer):
    def setup(self, bottom, top):
        text = getattr(self, "param_str", None) or getattr(self, "param_str_", None) or ""
        self.settings = read_settings(text)
        action = self.settings.get("action", "raise")
        if action not in ("raise", "warn", "dump"):
            raise ValueError("checkFiniteLayer: action is %r, not raise, warn or dump" % (action,))
        self.forwards = 0
        self.warnings = 0

    def reshape(self, bottom, top):
        pass

    def forward(self, bottom, top):
        self.forwards += 1
        # Caffe's vectors of blobs can be indexed, and not iterated over.
        for index in range(len(bottom)):
            if bottom[index].count:
                self.check(bottom[index].data, "forward", index)

    def backward(self, top, propagate_down, bottom):
        for index in range(len(top)):
            if top[index].count and propagate_down[index]:
                self.check(top[index].diff, "backward", index)

    def check(self, values, direction, index):
        flat = values.ravel()
        # nan and inf survive a sum; a sum of large numbers may be inf, too, so the counts decide. A product would be
        # cheap as well, but a hundred times slower when it falls below the smallest normal number.
        with numpy.errstate(all="ignore"):
            total = float(flat.sum())
        if -INFINITY < total < INFINITY:
            return
        finite = numpy.isfinite(flat)
        good = int(numpy.count_nonzero(finite))
        if good == flat.size:
            return
        nan = int(numpy.count_nonzero(numpy.isnan(flat)))
        message = self.message(direction, index, values, nan, flat.size - good - nan, flat[finite])
        action = self.settings.get("action", "raise")
        if action == "dump":
            message += self.dump(values, direction, index)
        if action != "warn":
            say(message)
            raise ValueError(message)
        self.warnings += 1
        if self.warnings <= MOST_WARNINGS:
            say(message + ("; further warnings are not shown" if self.warnings == MOST_WARNINGS else ""))

    def message(self, direction, index, values, nan, inf, rest):
        """One line: where, when, how many values, and the range of the others."""
        settings = self.settings
        blob = settings.get("blob")
        where = "blob %s" % quoted(blob) if blob else "bottom %d" % index
        if settings.get("prefix"):
            where = "%s: %s" % (as_text(settings["prefix"]), where)
        if direction == "backward":
            what, makers, verb = "the gradient of " + where, settings.get("read_by"), "computed by"
        else:
            what, makers, verb = where, settings.get("made_by"), "made by"
        if makers:
            what += ", %s layer %s" % (verb, ", ".join(quoted(name) for name in makers))
        share = 100.0 * (nan + inf) / values.size
        size = "x".join(str(length) for length in values.shape)
        finite = "the others are in [%g, %g]" % (rest.min(), rest.max()) if rest.size else "none is finite"
        why = "; reason for the check: %s" % as_text(settings["why"]) if settings.get("why") else ""
        return "checkFiniteLayer: %s pass, iteration %d%s: %s: %d nan and %d inf of %d values (%.3g%%, %s); %s%s" % (
            direction,
            self.forwards - 1,
            self.phase_name(),
            what,
            nan,
            inf,
            values.size,
            share,
            size,
            finite,
            why,
        )

    def phase_name(self):
        names = {0: " of TRAIN", 1: " of TEST"}
        return names.get(getattr(self, "phase", None), "")

    def dump(self, values, direction, index):
        name = as_text(self.settings.get("blob") or self.settings.get("prefix") or "bottom%d" % index)
        safe = re.sub(r"[^A-Za-z0-9_.-]", "_", name)
        path = "nonfinite_%s_%s_%d.npy" % (safe, direction, self.forwards - 1)
        try:
            numpy.save(path, values)
        except (IOError, OSError) as error:
            return "; it could not be saved as %s: %s" % (path, error)
        return "; saved as %s" % path


def read_settings(text):
    """The JSON of a `param_str`; any other text as the prefix of the message."""
    try:
        found = json.loads(text)
    except ValueError:
        found = None
    return found if isinstance(found, dict) else {"prefix": text}


def as_text(value):
    """A `str` of Python 2 or 3 that goes through any terminal and log."""
    if isinstance(value, bytes):
        value = value.decode("utf-8", "replace")
    elif not hasattr(value, "encode"):
        value = str(value)
    return str(value.encode("ascii", "backslashreplace").decode("ascii"))


def quoted(value):
    return '"%s"' % as_text(value)


def say(message):
    """Print to stderr at once: `caffe train` ends without showing what was raised."""
    sys.stderr.write("%s\n" % message)
    sys.stderr.flush()
