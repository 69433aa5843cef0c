from __future__ import annotations

from collections.abc import Iterator

from caffelint.lint import (
    ERROR,
    LIKELY,
    WARNING,
    Cause,
    Finding,
    Invalid,
    compiled_later,
    python_home,
    python_modules,
    relative,
)
from caffelint.smoke.rule import BuiltLayer, PythonLayer, Run, SmokeRule

from ._evidence import guessed, worded
from ._example import CALM, NET, losses, project

_PYTHON = NET.replace('type: "Log" bottom: "fc" top: "log"', 'type: "Python" bottom: "fc" top: "log"').replace(
    'top: "log" }', 'top: "log"\n  python_param { module: "mine" layer: "Twice" } }'
)
_NO_CONVERTER = "No to_python (by-value) converter found for C++ type: caffe::Blob"
"""What Python gets of pycaffe's vectors of blobs by looping over them (_caffe.cpp, RawBlobVec)."""
_NOT_FOUND = compiled_later(r"No module named '?([^'. ]+)")


class PythonLayerFailed(SmokeRule):
    """A Python layer raises an exception, or ends the process.

    ## Why is this bad?
    Training ends there. The finding shows the exception, and where the layer's own file raises it.

    ## References
    - layer_factory.cpp, GetPythonLayer; python_layer.hpp
    """

    code = "X112"
    name = "python-layer-failed"
    severity = ERROR
    VALID = [project(*losses(*CALM))]
    INVALID = [
        Invalid(
            project(PythonLayer("log", "ValueError: no box is left", "/home/me/mine.py", 31), net=_PYTHON),
            span="layer",
            message='Python "log" (mine.Twice) failed: ValueError: no box is left, at "/home/me/mine.py":31',
        ),
        Invalid(
            project(
                PythonLayer("log", f"TypeError: {_NO_CONVERTER}<float>*", "/home/me/mine.py", 9),
                net=_PYTHON,
            ),
            span="layer",
            message='Python "log" (mine.Twice) failed: TypeError: No to_python (by-value) converter found for C++ type:'
            ' caffe::Blob<float>*, at "/home/me/mine.py":9; pycaffe cannot loop over bottom and top: take bottom[i] for'
            " i in range(len(bottom))",
        ),
    ]

    def check(self, run: Run) -> Iterator[Finding]:
        for event in run.all(PythonLayer):
            name = event.layer
            python = [layer for built in run.built for layer in built.layers if layer.type == "Python"]
            if not name and len({layer.name for layer in python}) == 1:
                name = python[0].name
            net = next((i for i, built in enumerate(run.built) if any(one.name == name for one in built.layers)), 0)
            layer = run.layer(name, net)
            of = ""
            if layer is not None and layer.type == "Python":
                of = f" ({layer.message.python_param.module}.{layer.message.python_param.layer})"
            at = f', at "{event.file}":{event.line}' if event.file else ""
            what = f'Python "{name}"{of}' if name else "a Python layer" if python else "the engine itself"
            message = " ".join(event.message.split()).removesuffix(".")
            remedy = _remedy(run, layer, message) if of and layer is not None else ""
            if _NO_CONVERTER in message:
                remedy = "; pycaffe cannot loop over bottom and top: take bottom[i] for i in range(len(bottom))"
            cause = Cause("python-layer" if python else "engine", f"{what} failed", f"{message}{at}{remedy}")
            place = run.place(name, net) if name else run.nets[0].at()
            if not python and (guess := guessed(run)):
                yield worded(self, place, cause, guess, severity=WARNING, certainty=LIKELY)
            else:
                yield worded(self, place, cause)


def _remedy(run: Run, layer: BuiltLayer, message: str) -> str:
    """Where the project has the layer's module that was not found: people start Caffe with its folder in PYTHONPATH."""
    missing = _NOT_FOUND.search(message)
    module = layer.message.python_param.module
    if missing is None or missing[1] != module.partition(".")[0]:
        return ""
    one = next((one for net in run.nets for one in net.layers_having("python_param") if one.name == layer.name), None)
    files = [found.path for found in python_modules(one)] if one is not None else []
    if len(files) != 1:
        return "; put its folder into PYTHONPATH"
    return f"; it is in {relative(files[0])}: run with PYTHONPATH={relative(python_home(files[0], module))}"
