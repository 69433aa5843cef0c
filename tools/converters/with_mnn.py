"""MNN's converter and runtime: `python with_mnn.py FOLDER...`, with `mnn`.

The `mnnconvert` command is never called, it installs packages and sends usage data: the converter inside is.
"""

from __future__ import annotations

import contextlib
import os
from pathlib import Path
from typing import Any

import numpy as np
from common import Gone, Refused, run_all
from makers import makers


def _convert(case: Path) -> str:
    import _tools

    model = case / "net.mnn"
    words = ["mnnconvert", "-f", "CAFFE", "--modelFile", case / "net.caffemodel", "--prototxt", case / "net.prototxt"]
    words += ["--MNNModel", model, "--bizCode", "x"]
    child = os.fork()
    if child == 0:
        with contextlib.suppress(BaseException):
            _tools.mnnconvert([str(word) for word in words])
        os._exit(0)
    status = os.waitpid(child, 0)[1]
    if status or not model.exists():
        raise Refused(f"the converter ended with status {status}")
    return str(model)


def run(case: Path, inputs: dict[str, Any], outputs: dict[str, Any]) -> dict[str, Any]:
    import MNN

    model = _convert(case)
    try:
        net = MNN.Interpreter(model)
        session = net.createSession({"numThread": 1, "precision": "high"})
        fed = net.getSessionInputAll(session)
        for name, value in inputs.items():
            if name not in fed and len(fed) == 0:
                raise Gone
            if name not in fed:
                continue  # nothing that it has left reads it
            shape = tuple(value.shape)
            one = MNN.Tensor(shape, MNN.Halide_Type_Float, np.ascontiguousarray(value), MNN.Tensor_DimensionType_Caffe)
            fed[name].copyFrom(one)
        if net.runSession(session):
            raise Refused("the session ends with an error")
        made = net.getSessionOutputAll(session)
        found = {}
        of = makers(case / "net.prototxt", outputs)
        for blob in outputs:
            # What the converter builds of several parts it names for the layer, and what folds away for its bottom.
            names = [name for name in (blob, of.get(blob, ("",))[0]) if name in made]
            if names or len(made) == len(outputs) == 1:
                found[blob] = _values(made[names[0] if names else next(iter(made))])
        return found
    finally:
        with contextlib.suppress(OSError):
            os.remove(model)


def _values(tensor: Any) -> Any:
    import MNN

    shape = tuple(tensor.getShape())
    copy = MNN.Tensor(shape, MNN.Halide_Type_Float, np.zeros(shape, np.float32), MNN.Tensor_DimensionType_Caffe)
    tensor.copyToHostTensor(copy)
    return np.array(copy.getData(), np.float32).reshape(shape)


if __name__ == "__main__":
    run_all("mnn", run)
