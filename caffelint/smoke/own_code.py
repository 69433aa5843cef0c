"""What the user's own Python layers take of the time, and what numpy warns of in them (events.py, Spent and Warned).

Python 2.7 and 3, the standard library alone. One file by itself: it is copied beside a runner that has no caffelint to
import.
"""

# ruff: noqa: UP004, UP010
# mypy: allow-untyped-defs, allow-untyped-calls
from __future__ import absolute_import, division

import os
import sys
import threading
import time
import warnings

LONG, MOST = 0.05, 8
"""Seconds of a call that is worth a look at what it does; as many warnings are told."""


class Own(object):
    """Watches own code. tell: called with the name of an event and its fields."""

    def __init__(self, tell):
        self.tell = tell
        self.began = time.time()
        self.spent = {}
        self.places = {}
        self.told = 0
        self.show = warnings.showwarning
        warnings.showwarning = self.warned

    def watch(self, layer, code):
        """Add up the time of a layer's passes. code: its object."""
        for name in ("forward", "backward"):
            if hasattr(code, name):
                setattr(code, name, self.timed(layer, getattr(code, name), name == "forward"))

    def timed(self, layer, function, counts):
        """The function of a layer, with its time added up. counts: is a call of it a pass?"""

        def run(*arguments):
            calls, whole, idle = self.spent.get(layer, (0, 0.0, 0.0))
            look = None
            if calls and whole / calls > LONG and layer not in self.places:
                look = threading.Timer(whole / calls / 2, self.look, [layer, sys._getframe()])
                look.daemon = True
                look.start()
            began, busy = time.time(), at_work()
            try:
                return function(*arguments)
            finally:
                if look is not None:
                    look.cancel()
                took, worked = time.time() - began, at_work() - busy
                self.spent[layer] = calls + counts, whole + took, idle + max(0.0, took - worked if busy >= 0 else 0.0)

        return run

    def look(self, layer, outer):
        """Where the code of a layer is, called below this frame."""
        for frame in list(sys._current_frames().values()):
            below = list(frames(frame))
            own = [one for one in below if is_own(one.f_code.co_filename)]
            if outer in below and own:
                self.places[layer] = own[0].f_code.co_filename, own[0].f_lineno

    def report(self):
        """What was spent so far."""
        whole = time.time() - self.began
        for layer, (calls, seconds, idle) in sorted(self.spent.items()):
            file, line = self.places.get(layer, ("", 0))
            self.tell("spent", layer=layer, calls=calls, seconds=seconds, idle=idle, whole=whole, file=file, line=line)

    def warned(self, message, category, filename, lineno, *rest):
        if issubclass(category, RuntimeWarning) and is_own(filename) and self.told < MOST:
            self.told += 1
            self.tell("warned", said=str(message)[:200], file=filename, line=lineno)
        self.show(message, category, filename, lineno, *rest)


def frames(frame):
    """A frame and those that led to it."""
    while frame is not None:
        yield frame
        frame = frame.f_back


def at_work():
    """Seconds in which this thread computed, or waited only for a CPU; -1 where nobody tells."""
    try:
        with open("/proc/thread-self/schedstat") as file:
            busy, queued = file.read().split()[:2]
    except (OSError, ValueError):
        return -1.0
    return (int(busy) + int(queued)) / 1e9


def is_own(path):
    """Is a file the user's own, not of an engine nor of what is installed?"""
    path = os.path.abspath(path)
    engine = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    installed = [os.path.dirname(os.path.abspath(os.__file__)), engine]
    return not any(path.startswith(folder + os.sep) for folder in installed) and "-packages" + os.sep not in path
